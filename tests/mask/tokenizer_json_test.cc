// tokenizer.json: the kinds that are read, what is text in them, and a message for each thing that can be wrong.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "mask/tokenizer_json.h"

namespace pccsql {
namespace {

// A file of three parts: how pieces are spelled, the model, the added tokens.
std::string file_of(const std::string& spelling, const std::string& model, const std::string& added) {
  return "{\"version\": \"1.0\", " + spelling + ", \"model\": {" + model + "}, \"added_tokens\": [" + added + "]}";
}
const std::string kByteLevel = R"("pre_tokenizer": {"type": "ByteLevel"}, "decoder": {"type": "ByteLevel"})";
const std::string kLlama = R"("normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}, "pre_tokenizer": null,
    "decoder": {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
    {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})";
const std::string kBpe = R"("type": "BPE", "vocab": {"a": 0, "ĠFROM": 1, "▁FROM": 2, "<0x0A>": 3}, "merges": ["a b"])";
const std::string kEnd = R"({"id": 4, "content": "<|endoftext|>", "special": true})";

std::string message(const std::string& text, std::span<const TokenName> ends = {}) {
  const auto read = parse_tokenizer_json(text, ends);
  return read ? "(no error)" : read.error().message;
}

// The pieces, in order of their ids; what is no text in brackets.
std::vector<std::string> pieces_of(const std::string& text, std::span<const TokenName> ends = {}) {
  const auto read = parse_tokenizer_json(text, ends);
  if (!read) return {read.error().to_string()};
  std::vector<std::string> pieces;
  for (TokenId id = 0; id < read->size(); ++id) {
    const std::string bytes(read->bytes(id));
    pieces.push_back(read->is_text(id) ? bytes : "[" + bytes + "]");
  }
  return pieces;
}
using Pieces = std::vector<std::string>;

TEST(TokenizerJson, ReadsByteLevel) {
  const Pieces expected{"a", " FROM", "▁FROM", "<0x0A>", "[<|endoftext|>]"};
  EXPECT_EQ(pieces_of(file_of(kByteLevel, kBpe, kEnd)), expected);
  // Each of the places that can say so, also inside a sequence.
  for (const char* spelling : {R"("decoder": {"type": "ByteLevel"})", R"("pre_tokenizer": {"type": "ByteLevel"})",
                               R"("decoder": null, "pre_tokenizer": {"type": "Sequence", "pretokenizers":
                                  [{"type": "Split"}, {"type": "ByteLevel"}]})",
                               R"("decoder": {"type": "Sequence", "decoders": [{"type": "Sequence", "decoders":
                                  [{"type": "ByteLevel"}]}]})"}) {
    EXPECT_EQ(pieces_of(file_of(spelling, kBpe, kEnd)), expected) << spelling;
  }
}

TEST(TokenizerJson, ReadsSentencePiece) {
  EXPECT_EQ(pieces_of(file_of(kLlama, kBpe, kEnd)), (Pieces{"a", "ĠFROM", " FROM", "\n", "[<|endoftext|>]"}));
  const auto read = parse_tokenizer_json(file_of(kLlama, kBpe, kEnd));
  EXPECT_EQ(read->kind(3), TokenKind::Byte);
  EXPECT_EQ(read->kind(2), TokenKind::Normal);
}

TEST(TokenizerJson, TellsSentencePieceByEachOfItsSigns) {
  const Pieces bytes{"a", "ĠFROM", " FROM", "\n", "[<|endoftext|>]"};
  const Pieces no_bytes{"a", "ĠFROM", " FROM", "<0x0A>", "[<|endoftext|>]"};
  for (const char* spelling :
       {R"("decoder": {"type": "Metaspace", "replacement": "▁"})", R"("pre_tokenizer": {"type": "Metaspace"})",
        R"("decoder": {"type": "Replace", "pattern": {"String": "▁"}, "content": " "})",
        R"("normalizer": {"type": "Prepend", "prepend": "▁"})",
        R"("normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"})"}) {
    EXPECT_EQ(pieces_of(file_of(spelling, kBpe, kEnd)), no_bytes) << spelling;
    EXPECT_EQ(pieces_of(file_of(spelling, kBpe + R"(, "byte_fallback": true)", kEnd)), bytes) << spelling;
  }
  EXPECT_EQ(pieces_of(file_of(R"("decoder": {"type": "ByteFallback"})", kBpe, kEnd)), bytes);
  EXPECT_EQ(pieces_of(file_of(R"("decoder": null)", kBpe + R"(, "byte_fallback": true)", kEnd)), bytes);
  EXPECT_EQ(pieces_of(file_of(R"("decoder": {"type": "Metaspace", "replacement": "_"})",
                              R"("type": "BPE", "vocab": {"_a▁": 0})", kEnd)),
            (Pieces{" a▁", "[]", "[]", "[]", "[<|endoftext|>]"}));
}

TEST(TokenizerJson, ReadsUnigram) {
  const std::string model = R"("type": "Unigram", "unk_id": 0, "byte_fallback": true,
      "vocab": [["?", 0.0], ["</s>", 0], ["▁the", -3.5], ["<0xC3>", -9], ["▁the", -4]])";
  const std::string end = R"({"id": 1, "content": "</s>", "special": true})";
  EXPECT_EQ(pieces_of(file_of(R"("decoder": {"type": "Metaspace"})", model, end)),
            (Pieces{"[?]", "[</s>]", " the", "\xC3", " the"}));
  // Older files do not name the type of the model.
  EXPECT_EQ(pieces_of(file_of(R"("decoder": {"type": "Metaspace"})", R"("vocab": [["▁a", 0], ["</s>", 0]])", end)),
            (Pieces{" a", "[</s>]"}));
  EXPECT_EQ(pieces_of(file_of(kByteLevel, R"("vocab": {"Ġa": 0}, "merges": [])",
                              R"({"id": 1, "content": "</s>", "special": true})")),
            (Pieces{" a", "[</s>]"}));
}

TEST(TokenizerJson, LeavesGapsUnused) {
  const auto read = parse_tokenizer_json(
      file_of(kByteLevel, R"("type": "BPE", "vocab": {"a": 2})", R"({"id": 5, "content": "</s>", "special": true})"));
  ASSERT_TRUE(read) << read.error().to_string();
  ASSERT_EQ(read->size(), 6u);
  for (const TokenId id : {0u, 1u, 3u, 4u}) {
    EXPECT_EQ(read->kind(id), TokenKind::Unused);
    EXPECT_FALSE(read->is_text(id));
  }
}

TEST(TokenizerJson, ReadsAddedTokens) {
  const std::string vocab = R"("type": "BPE", "unk_token": "<unk>", "vocab": {"a": 0, "</s>": 1, "<unk>": 2})";
  const std::string added = R"({"id": 1, "content": "</s>", "special": true},
      {"id": 3, "content": "<tool>", "special": false}, {"id": 4, "content": "  ", "special": false},
      {"id": 5, "content": "▁▁", "special": false}, {"id": 6, "content": "é", "special": false},
      {"id": 7, "content": "", "special": false})";
  // `é` is a letter of the byte-level alphabet, `▁` a blank of SentencePiece: what they would write is not certain.
  EXPECT_EQ(pieces_of(file_of(kByteLevel, vocab, added)),
            (Pieces{"a", "[</s>]", "[<unk>]", "<tool>", "  ", "▁▁", "[é]", "[]"}));
  EXPECT_EQ(pieces_of(file_of(kLlama, vocab, added)),
            (Pieces{"a", "[</s>]", "[<unk>]", "<tool>", "  ", "[▁▁]", "é", "[]"}));
}

TEST(TokenizerJson, FindsTheEndOfTheText) {
  const auto ends = [](const std::string& added, std::span<const TokenName> names = {}) {
    const auto read = parse_tokenizer_json(file_of(kByteLevel, kBpe, added), names);
    std::string out = read ? "" : read.error().message;
    if (read) {
      for (const TokenId id : read->end_of_text()) out += std::to_string(id) + " ";
    }
    return out;
  };
  const auto special = [](int id, const std::string& name) {
    return R"({"id": )" + std::to_string(id) + R"(, "content": ")" + name + R"(", "special": true})";
  };
  for (const char* name : {"<|endoftext|>", "<|im_end|>", "</s>", "<|eot_id|>", "<|end_of_text|>"}) {
    EXPECT_EQ(ends(special(9, name)), "9 ");
  }
  const std::string two = special(8, "<|im_end|>") + "," + special(4, "<|endoftext|>") + "," + special(6, "<|x|>");
  EXPECT_EQ(ends(two), "4 8 ");
  EXPECT_EQ(ends(two, std::array<TokenName, 1>{"<|x|>"}), "6 ");
  EXPECT_EQ(ends(two, std::array<TokenName, 2>{TokenId{6}, "<|im_end|>"}), "6 8 ");
  EXPECT_EQ(ends(two, std::array<TokenName, 1>{"a"}), "0 ");  // then `a` is no text
  EXPECT_EQ(ends(two, std::array<TokenName, 1>{"<|y|>"}), "there is no token `<|y|>` to end the text");
  EXPECT_EQ(ends(two, std::array<TokenName, 1>{TokenId{9}}),
            "there is no token 9 to end the text; the vocabulary has 9 tokens, counted from 0");
  const std::string none =
      "no special token has a usual name for the end of the text, such as `<|endoftext|>`; name one";
  EXPECT_EQ(ends(special(4, "<stop>")), none);
  // A usual name on a token that is text ends nothing.
  EXPECT_EQ(ends(R"({"id": 4, "content": "</s>", "special": false})"), none);
}

TEST(TokenizerJson, RefusesOtherKinds) {
  EXPECT_EQ(message(file_of(kByteLevel, R"("type": "WordPiece", "vocab": {"a": 0})", kEnd)),
            "a tokenizer of type `WordPiece` is not read; `BPE` and `Unigram` are");
  EXPECT_EQ(message(file_of(R"("decoder": null)", kBpe, kEnd)).substr(0, 44),
            "cannot tell which bytes the pieces write: ne");
  EXPECT_EQ(message(file_of(R"("decoder": {"type": "ByteLevel"}, "pre_tokenizer": {"type": "Metaspace"})", kBpe, kEnd)),
            "`decoder` and `pre_tokenizer` contradict each other: one is byte-level, the other is not");
  EXPECT_EQ(message(file_of(R"("decoder": {"type": "CTC"})", kBpe, kEnd)), "field `decoder`: `CTC` is not read");
  EXPECT_EQ(message(file_of(R"("decoder": {"type": "Strip"})", kBpe, kEnd)), "field `decoder`: `Strip` is not read");
  EXPECT_EQ(
      message(file_of(R"("decoder": {"type": "Replace", "pattern": {"Regex": "x"}, "content": " "})", kBpe, kEnd)),
      "field `decoder`: a `Replace` of anything but `▁` by a blank is not read");
  EXPECT_EQ(message(file_of(kByteLevel, kBpe + R"(, "end_of_word_suffix": "</w>")", kEnd)),
            "field `model.end_of_word_suffix` is not read");
}

TEST(TokenizerJson, NamesWhatHasAWrongShape) {
  const auto with_vocab = [](const std::string& vocab) {
    return message(file_of(kByteLevel, "\"type\": \"BPE\", \"vocab\": " + vocab, kEnd));
  };
  const auto with_added = [](const std::string& added) { return message(file_of(kByteLevel, kBpe, added)); };
  EXPECT_EQ(message("[]"), "an object was expected, as in a HuggingFace tokenizer.json");
  EXPECT_EQ(message("{}"), "field `model`: an object was expected");
  EXPECT_EQ(message(R"({"model": {"type": "BPE"}})"), "field `model.vocab`: an object of piece and id was expected");
  EXPECT_EQ(with_vocab("7"), "field `model.vocab`: an object of piece and id was expected");
  EXPECT_EQ(with_vocab("[]"), "field `model.vocab`: an object of piece and id was expected");
  for (const char* id : {"-1", "1.5", "\"1\"", "null", "[]", "99999999999999999999999"}) {
    EXPECT_EQ(with_vocab("{\"a\\n\": " + std::string(id) + "}"), "the id of token `a\\n`: a whole number was expected")
        << id;
  }
  EXPECT_EQ(with_vocab(R"({"a": 16777216})"), "the id of token `a` is 16777216; ids below 16777216 are read");
  EXPECT_EQ(with_vocab(R"({"a": 1, "b": 1})"), "the id 1 is there twice, for `a` and for `b`");
  EXPECT_EQ(with_vocab(R"({"a": 1, "a": 2})"), "the key `a` stands twice in one object");
  EXPECT_EQ(with_vocab(R"({"a": 4})"), "the id 4 is there twice, for `a` and for `<|endoftext|>`");
  EXPECT_EQ(message(file_of(kByteLevel, R"("type": "Unigram", "vocab": [["a", 0], ["b"]])", kEnd)),
            "field `model.vocab`: [piece, score] was expected for token 1");
  EXPECT_EQ(message(file_of(kByteLevel, R"("type": "Unigram", "vocab": {"a": 0})", kEnd)),
            "field `model.vocab`: a list of [piece, score] was expected");
  EXPECT_EQ(message(file_of(kByteLevel, R"("type": "Unigram", "unk_id": 7, "vocab": [["a", 0]])", kEnd)),
            "field `model.unk_id`: the id of a token was expected");
  EXPECT_EQ(with_added("7"), "field `added_tokens`: a token without `content`");
  EXPECT_EQ(with_added(R"({"id": 5, "special": true})"), "field `added_tokens`: a token without `content`");
  EXPECT_EQ(with_added(R"({"id": 5, "content": "x"})"), "the added token `x`: `special` must be true or false");
  EXPECT_EQ(with_added(R"({"content": "x", "special": true})"), "the id of token `x`: a whole number was expected");
  EXPECT_EQ(message(R"({"model": {"vocab": {}}, "decoder": {"type": "ByteLevel"}, "added_tokens": {}})"),
            "field `added_tokens`: a list was expected");
  EXPECT_EQ(message(file_of(R"("decoder": "ByteLevel")", kBpe, kEnd)),
            "field `decoder`: an object with a `type` was expected");
  EXPECT_EQ(message(file_of(R"("decoder": {"type": "Sequence", "decoders": 1})", kBpe, kEnd)),
            "field `decoder.decoders`: a list was expected");
}

TEST(TokenizerJson, PointsAtWhatIsNotJson) {
  const auto read = parse_tokenizer_json("{\"model\":\n  nonsense}", {}, "t.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().to_string().substr(0, 11), "t.json:2:4:");
  for (const char* text : {"", "{", "{\"a\"", "\"\\ud800\"", "\"\xFF\"", "{} {}", "nul"}) {
    EXPECT_NE(message(text), "(no error)") << text;
  }
  EXPECT_FALSE(read_tokenizer_json("no/such/tokenizer.json"));
}

TEST(TokenizerJson, SurvivesNesting) {
  const std::string deep = "the file nests deeper than 32 levels";
  for (const size_t depth : {size_t{40}, size_t{1} << 20}) {
    std::string objects;
    for (size_t i = 0; i < depth; ++i) objects += "{\"a\":";
    EXPECT_EQ(message(std::string(depth, '[')), deep);
    EXPECT_EQ(message(std::string(depth, '[') + std::string(depth, ']')), deep);
    EXPECT_EQ(message(objects), deep);
    EXPECT_EQ(message("{\"model\": {\"merges\": " + std::string(depth, '[')), deep);  // also in what is passed over
  }
}

}  // namespace
}  // namespace pccsql
