#include <gtest/gtest.h>

#include "protocol/shapes/server_json.h"
#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

constexpr std::string_view kArn = "arn:aws:dynamodb:us-east-1:000000000000:table/music";

TEST(ResourcePolicyJson, a_policy_is_stored_in_canonical_form) {
  const auto input = parse_body(
      R"({"ResourceArn":")" + std::string(kArn) +
      R"(","ExpectedRevisionId":"7","ConfirmRemoveSelfResourceAccess":true,"Policy":)"
      R"("{ \"Statement\" : {\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":[\"dynamodb:Scan\"],\"Resource\":\"*\"}}"})");
  ASSERT_TRUE(input.has_value());
  const auto request = read_put_resource_policy_json(*input);
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->resource_arn, kArn);
  EXPECT_EQ(request->expected_revision_id, "7");
  EXPECT_TRUE(request->confirm_remove_self_resource_access);
  EXPECT_EQ(request->policy,
            R"({"Version":"2008-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"dynamodb:Scan",)"
            R"("Resource":"*"}]})");
}

TEST(ResourcePolicyJson, members_are_checked_before_the_document) {
  EXPECT_EQ(
      refusal(read_put_resource_policy_json, R"({"ResourceArn":"","ExpectedRevisionId":""})"),
      "3 validation errors detected: Value '' at 'resourceArn' failed to satisfy constraint: Member must have "
      "length greater than or equal to 1; Value null at 'policy' failed to satisfy constraint: Member must not be "
      "null; Value '' at 'expectedRevisionId' failed to satisfy constraint: Member must have length greater than "
      "or equal to 1");
  EXPECT_EQ(
      refusal(read_put_resource_policy_json, R"({"ResourceArn":"a","Policy":")" + std::string(20'481, ' ') + "\"}"),
      "One or more parameter values were invalid: Maximum policy size of 20480 bytes exceeded");
  EXPECT_EQ(refusal(read_put_resource_policy_json, R"({"ResourceArn":"a","Policy":""})"),
            "One or more parameter values were invalid: Invalid policy document: This policy contains invalid Json");
  EXPECT_EQ(refusal(read_put_resource_policy_json, R"({"ResourceArn":"a","Policy":"{}"})"),
            "One or more parameter values were invalid: Invalid policy document: Syntax error at position (1,3)");
}

TEST(ResourcePolicyJson, a_deletion_of_nothing_has_no_revision) {
  std::string out;
  write_delete_resource_policy_json({}, out);
  EXPECT_EQ(out, "{}");
  out.clear();
  write_delete_resource_policy_json({.revision_id = "5"}, out);
  EXPECT_EQ(out, R"({"RevisionId":"5"})");
}

}  // namespace
}  // namespace trestle
