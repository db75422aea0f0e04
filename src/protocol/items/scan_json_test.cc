#include "protocol/shapes/server_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

std::string scan(std::string_view members) {
  return refusal(read_scan_json, fmt::format(R"({{"TableName":"music",{}}})", members));
}

TEST(ScanJson, every_member_reaches_the_request) {
  const auto request = read(read_scan_json, R"({"TableName":"music","IndexName":"by-year","Segment":0,"TotalSegments":4,
    "FilterExpression":"a = :v","ExpressionAttributeValues":{":v":{"N":"1"}},"Limit":10,"Select":"COUNT"})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->segment, 0);
  EXPECT_EQ(request->total_segments, 4);
  EXPECT_EQ(request->filter_expression, "a = :v");
  EXPECT_EQ(request->limit, 10);
  EXPECT_EQ(request->select, Select::kCount);
}

TEST(ScanJson, segments_come_in_pairs) {
  EXPECT_EQ(
      scan(R"("Segment":0)"),
      "The TotalSegments parameter is required but was not present in the request when Segment parameter is present");
  EXPECT_EQ(
      scan(R"("TotalSegments":4)"),
      "The Segment parameter is required but was not present in the request when parameter TotalSegments is present");
  EXPECT_EQ(scan(R"("Segment":5,"TotalSegments":5)"),
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less "
            "than TotalSegments: 5");
}

TEST(ScanJson, violations_are_reported_together) {
  EXPECT_EQ(scan(R"("Limit":0)"),
            "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value "
            "greater than or equal to 1");
  EXPECT_EQ(
      refusal(read_scan_json, R"({"TableName":"","TotalSegments":1000001,"Segment":-1})"),
      "3 validation errors detected: Value '1000001' at 'totalSegments' failed to satisfy constraint: Member must "
      "have value less than or equal to 1000000; Value '' at 'tableName' failed to satisfy constraint: Member must "
      "have length greater than or equal to 1; Value '-1' at 'segment' failed to satisfy constraint: Member must "
      "have value greater than or equal to 0");
}

TEST(ScanJson, values_are_refused_in_the_older_wording) {
  EXPECT_EQ(scan(R"("FilterExpression":"a = :v","ExpressionAttributeValues":{":v":{"NS":["1","1"]}})"),
            "ExpressionAttributeValues contains invalid value: Input collection contains duplicates for key :v");
  EXPECT_EQ(scan(R"("ScanFilter":{"a":{"ComparisonOperator":"EQ","AttributeValueList":[{"N":""}]}})"),
            "The parameter cannot be converted to a numeric value");
  EXPECT_EQ(scan(R"("ExpressionAttributeValues":{":v":{"N":"1"}})"),
            "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null");
}

TEST(ScanJson, expressions_and_legacy_parameters_cannot_be_combined) {
  EXPECT_EQ(scan(R"("ScanFilter":{},"ConditionalOperator":"OR","FilterExpression":"a","ProjectionExpression":"b")"),
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
            "{ScanFilter, ConditionalOperator} Expression parameters: {ProjectionExpression, FilterExpression}");
}

TEST(ScanJson, a_conditional_operator_needs_two_conditions) {
  EXPECT_EQ(scan(R"("ScanFilter":{"a":{"ComparisonOperator":"NULL"}},"ConditionalOperator":"AND")"),
            "ConditionalOperator can only be used when Filter or Expected has two or more elements");
  EXPECT_EQ(scan(R"("ConditionalOperator":"AND")"), "ConditionalOperator cannot be used without Filter or Expected");
}

}  // namespace
}  // namespace trestle
