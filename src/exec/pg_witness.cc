#include "exec/pg_witness.h"

#include <utility>

namespace pccsql {

Result<PgWitness> PgWitness::open(const std::string& address, const std::string& schema) {
  auto session = PgSession::open(address, schema);
  if (!session) return session.error();
  return PgWitness(std::move(*session));
}

Result<bool> PgWitness::takes(std::string_view sql) {
  if (sql.find('\0') != std::string_view::npos) return false;
  if (auto begun = session_.begin({}); !begun) return begun.error();
  const std::string text(sql);
  const auto prepared = session_.prepare(text);
  bool takes = prepared || prepared.error().message.ends_with("it gives no rows");  // such as COPY
  if (prepared) {
    // Planning asks for rights and computes constants as well; of what it refuses, it is what it cannot do that counts.
    constexpr std::string_view kNotSupported = "(0A000)";
    const auto planned = session_.plan(text);
    takes = planned || planned.error().message.find(kNotSupported) == std::string::npos;
  }
  session_.rollback();
  return takes;
}

}  // namespace pccsql
