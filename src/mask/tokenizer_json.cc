#include "mask/tokenizer_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "mask/piece_text.h"

namespace pccsql {
namespace {

using Json = nlohmann::json;
using Failure = std::optional<Error>;

constexpr int kDeepest = 32;  // these files nest six deep
constexpr const char* kBlankMark = "▁";
constexpr const char* kUsualEnds[] = {"<|endoftext|>",   "<|im_end|>", "</s>",          "<|eot_id|>",
                                      "<|end_of_text|>", "<eos>",      "<end_of_turn>", "<｜end▁of▁sentence｜>"};

// Thrown by the parser's callback and caught where the parser was called.
struct Rejected {
  std::string reason;
};

// On one line and bounded, because it goes into a message; cut between characters.
std::string shown(std::string_view name) {
  constexpr size_t kLongest = 40;
  size_t end = std::min(name.size(), kLongest);
  while (end > 0 && end < name.size() && (static_cast<uint8_t>(name[end]) & 0xC0U) == 0x80) --end;
  const std::string escaped = Json(name.substr(0, end)).dump(-1, ' ', false, Json::error_handler_t::replace);
  return "`" + escaped.substr(1, escaped.size() - 2) + (end < name.size() ? "…`" : "`");
}

// Without `merges`, which is most of the file and says nothing about pieces.
Json parse(std::string_view text) {
  std::vector<std::unordered_set<std::string>> keys;  // of the objects that are open, by depth
  bool in_merges = false;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest) throw Rejected{"the file nests deeper than " + std::to_string(kDeepest) + " levels"};
    const auto level = static_cast<size_t>(depth);
    if (event == Json::parse_event_t::object_start) {
      keys.resize(level);
      keys.resize(level + 1);
    }
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      keys.resize(level);  // drops what inner objects have left
      if (!keys.back().insert(key).second) throw Rejected{"the key " + shown(key) + " stands twice in one object"};
      in_merges = level == 2 && key == "merges";
    }
    const bool ends = event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end;
    return ends || !in_merges;  // what ends here began before `merges`
  };
  return Json::parse(text.begin(), text.end(), watch);
}

class Reader {
 public:
  Reader(const Json& json, std::span<const TokenName> ends, const std::string& file)
      : json_(json), wanted_ends_(ends), file_(file) {}

  Result<Vocabulary> read() {
    if (!json_.is_object()) return wrong("an object was expected, as in a HuggingFace tokenizer.json");
    for (const auto step : {&Reader::read_model, &Reader::read_spelling, &Reader::read_vocab, &Reader::read_added,
                            &Reader::mark_unknown, &Reader::find_ends}) {
      if (Failure failure = (this->*step)()) return *std::move(failure);
    }
    Result<Vocabulary> made = Vocabulary::make(pieces_, ends_);
    if (!made) return wrong(made.error().message);
    return made;
  }

 private:
  Error wrong(std::string what) const { return {std::move(what), file_, {}}; }

  // Null and absent are one.
  static const Json* field(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }
  static std::string text(const Json& object, const char* name) {
    const Json* found = field(object, name);
    return found && found->is_string() ? found->get<std::string>() : "";
  }

  Failure read_model() {
    model_ = field(json_, "model");
    if (!model_ || !model_->is_object()) return wrong("field `model`: an object was expected");
    std::string type = text(*model_, "type");
    const Json* vocab = field(*model_, "vocab");
    // Older files do not name the type.
    if (!field(*model_, "type")) type = vocab && vocab->is_array() ? "Unigram" : "BPE";
    if (type != "BPE" && type != "Unigram") {
      return wrong("a tokenizer of type " + shown(type) + " is not read; `BPE` and `Unigram` are");
    }
    for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!text(*model_, affix).empty()) return wrong("field `model." + std::string(affix) + "` is not read");
    }
    const bool shaped = vocab && (type == "BPE" ? vocab->is_object() : vocab->is_array());
    if (shaped) return std::nullopt;
    return wrong(type == "BPE" ? "field `model.vocab`: an object of piece and id was expected"
                               : "field `model.vocab`: a list of [piece, score] was expected");
  }

  // The steps of a `decoder`, `pre_tokenizer` or `normalizer`, those of sequences in their place. The depth of the file
  // bounds the recursion.
  Failure collect(const Json& step, const char* where, std::vector<const Json*>& out) const {
    if (!step.is_object() || text(step, "type").empty())
      return wrong("field `" + std::string(where) + "`: an object with a `type` was expected");
    if (text(step, "type") != "Sequence") {
      out.push_back(&step);
      return std::nullopt;
    }
    for (const char* list : {"decoders", "pretokenizers", "normalizers"}) {
      const Json* inner = field(step, list);
      if (!inner) continue;
      if (!inner->is_array()) return wrong("field `" + std::string(where) + "." + list + "`: a list was expected");
      for (const Json& one : *inner) {
        if (Failure failure = collect(one, where, out)) return failure;
      }
    }
    return std::nullopt;
  }

  Failure steps_of(const char* where, std::vector<const Json*>& out) const {
    const Json* step = field(json_, where);
    return step ? collect(*step, where, out) : std::nullopt;
  }

  // How pieces are spelled. What the decoder does to a piece must be understood in full, or the bytes would be wrong.
  Failure read_spelling() {
    std::vector<const Json*> decoder;
    std::vector<const Json*> pre_tokenizer;
    std::vector<const Json*> normalizer;
    if (Failure failure = steps_of("decoder", decoder)) return failure;
    if (Failure failure = steps_of("pre_tokenizer", pre_tokenizer)) return failure;
    if (Failure failure = steps_of("normalizer", normalizer)) return failure;
    bool fused = false;
    for (const Json* step : decoder) {
      if (Failure failure = read_decoder(*step, fused)) return failure;
    }
    for (const Json* step : pre_tokenizer) {
      const std::string type = text(*step, "type");
      if (type == "ByteLevel") byte_level_ = true;
      if (type == "Metaspace") read_metaspace(*step);
    }
    if (byte_level_ && sentence_piece_)
      return wrong("`decoder` and `pre_tokenizer` contradict each other: one is byte-level, the other is not");
    if (byte_level_) return std::nullopt;
    const Json* byte_fallback = field(*model_, "byte_fallback");
    if (byte_fallback && *byte_fallback == true) sentence_piece_ = byte_tokens_ = true;
    for (const Json* step : normalizer) {
      const std::string type = text(*step, "type");
      if (type == "Prepend" && text(*step, "prepend") == kBlankMark) sentence_piece_ = true;
      if (type == "Replace" && text(*step, "content") == kBlankMark) sentence_piece_ = true;
    }
    if (sentence_piece_) return std::nullopt;
    return wrong(
        "cannot tell which bytes the pieces write: neither byte-level (`ByteLevel`) nor SentencePiece "
        "(`Metaspace`, `ByteFallback`)");
  }

  Failure read_decoder(const Json& step, bool& fused) {
    const std::string type = text(step, "type");
    if (type == "ByteLevel") {
      byte_level_ = true;
    } else if (type == "Metaspace") {
      read_metaspace(step);
    } else if (type == "ByteFallback") {
      sentence_piece_ = byte_tokens_ = true;
    } else if (type == "Fuse") {
      fused = true;
    } else if (type == "Replace" && !fused) {
      const Json* pattern = field(step, "pattern");
      const std::string mark = pattern && pattern->is_object() ? text(*pattern, "String") : "";
      if (mark != kBlankMark || text(step, "content") != " ")
        return wrong("field `decoder`: a `Replace` of anything but `▁` by a blank is not read");
      sentence_piece_ = true;
    } else if (type != "Strip" || !fused) {  // after `Fuse` it strips the whole text, and no piece
      return wrong("field `decoder`: " + shown(type) + (fused ? " after `Fuse`" : "") + " is not read");
    }
    return std::nullopt;
  }

  void read_metaspace(const Json& step) {
    sentence_piece_ = true;
    if (const std::string mark = text(step, "replacement"); !mark.empty()) blank_mark_ = mark;
  }

  Piece piece_of(const std::string& spelling) const {
    if (byte_level_) {
      // A spelling outside the alphabet is written as it is.
      return {undo_byte_level(spelling).value_or(spelling), TokenKind::Normal};
    }
    const auto byte = byte_tokens_ ? undo_byte_token(spelling) : std::nullopt;
    if (byte) return {std::string(1, static_cast<char>(*byte)), TokenKind::Byte};
    return {undo_blank_mark(spelling, blank_mark_), TokenKind::Normal};
  }

  Result<TokenId> id_of(const Json* number, const std::string& spelling) const {
    if (!number || !number->is_number_unsigned())
      return wrong("the id of token " + shown(spelling) + ": a whole number was expected");
    const auto id = number->get<uint64_t>();
    if (id >= Vocabulary::kMostTokens) {
      return wrong("the id of token " + shown(spelling) + " is " + std::to_string(id) + "; ids below " +
                   std::to_string(Vocabulary::kMostTokens) + " are read");
    }
    return static_cast<TokenId>(id);
  }

  Failure place(TokenId id, const std::string& spelling, Piece piece) {
    if (id >= pieces_.size()) {
      pieces_.resize(id + size_t{1});
      spellings_.resize(id + size_t{1});
    }
    if (spellings_[id] && *spellings_[id] != spelling) {
      return wrong("the id " + std::to_string(id) + " is there twice, for " + shown(*spellings_[id]) + " and for " +
                   shown(spelling));
    }
    spellings_[id] = spelling;
    pieces_[id] = std::move(piece);
    return std::nullopt;
  }

  Failure read_vocab() {
    const Json& vocab = *field(*model_, "vocab");
    if (vocab.is_object()) {
      for (const auto& [spelling, number] : vocab.items()) {
        const Result<TokenId> id = id_of(&number, spelling);
        if (!id) return id.error();
        if (Failure failure = place(*id, spelling, piece_of(spelling))) return failure;
      }
      return std::nullopt;
    }
    if (vocab.size() > Vocabulary::kMostTokens)
      return wrong("field `model.vocab`: at most " + std::to_string(Vocabulary::kMostTokens) + " tokens are read");
    for (const Json& pair : vocab) {
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_number()) {
        return wrong("field `model.vocab`: [piece, score] was expected for token " + std::to_string(pieces_.size()));
      }
      const auto spelling = pair[0].get<std::string>();
      if (Failure failure = place(static_cast<TokenId>(pieces_.size()), spelling, piece_of(spelling))) return failure;
    }
    return std::nullopt;
  }

  Failure read_added() {
    const Json* added = field(json_, "added_tokens");
    if (!added) return std::nullopt;
    if (!added->is_array()) return wrong("field `added_tokens`: a list was expected");
    for (const Json& token : *added) {
      const Json* content = token.is_object() ? field(token, "content") : nullptr;
      if (!content || !content->is_string()) return wrong("field `added_tokens`: a token without `content`");
      const auto spelling = content->get<std::string>();
      const Json* special = field(token, "special");
      if (!special || !special->is_boolean())
        return wrong("the added token " + shown(spelling) + ": `special` must be true or false");
      const Result<TokenId> id = id_of(field(token, "id"), spelling);
      if (!id) return id.error();
      Piece piece{spelling, TokenKind::Special};
      if (!special->get<bool>()) {
        piece.kind = piece_of(spelling).bytes == spelling ? TokenKind::Normal : TokenKind::Unused;
      } else {
        specials_.push_back(*id);
      }
      if (Failure failure = place(*id, spelling, std::move(piece))) return failure;
    }
    return std::nullopt;
  }

  // The token for what the vocabulary cannot write writes nothing itself.
  Failure mark_unknown() {
    std::optional<TokenId> unknown;
    if (const std::string spelling = text(*model_, "unk_token"); !spelling.empty()) unknown = find(spelling);
    if (const Json* number = field(*model_, "unk_id")) {
      const Result<TokenId> id = id_of(number, "unk_id");
      if (!id || *id >= pieces_.size()) return wrong("field `model.unk_id`: the id of a token was expected");
      unknown = *id;
    }
    if (unknown) pieces_[*unknown] = {spellings_[*unknown].value_or(""), TokenKind::Special};
    return std::nullopt;
  }

  std::optional<TokenId> find(std::string_view spelling) const {
    const auto found = std::ranges::find(spellings_, std::optional<std::string>(spelling));
    if (found == spellings_.end()) return std::nullopt;
    return static_cast<TokenId>(found - spellings_.begin());
  }

  Failure find_ends() {
    for (const TokenName& name : wanted_ends_) {
      const auto* spelling = std::get_if<std::string>(&name);
      const auto id = spelling ? find(*spelling) : std::get<TokenId>(name);
      if (!id) return wrong("there is no token " + shown(*spelling) + " to end the text");
      ends_.push_back(*id);
    }
    if (!wanted_ends_.empty()) return std::nullopt;
    for (const TokenId id : specials_) {
      if (std::ranges::find(kUsualEnds, *spellings_[id]) != std::end(kUsualEnds)) ends_.push_back(id);
    }
    if (!ends_.empty()) return std::nullopt;
    return wrong("no special token has a usual name for the end of the text, such as `<|endoftext|>`; name one");
  }

  const Json& json_;
  std::span<const TokenName> wanted_ends_;
  const std::string& file_;
  const Json* model_ = nullptr;
  bool byte_level_ = false;
  bool sentence_piece_ = false;
  bool byte_tokens_ = false;
  std::string blank_mark_ = kBlankMark;
  std::vector<Piece> pieces_;
  std::vector<std::optional<std::string>> spellings_;  // parallel to pieces_; nothing in a gap
  std::vector<TokenId> specials_;                      // added and special
  std::vector<TokenId> ends_;
};

}  // namespace

Result<Vocabulary> parse_tokenizer_json(std::string_view text, std::span<const TokenName> end_of_text,
                                        const std::string& file) {
  try {
    const Json json = parse(text);
    return Reader(json, end_of_text, file).read();
  } catch (const Rejected& rejected) {
    return Error{rejected.reason, file, {}};
  } catch (const Json::parse_error& e) {
    // The library names the byte it stopped at, counted from 1.
    const size_t offset = std::min(e.byte == 0 ? size_t{0} : e.byte - 1, text.size());
    return Error{"this is not JSON: unexpected text here", file, position_of(text, static_cast<uint32_t>(offset))};
  } catch (const Json::exception& e) {
    return Error{std::string("this is not JSON: ") + e.what(), file, {}};
  }
}

Result<Vocabulary> read_tokenizer_json(const std::string& path, std::span<const TokenName> end_of_text) {
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return parse_tokenizer_json(*text, end_of_text, path);
}

}  // namespace pccsql
