#include "verify/tokens.h"

#include <fstream>
#include <utility>

#include "engine/vocabulary_index.h"
#include "mask/tokenizer_json.h"
#include "model/llama/gguf_vocabulary.h"

namespace pccsql {
namespace {

bool is_gguf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char first[4] = {};
  return in.read(first, sizeof first) && std::string_view(first, sizeof first) == "GGUF";
}

}  // namespace

Result<Tokens> Tokens::load(const std::string& name) {
  if (name == "builtin") return Tokens(builtin_vocabulary());
  if (!is_gguf(name)) {
    auto pieces = read_tokenizer_json(name);
    if (!pieces) return pieces.error();
    return Tokens(std::move(*pieces));
  }
  auto llama = LlamaVocabulary::load(name);
  if (!llama) return llama.error();
  auto pieces = mask_vocabulary(*llama);
  if (!pieces) return pieces.error();
  Tokens tokens(std::move(*pieces));
  tokens.llama_ = std::make_shared<const LlamaVocabulary>(std::move(*llama));
  return tokens;
}

std::string Tokens::how() const {
  return llama_ != nullptr ? "canonical tokenisation by the model's own tokenizer"
                           : "longest pieces first, since the vocabulary brings no tokenizer";
}

void Tokens::pieces_at(std::string_view text, size_t begin, std::vector<TokenId>& out) const {
  out.clear();
  const Trie& trie = index_.impl().trie;
  size_t node = 0;
  size_t end = trie.size();  // of the siblings' range
  for (size_t at = begin; at < text.size(); ++at) {
    const auto byte = static_cast<uint8_t>(text[at]);
    while (node < end && trie.node(node).byte < byte) node = trie.node(node).after;
    if (node >= end || trie.node(node).byte != byte) return;
    if (const auto tokens = trie.tokens_at(node); !tokens.empty()) out.push_back(tokens.front());
    end = trie.node(node).after;
    ++node;
  }
}

std::vector<bool> Tokens::spellable(std::string_view text) const {
  std::vector<bool> from(text.size() + 1, false);
  from[text.size()] = true;
  std::vector<TokenId> pieces;
  for (size_t at = text.size(); at-- > 0;) {
    pieces_at(text, at, pieces);
    for (const TokenId id : pieces) {
      if (from[at + vocabulary().bytes(id).size()]) {
        from[at] = true;
        break;
      }
    }
  }
  return from;
}

template <typename Choose>
std::optional<Cut> Tokens::cut(std::string_view text, Choose&& choose) const {
  const std::vector<bool> from = spellable(text);
  if (!from[0]) return std::nullopt;
  Cut cut;
  std::vector<TokenId> pieces;
  for (size_t at = 0; at < text.size();) {
    pieces_at(text, at, pieces);
    std::erase_if(pieces, [&](TokenId id) { return !from[at + vocabulary().bytes(id).size()]; });
    const TokenId chosen = choose(pieces);
    cut.tokens.push_back(chosen);
    at += vocabulary().bytes(chosen).size();
  }
  return cut;
}

std::optional<Cut> Tokens::canonical(std::string_view text) const {
  if (llama_ != nullptr) {
    if (auto ids = llama_->tokenize(text)) {
      Cut cut;
      cut.canonical = true;
      std::string written;
      for (const int32_t id : *ids) {
        cut.tokens.push_back(static_cast<TokenId>(id));
        written += llama_->piece(id);
      }
      if (written == text) return cut;
      cut.lead = 1;
      if (llama_->prefixes_space() && written == " " + std::string(text)) return cut;
    }
    // A tokenizer that normalises writes another text than it was given: that text is not the query.
  }
  return cut(text, [](const std::vector<TokenId>& pieces) { return pieces.back(); });
}

std::optional<Cut> Tokens::random(std::string_view text, std::mt19937_64& random) const {
  return cut(text, [&random](const std::vector<TokenId>& pieces) {
    return pieces[std::uniform_int_distribution<size_t>(0, pieces.size() - 1)(random)];
  });
}

}  // namespace pccsql
