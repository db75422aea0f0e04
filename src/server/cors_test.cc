#include "server/cors.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(Cors, a_preflight_may_use_what_it_asks_for) {
  const HttpHeader headers[] = {
      {"Origin", "whatever"}, {"Access-Control-Request-Headers", "a, b"}, {"Access-Control-Request-Method", "POST"}};
  const auto reply = preflight_reply({.method = "OPTIONS", .headers = headers});
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->headers,
            "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: a, b\r\n"
            "Access-Control-Allow-Methods: POST\r\nAccess-Control-Max-Age: 172800\r\n");
}

TEST(Cors, other_requests_are_no_preflight) {
  const HttpHeader headers[] = {{"Origin", "whatever"}};
  EXPECT_FALSE(preflight_reply({.method = "OPTIONS"}).has_value());
  EXPECT_FALSE(preflight_reply({.method = "POST", .headers = headers}).has_value());
  HttpReply reply;
  add_cors_headers({.method = "POST"}, reply);
  EXPECT_EQ(reply.headers, "");
  add_cors_headers({.method = "POST", .headers = headers}, reply);
  EXPECT_EQ(reply.headers, "Access-Control-Allow-Origin: *\r\n");
}

}  // namespace
}  // namespace trestle
