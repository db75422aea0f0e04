#include "server/http/tls.h"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <filesystem>

#include "base/random_id.h"
#include "server/http/listener.h"
#include "server/http/test_certificate.h"
#include "server/http/test_client.h"

namespace trestle {
namespace {

class EchoHandler final : public HttpHandler {
 public:
  void handle(const HttpRequest& request, ReplyHandle reply) override {
    EXPECT_TRUE(request.tls);
    reply.send({.body = std::string(request.body)});
  }
};

// A key and a self-signed certificate, as files.
class TlsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("trestle-tls-" + random_uuid());
    std::filesystem::create_directory(folder_);
    write_pair("server");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  void write_pair(const std::string& name) { write_test_certificate(file(name + ".pem"), file(name + ".key")); }

  std::unique_ptr<Listener> start(SessionOptions session = {}) {
    auto context = TlsContext::load(file("server.pem"), file("server.key"));
    EXPECT_TRUE(context.has_value()) << context.error();
    auto listener = Listener::start(handler_, {.loops = 1, .session = session, .tls = *context});
    return std::move(*listener);
  }

  std::filesystem::path folder_;
  EchoHandler handler_;
};

TEST_F(TlsTest, requests_small_and_large_make_the_round_trip) {
  const auto listener = start();
  TestClient socket(listener->port());
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL* ssl = SSL_new(context);
  SSL_set_fd(ssl, socket.fd());
  ASSERT_EQ(SSL_connect(ssl), 1);
  for (const size_t size : {size_t{5}, size_t{0}, size_t{3'000'000}}) {
    const std::string body(size, 'x');
    const std::string request = "POST / HTTP/1.1\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" + body;
    ASSERT_EQ(SSL_write(ssl, request.data(), static_cast<int>(request.size())), static_cast<int>(request.size()));
    std::string reply;
    char bytes[65536];
    while (reply.find("\r\n\r\n") == reply.npos || reply.size() - reply.find("\r\n\r\n") - 4 < size) {
      const int n = SSL_read(ssl, bytes, sizeof bytes);
      ASSERT_GT(n, 0);
      reply.append(bytes, static_cast<size_t>(n));
    }
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 200 OK\r\n"));
    EXPECT_TRUE(reply.substr(reply.find("\r\n\r\n") + 4) == body);
  }
  SSL_free(ssl);
  SSL_CTX_free(context);
}

TEST_F(TlsTest, a_client_that_speaks_plain_http_is_cut_off) {
  const auto listener = start();
  TestClient client(listener->port());
  client.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 0);
  while (listener->counts().open != 0) std::this_thread::yield();
}

TEST_F(TlsTest, a_handshake_that_never_comes_times_out) {
  const auto listener = start({.header_timeout_ms = 30, .tick_ms = 10});
  TestClient client(listener->port());
  EXPECT_TRUE(client.ended());
}

TEST_F(TlsTest, missing_and_mismatched_files_are_named) {
  write_pair("other");
  EXPECT_NE(TlsContext::load(file("none.pem"), file("server.key")).error().find("none.pem"), std::string::npos);
  EXPECT_NE(TlsContext::load(file("server.pem"), file("none.key")).error().find("none.key"), std::string::npos);
  EXPECT_NE(TlsContext::load(file("server.pem"), file("other.key")).error().find("other.key"), std::string::npos);
}

}  // namespace
}  // namespace trestle
