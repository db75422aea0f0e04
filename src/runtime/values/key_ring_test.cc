#include "runtime/values/key_ring.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "base/base64.h"
#include "base/scratch_folder.h"

namespace trestle::runtime {
namespace {

KeyRing ring_of(const std::string& text) {
  auto ring = KeyRing::parse(text);
  EXPECT_TRUE(ring.has_value()) << ring.error();
  return std::move(*ring);
}

TEST(KeyRing, what_is_sealed_opens) {
  const KeyRing ring = ring_of(KeyRing::make_text());
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  for (size_t length : {0, 1, 15, 16, 17, 1000, 100000}) {
    std::string plain;
    for (size_t i = 0; i < length; ++i) plain.push_back(static_cast<char>(random()));
    const std::string sealed = ring.seal(plain, "t/a/b");
    const auto opened = ring.open(sealed, "t/a/b");
    ASSERT_TRUE(opened.has_value()) << opened.error();
    ASSERT_EQ(*opened, plain) << "seed " << seed;
    if (length > 15) {
      ASSERT_EQ(sealed.find(plain), std::string::npos);
    }
  }
  EXPECT_NE(ring.seal("x", "c"), ring.seal("x", "c"));
}

TEST(KeyRing, nothing_that_was_altered_opens) {
  const KeyRing ring = ring_of(KeyRing::make_text());
  const std::string sealed = ring.seal("secret", "t/a");
  EXPECT_FALSE(ring.open(sealed, "t/b").has_value());
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string other = sealed;
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_FALSE(ring.open(other, "t/a").has_value()) << "byte " << i;
    EXPECT_FALSE(ring.open(sealed.substr(0, i), "t/a").has_value()) << "cut at " << i;
  }
}

TEST(KeyRing, old_keys_open_and_the_newest_seals) {
  const std::string old_text = KeyRing::make_text(), new_text = KeyRing::make_text();
  const std::string sealed = ring_of(old_text).seal("x", "c");
  const KeyRing both = ring_of(new_text + old_text);
  EXPECT_EQ(both.open(sealed, "c").value_or("no"), "x");
  EXPECT_FALSE(ring_of(new_text).open(sealed, "c").has_value());
  EXPECT_EQ(ring_of(new_text).open(both.seal("y", "c"), "c").value_or("no"), "y");
}

TEST(KeyRing, rings_are_read_from_text_and_file) {
  const std::string key = base64_text(std::string(32, 'k'));
  EXPECT_TRUE(KeyRing::parse("a " + key + ",b " + key).has_value());
  EXPECT_TRUE(KeyRing::parse("# old\n\n  a   " + key + " \r\n").has_value());
  for (const std::string& bad : {std::string(), std::string("a"), "a " + key + "x", "a " + base64_text("short"),
                                 "a " + key + "\na " + key, "a b " + key, "é " + key}) {
    const auto ring = KeyRing::parse(bad);
    ASSERT_FALSE(ring.has_value()) << bad;
    EXPECT_EQ(ring.error().find(key), std::string::npos) << "a key is in the message";
  }
  const ScratchFolder folder;
  const std::string path = folder.path() + "/keys";
  EXPECT_FALSE(KeyRing::load(path).has_value());
  std::FILE* file = std::fopen(path.c_str(), "w");
  std::fputs(("a " + key + "\n").c_str(), file);
  std::fclose(file);
  EXPECT_TRUE(KeyRing::load(path).has_value());
}

}  // namespace
}  // namespace trestle::runtime
