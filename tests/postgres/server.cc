#include "postgres/server.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/file.h"
#include "pgtree/pg_tree.h"

namespace pccsql {
namespace {

struct Output {
  int status = 0;
  std::string text;
};

Output run_command(const std::string& command) {
  Output output;
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot start " + command};
  std::array<char, 4096> buffer{};
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.text.append(buffer.data(), got);
  const int status = pclose(pipe);
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

std::string& reason() {
  static std::string text;
  return text;
}

constexpr const char* kScript = PCCSQL_ROOT "/tests/postgres/private_server.sh";

std::unique_ptr<PgServer>& server() {
  static std::unique_ptr<PgServer> one;
  return one;
}

}  // namespace

const std::string& PgServer::why() { return reason(); }

PgServer* PgServer::get() {
  static bool tried = false;
  if (tried) return server().get();
  tried = true;
  if (!has_postgres()) {
    reason() = "built without PostgreSQL";
    return nullptr;
  }
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("pccsql_pg_" + std::to_string(getpid()))).string();
  const Output output = run_command(std::string(kScript) + " start " + folder + " 2>&1");
  if (output.status != 0) {
    reason() = output.text.empty() ? "no PostgreSQL server could be started" : output.text;
    return nullptr;
  }
  server().reset(new PgServer(folder));
  return server().get();
}

PgServer::~PgServer() { run_command(std::string(kScript) + " stop " + folder_); }

std::string PgServer::address(std::string_view database, std::string_view role) const {
  std::string host;
  for (const char c : folder_) host += c == '/' ? std::string("%2F") : std::string(1, c);
  return "postgresql://" + std::string(role) + "@" + host + "/" + std::string(database);
}

std::string PgServer::run(const std::string& database, const std::string& sql) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("pccsql_pg_" + std::to_string(getpid()) + ".sql")).string();
  {
    std::ofstream out(file, std::ios::binary);
    out << sql;
  }
  const Output output =
      run_command("psql -X -q -v ON_ERROR_STOP=1 -d '" + address(database) + "' -f " + file + " 2>&1 >/dev/null");
  std::filesystem::remove(file);
  return output.status == 0 ? std::string() : output.text;
}

std::string PgServer::make_database(const std::string& name, const std::string& sql) {
  if (std::string wrong = run("postgres", "CREATE DATABASE " + name + ";"); !wrong.empty()) return wrong;
  return run(name, sql);
}

void PgServer::restart() { run_command(std::string(kScript) + " restart " + folder_ + " 2>&1"); }

std::optional<std::string> shared_postgres_file(std::string_view name) {
  for (const char* folder : {"../shared/postgres/", "shared/postgres/"}) {
    const std::string path = std::string(PCCSQL_ROOT) + "/" + folder + std::string(name);
    if (!std::filesystem::exists(path)) continue;
    auto text = read_file(path);
    if (text) return *text;
  }
  return std::nullopt;
}

}  // namespace pccsql
