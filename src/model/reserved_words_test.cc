#include "model/reserved_words.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(ReservedWords, are_known_in_any_case) {
  EXPECT_TRUE(is_reserved_word("NAME"));
  EXPECT_TRUE(is_reserved_word("abOrT"));
  EXPECT_TRUE(is_reserved_word("zone"));
  EXPECT_TRUE(is_reserved_word("LOCALTIMESTAMP"));
}

TEST(ReservedWords, other_names_are_not) {
  EXPECT_FALSE(is_reserved_word(""));
  EXPECT_FALSE(is_reserved_word("pk"));
  EXPECT_FALSE(is_reserved_word("names_"));
  EXPECT_FALSE(is_reserved_word("a_name_longer_than_any_reserved_word"));
}

}  // namespace
}  // namespace trestle
