#include "http/signature.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace trestle::http {
namespace {

constexpr SignedParts kParts{.host = "127.0.0.1:8000",
                             .path = "/",
                             .date_time = "20150830T123600Z",
                             .target = "DynamoDB_20120810.DescribeTable",
                             .body = R"({"TableName":"t"})"};

Signer example(std::string token = {}) {
  return Signer({.access_key = "AKIDEXAMPLE",
                 .secret_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                 .session_token = std::move(token)},
                "eu-west-1");
}

// The expected signatures were computed with botocore.
TEST(Signature, equals_botocores) {
  EXPECT_EQ(example().sign(kParts), "7b5fd6fa1ead86dbb873debd93fa7147899d8b50570f4c26b1514d753cd62e0b");
}

TEST(Signature, session_token_is_signed) {
  Signer signer = example("TOKEN/+=");
  EXPECT_EQ(signer.signed_headers(), "host;x-amz-date;x-amz-security-token;x-amz-target");
  EXPECT_EQ(signer.sign(kParts), "2d377d2339af46dc13ac2171c4c79e231758a630eeccd9a5a8f68b3a41a703c5");
}

TEST(Signature, another_day_uses_another_key) {
  Signer signer = example();
  const std::string first = signer.sign(kParts);
  SignedParts next_day = kParts;
  next_day.date_time = "20150831T123600Z";
  EXPECT_NE(signer.sign(next_day), first);
  EXPECT_EQ(signer.sign(kParts), first);
}

TEST(Signature, credentials_need_both_halves) {
  setenv("AWS_ACCESS_KEY_ID", "id", 1);
  unsetenv("AWS_SECRET_ACCESS_KEY");
  unsetenv("AWS_SESSION_TOKEN");
  EXPECT_FALSE(credentials_from_environment().has_value());
  setenv("AWS_SECRET_ACCESS_KEY", "", 1);
  EXPECT_FALSE(credentials_from_environment().has_value());
  setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
  const auto credentials = credentials_from_environment();
  ASSERT_TRUE(credentials.has_value());
  EXPECT_EQ(credentials->access_key, "id");
  EXPECT_EQ(credentials->session_token, "");
}

}  // namespace
}  // namespace trestle::http
