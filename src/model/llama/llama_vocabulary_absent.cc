// LlamaVocabulary in a build without llama.cpp: load() says so, and how to get it. As no object can then be made, the
// other functions are never reached; they are here so that whatever uses vocabularies links in either build.
#include <utility>

#include "model/llama/llama_vocabulary.h"

namespace pccsql {

struct LlamaVocabulary::Impl {
  std::string nothing;
};

Result<LlamaVocabulary> LlamaVocabulary::load(const std::string& path) {
  return Error{"cannot be read: pccsql was built without llama.cpp; run scripts/llama.sh, then build again", path, {}};
}

LlamaVocabulary::LlamaVocabulary(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LlamaVocabulary::LlamaVocabulary(LlamaVocabulary&&) noexcept = default;
LlamaVocabulary& LlamaVocabulary::operator=(LlamaVocabulary&&) noexcept = default;
LlamaVocabulary::~LlamaVocabulary() = default;

int32_t LlamaVocabulary::size() const { return 0; }
LlamaTokenKind LlamaVocabulary::kind(int32_t) const { return LlamaTokenKind::Unused; }
const std::string& LlamaVocabulary::piece(int32_t) const { return impl_->nothing; }
std::string LlamaVocabulary::label(int32_t) const { return {}; }
bool LlamaVocabulary::ends_generation(int32_t) const { return false; }
bool LlamaVocabulary::adds_bos() const { return false; }
int32_t LlamaVocabulary::bos() const { return -1; }
bool LlamaVocabulary::prefixes_space() const { return false; }
Result<std::vector<int32_t>> LlamaVocabulary::tokenize(std::string_view, bool, bool) const {
  return std::vector<int32_t>();
}
std::string LlamaVocabulary::detokenize(std::span<const int32_t>) const { return {}; }

}  // namespace pccsql
