#include "design/language/string_set.h"

#include <gtest/gtest.h>

#include <random>

#include "design/language/template.h"

namespace trestle::design {
namespace {

// Every string over "ab#" of up to `length` characters.
std::vector<std::string> small_strings(size_t length) {
  std::vector<std::string> all = {""};
  for (size_t from = 0, round = 0; round < length; ++round) {
    const size_t to = all.size();
    for (size_t i = from; i < to; ++i) {
      for (char c : std::string_view("ab#")) all.push_back(all[i] + c);
    }
    from = to;
  }
  return all;
}

StringSet random_set(std::mt19937& random) {
  StringSet set;
  const CharSet ab = chars_of("ab");
  for (unsigned i = 0, parts = 1 + random() % 3; i < parts; ++i) {
    switch (random() % 4) {
      case 0:
        set.then(StringSet::literal(random() % 2 ? "a" : "#"));
        break;
      case 1:
        set.then(StringSet::repeat(ab, random() % 2, 1 + random() % 2));
        break;
      case 2:
        set.then(StringSet::one_of({"a", "ab"}));
        break;
      default:
        set.then(StringSet::repeat(chars_of("ab#"), 1, StringSet::kUnbounded));
    }
  }
  return set;
}

TEST(StringSet, contains_its_strings_and_no_others) {
  const StringSet set = StringSet::literal("A#").then(StringSet::repeat(chars_between('0', '9'), 2, 3));
  EXPECT_TRUE(set.contains("A#12"));
  EXPECT_TRUE(set.contains("A#123"));
  EXPECT_FALSE(set.contains("A#1"));
  EXPECT_FALSE(set.contains("A#1234"));
  EXPECT_FALSE(set.contains("B#12"));
  EXPECT_EQ(set.longest(), 5U);
}

TEST(StringSet, contains_a_string_exactly_if_it_intersects_that_string) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto strings = small_strings(5);
  for (int round = 0; round < 50; ++round) {
    const StringSet set = random_set(random);
    for (const std::string& text : strings)
      ASSERT_EQ(set.contains(text), StringSet::common(set, StringSet::literal(text)).has_value()) << text;
  }
}

TEST(StringSet, common_agrees_with_trying_every_small_string) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto strings = small_strings(7);
  for (int round = 0; round < 150; ++round) {
    const StringSet a = random_set(random);
    const StringSet b = random_set(random);
    const auto common = StringSet::common(a, b);
    bool tried = false;
    for (const std::string& text : strings) tried = tried || (a.contains(text) && b.contains(text));
    ASSERT_EQ(common.has_value(), tried) << (common ? *common : "none");
    if (common) {
      ASSERT_TRUE(a.contains(*common) && b.contains(*common)) << *common;
    }
  }
}

// The number of ways to split `text` into one string of each part.
int splits(const std::vector<StringSet>& parts, size_t index, std::string_view text) {
  if (index == parts.size()) return text.empty() ? 1 : 0;
  int ways = 0;
  for (size_t length = 0; length <= text.size(); ++length) {
    if (parts[index].contains(text.substr(0, length))) ways += splits(parts, index + 1, text.substr(length));
  }
  return ways;
}

TEST(StringSet, ambiguity_agrees_with_trying_every_small_string) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto strings = small_strings(6);
  for (int round = 0; round < 60; ++round) {
    std::vector<StringSet> parts;
    for (unsigned i = 0, count = 2 + random() % 2; i < count; ++i) {
      if (random() % 2)
        parts.push_back(StringSet::literal("#"));
      else
        parts.push_back(StringSet::repeat(random() % 2 ? chars_of("ab") : chars_of("ab#"), 1, 2));
    }
    const auto found = ambiguous_string(parts);
    bool tried = false;
    for (const std::string& text : strings) tried = tried || splits(parts, 0, text) > 1;
    ASSERT_EQ(found.has_value(), tried) << (found ? *found : "none");
    if (found) {
      ASSERT_GT(splits(parts, 0, *found), 1) << *found;
    }
  }
}

}  // namespace
}  // namespace trestle::design
