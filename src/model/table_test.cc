#include "model/table.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(Table, arn_names_region_account_and_table) {
  EXPECT_EQ(table_arn("eu-west-1", "000000000000", "music"), "arn:aws:dynamodb:eu-west-1:000000000000:table/music");
}

TEST(Table, bare_name_is_its_own_name) {
  EXPECT_EQ(table_name_of("music"), "music");
  EXPECT_EQ(table_name_of("a_B.9-"), "a_B.9-");
}

TEST(Table, name_is_found_in_an_arn_of_any_region_and_partition) {
  EXPECT_EQ(table_name_of("arn:aws:dynamodb:eu-west-1:000000000000:table/music"), "music");
  EXPECT_EQ(table_name_of("arn:aws-cn:dynamodb:cn-north-1:1:table/a.b"), "a.b");
}

TEST(Table, text_that_is_neither_name_nor_arn_has_no_name) {
  for (const auto* text : {"", "a b", "music!", "arn:aws:dynamodb:r:1:table/", "arn:aws:dynamodb:r:1:table/a/index/b",
                           "arn:aws:dynamodb:r:x:table/music", "arn:aws:s3:r:1:table/music", "arn:aws:dynamodb:r:1",
                           "arn:aws:dynamodb::1:table/music", "arn:aws:dynamodb:r:1:global-table/music"}) {
    EXPECT_EQ(table_name_of(text), std::nullopt) << text;
  }
  EXPECT_EQ(table_name_of(std::string(256, 'a')), std::nullopt);
}

}  // namespace
}  // namespace trestle
