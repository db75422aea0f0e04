#include "server/auth/sigv4.h"

#include <gtest/gtest.h>

#include "base/ascii.h"
#include "server/auth/signing_for_test.h"

namespace trestle {
namespace {

constexpr int64_t kSignedMs = 1'440'938'160'000;  // 20150830T123600Z
constexpr std::string_view kMismatch =
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key "
    "and signing method. Consult the service documentation for details.";

std::string authorization_for(std::string_view signed_headers, std::string_view signature,
                              std::string_view service = "dynamodb") {
  return "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/" + std::string(service) +
         "/aws4_request, SignedHeaders=" + std::string(signed_headers) + ", Signature=" + std::string(signature);
}

// A correctly signed request that a test may alter, and the verifier that checks it.
class SigV4 : public testing::Test {
 protected:
  SigV4() { sign(); }

  void sign() {
    remove("authorization");
    update();
    request_.query = query_;
    authorization_ = sign_header(request_, kExampleCredential, {"20150830", "us-east-1", "dynamodb"}, kExampleDate);
    headers_.push_back({"Authorization", authorization_});
    update();
  }
  void presign(int64_t expires_seconds) {
    headers_ = {{"Host", "example.com"}};
    request_.query = {};
    update();
    query_ =
        sign_query(request_, kExampleCredential, {"20150830", "us-east-1", "dynamodb"}, kExampleDate, expires_seconds);
  }
  void remove(std::string_view name) {
    std::erase_if(headers_, [&](const HttpHeader& h) { return equals_ignoring_case(h.name, name); });
  }
  void set(std::string_view name, std::string_view value) {
    remove(name);
    headers_.push_back({name, value});
  }
  void set_authorization(std::string value) {
    authorization_ = std::move(value);
    set("Authorization", authorization_);
  }
  void replace_in_query(std::string_view from, std::string_view to) {
    query_.replace(query_.find(from), from.size(), to);
  }
  void update() { request_.headers = headers_; }

  AuthResult check() {
    update();
    request_.query = query_;
    return verify(request_, {.credentials = credentials_ ? &*credentials_ : nullptr, .clock = clock_, .keys = keys_});
  }
  void expect_refusal(std::string_view type, std::string_view message) {
    const AuthResult result = check();
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().status, 400);
    EXPECT_EQ(result.error().type, "com.amazon.coral.service#" + std::string(type));
    EXPECT_EQ(result.error().message, message);
  }

  std::vector<HttpHeader> headers_{{"Host", "example.com"}, {"X-Amz-Date", kExampleDate}, {"X-Amz-Target", "A.B"}};
  std::string authorization_;
  std::string query_;
  HttpRequest request_{.method = "POST", .path = "/", .body = "{}", .body_as_sent = "{}"};
  ManualClock clock_{kSignedMs};
  SigningKeyCache keys_;
  std::optional<Credentials> credentials_ =
      Credentials::parse("AKIDEXAMPLE wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\n").value();
};

TEST_F(SigV4, a_signed_request_names_its_caller) {
  const AuthResult result = check();
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->access_key_id, "AKIDEXAMPLE");
  EXPECT_EQ(result->region, "us-east-1");
  EXPECT_TRUE(result->verified);
}

TEST_F(SigV4, a_second_request_uses_the_cached_key_and_still_checks) {
  ASSERT_TRUE(check().has_value());
  ASSERT_TRUE(check().has_value());
  request_.body_as_sent = "{ }";
  expect_refusal("InvalidSignatureException", kMismatch);
}

TEST_F(SigV4, commas_alone_may_part_the_authorization_header) {
  std::string packed = authorization_;
  for (size_t at = packed.find(", "); at != packed.npos; at = packed.find(", ")) packed.erase(at + 1, 1);
  set_authorization(packed);
  EXPECT_TRUE(check().has_value());
}

TEST_F(SigV4, a_request_without_a_signature_is_refused) {
  remove("authorization");
  expect_refusal("MissingAuthenticationTokenException", "Request is missing Authentication Token");
  set_authorization("AWS4");
  expect_refusal("MissingAuthenticationTokenException", "Request is missing Authentication Token");
  set_authorization("Basic dXNlcjpwYXNz");
  expect_refusal("MissingAuthenticationTokenException", "Request is missing Authentication Token");
}

TEST_F(SigV4, header_and_query_together_are_refused) {
  query_ = "X-Amz-Algorithm=a";
  expect_refusal("InvalidSignatureException",
                 "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
}

TEST_F(SigV4, every_missing_part_of_the_header_is_listed) {
  remove("x-amz-date");
  set_authorization("AWS4-");
  expect_refusal("IncompleteSignatureException",
                 "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' "
                 "parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires "
                 "existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-");
}

TEST_F(SigV4, every_missing_part_of_the_query_is_listed) {
  remove("authorization");
  query_ = "X-Amz-Algorithm";
  expect_refusal("IncompleteSignatureException",
                 "AWS query-string parameters must include 'X-Amz-Algorithm'. AWS query-string parameters must include "
                 "'X-Amz-Credential'. AWS query-string parameters must include 'X-Amz-Signature'. AWS query-string "
                 "parameters must include 'X-Amz-SignedHeaders'. AWS query-string parameters must include "
                 "'X-Amz-Date'. Re-examine the query-string parameters.");
}

TEST_F(SigV4, a_date_in_another_form_is_refused) {
  set("X-Amz-Date", "201");
  expect_refusal("IncompleteSignatureException",
                 "Date must be in ISO-8601 'basic format'. Got '201'. See http://en.wikipedia.org/wiki/ISO_8601");
}

TEST_F(SigV4, a_date_header_in_http_form_is_accepted_as_the_signing_time) {
  headers_ = {{"Host", "example.com"}, {"Date", "Sun, 30 Aug 2015 12:36:00 GMT"}};
  sign();
  EXPECT_TRUE(check().has_value());
}

TEST_F(SigV4, fifteen_minutes_late_is_in_time_and_a_second_more_is_not) {
  clock_.advance_ms(15 * 60 * 1000);
  EXPECT_TRUE(check().has_value());
  clock_.advance_ms(1000);
  expect_refusal(
      "InvalidSignatureException",
      "Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z (20150830T125101Z - 15 min.)");
}

TEST_F(SigV4, fifteen_minutes_early_is_in_time_and_a_second_more_is_not) {
  clock_.advance_ms(-15 * 60 * 1000);
  EXPECT_TRUE(check().has_value());
  clock_.advance_ms(-1000);
  expect_refusal(
      "InvalidSignatureException",
      "Signature not yet current: 20150830T123600Z is still later than 20150830T123559Z (20150830T122059Z + 15 min.)");
}

TEST_F(SigV4, host_must_be_signed) {
  set_authorization(authorization_for("x-amz-date", "00"));
  expect_refusal("InvalidSignatureException",
                 "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
}

TEST_F(SigV4, every_x_amz_header_must_be_signed) {
  set_authorization(authorization_for("host;x-amz-date", "00"));
  expect_refusal("InvalidSignatureException", "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.");
  sign();
  set("x-amz-security-token", "added later");
  expect_refusal("InvalidSignatureException",
                 "'x-amz-security-token' must be a 'SignedHeader' in the AWS Authorization.");
  remove("x-amz-security-token");
  set("X-Amz-User-Agent", "some SDKs do not sign it");
  set("X-Amzn-Trace-Id", "a proxy adds it");
  EXPECT_TRUE(check().has_value());
}

TEST_F(SigV4, a_presigned_request_must_sign_its_x_amz_headers_too) {
  presign(60);
  headers_.push_back({"X-Amz-Target", "DynamoDB_20120810.DeleteTable"});
  expect_refusal("InvalidSignatureException", "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.");
}

TEST_F(SigV4, another_algorithm_is_refused) {
  set_authorization("AWS4-HMAC-SHA25 Credential=a/b/c/d/e, SignedHeaders=host, Signature=00");
  expect_refusal("IncompleteSignatureException",
                 "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ");
}

TEST_F(SigV4, a_credential_has_five_parts) {
  set_authorization("AWS4-HMAC-SHA256 Credential=a/b/c/d, SignedHeaders=host, Signature=00");
  expect_refusal("IncompleteSignatureException",
                 "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got "
                 "'a/b/c/d'");
  set_authorization("AWS4-HMAC-SHA256 Credential=a/b/c/d/e/f, SignedHeaders=host, Signature=00");
  expect_refusal("IncompleteSignatureException",
                 "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got "
                 "'a/b/c/d/e/f'");
}

TEST_F(SigV4, every_wrong_part_of_the_scope_is_listed) {
  set_authorization("AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=00");
  update();
  const AuthResult result =
      verify(request_, {.credentials = &*credentials_, .clock = clock_, .keys = keys_, .region = "us-east-1"});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message,
            "Credential should be scoped to a valid region, not 'c'. Credential should be scoped to correct service: "
            "'dynamodb'. Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. Date in "
            "Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: 'b' != '20150830', from "
            "'20150830T123600Z'.");
}

TEST_F(SigV4, an_unknown_access_key_is_refused) {
  credentials_ = Credentials::parse("OTHER secret").value();
  expect_refusal("UnrecognizedClientException", "The security token included in the request is invalid.");
}

TEST_F(SigV4, a_wrong_secret_is_refused) {
  credentials_ = Credentials::parse("AKIDEXAMPLE another").value();
  expect_refusal("InvalidSignatureException", kMismatch);
}

TEST_F(SigV4, a_changed_body_header_path_or_query_is_refused) {
  request_.path = "/x";
  expect_refusal("InvalidSignatureException", kMismatch);
  request_.path = "/";
  query_ = "a=b";
  expect_refusal("InvalidSignatureException", kMismatch);
  query_.clear();
  set("X-Amz-Target", "A.C");
  expect_refusal("InvalidSignatureException", kMismatch);
  set("X-Amz-Target", "A.B");
  request_.body_as_sent = "{} ";
  expect_refusal("InvalidSignatureException", kMismatch);
  request_.body_as_sent = "{}";
  EXPECT_TRUE(check().has_value());
}

TEST_F(SigV4, a_cut_signature_is_refused) {
  set_authorization(authorization_.substr(0, authorization_.size() - 1));
  expect_refusal("InvalidSignatureException", kMismatch);
}

TEST_F(SigV4, temporary_credentials_need_their_token) {
  credentials_ = Credentials::parse(
                     "[temporary]\naws_access_key_id=AKIDEXAMPLE\n"
                     "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\naws_session_token=tok/en+==\n")
                     .value();
  expect_refusal("UnrecognizedClientException", "The security token included in the request is invalid.");
  set("X-Amz-Security-Token", "other");
  sign();
  expect_refusal("UnrecognizedClientException", "The security token included in the request is invalid.");
  set("X-Amz-Security-Token", "tok/en+==");
  sign();
  EXPECT_TRUE(check().has_value());
}

TEST_F(SigV4, a_presigned_request_is_accepted_until_it_expires) {
  presign(60);
  ASSERT_TRUE(check().has_value()) << check().error().message;
  clock_.advance_ms(60'000);
  EXPECT_TRUE(check().has_value());
  clock_.advance_ms(1000);
  expect_refusal(
      "InvalidSignatureException",
      "Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z (20150830T123701Z - 1 min.)");
}

TEST_F(SigV4, a_presigned_request_cannot_extend_its_own_life) {
  presign(60);
  replace_in_query("X-Amz-Expires=60", "X-Amz-Expires=90");
  expect_refusal("InvalidSignatureException", kMismatch);
  replace_in_query("X-Amz-Expires=90", "X-Amz-Expires=1e9");
  expect_refusal("InvalidSignatureException", "X-Amz-Expires must be between 0 and 604800 seconds, got '1e9'.");
}

TEST_F(SigV4, without_credentials_any_signature_will_do_but_there_must_be_one) {
  credentials_.reset();
  set_authorization(
      "AWS4-HMAC-SHA256 Credential=anyone/20150830/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, "
      "Signature=00");
  const AuthResult result = check();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->access_key_id, "anyone");
  EXPECT_EQ(result->region, "eu-west-1");
  EXPECT_FALSE(result->verified);
  remove("authorization");
  expect_refusal("MissingAuthenticationTokenException", "Request is missing Authentication Token");
}

}  // namespace
}  // namespace trestle
