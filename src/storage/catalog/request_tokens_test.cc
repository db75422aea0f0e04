#include "storage/catalog/request_tokens.h"

#include <gtest/gtest.h>

#include "base/hex_for_test.h"
#include "storage/store_for_test.h"

namespace trestle {
namespace {

void commit_token(Store& store, std::string_view token, int64_t time_ms, std::string_view request) {
  Batch batch(store);
  put_token(batch, token, {.time_ms = time_ms, .fingerprint = fingerprint_of(request), .read_units = {}});
  ASSERT_TRUE(store.commit(batch).has_value());
}

std::vector<std::string> keys_of(const Store& store) {
  std::vector<std::string> keys;
  const auto cursor = store.cursor(Space::kTokens, {.range = {.begin = "", .end = "\xFF"}}, nullptr);
  for (; cursor->valid(); cursor->next()) keys.emplace_back(cursor->key());
  return keys;
}

size_t trim(Store& store, int64_t now_ms) {
  const auto expired = expired_tokens(store, now_ms, 100);
  EXPECT_TRUE(expired.has_value());
  Batch batch(store);
  for (const ExpiredToken& token : *expired) EXPECT_TRUE(erase_token(store, token, batch).has_value());
  EXPECT_TRUE(store.commit(batch).has_value());
  return expired->size();
}

// The vectors of docs/formats.md.
TEST(RequestTokens, bytes_are_as_documented) {
  auto store = open_store({.in_memory = true});
  commit_token(*store, "abc", 1'700'000'000'000, "request");
  const auto keys = keys_of(*store);
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(hex(keys[0]), "6b616263");
  EXPECT_EQ(hex(keys[1]), "740000018bcfe56800616263");
  PinnedBytes value;
  ASSERT_TRUE(store->get(Space::kTokens, keys[0], value).value());
  EXPECT_EQ(hex(value.view()), "0000018bcfe56800a1f53fbdcf2b52e5e034181702055f05");
}

TEST(RequestTokens, read_units_follow_the_fingerprint) {
  auto store = open_store({.in_memory = true});
  Batch batch(*store);
  put_token(batch, "abc",
            {.time_ms = 1'700'000'000'000, .fingerprint = fingerprint_of("request"), .read_units = {3, 1}});
  ASSERT_TRUE(store->commit(batch).has_value());
  PinnedBytes value;
  ASSERT_TRUE(store->get(Space::kTokens, "kabc", value).value());
  EXPECT_EQ(hex(value.view()), "0000018bcfe56800a1f53fbdcf2b52e5e034181702055f050000000300000001");
  const auto found = find_token(*store, "abc", 1'700'000'000'000);
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_EQ((*found)->read_units, (std::vector<uint32_t>{3, 1}));
}

TEST(RequestTokens, a_token_is_found_until_ten_minutes_have_passed) {
  auto store = open_store({.in_memory = true});
  commit_token(*store, "abc", 1000, "request");
  const auto found = find_token(*store, "abc", 1000 + kRequestTokenLifeMs - 1);
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_EQ((*found)->fingerprint, fingerprint_of("request"));
  EXPECT_FALSE(find_token(*store, "abc", 1000 + kRequestTokenLifeMs)->has_value());
  EXPECT_FALSE(find_token(*store, "ab", 1000)->has_value());
}

TEST(RequestTokens, trimming_removes_exactly_the_expired_tokens) {
  auto store = open_store({.in_memory = true});
  commit_token(*store, "old", 1000, "a");
  commit_token(*store, "young", 2000, "b");
  EXPECT_EQ(trim(*store, 999 + kRequestTokenLifeMs), 0u);
  EXPECT_EQ(trim(*store, 1000 + kRequestTokenLifeMs), 1u);
  EXPECT_EQ(keys_of(*store).size(), 2u);
  EXPECT_TRUE(find_token(*store, "young", 2000)->has_value());
}

TEST(RequestTokens, a_reused_token_survives_the_trimming_of_its_first_use) {
  auto store = open_store({.in_memory = true});
  commit_token(*store, "abc", 1000, "a");
  commit_token(*store, "abc", 1000 + kRequestTokenLifeMs, "b");
  EXPECT_EQ(trim(*store, 1000 + kRequestTokenLifeMs), 1u);
  const auto found = find_token(*store, "abc", 1000 + kRequestTokenLifeMs);
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_EQ((*found)->fingerprint, fingerprint_of("b"));
  EXPECT_EQ(keys_of(*store).size(), 2u);
}

}  // namespace
}  // namespace trestle
