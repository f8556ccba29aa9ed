// The service with a model that writes whatever it has read: what it was not told, it cannot tell; and what it wanted is told when it
// wants it, not afterwards.
#include "serve/service.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/json.h"
#include "model/scripted.h"

namespace pccsql {
namespace {

const Vocabulary& pieces() {
  static const Vocabulary vocabulary = builtin_vocabulary();
  return vocabulary;
}

struct Ward {
  explicit Ward(bool name_hidden) {
    folder = std::filesystem::temp_directory_path() / ("pccsql_service_" + std::to_string(getpid()) + (name_hidden ? "n" : "h"));
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "clinic.sqlite").string();
    std::filesystem::remove(path);
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, "CREATE TABLE patient (id INTEGER PRIMARY KEY, name TEXT, diagnosis TEXT, \"blood type\" TEXT);"
                               "CREATE TABLE vault (code TEXT); INSERT INTO patient VALUES (1, 'Ann', 'flu', 'A');", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
    std::ofstream(folder / "policy.yaml") << "version: 1\ntables: {patient: {id: Public, name: Public}}\n";
    config.databases.push_back({"clinic", {path}, Method::Pcc, {}});
    config.policies.push_back({"all", {{"clinic", (folder / "policy.yaml").string()}}, {}});
    config.name_hidden = name_hidden;
    config.audit = (folder / "audit.jsonl").string();
  }
  ~Ward() { std::filesystem::remove_all(folder); }

  std::filesystem::path folder;
  ServeConfig config;
};

Visit visitor() {
  Visit visit;
  visit.caller = {"", "all", false};
  visit.door = "http";
  return visit;
}

// Writes, as a string of a query, every name of the schema that its prompt holds.
void tattle(const Scene& scene, std::span<float> logits) {
  std::string told;
  for (const char* name : {"diagnosis", "blood type", "vault", "code", "name", "id"}) {
    if (scene.prompt.find(name) != std::string_view::npos) told += (told.empty() ? "" : " ") + std::string(name);
  }
  // Spelled so that nothing which looks for words finds them.
  std::string spelled;
  for (const char c : told) spelled += std::string(1, c) + "-";
  script_of(pieces(), {"SELECT '" + spelled + "' AS told"})({0, scene.prompt, scene.text}, logits);
}

TEST(Service, AModelIsNotToldOfHiddenColumnsWhereTheirNamesAreKept) {
  for (const bool name_hidden : {false, true}) {
    const Ward clinic(name_hidden);
    ScriptedModel model(pieces(), tattle, {.context_size = 8192});
    const auto service = Service::open(clinic.config, &model, "");
    ASSERT_TRUE(service) << service.error().to_string();
    const Reply reply = (*service)->ask(visitor(), "clinic", "Which columns are there?", std::nullopt);
    const Json answer = *parsed_json(reply.body);
    ASSERT_EQ(answer["verdict"], "safe") << reply.body;
    const std::string told = answer["rows"][0][0];
    EXPECT_NE(told.find("n-a-m-e-"), std::string::npos) << told;
    EXPECT_EQ(told.find("d-i-a-g") != std::string::npos, name_hidden) << told;
    EXPECT_EQ(told.find("b-l-o-o-d") != std::string::npos, name_hidden) << told;
    EXPECT_EQ(told.find("v-a-u-l-t") != std::string::npos, name_hidden) << told;
  }
}

TEST(Service, NobodyIsHelpedToGuessANameThatIsKeptFromHim) {
  const std::string_view hidden[] = {"SELECT diagnosi FROM patient", "SELECT p.diagnosi FROM patient p", "SELECT diagnosi FROM (SELECT * FROM patient)", "SELECT 1 FROM vaul"};
  const std::string_view open[] = {"SELECT nam FROM patient", "SELECT nam FROM (SELECT * FROM patient)", "SELECT 1 FROM patien"};
  for (const bool name_hidden : {false, true}) {
    const Ward clinic(name_hidden);
    const auto service = Service::open(clinic.config, nullptr, "");
    ASSERT_TRUE(service) << service.error().to_string();
    const auto reason = [&](std::string_view sql) {
      const Json verdict = *parsed_json((*service)->check(visitor(), "clinic", std::string(sql), false).body);
      const Json answer = *parsed_json((*service)->run(visitor(), "clinic", std::string(sql)).body);
      EXPECT_EQ(verdict["reason"], answer["reason"]);
      return verdict["reason"].get<std::string>();
    };
    for (const std::string_view sql : hidden) EXPECT_EQ(reason(sql).find("did you mean") != std::string::npos, name_hidden) << sql << ": " << reason(sql);
    for (const std::string_view sql : open) EXPECT_NE(reason(sql).find("did you mean"), std::string::npos) << sql << ": " << reason(sql);
  }
}

TEST(Service, AModelIsShownValuesOfPublicColumnsWhereTheFileSaysSo) {
  for (const uint32_t values : {0U, 3U}) {
    Ward clinic(true);
    clinic.config.databases[0].values = values;
    ScriptedModel model(pieces(), [](const Scene& scene, std::span<float> logits) {
      const bool shown = scene.prompt.find("'Ann'") != std::string_view::npos, leaked = scene.prompt.find("flu") != std::string_view::npos;
      script_of(pieces(), {std::string("SELECT '") + (shown ? "shown" : "kept") + (leaked ? " leaked" : "") + "' AS told"})({0, scene.prompt, scene.text}, logits);
    }, {.context_size = 8192});
    const auto service = Service::open(clinic.config, &model, "");
    ASSERT_TRUE(service) << service.error().to_string();
    const Json answer = *parsed_json((*service)->ask(visitor(), "clinic", "Who?", std::nullopt).body);
    EXPECT_EQ(answer["rows"][0][0], values > 0 ? "shown" : "kept");
  }
}

TEST(Service, WhatWasBlockedIsToldWhereItHappened) {
  const Ward clinic(true);
  ScriptedModel model(pieces(), {"SELECT name, diagnosis FROM patient"});
  const auto service = Service::open(clinic.config, &model, "");
  ASSERT_TRUE(service);
  Visit visit = visitor();
  std::string text, before;
  std::vector<std::string> names;
  visit.tell = [&](std::string_view event, const std::string& data) {
    const Json json = *parsed_json(data);
    if (event == "token") text += json["text"].get<std::string>();
    if (event == "blocked") {
      names.push_back(json["name"]);
      before = text;
    }
    return true;
  };
  const Reply reply = (*service)->ask(visit, "clinic", "Who has what?", std::nullopt);
  ASSERT_EQ(names.size(), 1U) << reply.body;
  EXPECT_EQ(names[0], "patient.diagnosis");
  EXPECT_LT(before.size(), text.size()) << text;
  EXPECT_TRUE(before.starts_with("SELECT name")) << before;
}

TEST(Service, WhoReadsHisAnswerSlowlyKeepsNobodyFromAsking) {
  Ward clinic(true);
  clinic.config.limits.at_once = 1;
  clinic.config.limits.queue = 0;
  ScriptedModel model(pieces(), {"SELECT name FROM patient"});
  const auto service = Service::open(clinic.config, &model, "");
  ASSERT_TRUE(service);
  const auto admit = [&] { return (*service)->admit(visitor(), "clinic", "Who?", std::nullopt); };
  auto first = admit();
  ASSERT_TRUE(std::holds_alternative<std::shared_ptr<Service::Turn>>(first));
  const auto full = admit();
  ASSERT_TRUE(std::holds_alternative<Reply>(full));
  EXPECT_EQ(std::get<Reply>(full).status, 429);
  EXPECT_TRUE((*service)->answer(visitor(), *std::get<std::shared_ptr<Service::Turn>>(first)).ok());
  EXPECT_TRUE((*service)->ask(visitor(), "clinic", "Who?", std::nullopt).ok());  // the first is still being told
}

TEST(Service, AQuestionEndsUnderThePolicyItBeganWith) {
  const Ward clinic(true);
  ScriptedModel model(pieces(), {"SELECT name FROM patient"});
  const auto service = Service::open(clinic.config, &model, "");
  ASSERT_TRUE(service);
  Visit visit = visitor();
  int told = 0;
  visit.tell = [&](std::string_view, const std::string&) {
    if (++told > 1) return true;
    std::ofstream(clinic.folder / "policy.yaml") << "version: 1\ntables: {patient: {id: Public}}\n";
    EXPECT_TRUE((*service)->reload(clinic.config));
    EXPECT_EQ((*parsed_json((*service)->run(visitor(), "clinic", "SELECT name FROM patient").body))["verdict"], "unsafe");
    return true;
  };
  const Json answer = *parsed_json((*service)->ask(visit, "clinic", "Who?", std::nullopt).body);
  EXPECT_GT(told, 1);
  EXPECT_EQ(answer["rows"], Json::parse(R"([["Ann"]])")) << answer;
  std::ifstream audit(clinic.folder / "audit.jsonl");
  std::vector<Json> lines;
  for (std::string line; std::getline(audit, line);) lines.push_back(*parsed_json(line));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1]["question"], "Who?");
  EXPECT_NE(lines[0]["policy_hash"], lines[1]["policy_hash"]);
}

TEST(Service, WhoLeavesFreesHisPlaceAtTheNextToken) {
  const Ward clinic(true);
  ScriptedModel model(pieces(), {"SELECT name FROM patient WHERE name = '" + std::string(300, 'x') + "'"});
  const auto service = Service::open(clinic.config, &model, "");
  ASSERT_TRUE(service);
  Visit visit = visitor();
  int told = 0;
  visit.tell = [&](std::string_view, const std::string&) { return ++told < 3; };
  const Reply reply = (*service)->ask(visit, "clinic", "Who?", std::nullopt);
  EXPECT_EQ(reply.status, 499);
  EXPECT_EQ(told, 3);
  EXPECT_TRUE((*service)->ask(visitor(), "clinic", "Who?", std::nullopt).ok());
}

}  // namespace
}  // namespace pccsql
