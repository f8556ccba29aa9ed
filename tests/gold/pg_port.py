"""The benchmarks' databases and gold queries as they could be on PostgreSQL.

Schemas come in two forms: `declared`, types as SQLite's declarations say; `cleaned`, as an owner would move them: text columns
that hold only numbers or dates become that, number columns that hold text become text, both ends of a foreign key alike.
Names are folded to lower case. Queries are translated by sqlglot, and then given what PostgreSQL's spelling asks for: an alias
for each derived table, a string where a word in double quotes names nothing, grouping by every column that is shown beside an
aggregate, text where text is compared or matched. What a query means may change a little; whether it is one does not
depend on that.
"""

import collections
import re
import sqlite3

import sqlglot
from sqlglot import exp

RANK = {"integer": 0, "bigint": 1, "numeric": 2, "double precision": 3, "date": 4, "timestamp": 5, "boolean": 6, "text": 7}
NUMBERS = ("integer", "bigint", "numeric", "double precision")


def declared_type(declared):
    word = declared.upper()
    if "BOOL" in word:
        return "boolean"
    if "DATETIME" in word or "TIMESTAMP" in word:
        return "timestamp"
    if "DATE" in word:
        return "date"
    if "BIGINT" in word:
        return "bigint"
    if "INT" in word or word == "YEAR":
        return "integer"
    if "REAL" in word or "FLOA" in word or "DOUB" in word:
        return "double precision"
    if "NUM" in word or "DEC" in word:
        return "numeric"
    return "text"


def text_of(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def cleaned_type(declared, values):
    """By what the column holds; `values` are a sample of those that are not NULL."""
    texts = [text_of(value) for value in values if text_of(value) != ""]
    if not texts:
        return declared
    if all(re.fullmatch(r"-?(0|[1-9]\d{0,17})", text) for text in texts):
        if declared in ("numeric", "double precision", "boolean"):
            return declared if declared != "boolean" or set(texts) <= {"0", "1"} else "integer"
        return "integer" if all(abs(int(text)) < 2**31 for text in texts) else "bigint"
    if all(re.fullmatch(r"-?\d*\.?\d+(e[-+]?\d+)?", text) for text in texts) and not any(
            re.match(r"-?0\d", text) for text in texts):
        return "numeric" if declared == "numeric" else "double precision"
    if all(re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", text) for text in texts):
        return "date"
    if all(re.fullmatch(r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d(\.\d+)?)?)?", text) for text in texts):
        return "timestamp"
    return "text"


class Database:
    def __init__(self, path):
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        db.text_factory = bytes
        decode = lambda raw: raw.decode("utf-8", "replace")
        names = [decode(row[0]) for row in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
        self.keys, self.types, links = {}, {"declared": {}, "cleaned": {}}, []
        for name in names:
            quoted = '"' + name.replace('"', '""') + '"'
            table = name.lower()
            columns = list(db.execute(f"PRAGMA table_info({quoted})"))
            self.keys[table] = [decode(row[1]).lower() for row in sorted(columns, key=lambda row: row[5]) if row[5]]
            for form in self.types:
                self.types[form][table] = {}
            for row in columns:
                column, declared = decode(row[1]), declared_type(decode(row[2] or b""))
                cell = '"' + column.replace('"', '""') + '"'
                values = [found[0] for found in db.execute(
                    f"SELECT DISTINCT {cell} FROM (SELECT {cell} FROM {quoted} LIMIT 20000) WHERE {cell} IS NOT NULL LIMIT 2000")]
                self.types["declared"][table][column.lower()] = declared
                self.types["cleaned"][table][column.lower()] = cleaned_type(declared, values)
            for row in db.execute(f"PRAGMA foreign_key_list({quoted})"):
                if row[4] is not None:
                    links.append((table, decode(row[3]).lower(), decode(row[2]).lower(), decode(row[4]).lower()))
        types = self.types["cleaned"]
        for _ in range(4):
            for table, column, parent, target in links:
                if column in types.get(table, {}) and target in types.get(parent, {}):
                    wider = max(types[table][column], types[parent][target], key=RANK.get)
                    types[table][column] = types[parent][target] = wider
        self.links = [link for link in links if link[1] in types.get(link[0], {}) and link[3] in types.get(link[2], {})]

    def ddl(self, form):
        text = ""
        for table, columns in self.types[form].items():
            parts = [f"  {quote(column)} {kind}" for column, kind in columns.items()]
            if self.keys[table]:
                parts.append("  PRIMARY KEY (" + ", ".join(map(quote, self.keys[table])) + ")")
            text += f"CREATE TABLE {quote(table)} (\n" + ",\n".join(parts) + "\n);\n"
        return text

    def kinds(self, form):
        """The type of a column by its name alone, where all tables agree."""
        found = collections.defaultdict(set)
        for columns in self.types[form].values():
            for column, kind in columns.items():
                found[column].add(kind)
        return {column: next(iter(kinds)) for column, kinds in found.items() if len(kinds) == 1}


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def settle_names(tree, database):
    known = {column for columns in database.types["declared"].values() for column in columns} | set(database.keys)
    known |= {node.alias.lower() for node in tree.find_all(exp.Alias, exp.TableAlias, exp.Table, exp.Subquery) if node.alias}
    for column in list(tree.find_all(exp.Column)):
        name = column.this
        if isinstance(name, exp.Identifier) and name.quoted and not column.table and name.name.lower() not in known:
            column.replace(exp.Literal.string(name.name))
    for name in tree.find_all(exp.Identifier):
        name.set("this", name.name.lower())
        name.set("quoted", True)


def is_predicate(node):
    while isinstance(node, exp.Paren):
        node = node.this
    return isinstance(node, (exp.Predicate, exp.And, exp.Or, exp.Not))


def outside_aggregates(node, kind):
    """Nodes of a kind that stand in no aggregate, window or nested SELECT."""
    if isinstance(node, kind):
        yield node
        return
    if isinstance(node, (exp.AggFunc, exp.Window, exp.Select, exp.Subquery)):
        return
    for child in node.iter_expressions():
        yield from outside_aggregates(child, kind)


def settle_grouping(tree):
    for select in tree.find_all(exp.Select):
        group, order = select.args.get("group"), select.args.get("order")
        shown = list(select.expressions) + (list(order.expressions) if order else [])
        aggregated = any(
            found.find_ancestor(exp.Select) is select and not isinstance(found.parent, exp.Window)
            for item in shown for found in item.find_all(exp.AggFunc))
        if not group and not aggregated:
            continue
        names = {item.alias for item in select.expressions if item.alias}
        if group:
            grouped = {item.sql() for item in group.expressions}
            for item in shown:
                for column in outside_aggregates(item, exp.Column):
                    if column.sql() in grouped or (not column.table and column.name in names):
                        continue
                    grouped.add(column.sql())
                    group.append("expressions", column.copy())
        else:
            for item in shown:
                for column in list(outside_aggregates(item, exp.Column)):
                    if column.table or column.name not in names:
                        column.replace(exp.Min(this=column.copy()))


def settle_types(tree, kinds):
    for node in list(tree.find_all(exp.Sum, exp.Avg)):
        if is_predicate(node.this):
            node.set("this", exp.Case(ifs=[exp.If(this=node.this.copy(), true=exp.Literal.number(1))],
                                      default=exp.Literal.number(0)))
    for node in list(tree.find_all(exp.Binary, exp.In, exp.Between)):
        column = node.this
        kind = kinds.get(column.name) if isinstance(column, exp.Column) else None
        if kind is None:
            continue
        if isinstance(node, (exp.Like, exp.ILike)):
            if kind != "text":
                node.set("this", exp.cast(column.copy(), "text"))
        elif isinstance(node, (exp.Predicate, exp.In, exp.Between)):
            others = [node.args.get(key) for key in ("expression", "low", "high")] + list(node.args.get("expressions") or [])
            for other in others:
                if not isinstance(other, exp.Literal):
                    continue
                if kind == "text" and not other.is_string:
                    other.replace(exp.Literal.string(other.name))
                elif kind in NUMBERS and other.is_string and re.fullmatch(r"-?\d+(\.\d+)?", other.name.strip()):
                    other.replace(exp.Literal.number(other.name.strip()))
                elif kind == "boolean" and other.name in ("0", "1"):
                    other.replace(exp.Boolean(this=other.name == "1"))


def port(sql, database, form):
    """The query for PostgreSQL; None where sqlglot does not read it."""
    try:
        trees = sqlglot.parse(sql, read="sqlite")
        tree = next(tree for tree in trees if tree is not None)
        settle_names(tree, database)
        for number, derived in enumerate(tree.find_all(exp.Subquery)):
            if isinstance(derived.parent, (exp.From, exp.Join)) and not derived.alias:
                derived.set("alias", exp.TableAlias(this=exp.to_identifier(f"derived{number}", quoted=True)))
        settle_types(tree, database.kinds(form))
        settle_grouping(tree)
        return tree.sql(dialect="postgres", identify=True)
    except Exception:  # whatever sqlglot raises: the query is not among those that are ported
        return None
