#include "model/llama/gguf_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace pccsql {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is read in the order of bytes it is written in");

// The numbers that stand for types in the file.
constexpr uint32_t kString = 8;
constexpr uint32_t kArray = 9;
constexpr std::array<uint64_t, 13> kBytes{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};  // of one value; 0: string and array

constexpr uint64_t kLongestKey = 65535;
constexpr uint64_t kLongestText = 1 << 20;  // of one token; merges and templates may be longer and are passed over

// Reads forward and never past the end of the file. After the first failure nothing more is read.
class Reader {
 public:
  Reader(std::ifstream in, uint64_t size) : in_(std::move(in)), left_(size), size_(size) {}

  template <typename T>
  bool read(T& value) {
    return take(sizeof value) && in_.read(reinterpret_cast<char*>(&value), sizeof value);
  }

  bool read_string(std::string& text, uint64_t longest) {
    uint64_t length = 0;
    if (!read(length) || length > longest || !take(length)) return false;
    text.resize(length);
    return static_cast<bool>(in_.read(text.data(), static_cast<std::streamsize>(length)));
  }

  bool skip(uint64_t count) { return take(count) && in_.ignore(static_cast<std::streamsize>(count)); }

  bool skip_string() {
    uint64_t length = 0;
    return read(length) && skip(length);
  }

  uint64_t left() const { return left_; }
  uint64_t position() const { return size_ - left_; }

 private:
  bool take(uint64_t count) {
    if (count > left_) return false;
    left_ -= count;
    return true;
  }

  std::ifstream in_;
  uint64_t left_;
  uint64_t size_;
};

// What a value that could not be read is said to be.
std::string broken(const std::string& key, const Reader& reader) {
  return "breaks off or is damaged in the value of `" + key + "`, at byte " + std::to_string(reader.position()) +
         "; fetch the file again";
}

bool skip_value(Reader& reader, uint32_t type) {
  if (type == kString) return reader.skip_string();
  if (type != kArray) return type < kBytes.size() && reader.skip(kBytes[type]);
  uint32_t of = 0;
  uint64_t count = 0;
  if (!reader.read(of) || !reader.read(count) || of >= kBytes.size() || of == kArray) return false;
  if (of != kString) return count <= reader.left() / kBytes[of] && reader.skip(count * kBytes[of]);
  for (uint64_t i = 0; i < count; ++i) {
    if (!reader.skip_string()) return false;
  }
  return true;
}

// The texts of the vocabulary, as llama.cpp will know them: up to the first NUL, and an empty one by its id.
std::optional<std::string> tokens_problem(Reader& reader, uint32_t type, const std::string& key) {
  uint32_t of = 0;
  uint64_t count = 0;
  if (type != kArray || !reader.read(of) || !reader.read(count) || of != kString) {
    return "`" + key + "` is not a list of texts";
  }
  if (count == 0) return "`" + key + "` is empty; a vocabulary was expected";
  if (count > reader.left() / sizeof(uint64_t)) return broken(key, reader);
  std::unordered_set<std::string> seen;
  seen.reserve(count);
  std::string text;
  for (uint64_t id = 0; id < count; ++id) {
    if (!reader.read_string(text, kLongestText)) return broken(key, reader);
    if (const size_t nul = text.find('\0'); nul != std::string::npos) text.resize(nul);
    if (text.empty()) text = "[EMPTY_" + std::to_string(id) + "]";
    if (!seen.insert(text).second) {
      return "`" + key + "` holds `" + text + "` twice, the second time as id " + std::to_string(id) +
             "; each text may have one id";
    }
  }
  return std::nullopt;
}

std::optional<std::string> kind_problem(const std::string& kind) {
  constexpr std::array<std::string_view, 3> known{"gpt2", "llama", "gemma4"};
  if (std::ranges::count(known, kind) > 0) return std::nullopt;
  return "has a tokenizer of kind `" + kind + "`; known are `gpt2` (byte-level BPE), `llama` (SentencePiece), `gemma4`";
}

enum class Holds { Vocabulary, Adapter };

std::optional<std::string> metadata_problem(Reader& reader, Holds what) {
  const std::string no_gguf = "is not a GGUF file; a model or vocabulary in GGUF format was expected";
  std::array<char, 4> magic{};
  uint32_t version = 0;
  uint64_t tensors = 0;
  uint64_t values = 0;
  if (!reader.read(magic) || std::string_view(magic.data(), magic.size()) != "GGUF") return no_gguf;
  if (!reader.read(version) || !reader.read(tensors) || !reader.read(values)) {
    return "breaks off within its first 24 bytes; fetch the file again";
  }
  if (version < 2 || version > 3) return "is GGUF of version " + std::to_string(version) + "; 2 and 3 can be read";

  bool has_tokens = false;
  bool is_adapter = false;
  std::string kind;
  std::unordered_set<std::string> seen;
  for (uint64_t i = 0; i < values; ++i) {
    std::string key;
    uint32_t type = 0;
    if (!reader.read_string(key, kLongestKey) || key.empty() || !reader.read(type)) {
      return "breaks off or is damaged in key " + std::to_string(i + 1) + " of " + std::to_string(values) +
             ", at byte " + std::to_string(reader.position()) + "; fetch the file again";
    }
    if (!seen.insert(key).second) return "holds the key `" + key + "` twice";
    if (key == "tokenizer.ggml.tokens") {
      has_tokens = true;
      if (auto problem = tokens_problem(reader, type, key)) return problem;
    } else if (key == "tokenizer.ggml.model" && type == kString) {
      if (!reader.read_string(kind, kLongestKey)) return broken(key, reader);
    } else if (key == "general.type" && type == kString) {
      std::string text;
      if (!reader.read_string(text, kLongestKey)) return broken(key, reader);
      is_adapter = text == "adapter";
    } else if (!skip_value(reader, type)) {
      return broken(key, reader);
    }
  }
  if (what == Holds::Adapter) {
    if (is_adapter) return std::nullopt;
    return "is not an adapter; a GGUF file whose `general.type` is `adapter` was expected";
  }
  if (!has_tokens || kind.empty()) return "holds no vocabulary; a GGUF file with a tokenizer was expected";
  return kind_problem(kind);
}

Result<Done> check_gguf(const std::string& path, Holds what) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (fs::is_directory(status)) return Error{"is a directory; a GGUF file was expected", path, {}};
  if (fs::exists(status) && !fs::is_regular_file(status)) return Error{"is not a file", path, {}};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{std::string("cannot be read: ") + std::strerror(errno), path, {}};
  const uint64_t size = fs::file_size(path, code);
  if (code) return Error{"cannot be read: " + code.message(), path, {}};
  Reader reader(std::move(in), size);
  if (auto problem = metadata_problem(reader, what)) return Error{*problem, path, {}};
  return Done{};
}

}  // namespace

Result<Done> check_gguf_vocabulary(const std::string& path) { return check_gguf(path, Holds::Vocabulary); }
Result<Done> check_gguf_adapter(const std::string& path) { return check_gguf(path, Holds::Adapter); }

}  // namespace pccsql
