// Random vocabularies, written as tokenizer.json by this test and read back; and such files cut and mangled.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "mask/piece_text.h"
#include "mask/random_vocabulary.h"
#include "mask/tokenizer_json.h"

namespace pccsql {
namespace {

using Json = nlohmann::json;

// A file, and what must come of it.
struct Sample {
  Json json;
  std::vector<Piece> pieces;  // by id
  std::vector<TokenId> ends;
};

// Ids are drawn at random from a range a little larger than the number of tokens: the rest are gaps.
class Writer {
 public:
  Writer(Random& random, size_t count) : random_(random), count_(count) {
    for (size_t id = 0; id < count + count / 10; ++id) ids_.push_back(static_cast<TokenId>(id));
    std::shuffle(ids_.begin(), ids_.end(), random_);
  }

  Sample byte_level() {
    Sample sample = start();
    sample.json["decoder"] = {{"type", "ByteLevel"}};
    std::set<std::string> taken;
    for (size_t i = 0; i < count_; ++i) {
      const std::string bytes = random_bytes(random_, 1 + below(random_, 8));
      if (taken.insert(bytes).second) put(sample, write_byte_level(bytes), {bytes, TokenKind::Normal});
    }
    return finish(std::move(sample));
  }

  Sample sentence_piece() {
    Sample sample = start();
    sample.json["decoder"] = {{"type", "Sequence"},
                              {"decoders",
                               {{{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}},
                                {{"type", "ByteFallback"}},
                                {{"type", "Fuse"}}}}};
    for (unsigned byte = 0; byte < 256; ++byte) {
      char spelling[8];
      std::snprintf(spelling, sizeof spelling, "<0x%02X>", byte);
      put(sample, spelling, {std::string(1, static_cast<char>(byte)), TokenKind::Byte});
    }
    std::set<std::string> taken;
    for (size_t i = 0; i + 256 < count_; ++i) {
      std::string bytes;
      std::string spelling;
      for (size_t k = 1 + below(random_, 6); k > 0; --k) {
        static const std::string characters[] = {" ", "a", "T", "_", "é", "名", "😀", "\n", "\"", "\\", "<", "0"};
        const std::string& character = characters[below(random_, std::size(characters))];
        bytes += character;
        spelling += character == " " ? "▁" : character;
      }
      if (taken.insert(bytes).second) put(sample, spelling, {bytes, TokenKind::Normal});
    }
    return finish(std::move(sample));
  }

 private:
  static Sample start() {
    Sample sample;
    sample.json = {{"version", "1.0"}, {"normalizer", nullptr}, {"added_tokens", Json::array()}};
    sample.json["model"] = {{"type", "BPE"}, {"vocab", Json::object()}, {"merges", {{"a", "b"}, {"c", "d"}}}};
    return sample;
  }
  TokenId next(Sample& sample, Piece piece) {
    const TokenId id = ids_[used_++];
    if (sample.pieces.size() <= id) sample.pieces.resize(id + size_t{1});
    sample.pieces[id] = std::move(piece);
    return id;
  }
  void put(Sample& sample, const std::string& spelling, Piece piece) {
    sample.json["model"]["vocab"][spelling] = next(sample, std::move(piece));
  }
  Sample finish(Sample sample) {
    for (const char* name : {"<|endoftext|>", "<|pad|>", "<|im_end|>", "<|tool|>"}) {
      const bool special = std::string_view(name) != "<|tool|>";
      const TokenId id = next(sample, {name, special ? TokenKind::Special : TokenKind::Normal});
      sample.json["added_tokens"].push_back({{"id", id}, {"content", name}, {"special", special}});
      if (special && std::string_view(name) != "<|pad|>") sample.ends.push_back(id);
    }
    std::ranges::sort(sample.ends);
    return sample;
  }

  Random& random_;
  size_t count_;
  std::vector<TokenId> ids_;
  size_t used_ = 0;
};

void expect_read(const Sample& sample, const Result<Vocabulary>& read) {
  ASSERT_TRUE(read) << read.error().to_string();
  ASSERT_EQ(read->size(), sample.pieces.size());
  for (TokenId id = 0; id < read->size(); ++id) {
    EXPECT_EQ(read->bytes(id), sample.pieces[id].bytes) << id;
    EXPECT_EQ(read->kind(id), sample.pieces[id].kind) << id;
  }
  EXPECT_TRUE(std::ranges::equal(read->end_of_text(), sample.ends));
}

TEST(RandomTokenizer, IsReadAsWritten) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Sample byte_level = Writer(random, 3000).byte_level();
    expect_read(byte_level, parse_tokenizer_json(byte_level.json.dump()));
    const Sample sentence_piece = Writer(random, 3000).sentence_piece();
    expect_read(sentence_piece, parse_tokenizer_json(sentence_piece.json.dump(1, ' ', true)));
  }
}

TEST(RandomTokenizer, IsReadFromAFile) {
  Random random(11);
  const Sample sample = Writer(random, 500).byte_level();
  const auto name = "pccsql-tokenizer-" + std::to_string(getpid()) + ".json";
  const auto path = std::filesystem::temp_directory_path() / name;
  ASSERT_TRUE(write_file(path.string(), sample.json.dump()));
  expect_read(sample, read_tokenizer_json(path.string()));
  std::filesystem::remove(path);
}

// Whatever the bytes: a vocabulary or a message, never anything else.
TEST(RandomTokenizer, SurvivesDamage) {
  Random random(13);
  const std::string whole = Writer(random, 60).byte_level().json.dump();
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(parse_tokenizer_json(whole.substr(0, length)));
  }
  size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole;
    for (size_t k = 1 + below(random, 3); k > 0; --k) {
      const size_t at = below(random, text.size());
      switch (below(random, 3)) {
        case 0:
          text[at] = static_cast<char>(below(random, 256));
          break;
        case 1:
          text.erase(at, 1 + below(random, 12));
          break;
        default:
          text.insert(at, std::string(1, "{}[]\",:0-n"[below(random, 10)]));
      }
      if (text.empty()) break;
    }
    const auto read = parse_tokenizer_json(text);
    if (read) continue;
    ++refused;
    EXPECT_FALSE(read.error().message.empty());
    EXPECT_EQ(find_invalid_utf8(read.error().message), std::string_view::npos);
  }
  EXPECT_GT(refused, 1000u);
}

// A field of the right name and any wrong type: no crash, whatever is asked of it.
TEST(RandomTokenizer, SurvivesWrongTypesAnywhere) {
  Random random(17);
  const Json whole = Writer(random, 300).sentence_piece().json;
  const Json others[] = {nullptr, true, 7, -7, 1.5, "x", Json::array(), Json::object(), Json::array({1}), {{"a", 1}}};
  const Json flat = whole.flatten();
  for (const auto& [path, value] : flat.items()) {
    if (path.starts_with("/model/vocab/") && below(random, 20) != 0) continue;
    // Every prefix of the path is a value that can be wrong.
    for (Json::json_pointer at(path); !at.empty(); at.pop_back()) {
      for (const Json& other : others) {
        Json changed = whole;
        changed[at] = other;
        const auto read = parse_tokenizer_json(changed.dump());
        EXPECT_TRUE(read || !read.error().message.empty()) << at.to_string();
      }
    }
  }
}

}  // namespace
}  // namespace pccsql
