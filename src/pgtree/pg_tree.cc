#include "pgtree/pg_tree.h"

#include <pg_query.h>

#include <charconv>

#include "pgtree/json_nodes.h"

namespace pccsql {
namespace {

// At least as many as the parser sees: words and numbers, and each other byte that is no blank.
size_t count_lexemes(std::string_view sql) {
  size_t count = 0;
  bool inside_word = false;
  for (const char c : sql) {
    const auto byte = static_cast<unsigned char>(c);
    const bool word =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || byte >= 0x80;
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    count += word ? !inside_word : !blank;
    inside_word = word;
  }
  return count;
}

}  // namespace

bool has_postgres() { return true; }

PgTree::PgTree() = default;
PgTree::~PgTree() = default;
PgTree::PgTree(PgTree&&) noexcept = default;
PgTree& PgTree::operator=(PgTree&&) noexcept = default;

PgTree::Outcome PgTree::parse(std::string_view sql, size_t most_lexemes) {
  message_.clear();
  error_at_ = 0;
  nodes_.assign(1, {});
  if (count_lexemes(sql) > most_lexemes) {
    message_ = "longer than " + std::to_string(most_lexemes) + " words and signs";
    return Outcome::TooLarge;
  }
  const std::string text(sql);
  const PgQueryParseResult parsed = pg_query_parse(text.c_str());
  Outcome outcome = Outcome::Parsed;
  if (parsed.error != nullptr) {
    outcome = Outcome::SyntaxError;
    message_ = parsed.error->message;
    // The parser counts characters from 1.
    uint32_t at = 0;
    for (int left = parsed.error->cursorpos - 1; left > 0 && at < text.size(); --left) {
      ++at;
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    }
    error_at_ = at;
  } else {
    json_ = parsed.parse_tree;
    if (!JsonReader(*this).read()) {
      outcome = Outcome::SyntaxError;
      message_ = "the parser's tree cannot be read";
      nodes_.assign(1, {});
    }
  }
  pg_query_free_parse_result(parsed);
  return outcome;
}

PgNode PgTree::statements() const { return nodes_.size() > 1 ? PgNode(*this, 1)["stmts"] : PgNode(); }

std::string_view PgNode::key() const { return tree_ == nullptr ? std::string_view() : tree_->nodes_[index_].key; }
std::string_view PgNode::text() const { return tree_ == nullptr ? std::string_view() : tree_->nodes_[index_].text; }

int64_t PgNode::number(int64_t otherwise) const {
  const std::string_view digits = text();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty() ? value : otherwise;
}

PgNode PgNode::first() const {
  if (tree_ == nullptr || tree_->nodes_[index_].first == 0) return {};
  return {*tree_, tree_->nodes_[index_].first};
}

PgNode PgNode::next() const {
  if (tree_ == nullptr || tree_->nodes_[index_].next == 0) return {};
  return {*tree_, tree_->nodes_[index_].next};
}

PgNode PgNode::operator[](std::string_view field) const {
  for (PgNode child = first(); child; child = child.next()) {
    if (child.key() == field) return child;
  }
  return {};
}

size_t PgNode::size() const {
  size_t count = 0;
  for (PgNode child = first(); child; child = child.next()) ++count;
  return count;
}

}  // namespace pccsql
