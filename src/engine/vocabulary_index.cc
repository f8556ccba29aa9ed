#include "engine/vocabulary_index.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "engine/shape_part.h"
#include "track/lexical.h"

namespace pccsql {
namespace {

// The others are no part of UTF-8.
constexpr bool occurs_in_text(int byte) { return byte != 0 && byte != 0xC0 && byte != 0xC1 && byte <= 0xF4; }

enum class Shape { Words, BlankWords, Heads, Mixed };

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

Shape shape_of(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size() && is_blank(bytes[at])) ++at;
  const size_t blanks = at;
  while (at < bytes.size() && !is_word_byte(static_cast<uint8_t>(bytes[at]))) ++at;
  const size_t head = at;
  while (at < bytes.size() && is_word_byte(static_cast<uint8_t>(bytes[at]))) ++at;
  if (at < bytes.size()) return Shape::Mixed;
  return head == 0 ? Shape::Words : head == blanks ? Shape::BlankWords : Shape::Heads;
}

// From the quote on, where the token is one of the closers; else nothing.
std::string_view closing(std::string_view bytes) {
  const size_t quote = bytes.find('\'');
  if (quote == std::string_view::npos || shape_of(bytes.substr(quote)) == Shape::Mixed) return {};
  const std::string_view before = bytes.substr(0, quote);
  if (!before.empty() && !is_plain(track::FreeText::String, before)) return {};
  if (find_invalid_utf8(before) != std::string_view::npos) return {};
  // Digits, x and e can make a number of a string.
  const bool plain = std::none_of(before.begin(), before.end(),
                                  [](char c) { return (c >= '0' && c <= '9') || fold(c) == 'x' || fold(c) == 'e'; });
  return plain ? bytes.substr(quote) : std::string_view();
}

// Between double quotes, from a whole character on; the last one may lack bytes.
bool stays_in_quotes(std::string_view bytes) {
  if (bytes.find('"') != std::string_view::npos || bytes.find('\0') != std::string_view::npos) return false;
  uint8_t state = 0;
  return std::ranges::all_of(bytes, [&](char c) { return track::utf8_step(state, static_cast<uint8_t>(c)); });
}

Trie closers_of(const Vocabulary& vocabulary) {
  std::vector<Trie::Entry> entries;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.is_text(id)) continue;
    if (const std::string_view rest = closing(vocabulary.bytes(id)); !rest.empty()) entries.push_back({rest, id});
  }
  return Trie(std::move(entries));
}

Trie only(const Vocabulary& vocabulary, const Trie& trie, Shape shape) {
  return Trie(vocabulary, trie, [&](TokenId id) { return shape_of(vocabulary.bytes(id)) == shape; });
}

}  // namespace

VocabularyIndex::Impl::Part::Part(uint32_t its_number, Trie made)
    : number(its_number), trie(std::move(made)), shape(trie) {
  constexpr int kMany = 12;
  const auto index = [&](uint32_t first, uint32_t last) {
    int count = 0;
    for (uint32_t i = first; i < last; i = trie.node(i).after) ++count;
    if (count < kMany) return;
    table_of[first] = static_cast<uint32_t>(tables.size());
    tables.emplace_back().fill(last);
    for (uint32_t i = first; i < last; i = trie.node(i).after) tables.back()[trie.node(i).byte] = i;
  };
  const auto size = static_cast<uint32_t>(trie.size());
  table_of.resize(size + 1);
  index(0, size);
  for (uint32_t i = 0; i < size; ++i) {
    if (i + 1 < trie.node(i).after && trie.node(i).after - i > kMany) index(i + 1, trie.node(i).after);
  }
}

VocabularyIndex::Impl::Endings::Endings(uint32_t number, const Vocabulary& vocabulary, bool quoted) {
  std::vector<Trie::Entry> entries;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.is_text(id)) continue;
    const std::string_view bytes = vocabulary.bytes(id);
    const auto is_end = [&](char c) { return quoted ? c == '"' : !is_word_byte(static_cast<uint8_t>(c)); };
    const auto end = static_cast<size_t>(std::ranges::find_if(bytes, is_end) - bytes.begin());
    const std::string_view text = bytes.substr(0, end);
    if (end == bytes.size() || (!quoted && end == 0)) continue;
    const std::string_view rest = bytes.substr(quoted ? end + 1 : end);
    const bool plain = quoted ? stays_in_quotes(text) || text.empty() : is_plain(track::FreeText::NewName, text);
    if (!plain || text.size() > kLong || find_invalid_utf8(text) != std::string_view::npos || rest.starts_with('"')) {
      others.push_back(id);
      continue;
    }
    by_text[folded(text)].push_back(id);
    if (rest.empty()) {
      closing.push_back(id);
    } else {
      entries.push_back({rest, id});
    }
  }
  part = std::make_unique<const Part>(number, Trie(std::move(entries)));
}

VocabularyIndex::Impl::Impl(Vocabulary given)
    : vocabulary(std::move(given)),
      trie(vocabulary),
      shape(trie),
      free_texts(vocabulary, trie),
      words(1, only(vocabulary, trie, Shape::Words)),
      blank_words(2, only(vocabulary, trie, Shape::BlankWords)),
      heads(3, only(vocabulary, trie, Shape::Heads)),
      mixed(4, only(vocabulary, trie, Shape::Mixed)),
      closers(5, closers_of(vocabulary)),
      string_rest(6, Trie(vocabulary, trie, [this](TokenId id) {
                    const std::string_view bytes = vocabulary.bytes(id);
                    return !is_plain(track::FreeText::String, bytes) && closing(bytes).empty();
                  })),
      name_endings(7, vocabulary, false),
      quote_endings(8, vocabulary, true) {
  MaskDraft inside(vocabulary.size());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.is_text(id)) continue;
    const std::string_view bytes = vocabulary.bytes(id);
    longest_piece = std::max(longest_piece, bytes.size());
    if (!stays_in_quotes(bytes)) continue;
    if (bytes.size() <= kLong) {
      inside.set(id);
    } else {
      long_inside_quotes.emplace_back(bytes.size() + owed_at_end(bytes), id);
    }
  }
  std::ranges::sort(long_inside_quotes);
  inside_quotes = inside.take(nullptr);
  add_blanks(0, static_cast<uint32_t>(blank_words.trie.size()), true);
  blanks_over.resize(kListedBlanks + 1);
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.is_text(id)) continue;
    const std::string_view bytes = vocabulary.bytes(id);
    const auto leading = static_cast<size_t>(std::ranges::find_if_not(bytes, is_blank) - bytes.begin());
    if (leading >= blanks_over.size()) blanks_over.resize(leading + 1);
    for (size_t count = kListedBlanks; count < leading; ++count) blanks_over[count].push_back(id);
  }
  const auto size = static_cast<uint32_t>(trie.size());
  first_nodes.fill(size);
  for (uint32_t i = 0; i < size; i = trie.node(i).after) first_nodes[trie.node(i).byte] = i;
  spells_any_text = true;
  for (int byte = 0; byte < 256; ++byte) {
    const uint32_t node = first_nodes[static_cast<size_t>(byte)];
    if (occurs_in_text(byte) && (node == size || trie.tokens_at(node).empty())) spells_any_text = false;
  }
}

// The siblings from `first` to before `last`, and what is below them.
void VocabularyIndex::Impl::add_blanks(uint32_t first, uint32_t last, bool spaces) {
  const Trie& all = blank_words.trie;
  for (uint32_t i = first; i < last; i = all.node(i).after) {
    if (is_word_byte(all.node(i).byte)) continue;
    Blanks made{i, all.node(i).depth, spaces && all.node(i).byte == ' ', false};
    for (uint32_t child = i + 1; child < all.node(i).after; child = all.node(child).after) {
      made.words |= is_word_byte(all.node(child).byte);
    }
    blanks.push_back(made);
    add_blanks(i + 1, all.node(i).after, made.spaces);
  }
}

// The child of `node` for `byte`; trie.size() if there is none.
static uint32_t child_of(const Trie& trie, uint32_t node, uint8_t byte) {
  const uint32_t end = trie.node(node).after;
  uint32_t child = node + 1;
  while (child < end && trie.node(child).byte < byte) child = trie.node(child).after;
  return child < end && trie.node(child).byte == byte ? child : static_cast<uint32_t>(trie.size());
}

std::optional<uint32_t> VocabularyIndex::Impl::greedy_tokens(std::string_view text, std::vector<uint32_t>* cuts) const {
  const auto size = static_cast<uint32_t>(trie.size());
  const uint32_t before = cuts == nullptr || cuts->empty() ? 0 : cuts->back();
  uint32_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) {
    size_t longest = 0;
    uint32_t node = first_nodes[static_cast<uint8_t>(text[at])];
    for (size_t length = 1; node < size; ++length) {
      if (!trie.tokens_at(node).empty()) longest = length;
      if (at + length == text.size()) break;
      node = child_of(trie, node, static_cast<uint8_t>(text[at + length]));
    }
    if (longest == 0) return std::nullopt;
    at += longest;
    if (cuts != nullptr) cuts->push_back(before + static_cast<uint32_t>(at));
  }
  return count;
}

std::span<const TokenId> VocabularyIndex::Impl::tokens_of(std::string_view text) const {
  if (text.empty()) return {};
  uint32_t node = first_nodes[static_cast<uint8_t>(text[0])];
  for (size_t i = 1; i < text.size() && node < trie.size(); ++i) {
    node = child_of(trie, node, static_cast<uint8_t>(text[i]));
  }
  return node < trie.size() ? trie.tokens_at(node) : std::span<const TokenId>();
}

VocabularyIndex::Impl::Shared VocabularyIndex::Impl::GeneralParts::find(const track::Key& key,
                                                                        const std::function<Part()>& make) const {
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = parts_.find(key); known != parts_.end()) return {known->second, true};
  }
  Part made = make();
  const std::unique_lock lock(mutex_);
  if (parts_.size() >= kMost) return {std::move(made), false};
  return {parts_.emplace(key, std::move(made)).first->second, true};
}

std::shared_ptr<const ShapePart> VocabularyIndex::Impl::ShapeParts::find(const track::Key& key) const {
  const std::shared_lock lock(mutex_);
  const auto known = parts_.find(key);
  return known == parts_.end() ? nullptr : known->second;
}

void VocabularyIndex::Impl::ShapeParts::keep(const track::Key& key, const std::shared_ptr<ShapePart>& part) const {
  const std::unique_lock lock(mutex_);
  const size_t bytes = part->bytes();
  if (bytes_ + bytes > kMostBytes || parts_.contains(key)) return;
  part->kept = true;
  parts_.emplace(key, part);
  bytes_ += bytes;
}

std::shared_ptr<const void> VocabularyIndex::Impl::ShapeParts::places(
    const track::Key& key, const std::function<std::shared_ptr<const void>()>& make) const {
  constexpr size_t kMost = 1000;
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = places_.find(key); known != places_.end()) return known->second;
  }
  std::shared_ptr<const void> made = make();
  const std::unique_lock lock(mutex_);
  return places_.size() < kMost ? places_.emplace(key, std::move(made)).first->second : made;
}

VocabularyIndex::VocabularyIndex(Vocabulary vocabulary) : impl_(std::make_shared<const Impl>(std::move(vocabulary))) {}

const Vocabulary& VocabularyIndex::vocabulary() const { return impl_->vocabulary; }

}  // namespace pccsql
