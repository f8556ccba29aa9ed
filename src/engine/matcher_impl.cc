#include "engine/matcher_impl.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace pccsql {

Matcher::Impl::Impl(std::shared_ptr<Engine::Impl> engine, uint32_t token_budget)
    : engine_(std::move(engine)), shared_(std::make_shared<SharedTracker>(*engine_)), budget_(token_budget), steps_(1) {
  guarded(false, [&] {
    start();
    return true;
  });
}

Matcher::Impl::~Impl() {
  if (!shared_) return;
  const std::lock_guard lock(shared_->mutex);
  shared_->leave(this);
}

void Matcher::Impl::start() {
  Step& first = steps_.front();
  const Ground& ground = engine_->ground();
  if (!ground.nothing_to_ask.empty()) return refuse(RefusalCause::NothingToAsk, ground.nothing_to_ask);
  shared_->open();
  shared_->join(this);
  first.prefix = tracker().start();
  if (engine_->settings().refusal) first.refusing = 0;
  if (first.prefix == track::kDead) return fault("the tracker has no beginning");
  if (budget_ == 0) return;
  const bool looks_ahead = engine_->looks_ahead();
  const uint32_t need = looks_ahead ? written_out(first.prefix) : 0;
  if (need == NeedCache::kNone) return fault("the tracker knows no query, or the vocabulary cannot write it");
  if (looks_ahead ? need >= budget_ : !fits(first.prefix, budget_, {}, nullptr)) {
    refuse(RefusalCause::Budget, "a budget of " + std::to_string(budget_) + " tokens cannot hold any query");
  }
}

void Matcher::Impl::refuse(RefusalCause cause, std::string reason) {
  if (refused_at_ != kNever) return;
  refused_at_ = steps_.size();
  refusal_ = {cause, std::move(reason)};
}

void Matcher::Impl::fault(const char* what) noexcept {
  broken_ = true;
  shared_->broken = true;
  refused_at_ = 0;
  refusal_.cause = RefusalCause::Fault;
  try {
    refusal_.reason = std::string("internal error: ") + what;
  } catch (...) {
    refusal_.reason.clear();
  }
}

std::optional<uint32_t> Matcher::Impl::tokens_left() const {
  if (budget_ == 0) return std::nullopt;
  return left();
}

// ---- the text goes on ----

std::optional<Matcher::Impl::Step> Matcher::Impl::step_after(std::string_view bytes, uint32_t tokens) {
  const Step& top = steps_.back();
  if (budget_ != 0 && tokens > left()) return std::nullopt;
  Step next;
  next.mark = tracker().mark();
  next.length = top.length + static_cast<uint32_t>(bytes.size());
  next.tokens = top.tokens + tokens;
  const uint32_t left_then = budget_ - next.tokens;

  next.prefix = top.prefix;
  for (size_t i = 0; i < bytes.size() && next.prefix != track::kDead; ++i) {
    next.prefix = tracker().push(next.prefix, static_cast<uint8_t>(bytes[i]));
  }
  if (next.prefix != track::kDead && budget_ != 0) {
    // As the mask judges single tokens; a longer text by what it needs in the end.
    const bool fit = tokens > 1 ? written_out(next.prefix) < left_then
                                : !is_near_the_end(top.prefix) || fits(next.prefix, left_then, bytes, &next.plan);
    if (!fit) next.prefix = track::kDead;
  }
  if (next.prefix == track::kDead) tracker().release(next.mark);

  if (top.refusing != kNotRefusing && kRefuseWord.substr(top.refusing).starts_with(bytes)) {
    const auto written = static_cast<uint8_t>(top.refusing + bytes.size());
    if (budget_ == 0 || refusal_fits(written, left_then)) next.refusing = written;
  }
  if (next.prefix == track::kDead && next.refusing == kNotRefusing) return std::nullopt;
  return next;
}

void Matcher::Impl::stay(bool ended) noexcept {
  try {
    steps_.push_back(steps_.back());
  } catch (const std::exception& problem) {
    fault(problem.what());
  }
  steps_.back().ended = steps_.back().ended || ended;
  steps_.back().mark = kNoMark;
}

bool Matcher::Impl::accept_bytes(std::string_view bytes, uint32_t tokens) {
  std::optional<Step> next = step_after(bytes, tokens);
  if (!next) {
    stay(false);
    refuse(RefusalCause::Fault, "a text was accepted that the mask does not admit");
    return false;
  }
  steps_.push_back(std::move(*next));
  text_ += bytes;
  shared_->extend(this, text_.size());
  if (steps_.back().refusing == kRefuseWord.size()) refuse(RefusalCause::ByChoice, "the model chose to refuse");
  if (const auto& stopped = engine_->ground().stopped; stopped && steps_.back().prefix != track::kDead) {
    const std::string why = stopped(tracker(), steps_.back().prefix);
    if (!why.empty()) refuse(RefusalCause::NothingToAsk, why);
  }
  return true;
}

bool Matcher::Impl::accept_end() {
  const Step& top = steps_.back();
  const bool whole = top.prefix != track::kDead && tracker().may_end(top.prefix) && (budget_ == 0 || left() > 0);
  stay(true);
  steps_.back().tokens += 1;
  if (!whole) refuse(RefusalCause::Fault, "the text was ended where it is no whole query");
  return whole;
}

bool Matcher::Impl::accept_token(TokenId id) {
  const Vocabulary& vocabulary = engine_->vocabulary();
  const bool ends = vocabulary.is_end_of_text(id);
  const auto closed = [&] {  // over, or refused: the end of the text alone may come
    stay(ends);
    if (!ends) refuse(RefusalCause::Fault, "a token was accepted after the end");
    return ends;
  };
  if (!is_open()) return closed();
  const size_t before = steps_.size();
  const bool taken = guarded(false, [&] {
    if (ends) return accept_end();
    if (vocabulary.is_text(id)) return accept_bytes(vocabulary.bytes(id), 1);
    stay(false);
    refuse(RefusalCause::Fault, "a token was accepted that writes no text");
    return false;
  });
  if (steps_.size() == before) stay(ends);
  return taken;
}

bool Matcher::Impl::accept_text(std::string_view bytes) {
  if (bytes.empty()) return is_open();
  if (!is_open()) {
    stay(false);
    refuse(RefusalCause::Fault, "a text was accepted after the end");
    return false;
  }
  const size_t before = steps_.size();
  const bool taken = guarded(false, [&] {
    uint32_t tokens = 0;
    if (budget_ != 0) {
      tokens = engine_->index().greedy_tokens(bytes).value_or(static_cast<uint32_t>(bytes.size()));
    }
    return accept_bytes(bytes, tokens);
  });
  if (steps_.size() == before) stay(false);
  return taken;
}

bool Matcher::Impl::rollback(size_t count) {
  if (count > steps()) return false;
  if (count == 0) return true;
  uint32_t mark = kNoMark;
  for (size_t i = steps_.size() - count; i < steps_.size(); ++i) mark = std::min(mark, steps_[i].mark);
  steps_.resize(steps_.size() - count);
  text_.resize(steps_.back().length);
  if (broken_) return true;
  if (refused_at_ != kNever && steps_.size() < refused_at_) refused_at_ = kNever;
  guarded(false, [&] {
    if (mark != kNoMark) shared_->cut(this, mark, text_.size());
    return true;
  });
  return true;
}

std::unique_ptr<Matcher::Impl> Matcher::Impl::fork() {
  const std::lock_guard lock(shared_->mutex);
  shared_->make_room_to_join();
  std::unique_ptr<Impl> forked(new Impl(*this));
  if (shared_->is_open()) shared_->join_as(forked.get(), this);
  return forked;
}

void Matcher::Impl::move_out() {
  const auto own = std::make_shared<SharedTracker>(*engine_);
  const std::lock_guard lock(own->mutex);
  own->open();
  own->join(this);
  std::vector<std::pair<track::PrefixId, uint32_t>> places{{own->tracker().start(), kNoMark}};  // and marks, by step
  for (size_t i = 1; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const uint32_t before = steps_[i - 1].length;
    track::PrefixId prefix = step.prefix == track::kDead ? track::kDead : places.back().first;
    const uint32_t mark = step.mark == kNoMark ? kNoMark : own->tracker().mark();
    for (uint32_t at = before; at < step.length && prefix != track::kDead; ++at) {
      prefix = own->tracker().push(prefix, static_cast<uint8_t>(text_[at]));
    }
    if ((prefix == track::kDead) != (step.prefix == track::kDead)) throw std::logic_error("a text was judged twice");
    places.emplace_back(prefix, mark);
  }
  own->extend(this, text_.size());
  own->settle();
  for (size_t i = 0; i < steps_.size(); ++i) std::tie(steps_[i].prefix, steps_[i].mark) = places[i];
  shared_->leave(this);
  shared_ = own;
}

// ---- what may come ----

std::vector<TokenId> Matcher::Impl::current_refuse_tokens() const {
  const Step& top = steps_.back();
  if (top.refusing >= kRefuseWord.size()) return {};
  std::vector<TokenId> tokens = engine_->refuse_tokens(top.refusing);
  if (budget_ == 0) return tokens;
  std::erase_if(tokens, [&](TokenId id) {
    return !refusal_fits(static_cast<uint8_t>(top.refusing + engine_->vocabulary().bytes(id).size()), left() - 1);
  });
  return tokens;
}

Result<Done> Matcher::Impl::fill(uint32_t* words, size_t width) {
  const Vocabulary& vocabulary = engine_->vocabulary();
  if (words == nullptr) return Error{"there are no words to write a mask to", "", {}};
  const Bitmask mask({words, bitmask_words(width)}, width);
  if (const auto enough = vocabulary.mask_words(width); !enough) {
    mask.clear();
    return enough.error();
  }
  const auto end_alone = [&] {
    mask.clear();
    for (const TokenId id : vocabulary.end_of_text()) mask.set(id);
    return Done{};
  };
  if (!is_open()) return end_alone();
  const bool admitted = guarded(false, [&] {
    const std::shared_ptr<const StoredMask> found = current_mask();
    if (!found) return false;
    found->write_to(mask);
    if (steps_.back().refusing != kNotRefusing) {
      for (const TokenId id : current_refuse_tokens()) mask.set(id);
      if (mask.count() == 0) refuse(RefusalCause::Fault, kNothingFollows);
    }
    return refused_at_ == kNever;
  });
  if (!admitted) return end_alone();
  return Done{};
}

std::string Matcher::Impl::jump_forward_string() {
  if (!is_open()) return {};
  return guarded(std::string(), [&] {
    const Step& top = steps_.back();
    const bool refusing = top.refusing != kNotRefusing;
    if (top.prefix == track::kDead) return std::string(kRefuseWord.substr(top.refusing));
    std::string forced;
    if (refusing) return forced;
    constexpr size_t kMost = 4096;
    const uint32_t mark = tracker().mark();
    for (track::PrefixId prefix = top.prefix; forced.size() < kMost && !tracker().may_end(prefix);) {
      track::PrefixId only = track::kDead;
      int ways = 0;
      uint8_t with = 0;
      for (int byte = 0; byte < 256 && ways < 2; ++byte) {
        const track::PrefixId next = tracker().push(prefix, static_cast<uint8_t>(byte));
        if (next == track::kDead) continue;
        ++ways;
        only = next;
        with = static_cast<uint8_t>(byte);
      }
      if (ways != 1) break;
      forced += static_cast<char>(with);
      prefix = only;
    }
    tracker().release(mark);
    return forced;
  });
}

std::vector<TokenId> Matcher::Impl::jump_forward_tokens() {
  constexpr size_t kMost = 1024;
  std::vector<TokenId> forced;
  while (is_open() && forced.size() < kMost) {
    const std::optional<TokenId> only = guarded(std::optional<TokenId>(), [&]() -> std::optional<TokenId> {
      const auto mask = current_mask();
      if (!mask) return std::nullopt;
      auto few = mask->few();
      if (!few) return std::nullopt;
      std::vector<TokenId> tokens = *std::move(few);
      for (const TokenId id : current_refuse_tokens()) {
        if (std::ranges::find(tokens, id) == tokens.end()) tokens.push_back(id);
      }
      return tokens.size() == 1 ? std::optional(tokens.front()) : std::nullopt;
    });
    if (!only || engine_->vocabulary().is_end_of_text(*only) || !accept_token(*only)) break;
    forced.push_back(*only);
  }
  rollback(forced.size());
  return forced;
}

// ---- for people ----

Explanation Matcher::Impl::explain() {
  if (refused_at_ != kNever || steps_.back().prefix == track::kDead) return {};
  return guarded(Explanation(), [&] {
    const track::PrefixId prefix = steps_.back().prefix;
    track::Explanation told = tracker().explain(prefix);
    Explanation made;
    made.clause = std::move(told.clause);
    made.role = std::move(told.role);
    made.scope = std::move(told.scope);
    made.obligations = std::move(told.obligations);
    made.lexemes = std::move(told.lexemes);
    for (auto& name : told.allowed) made.allowed.push_back({std::move(name.text), std::move(name.detail)});
    for (auto& name : told.blocked) made.blocked.push_back({std::move(name.text), std::move(name.detail)});
    made.may_end = tracker().may_end(prefix);
    return made;
  });
}

std::vector<ColumnUse> Matcher::Impl::uses() {
  const Catalog* catalog = engine_->ground().catalog.get();
  if (refused_at_ != kNever || steps_.back().prefix == track::kDead || catalog == nullptr) return {};
  return guarded(std::vector<ColumnUse>(), [&] {
    std::vector<ColumnUse> uses;
    for (const track::Use& use : tracker().uses(steps_.back().prefix)) {
      uses.push_back(
          {catalog->table(use.column.table).name, catalog->column(use.column).name, std::string(to_string(use.role))});
    }
    return uses;
  });
}

}  // namespace pccsql
