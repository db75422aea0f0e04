#include "policy/policy_text.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

constexpr std::string_view kTable = "arn:aws:dynamodb:us-east-1:000000000000:table/music";
const std::string kStream = std::string(kTable) + "/stream/2026-01-31T12:00:00.000";

std::string statement(std::string_view members) {
  return R"({"Version":"2012-10-17","Statement":[{)" + std::string(members) + "}]}";
}

std::string canonical(std::string_view document, std::string_view arn = kTable) {
  const auto text = canonical_resource_policy(document, arn);
  return text.has_value() ? *text : text.error().message;
}

std::string refusal(std::string_view why) {
  return "One or more parameter values were invalid: Invalid policy document: " + std::string(why);
}

constexpr std::string_view kGood =
    R"("Effect":"Allow","Principal":{"AWS":"arn:aws:iam::000000000000:user/u"},"Action":"dynamodb:GetItem","Resource":"*")";

TEST(PolicyText, the_canonical_form_is_dynamodbs) {
  EXPECT_EQ(
      canonical(R"({
      "Statement": {
        "Resource": ["arn:aws:dynamodb:us-east-1:000000000000:table/music"],
        "Action": ["dynamodb:GetItem"],
        "Principal": {"AWS": ["000000000000", "arn:aws:iam::000000000000:root"]},
        "Effect": "allow", "Sid": "One",
        "Condition": {"StringEquals": {"aws:username": ["a"], "aws:userid": ["b", "c"]}, "Bool": {"aws:SecureTransport": true}}
      }})"),
      R"({"Version":"2008-10-17","Statement":[{"Sid":"One","Effect":"Allow",)"
      R"("Principal":{"AWS":"arn:aws:iam::000000000000:root"},"Action":"dynamodb:GetItem",)"
      R"("Resource":"arn:aws:dynamodb:us-east-1:000000000000:table/music",)"
      R"("Condition":{"StringEquals":{"aws:username":"a","aws:userid":["b","c"]},"Bool":{"aws:SecureTransport":"true"}}}]})");
}

TEST(PolicyText, the_canonical_form_is_a_fixed_point) {
  const std::string once = canonical(statement(
      R"("Effect":"Deny","NotPrincipal":{"AWS":["arn:aws:iam::000000000000:user/a","*"],"Service":"s"},)"
      R"("NotAction":["dynamodb:GetItem","dynamodb:Put*"],"NotResource":"*","Condition":{"Null":{"a\"b":"true"}})"));
  ASSERT_TRUE(once.starts_with("{")) << once;
  EXPECT_EQ(canonical(once), once);
}

TEST(PolicyText, policies_that_dynamodb_rejects_are_rejected) {
  EXPECT_EQ(canonical("{not json"), refusal("This policy contains invalid Json"));
  EXPECT_EQ(canonical(""), refusal("This policy contains invalid Json"));
  EXPECT_EQ(canonical(R"({"Version":"2012-10-17","Statement":[]})"),
            refusal("Could not parse the policy: Statement is empty!"));
  EXPECT_EQ(canonical(statement(R"("Effect":"Allow","Principal":{"AWS":"000000000000"},"Action":"dynamodb:GetItem")")),
            refusal("Missing required field Resource"));
  EXPECT_EQ(canonical(statement(R"("Effect":"Allow","Principal":"*","Action":"dynamodb:GetItem","Resource":"*")")),
            "Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure "
            "least-privilege form of access");
  const std::string same = R"({"Sid":"a",)" + std::string(kGood) + "}";
  EXPECT_EQ(canonical(R"({"Statement":[)" + same + "," + same + "]}"),
            refusal("The Statement Ids in the policy are not unique"));
}

TEST(PolicyText, tables_and_streams_have_different_actions) {
  const auto with = [](std::string_view actions, std::string_view resource) {
    return statement(R"("Effect":"Allow","Principal":{"AWS":"000000000000"},"Action":)" + std::string(actions) +
                     R"(,"Resource":")" + std::string(resource) + "\"");
  };
  EXPECT_EQ(canonical(with(R"(["dynamodb:GetRecords","dynamodb:GetItem","dynamodb:DescribeStream"])", "*")),
            refusal(R"(The following action names are invalid: "dynamodb:GetRecords", "dynamodb:DescribeStream")"));
  EXPECT_EQ(canonical(with(R"("dynamodb:GetItem")", "*"), kStream),
            refusal(R"(The following action names are invalid: "dynamodb:GetItem")"));
  EXPECT_EQ(canonical(with(R"("dynamodb:ListStreams")", "*"), kStream),
            refusal(R"(The following action names are invalid: "dynamodb:ListStreams")"));
  EXPECT_EQ(
      canonical(with(R"("dynamodb:GetItem")", kStream)),
      refusal("The relative-id \"table/music/stream/2026-01-31T12:00:00.000\" is invalid for ARN \"" + kStream + "\""));
  EXPECT_EQ(canonical(with(R"("dynamodb:GetRecords")", kTable), kStream),
            refusal("The relative-id \"table/music\" is invalid for ARN \"" + std::string(kTable) + "\""));
  EXPECT_TRUE(canonical(with(R"("dynamodb:GetRecords")", kStream), kStream).starts_with("{"));
  EXPECT_TRUE(canonical(with(R"("dynamodb:Query")", std::string(kTable) + "/index/*")).starts_with("{"));
  EXPECT_TRUE(
      canonical(with(R"("dynamodb:*")", "arn:aws:dynamodb:us-east-1:000000000000:table/other")).starts_with("{"));
}

// A policy that is only partly understood may allow too much.
TEST(PolicyText, unknown_members_are_rejected) {
  const auto refused = [](std::string_view document, PolicyKind kind = PolicyKind::kResource) {
    return !parse_policy(document, kind).has_value();
  };
  ASSERT_FALSE(refused(statement(kGood)));
  const std::string good(kGood);
  EXPECT_TRUE(refused("[]"));
  EXPECT_TRUE(refused("{}"));
  EXPECT_TRUE(refused(R"({"Version":"2020-01-01","Statement":{)" + good + "}}"));
  EXPECT_TRUE(refused(R"({"Statement":{)" + good + R"(},"Extra":1})"));
  EXPECT_TRUE(refused(R"({"Statement":{)" + good + R"(},"Statement":{)" + good + "}}"));
  EXPECT_TRUE(refused(statement(good + R"(,"condition":{})")));
  EXPECT_TRUE(refused(statement(good + R"(,"Effect":"Deny")")));
  EXPECT_TRUE(refused(statement(good + R"(,"NotAction":"dynamodb:*")")));
  EXPECT_TRUE(refused(statement(good + R"(,"NotResource":"*")")));
  EXPECT_TRUE(refused(statement(good + R"(,"NotPrincipal":"*")")));
  EXPECT_TRUE(refused(statement(good + R"(,"Condition":{"StringResembles":{"k":"v"}})")));
  EXPECT_TRUE(refused(statement(good + R"(,"Condition":{"StringEquals":{"k":{"v":1}}})")));
  EXPECT_TRUE(refused(statement(good + R"(,"Condition":{"StringEquals":{"k":[]}})")));
  EXPECT_TRUE(refused(statement(good + R"(,"Condition":{"StringEquals":{"k":null}})")));
  EXPECT_TRUE(refused(statement(good + R"(,"Condition":{"ForAllValues:Null":{"k":"true"}})")));
  EXPECT_TRUE(refused(statement(good + R"(,"Condition":{"StringLike":{"k":"a\u0001b"}})")));
  EXPECT_TRUE(refused(statement(R"("Effect":"Maybe","Principal":"*","Action":"*","Resource":"*")")));
  EXPECT_TRUE(refused(statement(R"("Effect":"Allow","Principal":"000000000000","Action":"*","Resource":"*")")));
  EXPECT_TRUE(refused(statement(R"("Effect":"Allow","Principal":{},"Action":"*","Resource":"*")")));
  EXPECT_TRUE(refused(statement(R"("Effect":"Allow","Principal":{"AWS":"bob"},"Action":"*","Resource":"*")")));
  EXPECT_TRUE(refused(statement(R"("Effect":"Allow","Principal":"*","Action":[],"Resource":"*")")));
  EXPECT_TRUE(refused(statement(R"("Effect":"Allow","Principal":"*","Action":"GetItem","Resource":"*")")));
  EXPECT_TRUE(refused(statement(R"("Effect":"Allow","Principal":"*","Action":"*","Resource":"table/music")")));
  EXPECT_TRUE(
      refused(statement(R"("Effect":"Allow","NotPrincipal":{"AWS":"000000000000"},"Action":"*","Resource":"*")")));
  EXPECT_TRUE(refused(statement(R"("Effect":"Allow","Action":"*","Resource":"*")")));
  EXPECT_TRUE(refused(statement(kGood), PolicyKind::kIdentity));
  EXPECT_FALSE(refused(statement(R"("Effect":"Allow","Action":"*","Resource":"*")"), PolicyKind::kIdentity));
}

}  // namespace
}  // namespace trestle
