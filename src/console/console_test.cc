#include "console/console.h"

#include <gtest/gtest.h>

#include <optional>

#include "console/assets.h"
#include "server/http/gzip.h"

namespace trestle::console {
namespace {

class Next final : public HttpHandler {
 public:
  void handle(const HttpRequest&, ReplyHandle reply) override { reply.send({.status = 299}); }
};

class Mailbox final : public ReplyPort {
 public:
  void deliver(uint64_t, HttpReply reply) override { reply_ = std::move(reply); }
  HttpReply take() { return std::move(reply_.value()); }

 private:
  std::optional<HttpReply> reply_;
};

class ConsoleTest : public ::testing::Test {
 protected:
  HttpReply ask(std::string_view method, std::string_view path, std::vector<HttpHeader> headers = {}) {
    auto mailbox = std::make_shared<Mailbox>();
    console_.handle({.method = method, .path = path, .headers = headers}, ReplyHandle(mailbox, 1));
    return mailbox->take();
  }
  static std::string inflated(std::string_view bytes) {
    std::string out;
    EXPECT_EQ(Gzip().inflate(bytes, ContentCoding::kGzip, size_t{8} << 20, out), Gzip::Outcome::kOk);
    return out;
  }

  Next next_;
  Console console_{next_, {.version = "1.2.3", .region = "eu-central-1", .signs = true}};
};

TEST_F(ConsoleTest, other_requests_are_the_next_handlers) {
  EXPECT_EQ(ask("POST", "/").status, 299);
  EXPECT_EQ(ask("GET", "/").status, 299);
  EXPECT_EQ(ask("GET", "/metrics", {{"Accept", "text/html"}}).status, 299);
  EXPECT_EQ(ask("GET", "/consoles").status, 299);
  EXPECT_EQ(ask("POST", "/console/").status, 299);
}

TEST_F(ConsoleTest, a_browser_is_sent_to_the_console) {
  const HttpReply root = ask("GET", "/", {{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}});
  EXPECT_EQ(root.status, 302);
  EXPECT_NE(root.headers.find("Location: /console/\r\n"), std::string::npos);
  EXPECT_NE(root.headers.find("Vary: Accept\r\n"), std::string::npos);
  EXPECT_EQ(ask("GET", "/console").status, 308);
}

TEST_F(ConsoleTest, files_are_served_compressed_or_not) {
  const HttpReply plain = ask("GET", "/console/");
  EXPECT_EQ(plain.status, 200);
  EXPECT_EQ(plain.content_type, "text/html; charset=utf-8");
  EXPECT_NE(plain.body.find("<!doctype html>"), std::string::npos);
  EXPECT_FALSE(plain.encoded);
  const HttpReply compressed = ask("GET", "/console/index.html", {{"Accept-Encoding", "gzip, br"}});
  EXPECT_TRUE(compressed.encoded);
  EXPECT_NE(compressed.headers.find("Content-Encoding: gzip\r\n"), std::string::npos);
  EXPECT_EQ(inflated(compressed.body), plain.body);
  EXPECT_EQ(ask("GET", "/console/app.js").content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(ask("GET", "/console/none.js").status, 404);
  EXPECT_EQ(ask("GET", "/console/../keys").status, 404);
}

TEST_F(ConsoleTest, an_unchanged_file_is_not_sent_again) {
  const std::string etag(embedded_files().front().etag);
  const std::string path = "/console/" + std::string(embedded_files().front().name);
  EXPECT_EQ(ask("GET", path, {{"If-None-Match", etag}}).status, 304);
  EXPECT_EQ(ask("GET", path, {{"If-None-Match", "W/" + etag}}).status, 304);
  EXPECT_EQ(ask("GET", path, {{"If-None-Match", "\"other\""}}).status, 200);
}

TEST_F(ConsoleTest, pages_may_load_only_from_this_server) {
  const HttpReply page = ask("GET", "/console/");
  EXPECT_NE(page.headers.find("default-src 'none'; script-src 'self'; style-src 'self'"), std::string::npos);
  EXPECT_EQ(page.headers.find("unsafe"), std::string::npos);
  EXPECT_EQ(page.body.find("http:"), std::string::npos);
  EXPECT_EQ(page.body.find("https:"), std::string::npos);
}

TEST_F(ConsoleTest, the_files_are_small) {
  size_t bytes = 0;
  for (const EmbeddedFile& file : embedded_files()) bytes += file.gzipped.size();
  EXPECT_LT(bytes, size_t{400} << 10);
}

TEST_F(ConsoleTest, the_server_describes_itself) {
  const HttpReply facts = ask("GET", "/console/server.json");
  EXPECT_EQ(facts.content_type, "application/json");
  EXPECT_NE(facts.body.find("\"version\": \"1.2.3\""), std::string::npos);
  EXPECT_NE(facts.body.find("\"signs\": true"), std::string::npos);
  EXPECT_NE(facts.body.find("\"edits\": false"), std::string::npos);
}

}  // namespace
}  // namespace trestle::console
