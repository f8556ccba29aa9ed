// The operands that hold whole expressions: calls with FILTER and OVER, CAST, CASE, windows.
#include <algorithm>

#include "check/expr_builder.h"

namespace pccsql::check {

ExprId ExprBuilder::call(uint32_t name, uint32_t node, int depth) {
  const ExprId id = add(ExprKind::Call, name, nodes_[node].last);
  Call call;
  call.name = name;
  List arguments;
  TreeCursor cursor(nodes_, node);
  while (!cursor.done()) {
    const RuleId rule = cursor.rule();
    if (rule == rules_.expr) {
      append(arguments, expr(cursor.child(), depth + (arguments.count == 0 ? 3 : 5)));
    } else if (rule == rules_.filter) {
      call.filter = list(cursor.child(), depth + 9).first;
    } else if (rule == rules_.over) {
      TreeCursor over(nodes_, cursor.child());
      over.take();
      Window window;
      if (over.at(rules_.window)) {
        window = this->window(over.child(), depth + 9);
      } else {
        window.only_reference = true;
        window.lexeme = window.base_lexeme = over.lexeme();
        window.base = new_name(over.take());
      }
      call.window = static_cast<Index>(ast_.windows.size());
      ast_.windows.push_back(window);
    } else {
      const Terminal terminal = ast_.lexemes[cursor.take()].terminal;
      call.star |= terminal == Terminal::Star;
      call.distinct |= terminal == Terminal::kw_DISTINCT;
    }
  }
  call.arguments = static_cast<uint16_t>(std::min<Index>(arguments.count, kNone - 1));
  set_children(id, arguments);
  ast_.exprs[id].data = static_cast<uint32_t>(ast_.calls.size());
  ast_.calls.push_back(call);
  return id;
}

ExprId ExprBuilder::cast(uint32_t node, int depth) {
  const ExprId id = add(ExprKind::Cast, nodes_[node].first, nodes_[node].last);
  too_deep(depth + 4, node);  // the type comes on top of the operand
  set_children(id, list(node, depth + 2));
  return id;
}

ExprId ExprBuilder::case_expr(uint32_t node, int depth) {
  const ExprId id = add(ExprKind::Case, nodes_[node].first, nodes_[node].last);
  TreeCursor cursor(nodes_, node);
  cursor.take();  // CASE
  List parts;
  if (cursor.at_node()) {
    ast_.exprs[id].has_operand = true;
    append(parts, expr(cursor.child(), depth + 1));
  }
  for (int pairs = 0; !cursor.done();) {
    const Terminal word = ast_.lexemes[cursor.take()].terminal;
    if (word == Terminal::kw_ELSE) ast_.exprs[id].has_else = true;
    if (word == Terminal::kw_THEN) ++pairs;
    const int below = word == Terminal::kw_THEN ? 5 + (pairs > 1) : 3 + (pairs > 0);
    if (cursor.at_node()) append(parts, expr(cursor.child(), depth + below));
  }
  set_children(id, parts);
  return id;
}

Window ExprBuilder::window(uint32_t node, int depth) {
  Window window;
  TreeCursor cursor(nodes_, node);
  window.lexeme = cursor.take();  // (
  while (!cursor.done()) {
    const RuleId rule = cursor.rule();
    if (rule == rules_.partition) {
      window.partition = list(cursor.child(), depth + 4).first;
    } else if (rule == rules_.order_by) {
      const List terms = order_terms(cursor.child(), depth + 6);
      window.order = terms.first;
      window.order_count = terms.count;
    } else if (rule == rules_.frame) {
      TreeCursor frame(nodes_, cursor.child());
      window.has_frame = true;
      window.frame_unit = ast_.lexemes[frame.take()].terminal;
      List offsets;
      while (!frame.done()) {
        const bool start = frame.at(rules_.frame_start);
        if (!start && !frame.at(rules_.frame_end)) {
          frame.at_node() ? frame.child() : frame.take();
          continue;
        }
        TreeCursor bound(nodes_, frame.child());
        if (bound.at_node()) append(offsets, expr(bound.child(), depth + 8));
        (start ? window.start : window.finish) = ast_.lexemes[bound.take()].terminal;
      }
      const bool backwards = (window.start == Terminal::kw_CURRENT && window.finish == Terminal::kw_PRECEDING) ||
                             (window.start == Terminal::kw_FOLLOWING &&
                              (window.finish == Terminal::kw_PRECEDING || window.finish == Terminal::kw_CURRENT));
      if (backwards)
        issues_.error(ast_.span_at(window.lexeme), "unsupported frame specification: it ends before it starts");
      window.bounds = offsets.first;
    } else {
      const uint32_t lexeme = cursor.take();
      if (ast_.lexemes[lexeme].terminal == Terminal::RightParen && cursor.done()) break;
      window.base_lexeme = lexeme;
      window.base = new_name(lexeme);
    }
  }
  return window;
}

}  // namespace pccsql::check
