"""Roles of columns by sqlglot: a second opinion on both profiles, written from the definition alone.

sqlglot parses; everything else (name resolution, roles) is done here, in the plainest way that the definition allows:
walk the tree, carry the role of the place, look names up in a chain of scopes. It shares no code with the checker,
and it is no judge: it assumes a query that SQLite accepts.

    occurrences(schema, sql, strict) -> [(table, column, role, flags)], table and column in lower case,
    flags a subset of {"star", "minmax", "on"}
"""

import json

from sqlglot import exp, parse

SEL, JOIN, WHERE, AGG, NONE = "Sel", "Join", "Where", "Agg", None
COUNTING = (exp.Count, exp.Sum, exp.Avg)
QUERIES = (exp.Select, exp.SetOperation, exp.Subquery)
COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.Between, exp.NullSafeEQ, exp.NullSafeNEQ)


def load_schemas(path):
    """tables.json -> {db_id: {table: [column]}}, all in lower case."""
    schemas = {}
    with open(path, encoding="utf-8") as file:
        for database in json.load(file):
            tables = {name.lower(): [] for name in database["table_names_original"]}
            names = [name.lower() for name in database["table_names_original"]]
            for table, column in database["column_names_original"]:
                if table >= 0:
                    tables[names[table]].append(column.lower())
            schemas[database["db_id"]] = tables
    return schemas


class Place:
    """Where an expression stands: the role that it gives, and what an occurrence there is marked with.

    Inside an argument of COUNT, SUM or AVG `home` is the scope whose rows are aggregated, and `predicate` says that
    something there tests the column instead of adding it up. `condition`: the whole of a WHERE, HAVING or ON, or a part
    of it under nothing but AND, OR, NOT and parentheses.
    """

    def __init__(self, role, home=None, predicate=False, window=False, condition=False, flags=frozenset()):
        self.role, self.home, self.predicate, self.window, self.flags = role, home, predicate, window, flags
        self.condition = condition

    def with_(self, **changed):
        return Place(**{**vars(self), **changed})


class Source:
    """One item of FROM. `columns` maps a name to the (table, column) it stands for, or to None: a derived column."""

    def __init__(self, name, columns):
        self.name, self.columns = name, columns


class Scope:
    def __init__(self, outer):
        self.outer = outer
        self.sources = []
        self.aliases = {}  # select alias -> its expression
        self.merged = {}  # column joined by USING or NATURAL -> every (table, column) it merges


class Walk:
    def __init__(self, schema, strict):
        self.schema, self.strict = schema, strict
        self.found = []
        self.outputs = {}  # id of a SELECT -> (its scope, its output columns: an expression, or what `*` gave)

    # -- queries ---------------------------------------------------------------------------------------------------

    def query(self, node, outer, ctes, compared=False):
        """Walks one query and returns the names of its output columns, None for those that have none.

        `compared`: a condition asks of its select lists, and shows nothing of them.
        """
        ctes = dict(ctes)
        with_ = node.args.get("with_") or node.args.get("with")
        for cte in with_.expressions if with_ else []:
            names = self.query(cte.this, None, ctes)
            given = [c.name.lower() for c in cte.args["alias"].args.get("columns") or []]
            ctes[cte.alias.lower()] = given or names
        if isinstance(node, exp.Subquery):
            return self.query(node.this, outer, ctes, compared)
        if isinstance(node, exp.SetOperation):
            names = self.query(node.left, outer, ctes, compared)
            self.query(node.right, outer, ctes, compared)
            self.compound_order(node, names, ctes)
            self.limit(node, ctes)
            return names
        return self.select(node, outer, ctes, compared)

    def branches(self, node):
        if isinstance(node, exp.SetOperation):
            return self.branches(node.left) + self.branches(node.right)
        return self.branches(node.this) if isinstance(node, exp.Subquery) else [node]

    def compound_order(self, node, names, ctes):
        """The ORDER BY of a set operation: of the item that a term names, in every branch."""
        place = Place(SEL if self.strict else NONE)
        for ordered in node.args["order"].expressions if node.args.get("order") else []:
            term = ordered.this
            while isinstance(term, (exp.Paren, exp.Collate)):
                term = term.this
            if isinstance(term, exp.Literal) and not term.is_string:
                index = int(term.this) - 1
            elif isinstance(term, exp.Column) and term.name.lower() in names:
                index = names.index(term.name.lower())
            else:
                raise NotImplementedError("ORDER BY of a set operation by an expression")
            for branch in self.branches(node):
                scope, outputs = self.outputs[id(branch)]
                if isinstance(outputs[index], list):
                    for column in outputs[index]:
                        self.use(column, place)
                else:
                    self.expression(outputs[index], place, scope, ctes)

    def limit(self, node, ctes):
        """LIMIT and OFFSET see no column; a SELECT nested in them counts."""
        for key in ("limit", "offset"):
            if node.args.get(key):
                self.expression(node.args[key], Place(NONE), Scope(None), ctes)

    def item_of(self, term, select):
        """The select item that an ordinal or an alias stands for."""
        while isinstance(term, (exp.Paren, exp.Collate)):
            term = term.this
        if isinstance(term, exp.Literal) and not term.is_string:
            return select.expressions[int(term.this) - 1]
        if isinstance(term, exp.Column) and not term.table:
            for item in select.expressions:
                if isinstance(item, exp.Alias) and item.alias.lower() == term.name.lower():
                    return item.this
        return None

    def select(self, node, outer, ctes, compared=False):
        scope = Scope(outer)
        names = []
        outputs = []
        self.outputs[id(node)] = scope, outputs
        listed = WHERE if compared and self.strict else SEL
        for item in node.expressions:
            if isinstance(item, exp.Alias):
                scope.aliases.setdefault(item.alias.lower(), item.this)

        from_ = node.args.get("from_") or node.args.get("from")
        joins = node.args.get("joins") or []
        if from_:
            scope.sources.append(self.source(from_.this, scope, ctes))
        for join in joins:
            source = self.source(join.this, scope, ctes)
            using = [c.name.lower() for c in join.args.get("using") or []]
            if join.args.get("method") == "NATURAL":
                using = [c for c in source.columns if any(c in s.columns for s in scope.sources)]
            for column in using:
                self.merge(column, source, scope)
            scope.sources.append(source)
            # Joins written after an item inside FROM's tree hang on that item.
            for inner in join.this.args.get("joins") or []:
                raise NotImplementedError(f"join inside a join: {inner.key}")
        for join in joins:
            if join.args.get("on"):
                self.expression(join.args["on"], Place(JOIN, condition=True, flags=frozenset({"on"})), scope, ctes)

        for item in node.expressions:
            if self.is_star(item):
                names += self.star(item, scope, listed, outputs)
                continue
            outputs.append(item.this if isinstance(item, exp.Alias) else item)
            self.expression(outputs[-1], Place(listed), scope, ctes)
            names.append(self.output_name(item))
        if node.args.get("where"):
            self.expression(node.args["where"].this, Place(WHERE, condition=True), scope, ctes)
        if node.args.get("having"):
            self.expression(node.args["having"].this, Place(WHERE, condition=True), scope, ctes)
        for clause in ("group", "order"):
            for term in node.args[clause].expressions if node.args.get(clause) else []:
                self.term(term.this if isinstance(term, exp.Ordered) else term, clause, node, scope, ctes)
        self.limit(node, ctes)
        return names

    def term(self, term, clause, select, scope, ctes):
        """One term of GROUP BY or ORDER BY: in profile paper only arguments of COUNT, SUM and AVG count in it."""
        item = self.item_of(term, select)
        if item is not None and clause == "group" and isinstance(term, exp.Column):
            if any(term.name.lower() in s.columns for s in scope.sources):
                item = None  # in GROUP BY the source column comes first
        if item is not None and isinstance(item, exp.Alias):
            item = item.this
        self.expression(term if item is None else item, Place(SEL if self.strict else NONE), scope, ctes)

    def source(self, node, scope, ctes):
        if isinstance(node, exp.Table):
            name = node.name.lower()
            alias = (node.alias or node.name).lower()
            if name in ctes:
                return Source(alias, {c: None for c in ctes[name] if c})
            return Source(alias, {c: (name, c) for c in self.schema[name]})
        if isinstance(node, exp.Subquery):
            names = self.query(node.this, scope.outer, ctes)
            return Source(node.alias.lower(), {c: None for c in names if c})
        raise NotImplementedError(f"FROM {node.key}")

    def merge(self, column, right, scope):
        """USING (column), or NATURAL: a Join use on both sides."""
        if column in scope.merged:
            left = scope.merged[column]
        else:
            left = [s.columns[column] for s in scope.sources if column in s.columns]
        both = left + [right.columns[column]]
        for place in both if column not in scope.merged else both[-1:]:
            self.use(place, Place(JOIN, flags=frozenset({"on"})))
        scope.merged[column] = both

    # -- `*` -------------------------------------------------------------------------------------------------------

    def is_star(self, item):
        return isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))

    def star(self, item, scope, role, outputs):
        names, done = [], set()
        wanted = item.table.lower() if isinstance(item, exp.Column) else ""
        for source in scope.sources:
            if wanted and source.name != wanted:
                continue
            for name, place in source.columns.items():
                if not wanted and name in scope.merged:
                    if name in done:
                        continue
                    done.add(name)
                    columns = scope.merged[name]
                else:
                    columns = [place]
                for column in columns:
                    self.use(column, Place(role, flags=frozenset({"star"})))
                outputs.append(columns)
                names.append(name)
        return names

    def output_name(self, item):
        if isinstance(item, exp.Alias):
            return item.alias.lower()
        while isinstance(item, (exp.Paren, exp.Collate)):
            item = item.this
        return item.name.lower() if isinstance(item, exp.Column) else None

    # -- expressions -----------------------------------------------------------------------------------------------

    def expression(self, node, place, scope, ctes):
        if node is None or not isinstance(node, exp.Expression):
            return
        if isinstance(node, QUERIES):
            self.query(node, scope, ctes)
            return
        if isinstance(node, exp.Column):
            self.column(node, place, scope, ctes)
            return
        if place.condition:
            if isinstance(node, (exp.And, exp.Or, exp.Not, exp.Paren)):
                for child in node.iter_expressions():
                    self.expression(child, place, scope, ctes)
                return
            place = place.with_(condition=False)
            if isinstance(node, COMPARISONS):
                for child in node.iter_expressions():
                    self.operand(child, place, scope, ctes)
                return
            if isinstance(node, exp.In) and node.args.get("query"):
                self.expression(node.this, place, scope, ctes)
                self.query(node.args["query"], scope, ctes, compared=True)
                return
            if isinstance(node, exp.Exists):
                self.query(node.this, scope, ctes, compared=True)
                return
        if isinstance(node, exp.Window):
            place = Place(SEL, window=True, flags=place.flags)
        elif isinstance(node, exp.Filter):
            self.filter(node, place, scope, ctes)
            return
        elif isinstance(node, COUNTING) and not place.window:
            place = place.with_(role=AGG, home=self.home(node, scope), predicate=not self.is_plain_argument(node, scope))
        elif isinstance(node, (exp.Min, exp.Max)) and not node.expressions and not place.window and not place.home:
            place = place.with_(flags=place.flags | {"minmax"})
        elif place.home:
            for child in node.iter_expressions():
                predicate = place.predicate or not adds_up(node, child)
                self.expression(child, place.with_(predicate=predicate), scope, ctes)
            return
        for child in node.iter_expressions():
            self.expression(child, place, scope, ctes)

    def operand(self, node, place, scope, ctes):
        """An operand of a comparison in a condition: a SELECT there, parentheses and signs aside, is only compared."""
        bare, level = node, scope
        while isinstance(bare, (exp.Paren, exp.Neg)) or self.is_alias(bare, level):
            if isinstance(bare, exp.Column):
                level = self.level_of(bare, level)
                bare = level.aliases[bare.name.lower()]
            else:
                bare = bare.this
        if isinstance(bare, QUERIES):
            self.query(bare, level, ctes, compared=True)
        else:
            self.expression(node, place, scope, ctes)

    def is_alias(self, node, scope):
        level = self.level_of(node, scope) if isinstance(node, exp.Column) else None
        return level is not None and not any(node.name.lower() in s.columns for s in level.sources)

    def is_plain_argument(self, aggregate, scope):
        """Whether the argument of COUNT, SUM or AVG only carries the values of its columns."""
        argument = aggregate.this
        distinct = isinstance(argument, exp.Distinct)
        if distinct:
            argument = argument.expressions[0]
        bare = argument
        while isinstance(bare, (exp.Paren, exp.Collate)):
            bare = bare.this
        if isinstance(bare, exp.Column):
            return True
        self.digits = self.products = 0
        return not distinct and self.plain(argument, scope) is not None

    def plain(self, node, scope):
        """The columns whose values a plain expression carries, or None if it is not plain."""
        if isinstance(node, exp.Null):
            return set()
        if isinstance(node, exp.Literal):
            self.digits += sum(c.isdigit() for c in node.this)
            number = not node.is_string and all(c.isdigit() or c == "." for c in node.this)
            return set() if number and self.digits <= 6 else None
        if isinstance(node, exp.Column):
            return self.plain_column(node, scope)
        if isinstance(node, exp.Cast):
            real = node.to.this in (exp.DataType.Type.FLOAT, exp.DataType.Type.DOUBLE) and not node.to.expressions
            return self.plain(node.this, scope) if real else None
        if isinstance(node, (exp.Paren, exp.Neg, exp.Collate)):
            return self.plain(node.this, scope)
        if isinstance(node, exp.Div):
            divisor = node.right
            if not isinstance(divisor, exp.Literal) or divisor.is_string or "." not in divisor.this:
                return None
            return self.plain(node.left, scope) if self.plain(divisor, scope) is not None else None
        if isinstance(node, (exp.Add, exp.Sub, exp.Mul)):
            self.products += isinstance(node, exp.Mul)
            left, right = self.plain(node.left, scope), self.plain(node.right, scope)
            if left is None or right is None or left & right or self.products > 2:
                return None
            return left | right
        if isinstance(node, exp.Case):
            parts = [part.args["true"] for part in node.args["ifs"]] + [node.args.get("default")]
        elif isinstance(node, exp.If):
            parts = [node.args["true"], node.args.get("false")]
        elif isinstance(node, exp.Coalesce):
            parts = [node.this, *node.expressions]
        else:
            return None
        columns = set()
        for part in parts:
            own = self.plain(part, scope) if part is not None else set()
            if own is None:
                return None
            columns |= own
        return columns

    def plain_column(self, node, scope):
        name, table = node.name.lower(), node.table.lower()
        level = self.level_of(node, scope)
        if level is None:
            return None
        places = [s.columns[name] for s in level.sources if name in s.columns and (not table or s.name == table)]
        if not places:
            return self.plain(level.aliases[name], level)
        return None if None in places else set(places)

    def filter(self, node, place, scope, ctes):
        self.expression(node.this, place, scope, ctes)
        condition = place if place.window else place.with_(role=WHERE)
        if self.strict and isinstance(node.this, COUNTING) and not place.window:
            condition = place.with_(role=AGG, home=scope, predicate=True)
        self.expression(node.expression.this, condition, scope, ctes)

    def home(self, aggregate, scope):
        """The SELECT that an aggregate belongs to: the innermost one that a column in its argument comes from."""
        columns = [c for c in aggregate.find_all(exp.Column) if not isinstance(c.this, exp.Star)]
        levels = [self.level_of(c, scope) for c in columns if c.find_ancestor(exp.Select) is aggregate.parent_select]
        level = scope
        while levels and level is not None and level not in levels:
            level = level.outer
        return level or scope

    def level_of(self, node, scope):
        """The scope that binds a name, or None."""
        name, table = node.name.lower(), node.table.lower()
        while scope is not None:
            if any(name in s.columns and (not table or s.name == table) for s in scope.sources):
                return scope
            if not table and name in scope.aliases:
                return scope
            scope = scope.outer
        return None

    def column(self, node, place, scope, ctes):
        if isinstance(node.this, exp.Star):
            return  # COUNT(*)
        name, table = node.name.lower(), node.table.lower()
        level = self.level_of(node, scope)
        if level is None:
            if node.this.quoted and not table:
                return  # "x" that names no column is a string
            raise LookupError(f"{table}.{name} names no column")
        if self.strict and place.home and level is not place.home:
            place = Place(SEL, flags=place.flags)
        hits = [s for s in level.sources if name in s.columns and (not table or s.name == table)]
        if not table and name in level.merged:
            for merged in level.merged[name]:
                self.use(merged, place)
        elif len(hits) > 1:
            raise LookupError(f"{name} is ambiguous")
        elif hits:
            self.use(hits[0].columns[name], place)
        else:
            self.expression(level.aliases[name], place, level, ctes)

    def use(self, column, place):
        if column is None or place.role is NONE:
            return
        roles = [place.role]
        if self.strict and place.predicate:
            roles.append(WHERE)
        if self.strict and "minmax" in place.flags and place.role != SEL:
            roles.append(SEL)
        self.found += [(*column, role, place.flags) for role in roles]


def adds_up(node, child):
    """Whether `child`, inside a plain argument of COUNT, SUM or AVG, is carried and is no condition."""
    return not isinstance(node, (exp.Case, exp.If)) or child is not node.this


def occurrences(schema, sql, strict=False):
    statements = [s for s in parse(sql, read="sqlite") if s is not None]
    if len(statements) != 1:
        raise ValueError(f"{len(statements)} statements")
    walk = Walk(schema, strict)
    walk.query(statements[0], None, {})
    return walk.found
