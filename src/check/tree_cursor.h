// TreeCursor: reads one node of a parse tree from left to right, lexeme by lexeme and child by child.
#pragma once

#include "syntax/parser.h"

namespace pccsql::check {

// The rules that the builder tells apart.
struct RuleIds {
  explicit RuleIds(const Grammar& g)
      : query(g.rule_id("query")),
        with(g.rule_id("with")),
        cte(g.rule_id("cte")),
        cte_columns(g.rule_id("cte_columns")),
        compound(g.rule_id("compound")),
        values(g.rule_id("values")),
        select_item(g.rule_id("select_item")),
        alias(g.rule_id("alias")),
        from(g.rule_id("from")),
        from_item(g.rule_id("from_item")),
        table_name(g.rule_id("table_name")),
        table_arguments(g.rule_id("table_arguments")),
        derived(g.rule_id("derived")),
        join(g.rule_id("join")),
        using_(g.rule_id("using")),
        where(g.rule_id("where")),
        group_by(g.rule_id("group_by")),
        having(g.rule_id("having")),
        order_by(g.rule_id("order_by")),
        limit(g.rule_id("limit")),
        windows(g.rule_id("windows")),
        window_definition(g.rule_id("window_definition")),
        window(g.rule_id("window")),
        partition(g.rule_id("partition")),
        frame(g.rule_id("frame")),
        frame_start(g.rule_id("frame_start")),
        frame_end(g.rule_id("frame_end")),
        expr(g.rule_id("expr")),
        operand(g.rule_id("operand")),
        negatable(g.rule_id("negatable")),
        tighter(g.rule_id("tighter")),
        in_table(g.rule_id("in_table")),
        match(g.rule_id("match")),
        cast(g.rule_id("cast")),
        case_(g.rule_id("case")),
        call(g.rule_id("call")),
        filter(g.rule_id("filter")),
        over(g.rule_id("over")) {}
  RuleId query, with, cte, cte_columns, compound, values, select_item, alias, from, from_item, table_name,
      table_arguments, derived, join, using_, where, group_by, having, order_by, limit, windows, window_definition,
      window, partition, frame, frame_start, frame_end, expr, operand, negatable, tighter, in_table, match, cast, case_,
      call, filter, over;
};

class TreeCursor {
 public:
  TreeCursor(const std::vector<Node>& nodes, uint32_t node)
      : nodes_(&nodes),
        node_(node + 1),
        node_end_(nodes[node].next),
        lexeme_(nodes[node].first),
        end_(nodes[node].last) {}

  bool done() const { return lexeme_ >= end_; }
  bool at_node() const { return node_ < node_end_ && (*nodes_)[node_].first == lexeme_; }
  RuleId rule() const { return at_node() ? (*nodes_)[node_].rule : kNone; }
  bool at(RuleId rule_id) const { return rule() == rule_id; }
  uint32_t lexeme() const { return lexeme_; }

  // Steps over the child that begins here, and gives it.
  uint32_t child() {
    const uint32_t node = node_;
    lexeme_ = (*nodes_)[node].last;
    node_ = (*nodes_)[node].next;
    return node;
  }
  // Steps over the lexeme that stands here, and gives it.
  uint32_t take() { return lexeme_++; }

  // How many children of this rule are still to come.
  uint32_t count(RuleId rule_id) const {
    uint32_t count = 0;
    for (uint32_t node = node_; node < node_end_; node = (*nodes_)[node].next) count += (*nodes_)[node].rule == rule_id;
    return count;
  }

 private:
  const std::vector<Node>* nodes_;
  uint32_t node_;
  uint32_t node_end_;
  uint32_t lexeme_;
  uint32_t end_;
};

}  // namespace pccsql::check
