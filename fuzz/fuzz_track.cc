// libFuzzer over the tracker: any bytes, no crash, no dead end, no text that the checker or SQLite contradicts. Three changes
// in four are made by words (lexeme_mutator.h), the rest by bytes.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/lexeme_mutator.h"
#include "fuzz/track_target.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace {

std::string_view text_of(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

// Keeps the first byte, the settings, and mutates the rest by words.
size_t mutate_text(uint8_t* out, size_t most, std::string_view input, std::string_view other, unsigned seed) {
  const std::string text = std::string(input.substr(0, 1)) + pccsql::mutate_lexemes(input.substr(1), other, seed);
  const size_t size = std::min(text.size(), most);
  std::copy_n(text.begin(), size, out);
  return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string complaint = pccsql::track_fuzz_complaint(text_of(data, size));
  if (complaint.empty()) return 0;
  std::fprintf(stderr, "%s\n", complaint.c_str());
  std::abort();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  if (size == 0 || seed % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string input(text_of(data, size));
  return mutate_text(data, most, input, "", seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t first_size, const uint8_t* second,
                                            size_t second_size, uint8_t* out, size_t most, unsigned seed) {
  if (first_size == 0 || second_size == 0) return 0;
  return mutate_text(out, most, text_of(first, first_size), text_of(second, second_size).substr(1), seed);
}
