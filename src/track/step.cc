#include "track/step.h"

#include <algorithm>

#include "track/refusal_counts.h"

// A switch over rules names each of them.
#pragma GCC diagnostic error "-Wswitch"

namespace pccsql::track {

Step::Step(Store& store, const State& state)
    : store_(store), world_(store.world), state_(state), level_(store.levels[state.level]), frame_(store.frames[state.frame]) {}

void Step::store_frame() {
  if (!frame_dirty_) return;
  store_.frames.push_back(frame_);
  state_.frame = static_cast<Index>(store_.frames.size() - 1);
  frame_dirty_ = false;
}

void Step::push_frame(Frame frame) {
  store_frame();
  frame.below = state_.frame;
  frame.height = frame_.height;
  frame.refs = ref_count();
  frame.argument = frame_.argument;
  frame_ = frame;
  frame_dirty_ = true;
  ++state_.open;
}

// What was counted inside goes on being counted outside.
void Step::pop_frame() {
  const uint16_t height = frame_.height;
  const Argument argument = frame_.argument;
  --state_.open;
  state_.frame = frame_.below;
  frame_ = store_.frames[state_.frame];
  frame_dirty_ = false;
  if (state_.frame != 0 && frame_.height != height) {
    frame_.height = height;
    frame_dirty_ = true;
  }
  const bool counted = frame_.kind == Frame::Call && frame_.function->mode == Callable::Sums;
  if (state_.frame != 0 && !counted && frame_.argument != argument) {
    frame_.argument = argument;
    frame_dirty_ = true;
  }
}

State Step::commit() {
  store_frame();
  if (level_dirty_) {
    store_.levels.push_back(level_);
    state_.level = static_cast<Index>(store_.levels.size() - 1);
    level_dirty_ = false;
  }
  return state_;
}

bool Step::read(const Word& word) {
  const Control::Move& move = store_.control.move(state_.stack, word.terminal);
  if (move.next == kDeadStack || word.terminal == Terminal::End) return false;
  const StackId next = move.next;
  // By number: what an event causes may ask the control for others.
  const uint32_t last = move.first + move.count;
  for (uint32_t i = move.first; i < last; ++i) {
    const Event event = store_.control.event(i);
    bool fits = false;
    aggregate_fits_.reset();
    switch (event.kind) {
      case Event::Exit:
        fits = exit(event.rule);
        break;
      case Event::Enter:
        fits = enter(event.rule, word);
        break;
      case Event::Shift:
        fits = shift(event.rule, word);
        break;
    }
    if (!fits) {
      if (counts_refusals.load(std::memory_order_relaxed)) note_refusal(event);
      return false;
    }
  }
  state_.stack = next;
  return true;
}

bool Step::prepare_name() {
  const Control::Move& move = store_.control.move(state_.stack, Terminal::Name);
  if (move.next == kDeadStack) return false;
  Word word;
  word.terminal = Terminal::Name;
  const uint32_t last = move.first + move.count;
  for (uint32_t i = move.first; i < last; ++i) {
    const Event event = store_.control.event(i);
    aggregate_fits_.reset();
    if (event.kind == Event::Exit && !exit(event.rule)) return false;
    if (event.kind == Event::Enter && !enter(event.rule, word)) return false;
  }
  aggregate_fits_.reset();
  return true;
}

bool Step::names_from_item() const { return !in_frame() && level_.clause == Clause::From && level_.from != 0; }

bool Step::end() {
  if (!store_.control.may_end(state_.stack)) return false;
  const Control::Move& move = store_.control.move(state_.stack, Terminal::End);
  const uint32_t last = move.first + move.count;
  for (uint32_t i = move.first; i < last; ++i) {
    if (!exit(store_.control.event(i).rule)) return false;
  }
  return true;
}

bool Step::enter(RuleId rule, const Word& word) {
  switch (rule_of(rule)) {
    case R::query:
      return open_query();
    case R::with:
      return has_depth(level_.depth + parser_stack::kCteBody + parser_stack::kSelect);
    case R::cte: {
      level_.declared = 0;
      level_dirty_ = true;
      Frame head;
      head.kind = Frame::CteHead;
      head.depth = static_cast<uint16_t>(level_.depth + parser_stack::kCteBody);
      push_frame(head);
      return true;
    }
    case R::select:
      return open_select();
    case R::select_item:
      level_.item_refs = ref_count();
      level_.item_alias = kNoName;
      level_.nested = level_.item_aggregate = level_.item_window = false;
      level_.item_leaf = 0;
      level_.item_star = false;
      level_dirty_ = true;
      return true;
    case R::alias:
      state_.as = false;
      return !(level_.clause == Clause::Items && level_.item_star);
    case R::join:
      begin_join();
      return end_item_merge();
    case R::join_condition:
      return word.terminal == Terminal::kw_USING ? true : end_item_merge();
    case R::using_:
      return open_using();
    case R::where:
      return enter_clause(Clause::Where);
    case R::group_by:
      return enter_clause(Clause::Group);
    case R::having:
      return enter_clause(Clause::Having);
    case R::windows:
      return false;  // nothing that is generated refers to a named window
    case R::order_by:
      if (frame_.kind == Frame::Window && !at_level_base()) return frame_.arguments < kMostTerms;
      return enter_clause(Clause::Order);
    case R::partition:
      return open_partition();
    case R::limit:
      return enter_clause(Clause::Limit);
    case R::order_term: {
      Frame term;
      term.kind = Frame::Term;
      const bool in_window = frame_.kind == Frame::Window && !at_level_base();
      term.place = in_window ? frame_.place : base_place();
      term.pure = !in_window;
      term.compound = !in_window && level_.branches > 1;
      term.depth = static_cast<uint16_t>(in_window ? frame_.depth + parser_stack::kWindowOrder : level_.depth + parser_stack::kOrderTerm);
      if (in_window) {
        frame_.order_terms = static_cast<uint8_t>(std::min(frame_.order_terms + 1, 255));
        frame_.arguments = static_cast<uint16_t>(frame_.arguments + 1);
        frame_dirty_ = true;
      }
      push_frame(term);
      return true;
    }
    case R::expr:
      return open_expr();
    case R::range:
      if (!open_expr()) return false;
      // Of BETWEEN, unless it is a bound of a window's frame.
      if (below().kind == Frame::Expr && compares_here(below())) frame_.standing = Standing::Operand;
      return true;
    case R::pattern:
      if (!open_expr()) return false;
      frame_.pattern = frame_dirty_ = true;
      return true;
    case R::in_set: {
      Frame set;
      set.kind = Frame::InSet;
      set.place = operand_place();
      if (compares_here(frame_)) set.standing = Standing::Operand;
      set.depth = static_cast<uint16_t>(operand_depth() + parser_stack::kInSet);
      if (!has_depth(set.depth)) return false;
      push_frame(set);
      return true;
    }
    case R::operand: {
      const bool divides = in_plain_argument() && !frame_.after && store_.operators[frame_.operators].divides;
      return !divides || word.terminal == Terminal::Float || test_argument();
    }
    case R::cast: {
      if (!leave_term() || !extend_argument()) return false;
      note_leaf(2);
      Frame cast;
      cast.kind = Frame::Cast;
      cast.place = operand_place();
      cast.depth = static_cast<uint16_t>(operand_depth() + parser_stack::kCast);
      if (!has_depth(cast.depth + parser_stack::kCastType)) return false;
      push_frame(cast);
      return true;
    }
    case R::case_: {
      if (!leave_term() || !extend_argument() || !leave_form()) return false;
      Frame cases;
      cases.kind = Frame::Case;
      cases.place = operand_place();
      cases.depth = static_cast<uint16_t>(operand_depth());
      if (!has_depth(cases.depth + parser_stack::kCaseBranch)) return false;
      push_frame(cases);
      return true;
    }
    case R::call:
      return open_call();
    case R::filter: {
      if (frame_.filtered || frame_.scalar_only || frame_.function->mode == Callable::Scalar ||
          frame_.function->mode == Callable::Window)
        return false;
      if (frame_.function->mode == Callable::Sums && !leave_form(frame_.refs)) return false;
      frame_.filtered = true;
      frame_dirty_ = true;
      Frame filter;
      filter.kind = Frame::Filter;
      filter.place = frame_.place;
      filter.place.windows = false;
      if (frame_.part == 2) {
        filter.place.inside = Place::Window;
      } else {
        filter.place.inside = frame_.place.inside == Place::Window ? Place::Window : Place::Filter;
        filter.place.aggregates = false;
        filter.place.local = true;
      }
      filter.depth = static_cast<uint16_t>(frame_.depth + parser_stack::kFilter);
      if (!has_depth(filter.depth)) return false;
      push_frame(filter);
      return true;
    }
    case R::over:
      return open_over();
    case R::window: {
      Frame window;
      window.kind = Frame::Window;
      window.place = frame_.place;
      window.place.inside = Place::Window;
      window.place.windows = false;
      window.depth = static_cast<uint16_t>(frame_.depth + parser_stack::kWindow);
      if (!has_depth(window.depth + parser_stack::kFrame)) return false;
      push_frame(window);
      return true;
    }
    case R::statement:
    case R::cte_name:
    case R::cte_columns:
    case R::compound:
    case R::from:
    case R::from_item:
    case R::table_name:
    case R::derived:
    case R::window_definition:
    case R::frame:
    case R::frame_start:
    case R::frame_end:
    case R::exclude:
    case R::infix:
    case R::negatable:
    case R::tighter:
    case R::type:
    case R::signed_:
      return true;
    case R::outside:
      break;
  }
  return false;
}

bool Step::exit(RuleId rule) {
  switch (rule_of(rule)) {
    case R::query:
      return close_query();
    case R::with:
      level_.depth = static_cast<uint16_t>(level_.depth + parser_stack::kWith);
      level_dirty_ = true;
      return true;
    case R::cte:
      pop_frame();
      return true;
    case R::select:
      return close_select();
    case R::select_item:
      return close_item();
    case R::from:
      return end_item_merge() && settle();
    case R::from_item:
      return end_item_name();
    case R::join_condition:
      level_.clause = Clause::From;
      level_dirty_ = true;
      return true;
    case R::order_term:
      if (!close_term()) return false;
      pop_frame();
      return true;
    case R::expr:
    case R::range:
    case R::pattern:
      return close_expr();
    case R::operand:
      return operand_done();
    case R::in_set: {
      const Frame set = frame_;
      pop_frame();
      take_lists(set);
      return true;
    }
    case R::filter:
    case R::window:
      pop_frame();
      return true;
    case R::cast:
    case R::case_:
      pop_frame();
      frame_.after = true;
      frame_.zero = false;
      frame_dirty_ = true;
      state_.bare = kNoName;
      state_.zero = false;
      return true;
    case R::call:
      return close_call();
    case R::statement:
    case R::cte_name:
    case R::cte_columns:
    case R::compound:
    case R::alias:
    case R::table_name:
    case R::derived:
    case R::join:
    case R::using_:
    case R::where:
    case R::group_by:
    case R::having:
    case R::order_by:
    case R::limit:
    case R::windows:
    case R::window_definition:
    case R::partition:
    case R::frame:
    case R::frame_start:
    case R::frame_end:
    case R::exclude:
    case R::infix:
    case R::negatable:
    case R::tighter:
    case R::type:
    case R::signed_:
    case R::over:
      return true;
    case R::outside:
      break;
  }
  return false;
}

bool Step::shift(RuleId rule, const Word& word) {
  switch (rule_of(rule)) {
    case R::statement:
      if (state_.ended) return false;
      state_.ended = true;
      return true;
    case R::cte_name:
      return read_cte_name(word);
    case R::cte:
      return true;
    case R::cte_columns:
      return word.terminal != Terminal::Comma || store_.name_lists[level_.declared].count < kMostArguments;
    case R::compound:
      if (word.terminal == Terminal::kw_ALL && level_.kind != Level::Statement) {
        if (state_.outer_join || world_.catalog().view_bodies().outer_join) return false;
        state_.union_all = true;
      }
      return level_.branches < kMostBranches;
    case R::select:
      return word.terminal == Terminal::Comma ? comma_between_items() : true;
    case R::select_item:
      return plain_star();
    case R::alias:
      return new_name(word);
    case R::from:
      return read_from();
    case R::join:
      return read_join(word.terminal);
    case R::table_name:
      return read_table(word.name);
    case R::derived: {
      if (word.terminal == Terminal::RightParen) {
        pop_frame();
        return true;
      }
      if (!derived_table_fits()) return false;
      Frame derived;
      derived.kind = Frame::DerivedTable;
      derived.depth = static_cast<uint16_t>(derived_table_depth(level_));
      push_frame(derived);
      return true;
    }
    case R::join_condition:
      if (level_.join_natural) return false;
      level_.clause = Clause::On;
      level_dirty_ = true;
      return true;
    case R::using_:
      if (word.terminal == Terminal::Name) return read_using(word.name);
      if (word.terminal == Terminal::Comma) {
        const std::vector<NameId> more = using_candidates();
        return std::any_of(more.begin(), more.end(), [&](NameId name) { return using_fits(name); });
      }
      return word.terminal == Terminal::RightParen ? end_item_merge() : true;
    case R::group_by:
    case R::order_by:
    case R::partition:
      return word.terminal != Terminal::Comma || read_comma_of_terms();
    case R::expr:
      return read_operator(word.terminal, false);
    case R::infix:
    case R::negatable:
    case R::tighter:
      return read_infix(word);
    case R::operand:
      return read_operand(word);
    case R::in_set:
      return word.terminal != Terminal::RightParen || frame_.part != 0 || frame_.arguments > 0;
    case R::type:
      if (word.terminal == Terminal::LeftParen) return test_argument();
      if (word.terminal != Terminal::Name) return word.terminal != Terminal::String;
      if ((frame_.pairs > 0 || !world_.is_real_type(word.name)) && !test_argument()) return false;
      frame_.pairs = static_cast<uint8_t>(frame_.pairs + 1);
      frame_dirty_ = true;
      return frame_.pairs <= 3 && word.quote == Quote::None &&
             std::find(world_.type_names().begin(), world_.type_names().end(), word.name) != world_.type_names().end();
    case R::cast:
      return word.terminal != Terminal::RightParen || frame_.pairs > 0 || test_argument();
    case R::case_:
      read_case(word.terminal);
      return true;
    case R::call:
      return read_call(word);
    case R::over:
      return word.terminal != Terminal::Name;
    case R::window:
      return word.terminal != Terminal::Name;
    case R::frame:
    case R::frame_start:
    case R::frame_end:
      return read_bound(rule, word);
    case R::query:
    case R::with:
    case R::from_item:
    case R::where:
    case R::having:
    case R::order_term:
    case R::limit:
    case R::windows:
    case R::window_definition:
    case R::exclude:
    case R::range:
    case R::pattern:
    case R::signed_:
    case R::filter:
      return true;
    case R::outside:
      break;
  }
  return false;
}

}  // namespace pccsql::track
