// Cursor: where a lexeme is read: the innermost SELECT and the innermost frame of a state as copies that may be written.
//
// A Step is built from layers, each a class that knows those below it and one thing more; this is the lowest. Whatever is written
// goes into new records of the Store, so that every older state stays valid. Whatever cannot be sure refuses.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "track/parser_stack.h"
#include "track/store.h"

namespace pccsql::track {

struct Word {  // a lexeme with what the judge needs of it
  Terminal terminal = Terminal::End;
  Quote quote = Quote::None;
  NameId name = kNoName;
  bool keyword = false;  // a bare word that is also a keyword
  Literal literal;
};

inline bool holds(const std::vector<uint32_t>& values, uint32_t value) {  // names among names, places in lists
  return std::find(values.begin(), values.end(), value) != values.end();
}

class Cursor {
 public:
  Cursor(Store& store, const State& state);

  State commit();
  const Level& level() const { return level_; }
  const Frame& frame() const { return frame_; }
  bool in_frame() const { return state_.open != 0; }  // of the innermost SELECT
  // Where an operand would stand, and how deep on the parser's stack.
  Place operand_place() const;
  int operand_depth() const;
  // The ORDER BY or GROUP BY term that the expression at hand could be the whole of.
  const Term* term() const;
  bool compound_term() const {
    const Term* const order = term();
    return order != nullptr && order->compound;
  }

 protected:
  // Tries something on a copy of a layer, and forgets what it made.
  template <typename Layer, typename Try>
  static bool on_copy(const Layer& layer, const Try& attempt) {
    Store& store = layer.store_;
    const Store::Mark mark = store.mark();
    bool fits = false;
    {
      Layer copy(layer);
      fits = attempt(copy);
    }
    store.release(mark);
    return fits;
  }

  // False: with it and `room` more the database's parser would have too much on its stack.
  bool open_frame(Frame frame, int depth, int room = 0);
  static Frame frame_of(Frame::Kind kind, const Place& place = {}) {
    Frame frame;
    frame.kind = kind;
    frame.place = place;
    return frame;
  }
  void push_frame(Frame frame);
  void pop_frame();
  Frame below() const { return store_.frames[frame_.below]; }
  void store_frame();
  // The innermost `count` frames made again, the outermost of them first; `above` is how many stand on it.
  void change_frames(int count, const std::function<void(Frame&, int above)>& change);
  void change_term(const std::function<void(Term&)>& change);
  // What stands in an operand that is no bare number or name makes the term an expression. False: it may not be one.
  bool leave_term();
  // An enclosing level made anew, and with it those inside it, which point at it.
  void replace_level(Index old, const Level& changed) {
    level_.parent = rebuilt(level_.parent, old, changed);
    level_dirty_ = true;
  }

  Place base_place() const;
  bool sees_names() const { return operand_place().clause != Clause::Limit; }
  uint32_t ref_count() const { return store_.refs[level_.refs].count; }
  void note_leaf(ItemDraft::Leaf leaf) {
    if (level_.clause != Clause::Items || level_.item.leaf == leaf) return;
    level_.item.leaf = leaf;
    level_dirty_ = true;
  }

  // The parser's stack: see parser_stack.h.
  bool has_depth(int depth) const {
    store_.asked |= depth > parser_stack::kNear;
    return depth <= world_.deepest();
  }
  static int branch_depth(const Level& level) { return level.depth + (level.branches > 1 ? parser_stack::kBranch : 0); }
  static int derived_table_depth(const Level& level) { return branch_depth(level) + parser_stack::kDerivedTable; }
  bool derived_table_has_depth(const Level& level) const {
    return has_depth(derived_table_depth(level) + parser_stack::kSelect);
  }
  // What one operator adds to the height of the database's trees.
  int operator_weight() const;

  Store& store_;
  const World& world_;
  State state_;
  Level level_;
  Frame frame_;  // of state_.frame
  bool level_dirty_ = false;
  bool frame_dirty_ = false;  // frame_ is newer than what state_.frame names

 private:
  Index rebuilt(Index from, Index old, const Level& changed);
};

}  // namespace pccsql::track
