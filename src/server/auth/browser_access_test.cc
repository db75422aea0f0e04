#include "server/auth/browser_access.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

const BrowserAccess kNone;
const BrowserAccess kListed{.origins = {"https://app.example"}, .hosts = {"db.internal"}};
const BrowserAccess kAny{.origins = {"*"}};

std::optional<std::string> refusal(const BrowserAccess& access, std::vector<HttpHeader> headers,
                                   bool verified = false) {
  return access.refusal({.method = "POST", .headers = headers}, verified);
}

TEST(BrowserAccess, loopback_names_and_addresses_are_hosts_of_the_server) {
  for (const char* host : {"localhost", "localhost:8000", "LocalHost:1", "localhost.:8000", "127.0.0.1",
                           "127.0.0.1:8000", "127.8.9.1:80", "[::1]", "[::1]:8000"}) {
    EXPECT_EQ(refusal(kNone, {{"Host", host}}), std::nullopt) << host;
  }
  EXPECT_EQ(refusal(kNone, {}), std::nullopt) << "browsers always send a Host";
}

TEST(BrowserAccess, another_host_is_refused_and_the_refusal_names_the_flag) {
  for (const char* host : {"evil.example:8000", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "128.0.0.1", "[::2]:8000", "[::1", "", "0.0.0.0:8000"}) {
    EXPECT_NE(refusal(kNone, {{"Host", host}}), std::nullopt) << host;
  }
  EXPECT_EQ(refusal(kNone, {{"Host", "db.internal:8000"}}),
            "This server does not answer to the name \"db.internal\"; to allow it, pass --host db.internal.");
  EXPECT_EQ(refusal(kListed, {{"Host", "DB.internal:8000"}}), std::nullopt);
  EXPECT_EQ(refusal(kNone, {{"Host", "db.internal:8000"}}, true), std::nullopt);
}

TEST(BrowserAccess, a_server_for_a_local_network_answers_to_names_that_are_not_in_public_dns) {
  const BrowserAccess open{.hosts = {"db.example.com"}, .local_networks = true};
  for (const char* host : {"dynamodb-local:8000", "db", "my_db:8000", "DB.", "172.17.0.2:8000", "0.0.0.0:8000",
                           "[fd00::2]:8000", "host.docker.internal:8000", "db.default.svc.cluster.local", "db.TEST",
                           "nas.home.arpa", "db.example.com:8000", "localhost:8000"}) {
    EXPECT_EQ(refusal(open, {{"Host", host}}), std::nullopt) << host;
  }
  for (const char* host : {"evil.example:8000", "evil.com", "internal.evil.com", "172.17.0.2.evil.com",
                           "evil.local.com", ".", "", "xlocal.co"}) {
    EXPECT_NE(refusal(open, {{"Host", host}}), std::nullopt) << host;
  }
  EXPECT_NE(refusal(open, {{"Host", "db:8000"}, {"Origin", "http://evil.com"}}), std::nullopt);
}

TEST(BrowserAccess, a_page_of_another_origin_may_not_call_unless_it_is_listed) {
  const auto from = [](const BrowserAccess& access, const char* origin, bool verified = false) {
    return refusal(access, {{"Host", "127.0.0.1:8000"}, {"Origin", origin}}, verified);
  };
  EXPECT_EQ(from(kNone, "http://127.0.0.1:8000"), std::nullopt) << "the explorer";
  for (const char* origin : {"https://app.example", "http://127.0.0.1:3000", "http://localhost:8000", "null", ""}) {
    EXPECT_NE(from(kNone, origin), std::nullopt) << origin;
    EXPECT_NE(from(kNone, origin, true), std::nullopt) << origin;
    EXPECT_EQ(from(kAny, origin), std::nullopt) << origin;
  }
  EXPECT_EQ(from(kNone, "https://app.example"),
            "Pages of the origin \"https://app.example\" may not call this server; to allow them, pass --cors "
            "https://app.example.");
  EXPECT_EQ(from(kListed, "https://app.example"), std::nullopt);
  EXPECT_NE(from(kListed, "https://app.example.org"), std::nullopt);
}

TEST(BrowserAccess, a_preflight_of_a_listed_origin_may_use_what_it_asks_for) {
  const HttpHeader headers[] = {{"Origin", "https://app.example"},
                                {"Access-Control-Request-Headers", "a, b"},
                                {"Access-Control-Request-Method", "POST"}};
  const HttpRequest request{.method = "OPTIONS", .headers = headers};
  const auto reply = preflight_reply(request, kListed, "Date");
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(
      reply->headers,
      "Access-Control-Allow-Origin: https://app.example\r\nVary: Origin\r\nAccess-Control-Expose-Headers: Date\r\n"
      "Access-Control-Allow-Headers: a, b\r\n"
      "Access-Control-Allow-Methods: POST\r\nAccess-Control-Max-Age: 172800\r\n");
  EXPECT_FALSE(preflight_reply(request, kNone, "Date").has_value());
  EXPECT_FALSE(preflight_reply({.method = "POST", .headers = headers}, kListed, "Date").has_value());
}

TEST(BrowserAccess, only_replies_to_listed_origins_may_be_read_by_pages) {
  const HttpHeader headers[] = {{"Origin", "https://app.example"}};
  const auto lines = [&](const BrowserAccess& access, const HttpRequest& request) {
    HttpReply reply;
    add_cors_headers(request, access, "Date", reply);
    return reply.headers;
  };
  EXPECT_EQ(lines(kNone, {.method = "POST", .headers = headers}), "");
  EXPECT_EQ(lines(kAny, {.method = "POST"}), "");
  EXPECT_EQ(lines(kAny, {.method = "POST", .headers = headers}),
            "Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: Date\r\n");
  EXPECT_EQ(
      lines(kListed, {.method = "POST", .headers = headers}),
      "Access-Control-Allow-Origin: https://app.example\r\nVary: Origin\r\nAccess-Control-Expose-Headers: Date\r\n");
}

}  // namespace
}  // namespace trestle
