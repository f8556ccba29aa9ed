#include "house/house_rules.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace house {
namespace {

// Lowest first. One line of this list is one rank.
const std::vector<std::vector<std::string>> kRanks{
    {"base"},           {"syntax", "mask", "pgtree"},
    {"schema"},         {"policy"},
    {"exec"},           {"track", "check", "check_pg", "prompt", "model"},
    {"paper", "dialect"}, {"engine", "lint"},
    {"decode", "suite"}, {"eval", "verify"},
    {"serve"},          {"apps", "python"},
};

std::optional<size_t> rank_of(const std::string& module) {
  for (size_t rank = 0; rank < kRanks.size(); ++rank) {
    if (std::ranges::count(kRanks[rank], module) > 0) return rank;
  }
  return std::nullopt;
}

std::string first_folder(const std::string& path) { return path.substr(0, path.find('/')); }

// "src/check/check.h" -> "check", "apps/main.cc" -> "apps"
std::string module_of(const std::string& path) {
  return first_folder(path.starts_with("src/") ? path.substr(4) : path);
}

bool is_source(const std::string& path) { return path.ends_with(".h") || path.ends_with(".cc"); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string at(const SourceFile& file, size_t line, const std::string& what) {
  return file.path + ":" + std::to_string(line) + ": " + what;
}

// How a source of src/ or apps/ is included: by module and file.
std::string include_name(const std::string& path) { return path.starts_with("src/") ? path.substr(4) : path; }

std::string include_problem(const std::string& from, const std::string& name, const std::set<std::string>& known) {
  const std::string to = first_folder(name);
  const auto own = rank_of(from);
  const auto other = rank_of(to);
  if (!own) return "module `" + from + "` has no rank";
  if (!other || name == to) return "`" + name + "` is not of the form \"module/file.h\"";
  if (!known.contains(name)) return "there is no `" + name + "`";
  if (from == to || *other < *own) return "";
  return "`" + from + "` must not include `" + to + "`, which stands " + (*other == *own ? "beside" : "above") + " it";
}

}  // namespace

Problems include_problems(const std::vector<SourceFile>& files) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
  std::set<std::string> known;
  for (const SourceFile& file : files) known.insert(include_name(file.path));
  Problems problems;
  for (const SourceFile& file : sources_in(files, {"src/", "apps/"})) {
    const auto lines = lines_of(file.text);
    for (size_t i = 0; i < lines.size(); ++i) {
      std::smatch found;
      if (!std::regex_search(lines[i], found, include)) continue;
      const std::string problem = include_problem(module_of(file.path), found[1], known);
      if (!problem.empty()) problems.push_back(at(file, i + 1, problem));
    }
  }
  return problems;
}

Problems opening_problems(const std::vector<SourceFile>& files) {
  std::map<std::string, const SourceFile*> by_path;
  for (const SourceFile& file : files) by_path[file.path] = &file;
  Problems problems;
  for (const SourceFile& file : files) {
    // A header that C compilers read, too, has C's own comments.
    if (!is_source(file.path) || file.text.starts_with("// ") || file.text.starts_with("/* ")) continue;
    if (file.path.ends_with(".cc")) {
      const std::string header = file.path.substr(0, file.path.size() - 2) + "h";
      const auto name = std::filesystem::path(header).filename().string();
      const auto lines = lines_of(file.text);
      const bool opens_with_header =
          !lines.empty() && lines[0].starts_with("#include \"") && lines[0].ends_with("/" + name + "\"");
      if (opens_with_header && by_path.contains(header)) continue;  // the header itself is looked at on its own
    }
    problems.push_back(at(file, 1, "must open with a comment that says its idea"));
  }
  return problems;
}

Problems heavy_header_problems(const std::vector<SourceFile>& files, const std::vector<std::string>& allowed) {
  static const std::regex heavy(R"re(^\s*#\s*include\s*<((nlohmann|CLI|yaml-cpp)/[^>]+|httplib\.h|llama\.h)>)re");
  Problems problems;
  for (const SourceFile& file : files) {
    if (!file.path.ends_with(".h") || std::ranges::count(allowed, file.path) > 0) continue;
    const auto lines = lines_of(file.text);
    for (size_t i = 0; i < lines.size(); ++i) {
      std::smatch found;
      if (std::regex_search(lines[i], found, heavy)) {
        problems.push_back(at(file, i + 1, "a header must not include <" + found[1].str() + ">"));
      }
    }
  }
  return problems;
}

Problems private_name_problems(const std::vector<SourceFile>& files) {
  static const std::regex type(R"re(^(?:class|struct|enum class|enum) (\w+)\b[^;]*$)re");
  static const std::regex constant(R"re(^(?:constexpr|const|static|thread_local) [^(=]*\b(\w+)(?:\[\w*\])? ?[={])re");
  static const std::regex function(R"re(^\w[\w:<>,&* ]* [&*]?(\w+)\(.*[{;,]$)re");
  const auto folder_of = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  std::map<std::string, std::string> where;  // folder and what is declared there: the first place
  Problems problems;
  for (const SourceFile& file : files) {
    if (!file.path.ends_with(".cc")) continue;
    const auto lines = lines_of(file.text);
    bool inside = false;
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string& line = lines[i];
      if (line.starts_with("namespace {")) inside = true;
      if (line.starts_with("}  // namespace")) inside = false;
      if (!inside || line.empty() || line.size() > 1000) continue;
      std::smatch found;
      std::string key;
      if (std::regex_search(line, found, type)) {
        key = "type or value " + found[1].str();
      } else if (std::regex_search(line, found, constant)) {
        key = "type or value " + found[1].str();
      } else if (std::regex_search(line, found, function)) {
        key = line;
      } else {
        continue;
      }
      const std::string name = found[1].str();
      const auto [first, fresh] = where.try_emplace(folder_of(file.path) + ": " + key, file.path);
      if (!fresh && first->second != file.path) {
        problems.push_back(at(file, i + 1, "`" + name + "` is a private name of " + first->second + " too"));
      }
    }
  }
  return problems;
}

Problems shared_type_problems(const std::vector<SourceFile>& files) {
  static const std::regex space(R"re(^(?:inline )?namespace (\w[\w:]*)? ?\{)re");
  static const std::regex type(R"re(^(?:class|struct|union|enum class|enum) (\w+)(?: final)?(?: :.*| \{.*)$)re");
  std::map<std::string, std::string> where;  // the type with its namespace: the first place
  Problems problems;
  for (const SourceFile& file : files) {
    std::vector<std::string> spaces;  // unnamed: ""
    const auto lines = lines_of(file.text);
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string& line = lines[i];
      if (line.size() > 1000) continue;
      std::smatch found;
      if (line.starts_with("}  // namespace") && !spaces.empty()) spaces.pop_back();
      if (std::regex_search(line, found, space)) spaces.push_back(found[1].str());
      if (std::ranges::find(spaces, "") != spaces.end() || line.ends_with(';') || !std::regex_search(line, found, type)) continue;
      std::string name;
      for (const std::string& one : spaces) name += one + "::";
      name += found[1].str();
      const auto [first, fresh] = where.try_emplace(name, file.path);
      if (!fresh && first->second != file.path) problems.push_back(at(file, i + 1, "`" + name + "` is defined in " + first->second + " too"));
    }
  }
  return problems;
}

Problems length_problems(const std::vector<SourceFile>& files, int most_lines) {
  Problems problems;
  for (const SourceFile& file : files) {
    const auto lines = std::ranges::count(file.text, '\n');
    if (lines > most_lines) {
      problems.push_back(at(file, lines, "too long: at most " + std::to_string(most_lines) + " lines"));
    }
  }
  return problems;
}

Problems dialect_problems(const std::vector<SourceFile>& files) {
  static const std::regex asks("[=!]= *Dialect::|Dialect::\\w+ *[=!]=");
  Problems problems;
  for (const SourceFile& file : files) {
    if (file.path.starts_with("src/dialect/")) continue;
    std::istringstream lines(file.text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (std::regex_search(line, asks)) problems.push_back(at(file, number, "asks for the dialect: take a value of schema/rules"));
    }
  }
  return problems;
}

Problems word_problems(const std::vector<SourceFile>& files) {
  // Spelled in pieces, so that this file keeps its own rule.
  static const std::regex machine_path(
      "(^|[^A-Za-z0-9_.}>-])/(root|work|"
      "home/[A-Za-z0-9_-]+)/");
  static const std::regex undone(
      "\\b(TO"
      "DO|FIX"
      "ME|X"
      "XX|HA"
      "CK)\\b|\\bissue #?[0-9]");
  Problems problems;
  for (const SourceFile& file : files) {
    const auto lines = lines_of(file.text);
    for (size_t i = 0; i < lines.size(); ++i) {
      // The automaton recurses per character; no honest line of this repository is this long.
      const std::string line = lines[i].substr(0, 4000);
      if (std::regex_search(line, machine_path)) problems.push_back(at(file, i + 1, "a path of one machine"));
      if (std::regex_search(line, undone)) problems.push_back(at(file, i + 1, "a mark of work left undone"));
    }
  }
  return problems;
}

std::vector<SourceFile> read_tree(const std::string& root) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory()) {
      const bool ignored = name == ".git" || name == ".cache" || name == "__pycache__" ||
                           (entry.depth() == 0 && name.starts_with("build"));
      if (ignored) entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file() || name == ".git") continue;  // in a second work tree it is a file
    std::ifstream in(entry->path(), std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (text.find('\0') != std::string::npos) continue;
    files.push_back({fs::relative(entry->path(), root).generic_string(), std::move(text)});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::vector<SourceFile> sources_in(const std::vector<SourceFile>& files, const std::vector<std::string>& folders) {
  std::vector<SourceFile> found;
  for (const SourceFile& file : files) {
    const bool inside = std::ranges::any_of(folders, [&](const std::string& f) { return file.path.starts_with(f); });
    if (inside && is_source(file.path)) found.push_back(file);
  }
  return found;
}

}  // namespace house
