#include "server/auth/signing.h"

#include <gtest/gtest.h>

#include "server/auth/signing_for_test.h"

namespace trestle {
namespace {

// AWS's published test suite: one key and timestamp (server/auth/signing_for_test.h), one host.
constexpr SigningScope kScope{.date = "20150830", .region = "us-east-1", .service = "service"};
constexpr SigningScope kDynamo{.date = "20150830", .region = "us-east-1", .service = "dynamodb"};

struct Vector {
  const char* name;
  const char* method;
  const char* query;
  std::vector<HttpHeader> headers;
  const char* body;
  const char* signed_headers;
  const char* signature;
};

const Vector kVectors[] = {
    {"get-vanilla",
     "GET",
     "",
     {},
     "",
     "host;x-amz-date",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"post-vanilla",
     "POST",
     "",
     {},
     "",
     "host;x-amz-date",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"get-vanilla-query-order-key-case",
     "GET",
     "Param2=value2&Param1=value1",
     {},
     "",
     "host;x-amz-date",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-header-value-trim",
     "GET",
     "",
     {{"My-Header1", "value1"}, {"My-Header2", "\"a   b   c\""}},
     "",
     "host;my-header1;my-header2;x-amz-date",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
    {"post-x-www-form-urlencoded",
     "POST",
     "",
     {{"Content-Type", "application/x-www-form-urlencoded"}},
     "Param1=value1",
     "content-type;host;x-amz-date",
     "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
};

TEST(Signing, published_vectors) {
  for (const Vector& vector : kVectors) {
    std::vector<HttpHeader> headers{{"Host", "example.amazonaws.com"}, {"X-Amz-Date", kExampleDate}};
    headers.insert(headers.end(), vector.headers.begin(), vector.headers.end());
    const HttpRequest request{.method = vector.method,
                              .path = "/",
                              .query = vector.query,
                              .headers = headers,
                              .body = vector.body,
                              .body_as_sent = vector.body};
    EXPECT_EQ(sign_header(request, kExampleCredential, kScope, kExampleDate),
              std::string("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                          "SignedHeaders=") +
                  vector.signed_headers + ", Signature=" + vector.signature)
        << vector.name;
  }
}

TEST(Signing, get_vanilla_canonical_request_and_string_to_sign) {
  const HttpHeader headers[] = {{"Host", "example.amazonaws.com"}, {"X-Amz-Date", kExampleDate}};
  const HttpRequest request{.method = "GET", .path = "/", .headers = headers};
  const std::string canonical = canonical_request(request, "host;x-amz-date");
  EXPECT_EQ(canonical,
            "GET\n/\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-date\n"
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(string_to_sign(kExampleDate, kScope, canonical),
            "AWS4-HMAC-SHA256\n20150830T123600Z\n20150830/us-east-1/service/aws4_request\n"
            "bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63");
}

// Computed with the Python SDK.
TEST(Signing, a_dynamodb_request_with_a_token_is_signed_as_the_python_sdk_signs_it) {
  const HttpHeader headers[] = {{"Content-Type", "application/x-amz-json-1.0"},
                                {"X-Amz-Target", "DynamoDB_20120810.ListTables"},
                                {"Host", "dynamodb.us-east-1.amazonaws.com"},
                                {"X-Amz-Date", kExampleDate},
                                {"X-Amz-Security-Token", "tok/en+=="}};
  const HttpRequest request{
      .method = "POST", .path = "/", .headers = headers, .body = "{\"Limit\":10}", .body_as_sent = "{\"Limit\":10}"};
  EXPECT_TRUE(sign_header(request, kExampleCredential, kDynamo, kExampleDate)
                  .ends_with("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, "
                             "Signature=a30969335d7cee74657ea78f0d2daf1aceebbe06f7f01f83a71f63e18097ff21"));
}

TEST(Signing, a_presigned_query_is_signed_as_the_python_sdk_signs_it) {
  const HttpHeader headers[] = {{"Host", "dynamodb.us-east-1.amazonaws.com"}};
  const HttpRequest request{.method = "POST", .path = "/", .query = "a=b%20c", .headers = headers};
  Credential temporary = kExampleCredential;
  temporary.session_token = "tok/en+==";
  const std::string query = sign_query(request, temporary, kDynamo, kExampleDate, 60);
  EXPECT_EQ(query_parameter(query, "X-Amz-Security-Token"), "tok/en+==");
  EXPECT_EQ(query_parameter(query, "X-Amz-Signature"),
            "8be0dada78dd399b9fa44ae77d5fdc20c693edf264e09474bb4e488c3ba5f3a5");
}

TEST(Signing, paths_are_normalized_and_encoded) {
  const auto path_of = [](std::string_view path) {
    const std::string canonical = canonical_request({.method = "GET", .path = path}, "");
    return canonical.substr(4, canonical.find('\n', 4) - 4);
  };
  EXPECT_EQ(path_of("/"), "/");
  EXPECT_EQ(path_of("//example//"), "/example/");
  EXPECT_EQ(path_of("/a/./b/../c"), "/a/c");
  EXPECT_EQ(path_of("/../.."), "/");
  EXPECT_EQ(path_of("/a b"), "/a%20b");
}

TEST(Signing, dates_go_both_ways_and_odd_ones_are_refused) {
  EXPECT_EQ(parse_amz_date_ms(kExampleDate), 1'440'938'160'000);
  EXPECT_EQ(format_amz_date(1'440'938'160'000), kExampleDate);
  for (const char* odd : {"", "201", "20150830T123600", "2015083OT123600Z", "20151330T123600Z", "20150830 123600Z"}) {
    EXPECT_EQ(parse_amz_date_ms(odd), std::nullopt) << odd;
  }
}

TEST(Signing, hmac_vectors_of_rfc_4231) {
  std::string hex;
  append_hex(hex, hmac_sha256("Jefe", "what do ya want for nothing?"));
  EXPECT_EQ(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  hex.clear();
  append_hex(hex, hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"));
  EXPECT_EQ(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace
}  // namespace trestle
