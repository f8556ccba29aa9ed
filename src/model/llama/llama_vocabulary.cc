#include "model/llama/llama_vocabulary.h"

#include <exception>
#include <limits>
#include <utility>

#include "model/llama/gguf_check.h"
#include "model/llama/llama_handle.h"
#include "model/llama/llama_log.h"

namespace pccsql {
namespace {

// A token may have several attributes: the one that forbids it as text decides.
LlamaTokenKind kind_of(llama_token_attr attributes) {
  const auto has = [&](llama_token_attr one) { return (attributes & one) != 0; };
  if (has(LLAMA_TOKEN_ATTR_CONTROL)) return LlamaTokenKind::Control;
  if (has(LLAMA_TOKEN_ATTR_UNKNOWN)) return LlamaTokenKind::Unknown;
  if (has(LLAMA_TOKEN_ATTR_UNUSED)) return LlamaTokenKind::Unused;
  if (has(LLAMA_TOKEN_ATTR_USER_DEFINED)) return LlamaTokenKind::UserDefined;
  if (has(LLAMA_TOKEN_ATTR_BYTE)) return LlamaTokenKind::Byte;
  if (has(LLAMA_TOKEN_ATTR_NORMAL)) return LlamaTokenKind::Normal;
  return LlamaTokenKind::Unused;
}

bool is_text(LlamaTokenKind kind) {
  return kind == LlamaTokenKind::Normal || kind == LlamaTokenKind::Byte || kind == LlamaTokenKind::UserDefined;
}

// A negative length is the room that was missing.
std::string piece_of(const llama_vocab* vocab, llama_token id, bool special) {
  std::string piece(32, '\0');
  int32_t length = llama_token_to_piece(vocab, id, piece.data(), static_cast<int32_t>(piece.size()), 0, special);
  if (length < 0) {
    piece.resize(static_cast<size_t>(-length));
    length = llama_token_to_piece(vocab, id, piece.data(), static_cast<int32_t>(piece.size()), 0, special);
  }
  piece.resize(length < 0 ? 0 : static_cast<size_t>(length));
  return piece;
}

// A piece that no text is written with. `[PAD17]` for id 17 is how converters fill a vocabulary up to the width of the
// logits, often as UserDefined; `[UNK_BYTE_0x…` is what llama.cpp makes up where a byte-level vocabulary holds a text
// that is not in its byte alphabet.
bool stands_for_nothing(const std::string& piece, llama_token id) {
  return piece.empty() || piece == "[PAD" + std::to_string(id) + "]" || piece.find("[UNK_BYTE_0x") != std::string::npos;
}

}  // namespace

struct LlamaVocabulary::Impl {
  LlamaHandle model;
  const llama_vocab* vocab = nullptr;
  std::vector<std::string> pieces;
  std::vector<LlamaTokenKind> kinds;
  bool prefixes_space = false;

  std::vector<int32_t> tokenize(std::string_view text, bool add_special, bool parse_special) const {
    std::vector<int32_t> tokens(text.size() + 2);
    const auto run = [&] {
      return llama_tokenize(vocab, text.data(), static_cast<int32_t>(text.size()), tokens.data(),
                            static_cast<int32_t>(tokens.size()), add_special, parse_special);
    };
    int32_t count = run();
    if (count < 0 && count != std::numeric_limits<int32_t>::min()) {
      tokens.resize(static_cast<size_t>(-count));
      count = run();
    }
    tokens.resize(count < 0 ? 0 : static_cast<size_t>(count));
    return tokens;
  }

  void read_tokens() {
    const int32_t size = llama_vocab_n_tokens(vocab);
    pieces.resize(static_cast<size_t>(size));
    kinds.resize(static_cast<size_t>(size));
    for (int32_t id = 0; id < size; ++id) {
      LlamaTokenKind kind = kind_of(llama_vocab_get_attr(vocab, id));
      std::string piece = is_text(kind) ? piece_of(vocab, id, false) : std::string();
      if (is_text(kind) && stands_for_nothing(piece, id)) {
        kind = LlamaTokenKind::Unused;
        piece.clear();
      }
      kinds[id] = kind;
      pieces[id] = std::move(piece);
    }
    const std::vector<int32_t> probe = tokenize("a", false, false);
    prefixes_space = !probe.empty() && pieces[probe[0]].starts_with(' ');
  }
};

Result<LlamaHandle> open_gguf(const std::string& path, const llama_model_params& params) {
  if (const auto checked = check_gguf_vocabulary(path); !checked) return checked.error();
  LlamaErrors errors;
  try {
    LlamaHandle model(llama_model_load_from_file(path.c_str(), params), llama_model_free);
    if (!model) return Error{"cannot be loaded as a model: " + errors.first(), path, {}};
    const llama_vocab* vocab = llama_model_get_vocab(model.get());
    if (llama_vocab_type(vocab) == LLAMA_VOCAB_TYPE_NONE || llama_vocab_n_tokens(vocab) <= 0) {
      return Error{"holds no vocabulary; a GGUF file with a tokenizer was expected", path, {}};
    }
    return model;
  } catch (const std::exception& problem) {
    return Error{std::string("cannot be loaded as a model: ") + problem.what(), path, {}};
  }
}

Result<LlamaVocabulary> vocabulary_of(LlamaHandle model, const std::string& path) {
  auto impl = std::make_unique<LlamaVocabulary::Impl>();
  LlamaErrors errors;
  try {
    impl->vocab = llama_model_get_vocab(model.get());
    impl->model = std::move(model);
    impl->read_tokens();
  } catch (const std::exception& problem) {
    return Error{std::string("cannot be loaded as a model: ") + problem.what(), path, {}};
  }
  return LlamaVocabulary(std::move(impl));
}

Result<LlamaVocabulary> LlamaVocabulary::load(const std::string& path) {
  llama_model_params params = llama_model_default_params();
  params.vocab_only = true;
  auto model = open_gguf(path, params);
  if (!model) return model.error();
  return vocabulary_of(*std::move(model), path);
}

LlamaVocabulary::LlamaVocabulary(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LlamaVocabulary::LlamaVocabulary(LlamaVocabulary&&) noexcept = default;
LlamaVocabulary& LlamaVocabulary::operator=(LlamaVocabulary&&) noexcept = default;
LlamaVocabulary::~LlamaVocabulary() = default;

int32_t LlamaVocabulary::size() const { return static_cast<int32_t>(impl_->pieces.size()); }
LlamaTokenKind LlamaVocabulary::kind(int32_t id) const { return impl_->kinds[id]; }
const std::string& LlamaVocabulary::piece(int32_t id) const { return impl_->pieces[id]; }
bool LlamaVocabulary::ends_generation(int32_t id) const { return llama_vocab_is_eog(impl_->vocab, id); }
bool LlamaVocabulary::adds_bos() const { return llama_vocab_get_add_bos(impl_->vocab); }
int32_t LlamaVocabulary::bos() const { return llama_vocab_bos(impl_->vocab); }
bool LlamaVocabulary::prefixes_space() const { return impl_->prefixes_space; }

std::string LlamaVocabulary::label(int32_t id) const {
  return is_text(kind(id)) ? piece(id) : piece_of(impl_->vocab, id, true);
}

Result<std::vector<int32_t>> LlamaVocabulary::tokenize(std::string_view text, bool add_special,
                                                       bool parse_special) const {
  constexpr size_t kMost = std::numeric_limits<int32_t>::max() / 2;
  if (text.size() > kMost) return Error{"a text of " + std::to_string(text.size()) + " bytes is too long", "", {}};
  try {
    return impl_->tokenize(text, add_special, parse_special);
  } catch (const std::exception& problem) {
    return Error{std::string("the text cannot be tokenised: ") + problem.what(), "", {}};
  }
}

std::string LlamaVocabulary::detokenize(std::span<const int32_t> tokens) const {
  std::string text;
  for (const int32_t id : tokens) {
    if (id >= 0 && id < size()) text += piece(id);
  }
  if (prefixes_space() && text.starts_with(' ')) text.erase(0, 1);
  return text;
}

}  // namespace pccsql
