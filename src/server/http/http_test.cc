#include "server/http/http.h"

#include <gtest/gtest.h>

#include "server/http/reply_bytes.h"

namespace trestle {
namespace {

class CountingPort final : public ReplyPort {
 public:
  void deliver(uint64_t, HttpReply reply) override { statuses.push_back(reply.status); }
  std::vector<int> statuses;
};

TEST(Http, a_handle_answers_exactly_once) {
  const auto port = std::make_shared<CountingPort>();
  {
    ReplyHandle handle(port, 1);
    ReplyHandle moved = std::move(handle);
    EXPECT_TRUE(handle.answered());
    moved.send({.status = 200});
    EXPECT_TRUE(moved.answered());
  }
  EXPECT_EQ(port->statuses, std::vector{200});
}

TEST(Http, a_handle_dropped_or_overwritten_answers_500) {
  const auto port = std::make_shared<CountingPort>();
  {
    ReplyHandle handle(port, 1);
    handle = ReplyHandle(port, 2);
    EXPECT_EQ(port->statuses, std::vector{500});
  }
  EXPECT_EQ(port->statuses, (std::vector{500, 500}));
}

TEST(Http, a_header_value_cannot_bring_its_own_lines) {
  HttpReply reply;
  reply.add_header("X", "a\r\nSet-Cookie: b");
  EXPECT_EQ(reply.headers, "X: a  Set-Cookie: b\r\n");
}

TEST(Http, a_reply_head_is_framed) {
  HttpReply reply{.status = 400, .content_type = "text/plain", .body = "hello", .crc32 = true};
  reply.add_header("X-A", "b");
  std::string out;
  append_reply_head(out, reply, {.date_line = "Date: now\r\n"});
  EXPECT_EQ(out,
            "HTTP/1.1 400 Bad Request\r\nDate: now\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
            "x-amz-crc32: 907060870\r\nX-A: b\r\n\r\n");
  out.clear();
  append_reply_head(out, {.status = 204}, {.keep_alive = false});
  EXPECT_EQ(out, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  out.clear();
  append_reply_head(out, {.status = 299}, {});
  EXPECT_EQ(out, "HTTP/1.1 299 Status\r\nContent-Length: 0\r\n\r\n");
}

TEST(Http, dates_have_https_form) {
  EXPECT_TRUE(date_line(784'111'777).ends_with("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
}

}  // namespace
}  // namespace trestle
