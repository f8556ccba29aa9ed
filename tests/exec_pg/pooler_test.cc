// The runner behind a pooler that hands each transaction to another connection: what it needs it says in the transaction,
// and nothing of it is left for the next client.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "exec/pg_role.h"
#include "exec/pg_runner.h"
#include "policy/policy_file.h"
#include "postgres/pooler.h"
#include "postgres/server.h"
#include "schema/pg_catalog.h"

namespace pccsql {
namespace {

constexpr const char* kPooledSchema = R"(
CREATE TABLE person (id integer PRIMARY KEY, name text, ssn text);
INSERT INTO person SELECT i, 'P' || i, 'S' || i FROM generate_series(1, 50) i;
)";
constexpr const char* kPooledPolicy = "version: 1\ntables:\n  person: {id: Public, name: Public, ssn: Hidden}\n";

TEST(Pooler, ManyClientsShareAConnectionAndLeaveNothingOnIt) {
  PCCSQL_NEEDS_POSTGRES();
  PgServer& server = *PgServer::get();
  ASSERT_EQ(server.make_database("pooled", kPooledSchema), "");
  const auto catalog = read_pg_catalog(server.address("pooled"), "public");
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  const auto policy = parse_policy_yaml(kPooledPolicy, *catalog);
  ASSERT_TRUE(policy);
  ASSERT_EQ(server.run("pooled", grants_for("pooled_asker", "pooled", "public", *catalog, *policy)), "");
  const auto pooler = PgPooler::start(server, {"owner", "pooled_asker"}, 2);
  if (!pooler) GTEST_SKIP() << "no pgbouncer is installed";
  const std::string address = pooler->address("pooled", "pooled_asker");

  const auto by_pooler = read_pg_catalog(address, "public");
  ASSERT_TRUE(by_pooler) << by_pooler.error().to_string();
  EXPECT_EQ(by_pooler->tables().size(), catalog->tables().size());

  std::atomic<int> wrong{0}, answered{0};
  std::vector<std::thread> clients;
  for (int client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      auto runner = PgRunner::open(address, "public", *catalog, *policy);
      if (!runner) {
        ++wrong;
        return;
      }
      for (int i = 0; i < 20; ++i) {
        const int id = client * 5 + i % 5 + 1;
        const auto rows = (*runner)->run("SELECT name FROM person WHERE id = " + std::to_string(id));
        const bool fine = rows && rows->rows.size() == 1 && std::get<std::string>(rows->rows[0][0]) == "P" + std::to_string(id);
        wrong += fine ? 0 : 1;
        ++answered;
        // What fails, is stopped or tries to change settings does not reach the others.
        if (i % 5 == 1) wrong += (*runner)->run("SELECT 1 / 0") ? 1 : 0;
        if (i % 5 == 2) wrong += (*runner)->run("SELECT ssn FROM person") ? 1 : 0;
        if (i % 5 == 3) {
          (void)(*runner)->run("SELECT set_config('search_path', 'pg_catalog', false), set_config('statement_timeout', '1', false)");
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(answered, 160);

  RunLimits brief;
  brief.time = std::chrono::milliseconds(300);
  auto runner = PgRunner::open(address, "public", *catalog, *policy, brief);
  ASSERT_TRUE(runner) << runner.error().to_string();
  const auto late = (*runner)->run("SELECT pg_sleep(20)");
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().message.find("time limit"), std::string::npos) << late.error().message;
  EXPECT_TRUE((*runner)->run("SELECT name FROM person"));

  // As the next client finds a connection.
  auto next = PgConnection::open(pooler->address("pooled", "pooled_asker"));
  ASSERT_TRUE(next) << next.error().to_string();
  const auto settings = next->query(
      "SELECT current_setting('search_path'), current_setting('statement_timeout'), current_setting('work_mem'), "
      "current_setting('transaction_isolation')");
  ASSERT_TRUE(settings) << settings.error().to_string();
  EXPECT_EQ(settings->front()[0], "\"$user\", public");
  EXPECT_EQ(settings->front()[1], "10s");  // the role's own
  EXPECT_EQ(settings->front()[2], "4MB");
  EXPECT_EQ(settings->front()[3], "read committed");
}

}  // namespace
}  // namespace pccsql
