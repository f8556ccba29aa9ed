// A decoding loop in C++: a model that wants nothing in particular, and masks that let only permitted queries through.
//   embed_cpp schema.sql policy.yaml [seed]
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <pccsql/engine.h>

int main(int argc, char** argv) {
  if (argc < 3) return std::cerr << "usage: embed_cpp schema.sql policy.yaml [seed]\n", 2;
  std::ifstream file(argv[1]);
  const std::string schema(std::istreambuf_iterator<char>(file), {});

  pccsql::Settings settings;
  settings.token_budget = 60;
  const pccsql::VocabularyIndex vocabulary(pccsql::builtin_vocabulary());
  const auto engine =
      pccsql::Engine::compile(pccsql::DdlText{schema, argv[1]}, pccsql::PolicyFile{argv[2]}, vocabulary, settings);
  if (!engine) return std::cerr << engine.error().to_string() << "\n", 1;

  std::mt19937 logits(argc > 3 ? static_cast<unsigned>(std::stoul(argv[3])) : 1);
  const size_t width = vocabulary.vocabulary().size();
  std::vector<uint32_t> mask((width + 31) / 32);
  pccsql::Matcher matcher = engine->new_matcher();
  while (!matcher.is_terminated()) {
    if (!matcher.fill_next_token_bitmask(mask.data(), width)) return 1;
    std::vector<pccsql::TokenId> allowed;
    for (pccsql::TokenId id = 0; id < width; ++id) {
      if (mask[id / 32] >> id % 32 & 1) allowed.push_back(id);
    }
    matcher.accept_token(allowed[logits() % allowed.size()]);
  }
  if (matcher.is_refused()) return std::cout << "refused: " << matcher.refusal()->reason << "\n", 0;
  std::cout << *matcher.sql() << "\n";
  for (const auto& use : matcher.uses())
    std::cout << "-- " << use.table << "." << use.column << " " << use.role << "\n";
}
