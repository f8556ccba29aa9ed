// PolicyNotes: what a policy file says beside labels and group rules. No judge heeds it; `policy lint`, `policy diff` and
// whoever warns of a schema that has grown do.
//
//   accept:
//     rowid: the database is asked by this program alone          # wherever it is found
//   opened:
//     project: [name, start_date, "end date"]                     # what `*` and `default` opened when somebody looked
//   tables:
//     employee:
//       accept: {index: "…", one-to-one: {name: "…"}}             # for the table; for a column of it
//       …
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/finding.h"
#include "schema/catalog.h"

namespace pccsql {

// One finding that the owner has looked at and lets stand, and why.
struct Acceptance {
  Finding finding = Finding::Rowid;
  std::optional<TableId> table;       // none: wherever it is found
  std::optional<ColumnIndex> column;  // none: in all of the table
  std::string reason;
  Position at;
};

// By which line of the file a column has its label.
enum class LabelSource : uint8_t { Named, Star, Default };

struct PolicyNotes {
  std::vector<Acceptance> accepted;

  std::vector<std::vector<LabelSource>> sources;  // by table and column

  // The columns that `*` or `default` opened when the file was last looked at, by their tables; none: nobody has said.
  struct OpenedTable {
    std::string table;
    std::vector<std::string> columns;
  };
  std::optional<std::vector<OpenedTable>> opened;
};

// Whether the record names this column.
bool is_recorded(const PolicyNotes& notes, const Table& table, const Column& column);

}  // namespace pccsql
