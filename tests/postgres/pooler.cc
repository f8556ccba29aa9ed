#include "postgres/pooler.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace pccsql {
namespace {

namespace fs = std::filesystem;

int command(const std::string& text) { return std::system(text.c_str()); }

// As an ordinary user: pgbouncer refuses to run as root.
std::string as_user(const std::string& text) {
  if (geteuid() != 0) return text;
  return "setpriv --reuid=postgres --regid=$(id -g postgres) --clear-groups " + text;
}

}  // namespace

std::unique_ptr<PgPooler> PgPooler::start(const PgServer& server, const std::vector<std::string>& roles, int connections) {
  const std::string program = "$(command -v pgbouncer || echo /usr/sbin/pgbouncer)";
  if (command("test -x " + program) != 0) return nullptr;
  const std::string folder = server.folder() + "/pooler";
  if (command(as_user("mkdir " + folder)) != 0) return nullptr;
  {
    std::ofstream out(folder + "/pooler.ini");
    out << "[databases]\n* = host=" << server.folder() << " pool_size=" << connections
        << "\n[pgbouncer]\npool_mode=transaction\nlisten_addr=\nunix_socket_dir=" << folder
        << "\nauth_type=trust\nauth_file=" << folder << "/users.txt\npidfile=" << folder << "/pid\nlogfile=" << folder
        << "/log\n";
  }
  {
    std::ofstream out(folder + "/users.txt");
    for (const std::string& role : roles) out << '"' << role << "\" \"\"\n";
  }
  std::unique_ptr<PgPooler> pooler(new PgPooler(folder));
  if (command(as_user(program + " -q -d " + folder + "/pooler.ini") + " >/dev/null 2>&1") != 0) return nullptr;
  for (int tries = 0; tries < 100 && !fs::exists(folder + "/.s.PGSQL.6432"); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return pooler;
}

PgPooler::~PgPooler() { command("test -e " + folder_ + "/pid && kill $(cat " + folder_ + "/pid)"); }

std::string PgPooler::address(std::string_view database, std::string_view role) const {
  std::string host;
  for (const char c : folder_) host += c == '/' ? std::string("%2F") : std::string(1, c);
  return "postgresql://" + std::string(role) + "@" + host + ":6432/" + std::string(database);
}

}  // namespace pccsql
