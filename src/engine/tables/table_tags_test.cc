#include "engine/tables/table_tags.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

constexpr std::string_view kArn = "arn:aws:dynamodb:eu-west-1:123456789012:table/music";

std::vector<Tag> numbered_tags(int count) {
  std::vector<Tag> tags;
  for (int i = 0; i < count; ++i) tags.push_back({.key = std::to_string(i), .value = "v"});
  return tags;
}

TEST(TableTags, arn_names_its_table) { EXPECT_EQ(*tagged_table_name(kArn, "TagResource", "123456789012"), "music"); }

TEST(TableTags, text_that_is_not_an_arn_is_rejected) {
  EXPECT_EQ(tagged_table_name("not-an-arn", "TagResource", "1").error().message,
            "One or more parameter values were invalid: ARNs must start with 'arn:': not-an-arn");
  EXPECT_EQ(tagged_table_name("arn:aws:s3:r:1:bucket/x", "TagResource", "1").error().message,
            "One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: "
            "arn:aws:s3:r:1:bucket/x");
}

TEST(TableTags, arn_of_anything_but_a_table_is_rejected) {
  EXPECT_EQ(
      tagged_table_name("arn:aws:dynamodb:r:1:table/music/index/x", "TagResource", "1").error().message,
      "One or more parameter values were invalid: Invalid resource arn provided, only table or stream is accepted. "
      "Provided resource arn: arn:aws:dynamodb:r:1:table/music/index/x");
  EXPECT_FALSE(tagged_table_name("arn:aws:dynamodb:r:1:table/ab", "TagResource", "1").has_value());
}

TEST(TableTags, table_of_another_account_is_denied) {
  const auto error = tagged_table_name(kArn, "ListTagsOfResource", "000000000000").error();
  EXPECT_EQ(error.code, ErrorCode::kAccessDenied);
  EXPECT_EQ(
      error.message,
      "User: arn:aws:iam::000000000000:root is not authorized to perform: dynamodb:ListTagsOfResource on resource: "
      "arn:aws:dynamodb:eu-west-1:123456789012:table/music");
}

TEST(TableTags, missing_table_is_reported_with_its_arn_unless_untagging) {
  EXPECT_EQ(tagged_table_not_found(kArn, "TagResource").message,
            "Requested resource not found: ResourcArn: arn:aws:dynamodb:eu-west-1:123456789012:table/music not found");
  EXPECT_EQ(tagged_table_not_found(kArn, "UntagResource").message, "Requested resource not found");
  EXPECT_EQ(tagged_table_not_found(kArn, "UntagResource").code, ErrorCode::kResourceNotFound);
}

TEST(TableTags, added_tag_replaces_the_value_of_its_key) {
  const std::vector<Tag> current = {{"a", "1"}, {"b", "2"}};
  const std::vector<Tag> added = {{"c", "3"}, {"a", "4"}};
  EXPECT_EQ(*add_tags(current, added), (std::vector<Tag>{{"a", "4"}, {"b", "2"}, {"c", "3"}}));
}

TEST(TableTags, empty_list_of_tags_is_rejected) {
  EXPECT_EQ(add_tags({}, {}).error().message, "Atleast one Tag needs to be provided as Input.");
  EXPECT_EQ(remove_tags({}, {}).error().message, "Atleast one Tag Key needs to be provided as Input.");
}

TEST(TableTags, a_table_has_fifty_tags_at_most) {
  EXPECT_TRUE(check_tags(numbered_tags(50)).has_value());
  EXPECT_EQ(check_tags(numbered_tags(51)).error().message,
            "Number of Tags exceed the current limit for the provided ResourceArn");
  const auto current = numbered_tags(50);
  EXPECT_TRUE(add_tags(current, std::vector<Tag>{{"7", "new"}}).has_value());
  EXPECT_FALSE(add_tags(current, std::vector<Tag>{{"x", "new"}}).has_value());
}

TEST(TableTags, duplicate_key_is_rejected) {
  EXPECT_EQ(check_tags(std::vector<Tag>{{"a", "1"}, {"a", "2"}}).error().message,
            "Duplicate Tag Keys provided as input: Duplicate Tag Key found a");
}

TEST(TableTags, keys_and_values_are_plain_text) {
  const auto refusal = [](std::string key, std::string value) {
    const auto checked = check_tags(std::vector<Tag>{{std::move(key), std::move(value)}});
    return checked.has_value() ? std::string() : checked.error().message;
  };
  EXPECT_EQ(refusal("", "v"), "The Tag Key provided is invalid, Key: ");
  EXPECT_EQ(refusal("k!", "v"), "The Tag Key provided is invalid, Key: k!");
  EXPECT_EQ(refusal("k", "a|b"), "The Tag Value provided is invalid, Value: a|b");
  EXPECT_EQ(refusal("aws:k", "v"), "Tag Key cannot be prefixed with aws:, Key: aws:k");
  EXPECT_EQ(refusal("a b_.:/=+-@9\xC3\xA9", ""), "");
  EXPECT_EQ(refusal(std::string(128, 'k'), std::string(256, 'v')), "");
  EXPECT_NE(refusal(std::string(129, 'k'), ""), "");
  EXPECT_NE(refusal("k", std::string(257, 'v')), "");
}

TEST(TableTags, keys_to_remove_are_well_formed) {
  EXPECT_EQ(remove_tags({}, std::vector<std::string>{""}).error().message, "The Tag Key provided is invalid, Key: ");
}

TEST(TableTags, removing_an_absent_key_is_not_an_error) {
  const std::vector<Tag> current = {{"a", "1"}, {"b", "2"}};
  EXPECT_EQ(*remove_tags(current, std::vector<std::string>{"a", "z"}), (std::vector<Tag>{{"b", "2"}}));
}

TEST(TableTags, all_are_listed_at_once) {
  const auto tags = numbered_tags(50);
  EXPECT_EQ(list_tags(tags, std::nullopt)->tags, tags);
  EXPECT_EQ(list_tags(tags, std::nullopt)->next_token, std::nullopt);
  EXPECT_TRUE(list_tags({}, std::nullopt)->tags.empty());
  EXPECT_FALSE(list_tags(tags, "nope").has_value());
}

}  // namespace
}  // namespace trestle
