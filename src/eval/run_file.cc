#include "eval/run_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

namespace pccsql {
namespace {

// A run that was killed while it started a process leaves the file locked until that process has begun, so the lock is
// asked for a little longer than once.
bool lock(int descriptor) {
  constexpr int kTries = 100;
  for (int i = 0; flock(descriptor, LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno != EWOULDBLOCK || i == kTries) return false;
    usleep(10'000);
  }
  return true;
}

// Whether the two differ only in that the second asks more of the first questions.
bool asks_more(const RunHeader& before, const RunHeader& now, const std::vector<std::string>& differences) {
  const auto of_number = [](const std::string& one) { return one.starts_with("`limit`:") || one.starts_with("`questions`:"); };
  return now.questions > before.questions && std::ranges::all_of(differences, of_number);
}

}  // namespace

RunWriter::RunWriter(RunWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      questions_(other.questions_),
      prompts_(std::move(other.prompts_)) {}

RunWriter::~RunWriter() {
  if (descriptor_ >= 0) close(descriptor_);
}

Error RunWriter::failure(const std::string& what) const { return Error{what + ": " + std::strerror(errno), path_, {}}; }

Result<RunWriter> RunWriter::open(const std::string& path, const RunHeader& header,
                                  const std::vector<std::string>& ids) {
  if (path == "-") return Error{"a run goes to a file, so that it can go on after an interruption", {}, {}};
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  RunWriter writer(descriptor, path);
  if (descriptor < 0) return writer.failure("cannot be written");
  if (!lock(descriptor)) return writer.failure("is being written by another process");
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return writer.failure("cannot be read");
  if (!S_ISREG(about.st_mode)) return Error{"is not a file; a run needs one, to go on after an interruption", path, {}};
  std::string text;
  if (about.st_size > 0) {
    auto read = read_file(path);
    if (!read) return read.error();
    text = *std::move(read);
  }
  // Killed before the header was out: nothing is lost by beginning anew.
  const std::string first = to_line(header);
  const bool begun = text.find('\n') != std::string::npos;
  if (!begun && !text.empty() && !text.starts_with(first.substr(0, std::min(text.size(), size_t{13})))) {
    return Error{"is there already and is no run; give another file in `--out`", path, {}};
  }
  if (!begun) {
    if (ftruncate(descriptor, 0) != 0) return writer.failure("cannot be written");
    if (const auto written = writer.write(first); !written) return written.error();
    return writer;
  }

  const auto run = parse_run(text, path);
  if (!run) return run.error();
  const std::vector<std::string> other = differences(run->header, header);
  if (!other.empty() && asks_more(run->header, header, other)) {
    const std::string_view questions = std::string_view(text).substr(text.find('\n') + 1);
    if (const auto written = write_file(path, first + std::string(questions)); !written) return written.error();
    return open(path, header, ids);
  }
  if (!other.empty()) {
    std::string list;
    for (const std::string& one : other) list += (list.empty() ? "" : "; ") + one;
    return Error{
        "is a run made otherwise; to go on with it give the same settings, to make a new one another `--out` "
        "(there and here: " +
            list + ")",
        path,
        {}};
  }
  for (size_t i = 0; i < run->questions.size(); ++i) {
    if (i < ids.size() && run->questions[i].id == ids[i]) continue;
    return Error{"holds question `" + run->questions[i].id + "` where " +
                     (i < ids.size() ? "`" + ids[i] + "`" : "no more") + " was expected; give another `--out`",
                 path,
                 {}};
  }
  if (run->torn && ftruncate(descriptor, static_cast<off_t>(run->whole_bytes)) != 0) {
    return writer.failure("cannot be written");
  }
  writer.questions_ = run->questions.size();
  for (const auto& [sha256, prompt] : run->prompts) writer.prompts_.insert(sha256);
  return writer;
}

Result<Done> RunWriter::write(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(descriptor_, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("cannot be written");
    line.remove_prefix(static_cast<size_t>(written));
  }
  return Done{};
}

Result<Done> RunWriter::add(const PromptRecord& prompt, const QuestionRecord& question) {
  if (!prompts_.contains(prompt.sha256)) {
    if (auto written = write(to_line(prompt)); !written) return written;
    prompts_.insert(prompt.sha256);
  }
  if (auto written = write(to_line(question)); !written) return written;
  ++questions_;
  return Done{};
}

}  // namespace pccsql
