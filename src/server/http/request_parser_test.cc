#include "server/http/request_parser.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

using Outcome = RequestParser::Outcome;

// Feeds text in pieces of a fixed size, moving the block each time as a growing buffer would.
struct Feed {
  explicit Feed(RequestLimits limits = {}) : limits_(limits), parser(limits_) {}

  Outcome run(std::string_view text, size_t piece) {
    parser.reset();
    held.clear();
    while (!text.empty()) {
      held = held + std::string(text.substr(0, piece));
      text.remove_prefix(std::min(piece, text.size()));
      size_t size = held.size();
      const Outcome outcome = parser.parse(held.data(), size);
      held_max = std::max(held_max, size);
      if (outcome != Outcome::kNeedMore) {
        if (outcome == Outcome::kComplete) parser.view(held.data(), request, headers);
        return outcome;
      }
      held.resize(size);
    }
    return Outcome::kNeedMore;
  }

  RequestLimits limits_;
  RequestParser parser;
  std::string held;
  size_t held_max = 0;
  HttpRequest request;
  std::vector<HttpHeader> headers;
};

constexpr size_t kPieces[] = {1, 2, 3, 7, 64, 100'000};

TEST(RequestParser, a_request_is_the_same_however_it_is_cut) {
  for (const size_t piece : kPieces) {
    Feed feed;
    ASSERT_EQ(
        feed.run("POST /a/b?c=d HTTP/1.1\r\nHost: x\r\nX-Two:  padded \t\r\nX-Empty:\r\nContent-Length: 5\r\n\r\nhello",
                 piece),
        Outcome::kComplete);
    EXPECT_EQ(feed.request.method, "POST");
    EXPECT_EQ(feed.request.path, "/a/b");
    EXPECT_EQ(feed.request.query, "c=d");
    EXPECT_EQ(feed.request.body, "hello");
    ASSERT_EQ(feed.headers.size(), 4u);
    EXPECT_EQ(feed.request.header("HOST"), "x");
    EXPECT_EQ(feed.request.header("x-two"), "padded");
    ASSERT_NE(feed.request.find("x-empty"), nullptr);
    EXPECT_EQ(feed.request.header("x-empty"), "");
    EXPECT_EQ(feed.request.find("x-none"), nullptr);
    EXPECT_TRUE(feed.parser.keep_alive());
  }
}

TEST(RequestParser, chunks_are_joined_and_trailers_ignored) {
  for (const size_t piece : kPieces) {
    Feed feed;
    ASSERT_EQ(feed.run("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "5;ext=1\r\nhello\r\n1\r\n \r\n6\r\nworld!\r\n0\r\nX-Trailer: y\r\n\r\n",
                       piece),
              Outcome::kComplete);
    EXPECT_EQ(feed.request.body, "hello world!");
    EXPECT_EQ(feed.request.find("x-trailer"), nullptr);
    EXPECT_EQ(feed.request.header("host"), "x");
  }
}

TEST(RequestParser, chunk_framing_does_not_pile_up) {
  std::string text = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const size_t head = text.size();
  for (int i = 0; i < 2000; ++i) text += "1\r\nx\r\n";
  Feed feed;
  EXPECT_EQ(feed.run(text, 100), Outcome::kNeedMore);
  EXPECT_LT(feed.held_max, head + 2000 + 100);
}

TEST(RequestParser, bytes_after_a_request_are_not_consumed) {
  Feed feed;
  ASSERT_EQ(feed.run("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n", 1000), Outcome::kComplete);
  EXPECT_EQ(feed.parser.consumed(), 19u);
}

TEST(RequestParser, malformed_requests_are_refused) {
  for (const std::string_view text : {
           "hello there\r\n\r\n",
           "GET / HTTP/1.1\r\nNo colon\r\n\r\n",
           "GET / HTTP/1.1\r\nContent-Length : 5\r\n\r\n",
           "GET /\r\n\r\n",
           "GET / HTTP/2.0\r\n\r\n",
           "GET / HTTP/1.1\r\nX: a\r\n folded\r\n\r\n",
           "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
           "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
           "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
           "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
           "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
           "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
       }) {
    for (const size_t piece : kPieces) EXPECT_EQ(Feed().run(text, piece), Outcome::kMalformed) << text;
  }
}

TEST(RequestParser, a_body_over_the_limit_is_refused_by_its_headers) {
  Feed feed({.body_bytes_max = 10});
  EXPECT_EQ(feed.run("POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n", 1000), Outcome::kBodyTooLarge);
  EXPECT_EQ(feed.run("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123456789", 1000), Outcome::kComplete);
}

TEST(RequestParser, a_chunked_body_is_refused_at_the_chunk_that_crosses_the_limit) {
  Feed feed({.body_bytes_max = 10});
  const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(feed.run(head + "a\r\n0123456789\r\n0\r\n\r\n", 1000), Outcome::kComplete);
  EXPECT_EQ(feed.run(head + "a\r\n0123456789\r\n1\r\nx\r\n", 1000), Outcome::kBodyTooLarge);
}

TEST(RequestParser, headers_over_the_limits_are_refused) {
  Feed by_bytes({.header_bytes_max = 200});
  EXPECT_EQ(by_bytes.run("GET / HTTP/1.1\r\nX: " + std::string(300, 'x') + "\r\n\r\n", 1000),
            Outcome::kHeadersTooLarge);
  EXPECT_EQ(by_bytes.run("GET /" + std::string(300, 'x'), 10), Outcome::kHeadersTooLarge);
  Feed by_count({.headers_max = 3});
  EXPECT_EQ(by_count.run("GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", 1000), Outcome::kComplete);
  EXPECT_EQ(by_count.run("GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\n", 1000), Outcome::kHeadersTooLarge);
}

TEST(RequestParser, connection_lasts_by_version_and_wish) {
  const auto lasts = [](std::string_view text) {
    Feed feed;
    EXPECT_EQ(feed.run(text, 1000), Outcome::kComplete);
    return feed.parser.keep_alive();
  };
  EXPECT_TRUE(lasts("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_FALSE(lasts("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(lasts("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(lasts("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(RequestParser, an_offer_to_upgrade_is_an_ordinary_request) {
  Feed feed;
  EXPECT_EQ(feed.run("POST / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nhi", 1000),
            Outcome::kComplete);
  EXPECT_EQ(feed.request.body, "hi");
}

TEST(RequestParser, the_absolute_form_of_a_target_loses_its_authority) {
  Feed feed;
  EXPECT_EQ(feed.run("GET http://host:80/a?b HTTP/1.1\r\n\r\n", 1000), Outcome::kComplete);
  EXPECT_EQ(feed.request.path, "/a");
  EXPECT_EQ(feed.request.query, "b");
}

TEST(RequestParser, expectations) {
  Feed feed;
  EXPECT_EQ(feed.run("POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n", 1000), Outcome::kNeedMore);
  EXPECT_TRUE(feed.parser.expects_continue());
  EXPECT_EQ(feed.run("POST / HTTP/1.1\r\nExpect: miracles\r\n\r\n", 1000), Outcome::kUnknownExpectation);
}

}  // namespace
}  // namespace trestle
