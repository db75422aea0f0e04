#include "http/response.h"

#include <gtest/gtest.h>

namespace trestle::http {
namespace {

constexpr std::string_view kPlain =
    "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\ncontent-length:  7 \r\nDate: now\r\n\r\n{\"a\":1}";
constexpr std::string_view kChunked =
    "HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n";

TEST(Response, whole_response_is_read_in_place) {
  ResponseReader reader;
  ASSERT_EQ(reader.feed(kPlain), ResponseState::kComplete);
  EXPECT_EQ(reader.response().status, 200);
  EXPECT_EQ(reader.response().body, "{\"a\":1}");
  EXPECT_EQ(reader.response().body.data(), kPlain.data() + kPlain.size() - 7);
  EXPECT_FALSE(reader.response().closes_connection);
}

TEST(Response, split_anywhere_it_reads_the_same) {
  for (const std::string_view text : {kPlain, kChunked}) {
    for (size_t cut = 1; cut < text.size(); ++cut) {
      ResponseReader reader;
      ASSERT_EQ(reader.feed(text.substr(0, cut)), ResponseState::kIncomplete) << cut;
      ASSERT_EQ(reader.feed(text.substr(cut)), ResponseState::kComplete) << cut;
      EXPECT_EQ(reader.response().body, "{\"a\":1}") << cut;
    }
  }
}

TEST(Response, byte_by_byte_it_reads_the_same) {
  ResponseReader reader;
  for (size_t i = 0; i + 1 < kChunked.size(); ++i) {
    ASSERT_EQ(reader.feed(kChunked.substr(i, 1)), ResponseState::kIncomplete) << i;
  }
  ASSERT_EQ(reader.feed(kChunked.substr(kChunked.size() - 1)), ResponseState::kComplete);
  EXPECT_EQ(reader.response().status, 400);
  EXPECT_EQ(reader.response().body, "{\"a\":1}");
}

TEST(Response, one_reader_reads_many_responses) {
  ResponseReader reader;
  ASSERT_EQ(reader.feed(kChunked), ResponseState::kComplete);
  ASSERT_EQ(reader.feed(kPlain.substr(0, 30)), ResponseState::kIncomplete);
  ASSERT_EQ(reader.feed(kPlain.substr(30)), ResponseState::kComplete);
  EXPECT_EQ(reader.response().status, 200);
  ASSERT_EQ(reader.feed("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n"),
            ResponseState::kComplete);
  EXPECT_EQ(reader.response().status, 500);
  EXPECT_TRUE(reader.response().body.empty());
  EXPECT_TRUE(reader.response().closes_connection);
}

TEST(Response, reset_forgets_half_a_response) {
  ResponseReader reader;
  ASSERT_EQ(reader.feed(kPlain.substr(0, 40)), ResponseState::kIncomplete);
  reader.reset();
  EXPECT_EQ(reader.feed(kPlain), ResponseState::kComplete);
}

TEST(Response, a_response_with_invalid_framing_is_malformed) {
  for (const std::string_view text :
       {"SSH-2.0\r\n\r\n", "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabcd\r\n"}) {
    ResponseReader reader;
    EXPECT_EQ(reader.feed(text), ResponseState::kMalformed) << text;
  }
}

TEST(Response, checksum_and_the_date_of_an_error_are_read) {
  ResponseReader reader;
  ASSERT_EQ(reader.feed("HTTP/1.1 400 Bad Request\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nX-Amz-Crc32: 4294967295\r\n"
                        "Content-Length: 0\r\n\r\n"),
            ResponseState::kComplete);
  EXPECT_EQ(reader.response().date, 784'111'777);
  EXPECT_EQ(reader.response().crc32, 4'294'967'295u);
  ASSERT_EQ(reader.feed(kPlain), ResponseState::kComplete);
  EXPECT_FALSE(reader.response().date.has_value());
  EXPECT_FALSE(reader.response().crc32.has_value());
}

TEST(Response, more_than_was_asked_for_is_malformed) {
  for (const std::string_view text : {kPlain, kChunked}) {
    ResponseReader small(text.size() - 1);
    EXPECT_EQ(small.feed(text), ResponseState::kMalformed);
    ResponseReader in_pieces(text.size() - 1);
    EXPECT_EQ(in_pieces.feed(text.substr(0, 20)), ResponseState::kIncomplete);
    EXPECT_EQ(in_pieces.feed(text.substr(20)), ResponseState::kMalformed);
    ResponseReader enough(text.size());
    EXPECT_EQ(enough.feed(text), ResponseState::kComplete);
  }
}

}  // namespace
}  // namespace trestle::http
