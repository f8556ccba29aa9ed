// ListTracker: a tracker by brute force, for testing those who test trackers. It admits the beginnings of a finite list of
// texts, and can be made to lie in each way that the oracles must notice.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "track/attack/ground.h"
#include "track/tracker.h"

namespace pccsql::attack {

enum class Fault {
  None,
  DeadEnd,         // after one text's last byte but one there is no completion
  RefusesOwn,      // and that byte is refused although the completion has it
  GrowingText,     // the completion gets longer on the way
  LowBound,        // the bound is less than the completion
  LowTokenBound,   // so is the one in tokens
  NoEnd,           // a whole text may not end
  MissingUse,      // one use is not told
  ExtraUse,        // one is told that is none
  OneKey,          // two prefixes with different futures have one key
  KeyOfHistory,    // the key depends on what was asked before
  ForgetsOldOnes,  // once another way is taken, the old one is refused
  StopsShort,      // a text of the list is refused in its middle
};

class ListTracker : public Tracker {
 public:
  // `ground` is asked for the uses of each text; texts that its checker does not call safe are taken all the same.
  ListTracker(Ground& ground, const std::vector<std::string>& texts, Fault fault = Fault::None);

  PrefixId start() override { return 1; }
  PrefixId push(PrefixId prefix, uint8_t byte) override;
  bool may_end(PrefixId prefix) override;
  Key key(PrefixId prefix) override;
  std::optional<std::string> completion(PrefixId prefix) override;
  uint32_t completion_bound(PrefixId prefix) override;
  std::optional<uint32_t> token_bound(PrefixId prefix, TokenCounter& counter) override {
    return counter.tokens(nodes_[prefix].shortest) / (fault_ == Fault::LowTokenBound ? 2 : 1);
  }
  FreeText free_text(PrefixId) override { return FreeText::None; }
  uint32_t room(PrefixId) override { return 0; }
  Explanation explain(PrefixId) override { return {}; }
  std::vector<Use> uses(PrefixId prefix) override;
  uint32_t mark() override { return 0; }
  void release(uint32_t) override {}

 private:
  struct Node {
    std::map<uint8_t, PrefixId> children;
    bool whole = false;
    std::string shortest;  // from here to the end of a text
    std::vector<Use> uses;
  };
  void add(Ground& ground, const std::string& text);
  std::string shortest_from(PrefixId prefix);

  Fault fault_;
  std::vector<Node> nodes_;
  PrefixId victim_ = kDead;  // where the fault shows
  uint64_t asked_ = 0;
  std::map<PrefixId, PrefixId> taken_;
  std::set<PrefixId> forgotten_;
};

}  // namespace pccsql::attack
