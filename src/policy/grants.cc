// PostgreSQL's GRANT SELECT, read for one user. Each grant adds: a column that any of them gives is Public, the rest is
// Hidden. A bare grantee is matched in any case, as PostgreSQL folds it; a quoted one exactly. `TO PUBLIC` is everyone.
// A table may be written with the schema `main` or `public`, or with the database's name; one in another schema is not
// ours to label. USAGE ON SCHEMA is no right to a column and is passed over. Everything else is an error: a REVOKE or
// another privilege read as nothing would make the policy say what the text does not.
#include <optional>
#include <vector>

#include "base/text.h"
#include "policy/policy_file.h"
#include "policy/sql_cursor.h"
#include "policy/unknown.h"

namespace pccsql {
namespace {

class GrantReader {
 public:
  GrantReader(std::string_view sql, const Catalog& catalog, std::string_view user, const std::string& file)
      : cursor_(sql, file), catalog_(catalog), user_(user), policy_(catalog, ColumnPolicy::Hidden) {}

  Result<Policy> read() {
    if (Failure failure = cursor_.check()) return *failure;
    bool any = false;
    while (!cursor_.at_end()) {
      if (cursor_.take(Terminal::Semicolon)) continue;
      any = true;
      if (Failure failure = read_statement()) return *failure;
    }
    if (!any) return cursor_.error("there is no GRANT here; `GRANT SELECT (a, b) ON t TO user;` was expected");
    return policy_;
  }

 private:
  using Failure = std::optional<Error>;
  struct Named {
    std::string name;
    uint32_t at = 0;
  };
  struct Privilege {
    bool every_column = false;
    std::vector<Named> columns;
  };

  Failure expected(const std::string& what) const {
    return cursor_.error(what + " was expected" + (cursor_.at_end() ? "" : " before " + shown(cursor_.next_text())));
  }

  Failure read_statement() {
    if (cursor_.at_word("REVOKE")) return cursor_.error("REVOKE is not read; leave out the grant that it takes back");
    if (!cursor_.take_word("GRANT"))
      return cursor_.error("only GRANT SELECT is read here, not " + shown(cursor_.next_text()));
    if (cursor_.at_word("USAGE")) return read_usage();
    std::vector<Privilege> privileges;
    do {
      if (!cursor_.take_word("SELECT")) {
        return cursor_.error("only SELECT can be granted here, not " + shown(cursor_.next_text()));
      }
      privileges.emplace_back();
      if (Failure failure = read_columns(privileges.back())) return failure;
    } while (cursor_.take(Terminal::Comma));
    if (!cursor_.take_word("ON")) return expected("`ON`");
    std::vector<TableId> tables;
    if (Failure failure = read_tables(tables)) return failure;
    bool ours = false;
    if (Failure failure = read_grantees(ours)) return failure;
    for (const TableId table : tables) {
      for (const Privilege& privilege : privileges) {
        if (Failure failure = grant(table, privilege, ours)) return failure;
      }
    }
    return std::nullopt;
  }

  Failure read_usage() {
    cursor_.advance();
    if (!cursor_.take_word("ON") || !cursor_.take_word("SCHEMA")) {
      return cursor_.error("USAGE can be granted here `ON SCHEMA` alone");
    }
    do {
      if (!cursor_.take_name()) return expected("the name of a schema");
    } while (cursor_.take(Terminal::Comma));
    bool ours = false;
    return read_grantees(ours);
  }

  Failure read_columns(Privilege& privilege) {
    if (!cursor_.take(Terminal::LeftParen)) {
      privilege.every_column = true;
      return std::nullopt;
    }
    do {
      const uint32_t at = cursor_.next().span.begin;
      std::optional<std::string> name = cursor_.take_name();
      if (!name) return expected("the name of a column");
      privilege.columns.push_back({*std::move(name), at});
    } while (cursor_.take(Terminal::Comma));
    if (!cursor_.take(Terminal::RightParen)) return expected("`)`");
    return std::nullopt;
  }

  // A table of the same name elsewhere is another table.
  bool is_own_schema(std::string_view name) const {
    return equal_folded(name, "main") || equal_folded(name, "public") || equal_folded(name, catalog_.name());
  }
  std::string foreign_schema(const std::string& name) const {
    const std::string own = catalog_.name().empty() ? "" : ", " + shown(catalog_.name());
    return "the schema " + shown(name) + " is not this database's: `main`, `public`" + own +
           " or no schema at all was expected";
  }

  Failure read_tables(std::vector<TableId>& tables) {
    cursor_.take_word("TABLE");
    do {
      if (cursor_.at_word("ALL")) return cursor_.error("ALL TABLES is not read; name the tables");
      uint32_t at = cursor_.next().span.begin;
      std::optional<std::string> name = cursor_.take_name();
      if (!name) return expected("the name of a table");
      std::optional<std::string> schema;
      while (cursor_.take(Terminal::Dot)) {
        if (!is_own_schema(*name)) return cursor_.error_at(at, foreign_schema(*name));
        schema = schema ? *schema + "." + *name : *name;
        at = cursor_.next().span.begin;
        name = cursor_.take_name();
        if (!name) return expected("the name of a table");
      }
      if (schema && schema_ && !equal_folded(*schema, *schema_)) {
        return cursor_.error_at(at, "grants in two schemas, " + shown(*schema_) + " and " + shown(*schema) +
                                        "; a policy is about one database");
      }
      if (schema) schema_ = schema;
      const std::optional<TableId> table = catalog_.find_table(*name);
      if (!table) return cursor_.error_at(at, unknown_table(catalog_, *name));
      tables.push_back(*table);
    } while (cursor_.take(Terminal::Comma));
    return std::nullopt;
  }

  // Up to the end of the statement; `ours` says whether the user is among them.
  Failure read_grantees(bool& ours) {
    if (!cursor_.take_word("TO")) return expected("`TO`");
    do {
      const bool quoted = cursor_.next().quote != Quote::None;
      const bool everyone = cursor_.at_word("PUBLIC");
      const std::optional<std::string> name = cursor_.take_name();
      if (!name) return expected("the name of a user");
      ours = ours || everyone || (quoted ? *name == user_ : equal_folded(*name, user_));
    } while (cursor_.take(Terminal::Comma));
    if (cursor_.take_word("WITH") && !(cursor_.take_word("GRANT") && cursor_.take_word("OPTION"))) {
      return expected("`GRANT OPTION`");
    }
    if (!cursor_.at_end() && !cursor_.take(Terminal::Semicolon)) return expected("`;`");
    return std::nullopt;
  }

  // Names are looked up for other users' grants too: a mistake there is a mistake.
  Failure grant(TableId id, const Privilege& privilege, bool ours) {
    const Table& table = catalog_.table(id);
    const auto give = [&](ColumnIndex column) {
      if (ours) policy_.set({id, column}, ColumnPolicy::Public);
    };
    if (privilege.every_column) {
      for (size_t i = 0; i < table.columns.size(); ++i) give(static_cast<ColumnIndex>(i));
    }
    for (const Named& named : privilege.columns) {
      const std::optional<ColumnIndex> column = table.find_column(catalog_.names().find(named.name));
      if (!column) return cursor_.error_at(named.at, unknown_column(table, named.name));
      give(*column);
    }
    return std::nullopt;
  }

  SqlCursor cursor_;
  const Catalog& catalog_;
  std::string_view user_;
  Policy policy_;
  std::optional<std::string> schema_;  // the one that qualified names have used so far
};

}  // namespace

Result<Policy> parse_policy_grants(std::string_view sql, const Catalog& catalog, std::string_view user,
                                   const std::string& file) {
  return GrantReader(sql, catalog, user, file).read();
}

}  // namespace pccsql
