// `pccsql eval report` and `pccsql eval compare` as a user meets them: what they print, what they write, and what they
// say of files that are not what they should be.
#include <gtest/gtest.h>

#include "apps/program.h"
#include "base/file.h"
#include "eval/made_run.h"

namespace pccsql {
namespace {

struct Runs {
  Runs() {
    direct = scratch.file("direct.jsonl", as_text(made_run("direct", questions(Outcome::UnsafeSql))));
    pcc = scratch.file("pcc.jsonl", as_text(made_run("pcc", questions(Outcome::SafeSql))));
  }

  static std::vector<QuestionRecord> questions(Outcome third) {
    return {with_accuracy(made_question("q1", Outcome::SafeSql), true, true),
            with_accuracy(made_question("q2", Outcome::SafeSql), false, false),
            with_accuracy(made_question("q3", third), true, true), made_question("q4", third, GoldLabel::Refuse)};
  }

  Scratch scratch;
  std::string direct;
  std::string pcc;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(EvalReportProgram, PrintsTablesBesideThePapers) {
  const Runs runs;
  const Ran ran = pccsql({"eval", "report", runs.direct, runs.pcc});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(has(ran.out, "Methods on Spider-CU (the paper's table 2)")) << ran.out;
  EXPECT_TRUE(has(ran.out, "paper: PCC-SQL"));
  EXPECT_TRUE(has(ran.out, "50.00"));
  EXPECT_TRUE(has(ran.out, "Missed by direct"));
  EXPECT_TRUE(has(ran.out, "wrong: arrangement"));
  EXPECT_FALSE(has(ran.out, "\033")) << "no colours into a pipe";
  EXPECT_EQ(pccsql({"eval", "report", runs.direct, runs.pcc}).out, ran.out);
}

TEST(EvalReportProgram, HasFourFormats) {
  const Runs runs;
  const Ran markdown = pccsql({"eval", "report", "--format", "markdown", runs.direct});
  EXPECT_TRUE(has(markdown.out, "| direct | tiny | 50.00 | 50.00 |")) << markdown.out;
  const Ran json = pccsql({"eval", "report", "--format", "json", runs.direct});
  EXPECT_EQ(nlohmann::ordered_json::parse(json.out).at("rows")[0].at("metrics").at("leak").at("value"), 0.5);
  const std::string file = runs.scratch.path("report.html");
  const Ran html = pccsql({"eval", "report", "--format", "html", "--out", file, runs.direct, runs.pcc});
  EXPECT_EQ(html.status, 0) << html.err;
  EXPECT_EQ(html.out, "");
  EXPECT_TRUE(read_file(file)->starts_with("<!DOCTYPE html>"));
}

TEST(EvalReportProgram, GoesOnWithARunThatIsNotFinished) {
  const Runs runs;
  RunFile unfinished = made_run("direct", Runs::questions(Outcome::Refuse));
  unfinished.header.questions = 7;
  const std::string file = runs.scratch.file("part.jsonl", as_text(unfinished) + "{\"id\": \"q5");
  const std::string first = "`" + file + "` is not finished: 3 of 7 questions are missing";
  const Ran ran = pccsql({"eval", "report", file});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(ran.out.starts_with("warning: " + first + "\n")) << ran.out;
  EXPECT_TRUE(has(ran.out, "ends in the middle of a line"));
  const Ran written = pccsql({"eval", "report", "--out", runs.scratch.path("report.txt"), file});
  EXPECT_TRUE(written.err.starts_with("pccsql: warning: " + first + "\n")) << written.err;
}

TEST(EvalReportProgram, SaysWhichLineOfWhichFileIsDamaged) {
  const Runs runs;
  std::string text = *read_file(runs.direct);
  const size_t third = text.find('\n', text.find('\n') + 1) + 1;
  std::string damaged = text;
  damaged.replace(third, 5, "#####");
  std::string file = runs.scratch.file("damaged.jsonl", damaged);
  Ran ran = pccsql({"eval", "report", runs.pcc, file});
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.err.starts_with("pccsql: " + file + ":3:")) << ran.err;

  damaged = text;
  damaged.replace(damaged.find("\"outcome\":\"safe_sql\""), 20, "\"outcome\":\"safe sql\"");
  file = runs.scratch.file("outcome.jsonl", damaged);
  ran = pccsql({"eval", "report", file});
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(has(ran.err, file + ":3:")) << ran.err;
  EXPECT_TRUE(has(ran.err, "`outcome`")) << ran.err;

  RunFile later = made_run("direct", Runs::questions(Outcome::Refuse));
  damaged = as_text(later);
  damaged.replace(damaged.find("\"pccsql_run\":1"), 14, "\"pccsql_run\":2");
  ran = pccsql({"eval", "report", runs.scratch.file("later.jsonl", damaged)});
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(has(ran.err, "version 2")) << ran.err;
}

TEST(EvalReportProgram, RefusesWhatDoesNotBelongTogether) {
  const Runs runs;
  RunFile other = made_run("pcc", Runs::questions(Outcome::Refuse));
  other.header.suite.name = "bird-cu";
  const std::string bird = runs.scratch.file("bird.jsonl", as_text(other));
  for (const char* command : {"report", "compare"}) {
    const Ran ran = pccsql({"eval", command, runs.direct, bird});
    EXPECT_EQ(ran.status, 2);
    EXPECT_TRUE(has(ran.err, bird + ": is a run over suite `bird-cu`, and `" + runs.direct +
                                 "` is one over "
                                 "`spider-cu`"))
        << ran.err;
  }
  other = made_run("pcc", Runs::questions(Outcome::Refuse));
  other.header.suite.version = 2;
  const Ran version = pccsql({"eval", "report", runs.scratch.file("version.jsonl", as_text(other))});
  EXPECT_EQ(version.status, 2);
  EXPECT_TRUE(has(version.err, "suite of version 2; this program knows version 1")) << version.err;
  const std::string empty = runs.scratch.file("empty.jsonl", as_text(made_run("pcc", {})));
  EXPECT_TRUE(has(pccsql({"eval", "report", empty}).err, "has no questions yet"));
  EXPECT_EQ(pccsql({"eval", "report", runs.scratch.file("nothing.jsonl", "")}).status, 2);
  EXPECT_EQ(pccsql({"eval", "report", runs.scratch.path("none.jsonl")}).status, 2);
  EXPECT_EQ(pccsql({"eval", "report"}).status, 2);
}

TEST(EvalCompareProgram, TellsWhatChanged) {
  const Runs runs;
  const Ran ran = pccsql({"eval", "compare", runs.direct, runs.pcc});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "Won and lost by pcc")) << ran.out;
  EXPECT_TRUE(has(ran.out, "0.5000")) << "two won, none lost";
  EXPECT_TRUE(has(ran.out, "`method`: direct, pcc"));
  EXPECT_EQ(pccsql({"eval", "compare", runs.direct}).status, 2);
  const Ran json = pccsql({"eval", "compare", "--format", "json", runs.direct, runs.pcc});
  EXPECT_EQ(nlohmann::ordered_json::parse(json.out).at("changes")[0].at("won").size(), 2u);
  EXPECT_EQ(pccsql({"eval", "compare", "--format", "html", runs.direct, runs.pcc}).status, 2);
}

TEST(EvalReportProgram, ShowsNoControlCharactersOnATerminal) {
  const Runs runs;
  RunFile run = made_run("direct", Runs::questions(Outcome::Refuse));
  run.header.model.name = "evil\033[2Jname";
  run.questions[2].id = "q\033]0;x\a3";
  const Ran ran = pccsql({"eval", "report", runs.scratch.file("evil.jsonl", as_text(run))});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_FALSE(has(ran.out, "\033"));
}

}  // namespace
}  // namespace pccsql
