// The search for a FROM against brute force. On small random worlds it finds a FROM exactly when the checker calls some
// FROM over the same tables safe; the FROM it finds is one of those, and leaves to the outside just what it says.
#include <gtest/gtest.h>

#include "track/supply_round.h"

namespace pccsql::track {
namespace {

// Every further FROM of as many items as there are names to supply: each table under its own name, under an alias that
// is asked for, under a fresh one where its own name means something else; with every merge of plain names.
class BruteForce {
 public:
  explicit BruteForce(Round& round) : round_(round), from_(round.present) { make_kinds(); }

  bool finds() {
    if (!round_.name_open && !round_.merge_open) return extend(0);
    const Item open = from_.back();
    Texts aliases{open.alias};
    if (round_.name_open) aliases = {"", "t1", "t2", "z9"};
    if (round_.name_open && !round_.cte) aliases.push_back("w");
    for (const std::string& alias : aliases) {
      from_.back().alias = alias;
      if (!round_.merge_open && extend(0)) return true;
      if (round_.merge_open && merge([this] { return extend(0); })) return true;
    }
    return false;
  }

 private:
  bool mentions(const std::string& name) const {
    const auto called = [&](const Item& item) { return item.name() == name; };
    const auto qualifies = [&](const auto& list) {
      const NameId id = round_.names.find(name);
      return std::any_of(list.begin(), list.end(), [&](const Obligation& o) { return o.qualifier == id; });
    };
    return std::any_of(from_.begin(), from_.end(), called) || qualifies(round_.pending) || qualifies(round_.passed);
  }

  void make_kinds() {
    for (const Item& item : round_.items) {
      Texts aliases{""};
      for (const char* alias : {"t1", "t2", "w"}) {
        if (mentions(alias) && !(round_.cte && round_.cte->own == alias)) aliases.push_back(alias);
      }
      if (mentions(item.own)) aliases.push_back("z" + item.own);
      for (const std::string& alias : aliases) {
        const auto helps = [&](const Written& w) {
          return w.qualifier.empty() ? has(item.columns, w.name) : w.qualifier == (alias.empty() ? item.own : alias);
        };
        if (std::none_of(round_.written.begin(), round_.written.end(), helps)) continue;
        kinds_.push_back(item);
        kinds_.back().alias = alias;
      }
    }
    if (!round_.star) return;
    kinds_.emplace_back();
    kinds_.back().text = "(SELECT 1)";
  }

  // The last item, with every choice of plain names that it could merge.
  template <typename Rest>
  bool merge(const Rest& rest) {
    Texts common;
    for (const std::string& name : round_.mergeable(from_, from_.size() - 1)) {
      const auto asks = [&](const Obligation& o) {
        return o.qualifier == kNoName && round_.names.text(o.name) == name;
      };
      if (std::any_of(round_.pending.begin(), round_.pending.end(), asks)) common.push_back(name);
    }
    for (size_t bits = 0; bits < size_t{1} << common.size(); ++bits) {
      from_.back().merged.clear();
      for (size_t i = 0; i < common.size(); ++i) {
        if ((bits >> i & 1) != 0) from_.back().merged.push_back(common[i]);
      }
      if (rest()) return true;
    }
    from_.back().merged.clear();
    return false;
  }

  bool extend(size_t first) {
    const Judgement judgement = round_.checker->check(round_.query(from_), *round_.policy);
    if (judgement.verdict == Verdict::Safe) return true;
    // Where nothing encloses, what is bound stays bound, and what is ambiguous stays so.
    const bool for_good = judgement.verdict == Verdict::Unsafe || judgement.reason.starts_with("ambiguous");
    if (for_good && round_.outer.empty()) return false;
    if (from_.size() >= round_.present.size() + round_.written.size()) return false;
    for (size_t k = first; k < kinds_.size(); ++k) {
      const auto same_name = [&](const Item& item) { return !item.name().empty() && item.name() == kinds_[k].name(); };
      if (std::any_of(from_.begin(), from_.end(), same_name)) continue;
      from_.push_back(kinds_[k]);
      if (merge([&] { return extend(k + 1); })) return true;
      from_.pop_back();
    }
    return false;
  }

  Round& round_;
  std::vector<Item> from_;
  std::vector<Item> kinds_;
};

TEST(SupplyBrute, FindsAFromExactlyWhenThereIsOne) {
  struct Count {
    int possible = 0;
    int impossible = 0;
  };
  std::map<std::string, Count> counts;
  size_t most_nodes = 0;
  for (uint64_t seed = 0; seed < 4'000; ++seed) {
    Round round(seed);
    const std::optional<Witness> witness = round.ask(false);
    const bool exists = BruteForce(round).finds();
    ASSERT_EQ(witness.has_value(), exists) << "seed " << seed << "\n"
                                           << round.shown() << "\n"
                                           << (witness ? round.query(round.written_out(*witness)) : "");
    const auto count = [&](const char* what) { (exists ? counts[what].possible : counts[what].impossible) += 1; };
    count("all");
    if (!round.present.empty()) count("items there");
    if (round.name_open || round.merge_open) count("open item");
    if (!round.outer.empty()) count("enclosed");
    if (witness && !witness->passed.empty()) count("passed");
    if (std::ranges::any_of(round.written, [](const Written& w) { return w.name == "rowid"; })) count("rowid");
    if (witness && (witness->open_name != kNoName || witness->open_fresh)) count("alias found");
    if (witness && !witness->open_merged.empty()) count("merge found");
    // With derived tables more can be supplied, never less.
    const std::optional<Witness> derived = round.ask(true);
    ASSERT_TRUE(derived || !exists) << "seed " << seed << "\n" << round.shown();
    if (derived && !exists) count("derived only");
    for (const std::optional<Witness>& found : {witness, derived}) {
      if (!found) continue;
      most_nodes = std::max(most_nodes, found->nodes);
      const std::vector<Item> from = round.written_out(*found);
      ASSERT_TRUE(round.is_safe(round.query(from))) << "seed " << seed << "\n"
                                                    << round.shown() << "\n"
                                                    << round.query(from);
      ASSERT_TRUE(round.passes_what_it_says(*found, from)) << "seed " << seed << "\n" << round.query(from);
    }
  }
  for (const char* what : {"all", "items there", "open item", "enclosed", "rowid"}) {
    EXPECT_GT(counts[what].possible, 200) << what;
    EXPECT_GT(counts[what].impossible, 200) << what;
  }
  for (const char* what : {"passed", "alias found", "merge found"}) EXPECT_GT(counts[what].possible, 50) << what;
  EXPECT_LT(most_nodes, 100u);
}

}  // namespace
}  // namespace pccsql::track
