// Engine and Matcher as their users see them: handles that pass everything on.
#include <pccsql/engine.h>

#include "engine/engine_impl.h"
#include "engine/matcher_impl.h"

namespace pccsql {
namespace {

std::array<std::vector<TokenId>, kRefuseWord.size()> tokens_of_refusal(const Vocabulary& vocabulary) {
  std::array<std::vector<TokenId>, kRefuseWord.size()> tokens;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.is_text(id)) continue;
    for (size_t written = 0; written < tokens.size(); ++written) {
      if (kRefuseWord.substr(written).starts_with(vocabulary.bytes(id))) tokens[written].push_back(id);
    }
  }
  return tokens;
}

}  // namespace

Engine::Impl::Impl(Ground ground, VocabularyIndex vocabulary, const Settings& settings)
    : ground_(std::move(ground)),
      vocabulary_(std::move(vocabulary)),
      settings_(settings),
      budget_(settings.memory ? settings.memory->budget() : std::make_shared<Memory::Budget>(settings.memory_bytes)),
      cache_(budget_),
      word_cache_(budget_),
      needs_(budget_),
      pool_(budget_) {
  if (settings.refusal) refuse_tokens_ = tokens_of_refusal(vocabulary_.vocabulary());
}

Engine::MemoryStatistics Engine::Impl::memory_statistics() const {
  MemoryStatistics now;
  now.most = budget_->most();
  now.used = budget_->used();
  now.masks = cache_.statistics().bytes;
  now.parts = word_cache_.statistics().bytes;
  now.needs = needs_.statistics().bytes;
  now.idle_trackers = pool_.bytes();
  now.remembered = remembered_bytes_.load(std::memory_order_relaxed);
  now.generations = prefix_bytes_.load(std::memory_order_relaxed);
  return now;
}

Engine make_engine(TrackerFactory make_tracker, VocabularyIndex vocabulary, const Settings& settings) {
  Ground ground;
  ground.make_tracker = std::move(make_tracker);
  return Engine(std::make_shared<Engine::Impl>(std::move(ground), std::move(vocabulary), settings));
}

Matcher Engine::new_matcher() const { return new_matcher(impl_->settings().token_budget); }
Matcher Engine::new_matcher(uint32_t token_budget) const {
  return Matcher(std::make_unique<Matcher::Impl>(impl_, token_budget));
}
const Settings& Engine::settings() const { return impl_->settings(); }
const Vocabulary& Engine::vocabulary() const { return impl_->vocabulary(); }
Engine::CacheStatistics Engine::cache_statistics() const { return impl_->cache().statistics(); }
Engine::MemoryStatistics Engine::memory_statistics() const { return impl_->memory_statistics(); }

const char* to_string(RefusalCause cause) {
  switch (cause) {
    case RefusalCause::ByChoice:
      return "by choice";
    case RefusalCause::NothingToAsk:
      return "nothing to ask";
    case RefusalCause::Budget:
      return "budget";
    case RefusalCause::Fault:
      break;
  }
  return "fault";
}

Matcher::Matcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;
Matcher::~Matcher() = default;

Result<Done> Matcher::fill_next_token_bitmask(uint32_t* words, size_t logits_width) {
  return impl_->fill(words, logits_width);
}
bool Matcher::accept_token(TokenId id) { return impl_->accept_token(id); }
bool Matcher::accept_text(std::string_view bytes) { return impl_->accept_text(bytes); }
bool Matcher::rollback(size_t steps) { return impl_->rollback(steps); }
Matcher Matcher::fork() { return Matcher(impl_->fork()); }
bool Matcher::is_terminated() const { return impl_->is_terminated(); }
bool Matcher::is_refused() const { return impl_->refusal() != nullptr; }
const Refusal* Matcher::refusal() const { return impl_->refusal(); }
std::string_view Matcher::text() const { return impl_->text(); }
std::optional<std::string> Matcher::sql() const {
  if (!is_terminated() || is_refused()) return std::nullopt;
  return std::string(impl_->text());
}
size_t Matcher::steps() const { return impl_->steps(); }
std::optional<uint32_t> Matcher::tokens_left() const { return impl_->tokens_left(); }
std::string Matcher::find_jump_forward_string() { return impl_->jump_forward_string(); }
std::vector<TokenId> Matcher::find_jump_forward_tokens() { return impl_->jump_forward_tokens(); }
Explanation Matcher::explain() { return impl_->explain(); }
std::vector<ColumnUse> Matcher::uses() { return impl_->uses(); }

}  // namespace pccsql
