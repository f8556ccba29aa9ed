// The commands `check` and `roles`: one query from the command line, or many from JSON lines.

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "apps/jsonl.h"
#include "apps/options.h"
#include "apps/output.h"
#include "serve/report.h"
#include "apps/session.h"
#include "apps/source.h"
#include "apps/terminal.h"
#include "base/file.h"
#include "exec/pg_witness.h"

namespace pccsql {
namespace {

struct Tally {
  std::array<size_t, 4> of{};  // by verdict

  void add(Verdict verdict) { ++of[static_cast<size_t>(verdict)]; }
  size_t count(Verdict verdict) const { return of[static_cast<size_t>(verdict)]; }
  size_t total() const { return of[0] + of[1] + of[2] + of[3]; }
  int status() const { return count(Verdict::Safe) == total() ? kExitFine : kExitNotFine; }

  std::string summary(bool with_policy) const {
    const auto part = [this](Verdict verdict, std::string_view name) {
      return std::to_string(count(verdict)) + " " + std::string(name);
    };
    std::string text = std::to_string(total()) + (total() == 1 ? " query: " : " queries: ");
    text += part(Verdict::Safe, with_policy ? "safe" : "resolved");
    if (with_policy) text += ", " + part(Verdict::Unsafe, "unsafe");
    return text + ", " + part(Verdict::Outside, "outside") + ", " + part(Verdict::Error, "error") + "\n";
  }
};

int answer_one(const Options& options, CheckSession& session) {
  Request request;
  request.sql = *options.sql;
  if (request.sql == "-") {
    auto text = read_file("-");
    if (!text) return fail(text.error());
    request.sql = std::move(*text);
  }
  const Report report = session.answer(request);
  Output output;
  output.write(options.format == Format::Json ? to_json(report) + "\n" : to_text(report, style_for(options.color)));
  return output.finish(report.verdict == Verdict::Safe ? kExitFine : kExitNotFine);
}

int answer_lines(const Options& options, CheckSession& session, LineReader& reader) {
  const bool with_policy = options.command == Command::Check;
  const Style style = style_for(options.color);
  Output output;
  Tally tally;
  Progress progress("lines");
  reader.before_wait([&output] { output.flush(); });
  std::string_view line;
  while (output.ok() && reader.next(line)) {
    const Report report = session.answer(parse_request(line));
    tally.add(report.verdict);
    if (options.format == Format::Text) {
      const std::string heading = "-- line " + std::to_string(tally.total()) + ", id " + printable(report.id);
      output.write(style.dim(heading) + "\n" + to_text(report, style) + "\n");
    } else {
      output.write(to_json(report) + "\n");
    }
    if (tally.total() % 256 == 0) progress.done(tally.total());
  }
  if (options.format == Format::Text) output.write(tally.summary(with_policy));
  const int status = output.finish(tally.status());
  return reader.failure() ? fail(*reader.failure()) : status;
}

bool is_stdin(const std::optional<std::string>& option) { return option && *option == "-"; }

}  // namespace

int run_queries(const Options& options) {
  const bool with_policy = options.command == Command::Check;
  const std::string hint = std::string("try `pccsql ") + (with_policy ? "check" : "roles") + " --help`";
  if (!options.sql && !options.jsonl) {
    return fail("no query given; add one in quotes (`-` reads it from standard input), or `--jsonl FILE` for many",
                hint);
  }
  if (options.sql && options.jsonl) return fail("a query and `--jsonl` exclude each other; give one", hint);
  const Inputs& inputs = options.inputs;
  const int readers = int{is_stdin(options.sql)} + int{is_stdin(options.jsonl)} + int{is_stdin(inputs.schema)} +
                      int{is_stdin(inputs.policy)};
  if (readers > 1) return fail("standard input (`-`) can be read for one purpose only", hint);

  auto source = Source::load(inputs, with_policy);
  if (!source) return fail(source.error());
  std::optional<PgWitness> server;
  if (inputs.db && is_pg_address(*inputs.db)) {
    auto opened = PgWitness::open(*inputs.db, inputs.schema_name.value_or("public"));
    if (!opened) return fail(opened.error());
    server.emplace(std::move(*opened));
  }
  CheckSession session(*source, options.settings, with_policy, options.show_run, std::move(server));
  if (options.sql) {
    auto database = source->catalog();
    if (!database) return fail(database.error());
    if (auto unknown = unknown_settings(**database, options.settings)) return fail(*unknown);
    return answer_one(options, session);
  }
  auto reader = LineReader::open(*options.jsonl);
  if (!reader) return fail(reader.error());
  return answer_lines(options, session, *reader);
}

}  // namespace pccsql
