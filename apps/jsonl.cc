#include "apps/jsonl.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace pccsql {
namespace {

// Finds a key fast, however many a line has.
using SortedJson = nlohmann::json;

constexpr const char* kExpected = "; expected {\"id\": …, \"sql\": \"…\"}";
constexpr int kDeepest = 64;  // no request needs more, and the library writes nested values by recursion

struct Rejected {
  std::string reason;
};

// Parses, and throws Rejected where a key is repeated or the nesting has no end in sight.
SortedJson parse_strictly(std::string_view line) {
  std::vector<std::vector<std::string>> keys;  // of the objects that are open
  const auto watch = [&keys](int depth, SortedJson::parse_event_t event, SortedJson& parsed) {
    if (depth > kDeepest) throw Rejected{"the line nests deeper than " + std::to_string(kDeepest) + " levels"};
    if (event == SortedJson::parse_event_t::object_start) keys.emplace_back();
    if (event == SortedJson::parse_event_t::object_end) keys.pop_back();
    if (event == SortedJson::parse_event_t::key) {
      auto key = parsed.get<std::string>();
      if (std::find(keys.back().begin(), keys.back().end(), key) != keys.back().end()) {
        throw Rejected{"the key `" + key + "` stands twice in one object"};
      }
      keys.back().push_back(std::move(key));
    }
    return true;
  };
  return SortedJson::parse(line.begin(), line.end(), watch);
}

size_t skip_blank(std::string_view text, size_t i) {
  return std::min(text.find_first_not_of(" \t\r\n", i), text.size());
}

size_t skip_string(std::string_view text, size_t i) {
  for (++i; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\') ++i;
  }
  return i + 1;
}

// The value of `"id"` as it is written. PRE: `line` is a JSON object that has been parsed without complaint.
std::string_view written_id(std::string_view line) {
  size_t i = line.find('{') + 1;
  while (true) {
    const size_t key = skip_blank(line, i);
    if (key >= line.size() || line[key] != '"') return "null";
    i = skip_string(line, key);
    const std::string_view name = line.substr(key, i - key);
    const bool found = name == "\"id\"" || (name.find('\\') != std::string_view::npos && SortedJson::parse(name) == "id");
    const size_t begin = skip_blank(line, skip_blank(line, i) + 1);
    int depth = 0;
    for (i = begin; i < line.size();) {
      const char c = line[i];
      if (depth == 0 && (c == ',' || c == '}')) break;
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      i = c == '"' ? skip_string(line, i) : i + 1;
    }
    if (found) {
      std::string_view value = line.substr(begin, i - begin);
      return value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
    }
    ++i;
  }
}

std::string text_of(SortedJson& value) { return std::move(value.get_ref<std::string&>()); }

void read_members(SortedJson& object, Request& request) {
  const auto member = [&object](const char* key) -> SortedJson* {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  };
  if (SortedJson* db_id = member("db_id")) {
    if (!db_id->is_string()) throw Rejected{"`db_id` must be a string"};
    request.db_id = text_of(*db_id);
  }
  if (SortedJson* policy = member("policy")) {
    if (!policy->is_string() && !policy->is_object()) throw Rejected{"`policy` must be an object or a string of YAML"};
    request.policy = policy->is_string() ? text_of(*policy) : policy->dump();
  }
  SortedJson* sql = member("sql");
  if (sql == nullptr) throw Rejected{std::string("the line has no `sql`") + kExpected};
  if (!sql->is_string()) throw Rejected{"`sql` must be a string"};
  request.sql = text_of(*sql);
}

}  // namespace

Request parse_request(std::string_view line) {
  Request request;
  if (skip_blank(line, 0) == line.size()) {
    request.error = std::string("the line is blank") + kExpected;
    return request;
  }
  try {
    SortedJson value = parse_strictly(line);
    if (!value.is_object()) throw Rejected{std::string("the line is no JSON object") + kExpected};
    request.id = written_id(line);
    read_members(value, request);
  } catch (const Rejected& rejected) {
    request.error = rejected.reason;
  } catch (const SortedJson::parse_error& wrong) {
    request.error = "the line is not JSON, from byte " + std::to_string(wrong.byte) + " on" + kExpected;
  } catch (const SortedJson::exception&) {
    request.error = "the line holds a number that is out of range";
  }
  return request;
}

Result<LineReader> LineReader::open(const std::string& path) {
  if (path == "-") return LineReader(STDIN_FILENO, "standard input");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Error{std::string("cannot be read: ") + std::strerror(errno), path, {0, 0}};
  LineReader reader(descriptor, path);
  struct stat about {};
  if (fstat(descriptor, &about) == 0 && S_ISDIR(about.st_mode)) {
    return Error{"is a directory; a file with one JSON object a line was expected", path, {0, 0}};
  }
  return reader;
}

LineReader::LineReader(LineReader&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      searched_(other.searched_),
      ended_(other.ended_),
      before_wait_(std::move(other.before_wait_)),
      failure_(std::move(other.failure_)) {}

LineReader::~LineReader() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

bool LineReader::fill() {
  constexpr size_t kChunk = 1 << 16;
  if (before_wait_) before_wait_();
  buffer_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  const size_t old_size = buffer_.size();
  buffer_.resize(old_size + kChunk);
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, buffer_.data() + old_size, kChunk);
  } while (got < 0 && errno == EINTR);
  if (got < 0) failure_ = Error{std::string("reading failed: ") + std::strerror(errno), path_, {0, 0}};
  buffer_.resize(old_size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  while (true) {
    const size_t end = buffer_.find('\n', searched_);
    if (end != std::string::npos || (ended_ && begin_ < buffer_.size())) {
      const size_t stop = std::min(end, buffer_.size());
      line = std::string_view(buffer_).substr(begin_, stop - begin_);
      begin_ = searched_ = std::min(stop + 1, buffer_.size());
      return true;
    }
    if (ended_) return false;
    searched_ = buffer_.size();
    ended_ = !fill();
  }
}

}  // namespace pccsql
