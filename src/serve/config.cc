#include "serve/config.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "policy/yaml_tree.h"
#include "schema/pg_connection.h"

namespace pccsql {
namespace {

using Kind = YamlNode::Kind;

class ConfigReader {
 public:
  explicit ConfigReader(const std::string& file)
      : file_(file), folder_(std::filesystem::path(file).parent_path()) {}

  Result<ServeConfig> read(const YamlNode& root) {
    config_.file = file_;
    constexpr std::string_view kExample = "`databases`, `policies`, and where needed `listen`, `people`, `model`";
    if (root.kind != Kind::Map) return error(root, "a server's file is a map with " + std::string(kExample));
    const YamlNode* databases = nullptr;
    const YamlNode* policies = nullptr;
    const YamlNode* people = nullptr;
    if (auto wrong = keys(root, {"listen", "tls", "databases", "policies", "people", "name_hidden", "model", "audit", "limits"})) {
      return *wrong;
    }
    for (const auto& [key, value] : root.entries) {
      std::optional<Error> wrong;
      if (key.text == "listen") wrong = read_listen(value);
      if (key.text == "tls") wrong = read_tls(value);
      if (key.text == "databases") databases = &value;
      if (key.text == "policies") policies = &value;
      if (key.text == "people") people = &value;
      if (key.text == "name_hidden") wrong = read_bool(value, "name_hidden", config_.name_hidden);
      if (key.text == "model") wrong = read_model(value);
      if (key.text == "audit") wrong = read_path(value, "audit", config_.audit.emplace());
      if (key.text == "limits") wrong = read_limits(value);
      if (wrong) return *wrong;
    }
    if (databases == nullptr) return error(root, "`databases` is missing; write `databases: {hr: {db: hr.sqlite}}`");
    if (policies == nullptr) return error(root, "`policies` is missing; write `policies: {analyst: {hr: policy.yaml}}`");
    if (auto wrong = read_databases(*databases)) return *wrong;
    if (auto wrong = read_policies(*policies)) return *wrong;
    if (people != nullptr) {
      if (auto wrong = read_people(*people)) return *wrong;
    } else if (config_.policies.size() > 1) {
      return error(*policies, "without `people` every caller is the one policy, and here are " +
                                  std::to_string(config_.policies.size()) + "; name the people, or leave one policy");
    }
    return std::move(config_);
  }

 private:
  using Wrong = std::optional<Error>;

  Error error(const YamlNode& node, std::string message) const { return Error{std::move(message), file_, node.at}; }

  // A map without keys that are unknown or come twice.
  Wrong keys(const YamlNode& map, const std::vector<std::string>& known) const {
    std::set<std::string> seen;
    for (const auto& [key, value] : map.entries) {
      if (key.kind != Kind::Scalar) return error(key, "a key is a word");
      if (!known.empty() && std::ranges::find(known, key.text) == known.end()) {
        std::string all;
        for (const std::string& name : known) all += (all.empty() ? "`" : ", `") + name + "`";
        const std::string close = closest_match(key.text, known);
        return error(key, "unknown key `" + key.text + "`" +
                              (close.empty() ? "; there are " + all : "; did you mean `" + close + "`?"));
      }
      if (!seen.insert(key.text).second) return error(key, "`" + key.text + "` stands here twice");
    }
    return std::nullopt;
  }

  Wrong named_map(const YamlNode& node, const std::string& what, const std::string& example) const {
    if (node.kind != Kind::Map || node.entries.empty()) return error(node, "`" + what + "` is a map; write `" + example + "`");
    if (auto wrong = keys(node, {})) return wrong;
    for (const auto& [key, value] : node.entries) {
      const bool good = !key.text.empty() && std::ranges::all_of(key.text, [](char c) {
        const char small = fold(c);
        return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
      });
      if (!good || key.text.size() > 64) {
        return error(key, "`" + key.text + "` is no name for one of `" + what + "`; it has letters, digits, `_`, `-` and `.`, at most 64");
      }
    }
    return std::nullopt;
  }

  Wrong text(const YamlNode& node, const std::string& what, std::string& into) const {
    if (node.kind != Kind::Scalar || node.null || node.text.empty()) return error(node, "`" + what + "` needs a text");
    into = node.text;
    return std::nullopt;
  }

  Wrong read_path(const YamlNode& node, const std::string& what, std::string& into) const {
    if (auto wrong = text(node, what, into)) return wrong;
    into = (folder_ / into).lexically_normal().string();
    return std::nullopt;
  }

  Wrong read_bool(const YamlNode& node, const std::string& what, bool& into) const {
    if (node.kind != Kind::Scalar || (node.text != "true" && node.text != "false")) {
      return error(node, "`" + what + "` is `true` or `false`");
    }
    into = node.text == "true";
    return std::nullopt;
  }

  Wrong number(const YamlNode& node, const std::string& what, uint32_t least, uint32_t most, uint32_t& into) const {
    const char* const end = node.text.data() + node.text.size();
    uint32_t value = 0;
    const auto read = std::from_chars(node.text.data(), end, value);
    if (node.kind != Kind::Scalar || node.text.empty() || read.ec != std::errc() || read.ptr != end || value < least || value > most) {
      return error(node, "`" + what + "` is a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    into = value;
    return std::nullopt;
  }

  Wrong read_listen(const YamlNode& node) {
    const std::string wanted = "`listen` is an address and a port: `127.0.0.1:8080`, `0.0.0.0:8080`, `[::1]:8080`";
    const size_t colon = node.text.rfind(':');
    if (node.kind != Kind::Scalar || colon == std::string::npos || colon == 0) return error(node, wanted);
    std::string host = node.text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
      host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string::npos) {
      return error(node, wanted);
    }
    YamlNode port = node;
    port.text = node.text.substr(colon + 1);
    uint32_t value = 0;
    if (number(port, "port", 0, 65535, value)) return error(node, wanted);
    config_.host = host;
    config_.port = static_cast<uint16_t>(value);
    config_.listen_at = node.at;
    return std::nullopt;
  }

  Wrong read_tls(const YamlNode& node) {
    if (node.kind != Kind::Map) return error(node, "`tls` is a map; write `tls: {certificate: cert.pem, key: key.pem}`");
    if (auto wrong = keys(node, {"certificate", "key"})) return wrong;
    TlsFiles& tls = config_.tls.emplace();
    for (const auto& [key, value] : node.entries) {
      if (auto wrong = read_path(value, key.text, key.text == "key" ? tls.key : tls.certificate)) return wrong;
    }
    if (tls.key.empty() || tls.certificate.empty()) return error(node, "`tls` needs both `certificate` and `key`");
    return std::nullopt;
  }

  Wrong read_model(const YamlNode& node) {
    if (auto wrong = text(node, "model", config_.model)) return wrong;
    if (config_.model.starts_with("http://") || config_.model.starts_with("https://")) {
      return error(node, "`model` is a name of `pccsql model list`, a GGUF file, or `none`: an endpoint gives no logits, so no mask");
    }
    if (config_.model.find('/') != std::string::npos || config_.model.ends_with(".gguf")) {
      config_.model = (folder_ / config_.model).lexically_normal().string();
    }
    return std::nullopt;
  }

  Wrong read_limits(const YamlNode& node) {
    if (node.kind != Kind::Map) return error(node, "`limits` is a map; write `limits: {questions_per_minute: 30, at_once: 8}`");
    if (auto wrong = keys(node, {"questions_per_minute", "at_once", "queue", "seconds"})) return wrong;
    for (const auto& [key, value] : node.entries) {
      ServeLimits& limits = config_.limits;
      Wrong wrong;
      if (key.text == "questions_per_minute") wrong = number(value, key.text, 1, 1'000'000, limits.questions_per_minute);
      if (key.text == "at_once") wrong = number(value, key.text, 1, 64, limits.at_once);
      if (key.text == "queue") wrong = number(value, key.text, 0, 1024, limits.queue);
      if (key.text == "seconds") wrong = number(value, key.text, 1, 3600, limits.seconds);
      if (wrong) return wrong;
    }
    return std::nullopt;
  }

  Wrong read_databases(const YamlNode& node) {
    const std::string example = "databases: {hr: {db: hr.sqlite}}";
    if (auto wrong = named_map(node, "databases", example)) return wrong;
    for (const auto& [key, value] : node.entries) {
      ServedDatabase& made = config_.databases.emplace_back();
      made.name = key.text;
      made.at = key.at;
      if (value.kind != Kind::Map) return error(value, "a database is a map; write `" + example + "`");
      if (auto wrong = keys(value, {"db", "schema", "method", "values"})) return wrong;
      const YamlNode* schema = nullptr;
      for (const auto& [name, given] : value.entries) {
        if (name.text == "db") {
          if (auto wrong = read_db(given, made.place.address)) return wrong;
        } else if (name.text == "schema") {
          schema = &given;
          if (auto wrong = text(given, "schema", made.place.schema)) return wrong;
        } else if (name.text == "values") {
          if (auto wrong = number(given, "values", 0, 100, made.values)) return wrong;
        } else {
          const auto method = parse_method(given.text);
          if (!method) return error(given, "`method` is one of pcc, pcc-paper, direct, retry, verify, itergen");
          made.method = *method;
        }
      }
      if (made.place.address.empty()) return error(key, "`" + key.text + "` needs `db`, its SQLite file or a PostgreSQL server's address");
      const bool server = is_pg_address(made.place.address);
      if (schema != nullptr && !server) return error(*schema, "`schema` is for a PostgreSQL server; a SQLite file has one schema alone");
      if (server && needs_logits(made.method)) {
        return error(key, "`" + key.text + "` is a PostgreSQL server, for which there is no mask yet; give it `method: direct`, `retry` or `verify`");
      }
    }
    return std::nullopt;
  }

  // A file, beside the server's own; or a server's address, as it is.
  Wrong read_db(const YamlNode& node, std::string& into) const {
    if (!is_pg_address(node.text)) return read_path(node, "db", into);
    return text(node, "db", into);
  }

  Wrong read_policies(const YamlNode& node) {
    const std::string example = "policies: {analyst: {hr: policy.yaml}}";
    if (auto wrong = named_map(node, "policies", example)) return wrong;
    for (const auto& [key, value] : node.entries) {
      ServedPolicy& made = config_.policies.emplace_back();
      made.name = key.text;
      made.at = key.at;
      if (value.kind != Kind::Map || value.entries.empty()) {
        return error(value, "a policy names a file for each database it opens; write `" + example + "`");
      }
      if (auto wrong = keys(value, names_of(config_.databases))) return wrong;
      for (const auto& [database, given] : value.entries) {
        std::string path;
        if (auto wrong = read_path(given, database.text, path)) return wrong;
        made.files.emplace_back(database.text, path);
      }
    }
    return std::nullopt;
  }

  Wrong read_people(const YamlNode& node) {
    const std::string example = "people: {ann: {policy: analyst, key_sha256: …}}";
    if (auto wrong = named_map(node, "people", example)) return wrong;
    for (const auto& [key, value] : node.entries) {
      Person& made = config_.people.emplace_back();
      made.name = key.text;
      made.at = key.at;
      if (value.kind != Kind::Map) return error(value, "a person is a map; write `" + example + "`");
      if (auto wrong = keys(value, {"policy", "admin", "key_sha256"})) return wrong;
      for (const auto& [name, given] : value.entries) {
        Wrong wrong;
        if (name.text == "policy") wrong = read_policy_of(given, made);
        if (name.text == "admin") wrong = read_bool(given, "admin", made.admin);
        if (name.text == "key_sha256") wrong = read_digest(given, made);
        if (wrong) return wrong;
      }
      if (made.policy.empty()) return error(key, "`" + key.text + "` needs a `policy`");
      if (made.key_sha256.empty()) {
        return error(key, "`" + key.text + "` needs a `key_sha256`; `pccsql serve key " + key.text + "` makes a key and prints the line");
      }
    }
    return std::nullopt;
  }

  Wrong read_policy_of(const YamlNode& node, Person& person) const {
    if (auto wrong = text(node, "policy", person.policy)) return wrong;
    const std::vector<std::string> known = names_of(config_.policies);
    if (std::ranges::find(known, person.policy) != known.end()) return std::nullopt;
    const std::string close = closest_match(person.policy, known);
    return error(node, "there is no policy `" + person.policy + "` under `policies`" + (close.empty() ? "" : "; did you mean `" + close + "`?"));
  }

  Wrong read_digest(const YamlNode& node, Person& person) const {
    person.key_sha256 = folded(node.text);
    const bool good = node.kind == Kind::Scalar && person.key_sha256.size() == 64 &&
                      person.key_sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!good) return error(node, "`key_sha256` is 64 hexadecimal digits, as `pccsql serve key " + person.name + "` prints them");
    for (const Person& other : config_.people) {
      if (&other != &person && other.key_sha256 == person.key_sha256) {
        return error(node, "`" + other.name + "` has the same key; who asks must be known by it");
      }
    }
    return std::nullopt;
  }

  template <typename Named>
  static std::vector<std::string> names_of(const std::vector<Named>& all) {
    std::vector<std::string> names;
    for (const Named& one : all) names.push_back(one.name);
    return names;
  }

  const std::string& file_;
  std::filesystem::path folder_;
  ServeConfig config_;
};

}  // namespace

const ServedDatabase* ServeConfig::database(std::string_view name) const {
  const auto found = std::ranges::find(databases, name, &ServedDatabase::name);
  return found == databases.end() ? nullptr : &*found;
}

bool is_loopback(std::string_view host) {
  if (equal_folded(host, "localhost") || host == "::1") return true;
  // 127.0.0.1 and its like, written out: what only begins so is a name, and a name can be made to stand for anything.
  int numbers = 0;
  for (std::string_view rest = host; !rest.empty() && numbers < 5; ++numbers) {
    const size_t end = std::min(rest.find('.'), rest.size());
    const std::string_view number = rest.substr(0, end);
    int value = -1;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    if (read.ec != std::errc() || read.ptr != number.data() + number.size() || value < 0 || value > 255) return false;
    if (numbers == 0 && value != 127) return false;
    if (end == rest.size()) return numbers == 3;
    rest.remove_prefix(end + 1);
  }
  return false;
}

Result<ServeConfig> parse_serve_config(std::string_view text, const std::string& file) {
  if (trimmed(text).empty()) return Error{"is empty; `databases` and `policies` were expected", file, {1, 1}};
  const auto root = parse_yaml(text, file);
  if (!root) return root.error();
  return ConfigReader(file).read(*root);
}

Result<Done> check_exposure(const ServeConfig& config, bool insecure) {
  if (insecure || !config.people.empty() || is_loopback(config.host)) return Done{};
  return Error{"without `people` everybody who reaches `" + config.host +
                   "` may ask; name the people, listen on 127.0.0.1, or say `--insecure` where that is meant",
               config.file, config.listen_at};
}

std::string needs_restart(const ServeConfig& running, const ServeConfig& wanted) {
  if (running.host != wanted.host || running.port != wanted.port) return "`listen`";
  if (running.tls != wanted.tls) return "`tls`";
  if (running.model != wanted.model) return "`model`";
  if (running.audit != wanted.audit) return "`audit`";
  if (running.limits.at_once != wanted.limits.at_once || running.limits.queue != wanted.limits.queue) {
    return "`at_once` and `queue` of `limits`";
  }
  for (const ServedDatabase& database : wanted.databases) {
    const bool known = std::ranges::any_of(running.databases, [&](const ServedDatabase& other) { return other.method == database.method; });
    if (!known && running.model != "none") return "a `method` that no database had";
  }
  return "";
}

}  // namespace pccsql
