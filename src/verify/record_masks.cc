// record_masks: the masks of a build as hashes in a file, and whether another build fills the same ones. It is how a change
// to the tracker that must change no mask is shown to change none.
//
//   record_masks write FILE SPIDER-FOLDER [option...]      fills masks and writes their hashes
//   record_masks compare FILE SPIDER-FOLDER [option...]    fills the same again; says where one differs
//
//   --vocab FILE         builtin, or a GGUF file (default: builtin)
//   --walks N            for each database, logits and style (default: 8)
//   --queries N          gold queries at most, evenly spread (default: 2000)
//   --by-shape 0|1       whether masks share what does not hang on names (default: 1)
//   --share I/N          the I-th of N parts of the work, from 0
//
// A line of the file is one generation: what it was, then a hash for each mask. Gold queries of both splits are replayed under
// the paper's policies, setting by setting; walks over the same databases choose by seed, so that both builds go the same way for as long as their masks are the same.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/shape_part.h"
#include "suite/column_policies.h"
#include "suite/gold.h"
#include "verify/tokens.h"
#include "verify/walk.h"

namespace pccsql {
namespace {

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "record_masks: %s\n", why.c_str());
  std::exit(2);
}

template <typename T>
T value(Result<T> result) {
  if (!result) stop(result.error().to_string());
  return std::move(*result);
}

uint64_t hash_of(ConstBitmask mask) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const uint32_t word : mask.words()) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

struct Options {
  bool compare = false;
  std::string file, spider, vocabulary = "builtin";
  uint64_t walks = 8, queries = 2000, share = 0, shares = 1;
};

Options parse(int argc, char** argv) {
  Options options;
  if (argc < 4) stop("usage: record_masks write|compare FILE SPIDER-FOLDER [option...]");
  const std::string_view verb = argv[1];
  if (verb != "write" && verb != "compare") stop("`" + std::string(verb) + "` is neither write nor compare");
  options.compare = verb == "compare";
  options.file = argv[2];
  options.spider = argv[3];
  for (int i = 4; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) stop(std::string(name) + " needs a value");
    const std::string text = argv[i + 1];
    if (name == "--vocab") {
      options.vocabulary = text;
    } else if (name == "--walks") {
      options.walks = std::strtoull(text.c_str(), nullptr, 10);
    } else if (name == "--queries") {
      options.queries = std::strtoull(text.c_str(), nullptr, 10);
    } else if (name == "--by-shape") {
      masks_by_shape = text != "0";
    } else if (name == "--share") {
      unsigned long own = 0, all = 0;
      if (std::sscanf(text.c_str(), "%lu/%lu", &own, &all) != 2 || own >= all) stop("--share is I/N, as 0/2");
      options.share = own, options.shares = all;
    } else {
      stop("unknown option " + std::string(name));
    }
  }
  return options;
}

// Takes the hashes of one generation after the other: to a file, or beside those of one.
class Record {
 public:
  explicit Record(const Options& options) : compare_(options.compare) {
    if (!compare_) {
      out_.open(options.file);
      if (!out_) stop("cannot write " + options.file);
      return;
    }
    std::ifstream in(options.file);
    if (!in) stop("cannot read " + options.file);
    for (std::string line; std::getline(in, line);) {
      const size_t tab = line.find('\t');
      if (tab == std::string::npos) stop(options.file + ": a line without a tab");
      known_[line.substr(0, tab)] = line.substr(tab + 1);
    }
  }

  void begin(std::string name) {
    name_ = std::move(name);
    hashes_.clear();
    texts_.clear();
  }
  void add(ConstBitmask mask, std::string_view text) {
    hashes_.push_back(hash_of(mask));
    if (compare_) texts_.emplace_back(text);
    ++masks_;
  }
  void end() {
    std::string line;
    for (const uint64_t hash : hashes_) {
      char hex[20];
      std::snprintf(hex, sizeof hex, "%s%08x", line.empty() ? "" : " ", static_cast<unsigned>(hash ^ hash >> 32));
      line += hex;
    }
    if (!compare_) {
      out_ << name_ << '\t' << line << '\n';
      return;
    }
    const auto found = known_.find(name_);
    if (found == known_.end()) stop("the file has no generation `" + name_ + "`");
    if (found->second == line) return;
    ++different_;
    constexpr size_t kWidth = 9;
    size_t at = 0;
    while ((at + 1) * kWidth <= std::min(line.size(), found->second.size()) + 1 &&
           line.compare(at * kWidth, 8, found->second, at * kWidth, 8) == 0) {
      ++at;
    }
    if (different_ <= 20) {
      std::cout << name_ << ": mask " << at << " differs, after `" << (at < texts_.size() ? texts_[at] : "its end") << "`\n";
    }
  }
  int finish() {
    if (!compare_) {
      if (!out_.flush()) stop("the file could not be written");
      std::cout << masks_ << " masks\n";
      return 0;
    }
    std::cout << masks_ << " masks, " << different_ << " generations differ\n";
    return different_ == 0 ? 0 : 1;
  }

 private:
  bool compare_;
  std::ofstream out_;
  std::map<std::string, std::string> known_;
  std::string name_;
  std::vector<uint64_t> hashes_;
  std::vector<std::string> texts_;
  uint64_t masks_ = 0, different_ = 0;
};

void replay(const Engine& engine, const std::vector<TokenId>& tokens, Record& record) {
  const size_t width = engine.vocabulary().size();
  BitmaskBuffer mask(width);
  Matcher matcher = engine.new_matcher();
  for (size_t i = 0; i <= tokens.size(); ++i) {
    if (!matcher.fill_next_token_bitmask(mask.view().words().data(), width)) stop("a mask could not be filled");
    record.add(mask.view(), matcher.text());
    if (i == tokens.size() || !mask.view().test(tokens[i]) || !matcher.accept_token(tokens[i])) return;
  }
}

std::vector<Settings> all_settings() {
  std::vector<Settings> all;
  for (const auto profile : {Settings::Profile::Strict, Settings::Profile::Paper}) {
    for (const auto style : {Settings::Style::Any, Settings::Style::Canonical}) {
      Settings settings;
      settings.profile = profile;
      settings.style = style;
      all.push_back(settings);
    }
  }
  Settings open;
  open.aliases = Settings::Aliases::Any;
  open.derived_names = true;
  all.push_back(open);
  return all;
}

void record_database(const Catalog& catalog, const Policy& policy, const std::vector<const GoldQuery*>& gold,
                     const Tokens& tokens, const TokenClasses& classes, const Options& options, Record& record) {
  const std::vector<Settings> settings = all_settings();
  for (size_t s = 0; s < settings.size(); ++s) {
    auto world = value(MaskWorld::make(catalog, policy, tokens.index(), settings[s]));
    const std::string where = catalog.name() + " " + std::to_string(s);
    for (size_t i = 0; i < gold.size(); ++i) {
      record.begin("gold " + where + " " + std::to_string(i));
      const auto cut = tokens.canonical(gold[i]->sql);
      if (!cut) stop("the vocabulary cannot spell " + gold[i]->sql);
      replay(world->engine(), cut->tokens, record);
      record.end();
    }
    for (const WalkLogits logits : {WalkLogits::Uniform, WalkLogits::Adversarial}) {
      Walker walker(*world, classes, logits, 200, tokens.vocabulary().size());
      walker.watch([&](Matcher& matcher, ConstBitmask mask) { record.add(mask, matcher.text()); });
      for (uint64_t seed = 1; seed <= options.walks; ++seed) {
        record.begin(std::string(logits == WalkLogits::Uniform ? "uniform " : "hostile ") + where + " " +
                     std::to_string(seed));
        walker.walk(seed);
        record.end();
      }
    }
  }
}

int run(const Options& options) {
  const Tokens tokens = value(Tokens::load(options.vocabulary));
  if (masks_by_shape) tokens.index().prepare();
  const GoldData data = value(read_spider(options.spider));
  const std::vector<Policy> policies = column_policies(data);
  std::vector<std::vector<const GoldQuery*>> gold(data.catalogs.size());
  std::vector<const GoldQuery*> all;
  for (const GoldQuery& query : data.dev) all.push_back(&query);
  for (const GoldQuery& query : data.train) all.push_back(&query);
  const size_t count = std::min<size_t>(options.queries, all.size());
  for (size_t i = 0; i < count; ++i) {
    const GoldQuery* const query = all[i * all.size() / count];
    if (const auto at = data.find_catalog(query->db_id)) gold[*at].push_back(query);
  }
  Record record(options);
  for (size_t i = options.share; i < data.catalogs.size(); i += options.shares) {
    const TokenClasses classes(tokens.vocabulary(), data.catalogs[i]);
    record_database(data.catalogs[i], policies[i], gold[i], tokens, classes, options, record);
  }
  return record.finish();
}

}  // namespace
}  // namespace pccsql

int main(int argc, char** argv) { return pccsql::run(pccsql::parse(argc, argv)); }
