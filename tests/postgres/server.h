// A private PostgreSQL server for one test program: made when it is first asked for, in a folder of its own, and gone when
// the program ends. Where no server is installed, or the program was built without libpq, tests are skipped.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pccsql {

class PgServer {
 public:
  // nullptr: there is none, and `why` says so.
  static PgServer* get();
  static const std::string& why();

  // `postgresql://…` of a database of it, for its owner or another role.
  std::string address(std::string_view database, std::string_view role = "owner") const;
  // An empty database of that name, and this SQL run in it as its owner. Empty: it went well.
  std::string make_database(const std::string& name, const std::string& sql);
  // SQL as the owner, several statements.
  std::string run(const std::string& database, const std::string& sql);

  void restart();
  // Where its socket is.
  const std::string& folder() const { return folder_; }

  PgServer(const PgServer&) = delete;
  PgServer& operator=(const PgServer&) = delete;
  ~PgServer();

 private:
  explicit PgServer(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

// The files beside the definition: nullopt where they are not there.
std::optional<std::string> shared_postgres_file(std::string_view name);

}  // namespace pccsql

#define PCCSQL_NEEDS_POSTGRES() \
  if (PgServer::get() == nullptr) GTEST_SKIP() << PgServer::why()
