// The small operations on tables: names, time to live, tags, limits, endpoints.
#include <gtest/gtest.h>

#include "protocol/shapes/server_json.h"
#include "protocol/tables/describe_endpoints_json.h"
#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

template <class Write, class Response>
std::string written(Write write_json, const Response& response) {
  std::string out;
  write_json(response, out);
  return out;
}

TEST(DescribeTableJson, takes_a_table_name) {
  EXPECT_EQ(read(read_describe_table_json, R"({"TableName":"abc"})")->table_name, "abc");
  EXPECT_EQ(refusal(read_describe_table_json, "{}"),
            "The parameter 'TableName' is required but was not present in the request");
  EXPECT_EQ(
      refusal(read_describe_table_json, R"({"TableName":""})"),
      "2 validation errors detected: Value '' at 'tableName' failed to satisfy constraint: Member must have length "
      "greater than or equal to 3; Value '' at 'tableName' failed to satisfy constraint: Member must satisfy "
      "regular expression pattern: [a-zA-Z0-9_.-]+");
  EXPECT_EQ(refusal(read_describe_table_json, R"({"TableName":[]})"),
            "SerializationException: Unrecognized collection type class java.lang.String");
}

TEST(DeleteTableJson, takes_a_table_name) {
  EXPECT_EQ(read(read_delete_table_json, R"({"TableName":"abc"})")->table_name, "abc");
  EXPECT_NE(refusal(read_delete_table_json, R"({"TableName":"a!"})"), "accepted");
}

TEST(ListTablesJson, limit_and_start_are_optional) {
  const auto none = read(read_list_tables_json, "{}");
  ASSERT_TRUE(none.has_value());
  EXPECT_FALSE(none->limit || none->exclusive_start_table_name);
  const auto both = read(read_list_tables_json, R"({"Limit":100,"ExclusiveStartTableName":"abc"})");
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->limit, 100);
  EXPECT_EQ(both->exclusive_start_table_name, "abc");
}

TEST(ListTablesJson, limit_and_start_have_bounds) {
  EXPECT_EQ(
      refusal(read_list_tables_json, R"({"Limit":0,"ExclusiveStartTableName":"a;"})"),
      "3 validation errors detected: Value 'a;' at 'exclusiveStartTableName' failed to satisfy constraint: Member "
      "must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value 'a;' at 'exclusiveStartTableName' failed to "
      "satisfy constraint: Member must have length greater than or equal to 3; Value '0' at 'limit' failed to "
      "satisfy constraint: Member must have value greater than or equal to 1");
  EXPECT_EQ(refusal(read_list_tables_json, R"({"Limit":101})"),
            "1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: Member must have value "
            "less than or equal to 100");
}

TEST(ListTablesJson, names_and_where_to_go_on) {
  EXPECT_EQ(written(write_list_tables_json, ListTablesResponse{}), R"({"TableNames":[]})");
  EXPECT_EQ(written(write_list_tables_json,
                    ListTablesResponse{.table_names = {"abc", "abd"}, .last_evaluated_table_name = "abd"}),
            R"({"LastEvaluatedTableName":"abd","TableNames":["abc","abd"]})");
}

TEST(UpdateTimeToLiveJson, specification_is_required_whole) {
  const auto request = read(read_update_time_to_live_json,
                            R"({"TableName":"abc","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}})");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->attribute_name, "ttl");
  EXPECT_TRUE(request->enabled);
  EXPECT_EQ(refusal(read_update_time_to_live_json, R"({"TableName":"abc"})"),
            "1 validation error detected: Value null at 'timeToLiveSpecification' failed to satisfy constraint: Member "
            "must not be null");
  EXPECT_EQ(refusal(read_update_time_to_live_json, R"({"TableName":"abc","TimeToLiveSpecification":{}})"),
            "2 validation errors detected: Value null at 'timeToLiveSpecification.attributeName' failed to satisfy "
            "constraint: Member must not be null; Value null at 'timeToLiveSpecification.enabled' failed to satisfy "
            "constraint: Member must not be null");
  EXPECT_EQ(refusal(read_update_time_to_live_json,
                    R"({"TableName":"abc","TimeToLiveSpecification":{"AttributeName":"","Enabled":true}})"),
            "1 validation error detected: Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy "
            "constraint: Member must have length greater than or equal to 1");
}

TEST(UpdateTimeToLiveJson, answer_repeats_the_specification) {
  EXPECT_EQ(written(write_update_time_to_live_json, UpdateTimeToLiveResponse{.attribute_name = "ttl", .enabled = true}),
            R"({"TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}})");
}

TEST(DescribeTimeToLiveJson, is_enabled_with_an_attribute_or_disabled) {
  EXPECT_EQ(written(write_describe_time_to_live_json, DescribeTimeToLiveResponse{.attribute_name = "ttl"}),
            R"({"TimeToLiveDescription":{"AttributeName":"ttl","TimeToLiveStatus":"ENABLED"}})");
  EXPECT_EQ(written(write_describe_time_to_live_json, DescribeTimeToLiveResponse{}),
            R"({"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}})");
}

TEST(TagResourceJson, takes_an_arn_and_tags) {
  const auto request = read(read_tag_resource_json, R"({"ResourceArn":"x","Tags":[{"Key":"k","Value":"v"}]})");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->resource_arn, "x");
  EXPECT_EQ(request->tags, (std::vector<Tag>{{"k", "v"}}));
  EXPECT_EQ(refusal(read_tag_resource_json, "{}"), "Invalid TableArn");
  EXPECT_EQ(refusal(read_tag_resource_json, R"({"ResourceArn":"x"})"),
            "1 validation error detected: Value null at 'tags' failed to satisfy constraint: Member must not be null");
  EXPECT_EQ(written(write_tag_resource_json, TagResourceResponse{}), "");
}

TEST(UntagResourceJson, takes_an_arn_and_keys) {
  const auto request = read(read_untag_resource_json, R"({"ResourceArn":"x","TagKeys":["k"]})");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->tag_keys, (std::vector<std::string>{"k"}));
  EXPECT_EQ(
      refusal(read_untag_resource_json, R"({"ResourceArn":"x"})"),
      "1 validation error detected: Value null at 'tagKeys' failed to satisfy constraint: Member must not be null");
  EXPECT_EQ(written(write_untag_resource_json, UntagResourceResponse{}), "");
}

TEST(ListTagsOfResourceJson, tags_and_where_to_go_on) {
  EXPECT_EQ(read(read_list_tags_of_resource_json, R"({"ResourceArn":"x","NextToken":"t"})")->next_token, "t");
  EXPECT_EQ(refusal(read_list_tags_of_resource_json, "{}"), "Invalid TableArn");
  EXPECT_EQ(
      written(write_list_tags_of_resource_json, ListTagsOfResourceResponse{.tags = {{"k", "v"}}, .next_token = "k"}),
      R"({"NextToken":"k","Tags":[{"Key":"k","Value":"v"}]})");
}

TEST(DescribeLimitsJson, has_four_numbers) {
  EXPECT_TRUE(read(read_describe_limits_json, "{}").has_value());
  EXPECT_EQ(written(write_describe_limits_json, DescribeLimitsResponse{}),
            R"({"AccountMaxReadCapacityUnits":80000,"AccountMaxWriteCapacityUnits":80000,)"
            R"("TableMaxReadCapacityUnits":40000,"TableMaxWriteCapacityUnits":40000})");
}

TEST(DescribeEndpointsJson, has_the_servers_address) {
  EXPECT_EQ(written(write_describe_endpoints_json, std::string_view("localhost:8000")),
            R"({"Endpoints":[{"Address":"localhost:8000","CachePeriodInMinutes":1440}]})");
}

}  // namespace
}  // namespace trestle
