// What a runner and the process that runs its queries say to each other, as bytes. Both are of one build, so the
// form is free to change; a message that cannot be read is a fault, never a guess.
//
// The runner sends a SessionSpec, and is told whether it could be opened; then a query at a time. The answer to a query
// is one RunReply, and if that has rows, packets of them until all are there. Another SessionSpec closes the first one's
// database. A request begins with a byte that says which of the two it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exec/fence_rules.h"
#include "exec/rows.h"
#include "schema/catalog.h"

namespace pccsql {

inline constexpr char kOpenRequest = 'o';
inline constexpr char kRunRequest = 'r';

// A database to run queries on, and how.
struct SessionSpec {
  std::string path;
  RunLimits limits;
  std::optional<FenceRules> fence;
  // The schema that queries were judged by; none: the one that is found on opening. Fenced sessions alone look at it.
  std::optional<SchemaStamp> stamp;
};

// A query to run.
struct RunRequest {
  std::string sql;  // as it was judged
  // What is run in its place, with what that one may read beside. The query itself must prepare all the same.
  std::optional<std::string> instead;
  Admitted admitted;
};

struct RunReply {
  enum class Kind : uint8_t { Rows, Failure, SchemaChanged };
  Kind kind = Kind::Failure;
  std::string message;  // of a Failure
  std::vector<std::string> columns;
  uint64_t rows = 0;  // how many will follow
  uint64_t took_ns = 0;
};

// The answer to a SessionSpec: nothing, the stamp of the schema that was found, or what is wrong.
struct OpenReply {
  std::optional<Error> error;
  SchemaStamp stamp;
};

std::string packed(const SessionSpec& spec);
std::string packed(const OpenReply& reply);
std::string packed(const RunRequest& request);
std::string packed(const RunReply& reply);
// Rows from `first` on, as many as make a packet; `first` is then past them.
std::string packed_rows(const std::vector<std::vector<Value>>& rows, size_t& first);

// False: the bytes are no such message.
bool unpack(std::string_view bytes, SessionSpec& spec);
bool unpack(std::string_view bytes, OpenReply& reply);
bool unpack(std::string_view bytes, RunRequest& request);
bool unpack(std::string_view bytes, RunReply& reply);
bool unpack_rows(std::string_view bytes, size_t columns, std::vector<std::vector<Value>>& rows);

}  // namespace pccsql
