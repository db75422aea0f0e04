#include "server/http/session.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <functional>
#include <future>
#include <thread>

#include "server/http/listener.h"
#include "server/http/test_client.h"

namespace trestle {
namespace {

class FunctionHandler final : public HttpHandler {
 public:
  std::function<void(const HttpRequest&, ReplyHandle)> answer = [](const HttpRequest& request, ReplyHandle reply) {
    reply.send({.content_type = "text/plain", .body = std::string(request.path) + "|" + std::string(request.body)});
  };
  void handle(const HttpRequest& request, ReplyHandle reply) override { answer(request, std::move(reply)); }
};

// Starts a server with small limits when a test first requests its port.
class SessionTest : public testing::Test {
 protected:
  uint16_t port() {
    if (!listener_) {
      options_.session.tick_ms = 10;
      auto started = Listener::start(handler_, options_);
      EXPECT_TRUE(started.has_value()) << started.error();
      listener_ = std::move(*started);
    }
    return listener_->port();
  }
  static std::string post(std::string_view body, std::string_view extra = "", std::string_view path = "/") {
    return "POST " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n" + std::string(extra) +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
  }

  FunctionHandler handler_;
  ListenerOptions options_{.loops = 2};
  std::unique_ptr<Listener> listener_;
};

TEST_F(SessionTest, a_request_is_answered_and_the_connection_stays) {
  TestClient client(port());
  for (int i = 0; i < 3; ++i) {
    client.send(post("hello"));
    const TestReply reply = client.read_reply();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "/|hello");
    EXPECT_TRUE(reply.has("Content-Type: text/plain\r\n"));
    EXPECT_TRUE(reply.has("\r\nDate: "));
    EXPECT_FALSE(reply.has("Connection: close"));
  }
  EXPECT_EQ(listener_->counts().requests, 3u);
}

TEST_F(SessionTest, a_request_sent_byte_by_byte_is_answered) {
  TestClient client(port());
  for (const char c : post("hello")) ASSERT_TRUE(client.send({&c, 1}));
  EXPECT_EQ(client.read_reply().body, "/|hello");
}

TEST_F(SessionTest, the_handler_sees_the_peer) {
  handler_.answer = [](const HttpRequest& request, ReplyHandle reply) {
    EXPECT_FALSE(request.tls);
    reply.send({.body = std::string(request.peer)});
  };
  TestClient client(port());
  client.send(post(""));
  EXPECT_TRUE(client.read_reply().body.starts_with("127.0.0.1:"));
}

TEST_F(SessionTest, pipelined_requests_are_answered_in_order) {
  TestClient client(port());
  std::string all;
  for (int i = 0; i < 1000; ++i) all += post(std::to_string(i));
  std::thread sender([&] { client.send(all); });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.read_reply().body, "/|" + std::to_string(i));
  sender.join();
}

// The server reads up to 8 times 64 KB in one turn, gathers the small replies, and may go on reading in the same round
// because the socket can be written again. A larger reply must not overtake those that were gathered.
TEST_F(SessionTest, pipelined_replies_of_different_sizes_are_in_order_when_a_slow_reader_goes_on) {
  options_.loops = 1;
  handler_.answer = [](const HttpRequest& request, ReplyHandle reply) {
    std::string body(request.path);
    body.resize(std::strtoul(std::string(request.query).c_str(), nullptr, 10), ' ');
    reply.send({.body = std::move(body)});
  };
  constexpr int kRequests = 200;
  TestClient client(port());
  const std::string padding(60'000, ' ');
  std::string all;
  for (int i = 0; i < kRequests; ++i) {
    const int reply_bytes = i % 50 == 0 ? 8'000'000 : i % 10 == 9 ? 40'000 : 10;
    all += post(padding, "", "/" + std::to_string(i) + "?" + std::to_string(reply_bytes));
  }
  std::thread sender([&] { client.send(all); });
  for (int i = 0; i < kRequests; ++i) {
    const std::string path = "/" + std::to_string(i);
    const std::string body = client.read_reply().body;
    EXPECT_EQ(body.substr(0, path.size() + 1), path + " ");
  }
  sender.join();
}

TEST_F(SessionTest, pipelined_requests_answered_late_are_answered_in_order_one_at_a_time) {
  std::atomic<int> inside = 0;
  std::vector<std::thread> threads;
  Mutex mutex;
  handler_.answer = [&](const HttpRequest& request, ReplyHandle reply) {
    EXPECT_EQ(inside.fetch_add(1), 0);
    MutexLock lock(mutex);
    threads.emplace_back([&inside, reply = std::move(reply), body = std::string(request.body)]() mutable {
      inside.fetch_sub(1);
      reply.send({.body = body});
    });
  };
  TestClient client(port());
  std::string all;
  for (int i = 0; i < 50; ++i) all += post(std::to_string(i));
  client.send(all);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(client.read_reply().body, std::to_string(i));
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SessionTest, chunked_bodies_are_joined) {
  TestClient client(port());
  client.send("POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  client.send("4\r\ndefg\r\n0\r\n\r\n" + post("next"));
  EXPECT_EQ(client.read_reply().body, "/c|abcdefg");
  EXPECT_EQ(client.read_reply().body, "/|next");
}

TEST_F(SessionTest, a_client_that_expects_it_is_reported_to_continue) {
  TestClient client(port());
  client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(client.read_reply().head, "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hello");
  EXPECT_EQ(client.read_reply().body, "/|hello");
  client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_EQ(client.read_reply().body, "/|hi") << "the body was there: nothing to continue";
}

TEST_F(SessionTest, a_body_too_large_is_refused_before_it_is_sent) {
  options_.session.limits.body_bytes_max = 1000;
  TestClient client(port());
  client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n");
  const TestReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 413);
  EXPECT_TRUE(reply.has("Connection: close\r\n"));
  EXPECT_TRUE(client.ended());
}

TEST_F(SessionTest, the_refusal_of_a_large_body_reaches_a_client_that_is_still_sending) {
  options_.session.limits.body_bytes_max = 1000;
  TestClient client(port());
  EXPECT_TRUE(client.send(post(std::string(3'000'000, 'x'))));
  EXPECT_EQ(client.read_reply().status, 413);
  EXPECT_TRUE(client.ended());
}

TEST_F(SessionTest, a_chunked_body_too_large_is_refused) {
  options_.session.limits.body_bytes_max = 1000;
  TestClient client(port());
  client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 11; ++i) client.send("64\r\n" + std::string(100, 'x') + "\r\n");
  EXPECT_EQ(client.read_reply().status, 413);
}

TEST_F(SessionTest, malformed_requests_get_400_and_the_connection_ends) {
  for (const char* text :
       {"hello\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n", "\r\n\r\n\x01", "GET / HTTP/9.9x\r\n"}) {
    TestClient client(port());
    client.send(text);
    EXPECT_EQ(client.read_reply().status, 400) << text;
    EXPECT_TRUE(client.ended()) << text;
  }
}

TEST_F(SessionTest, a_malformed_request_behind_a_good_one_does_not_spoil_it) {
  TestClient client(port());
  client.send(post("good") + "bad\r\n\r\n");
  EXPECT_EQ(client.read_reply().body, "/|good");
  EXPECT_EQ(client.read_reply().status, 400);
  EXPECT_TRUE(client.ended());
}

TEST_F(SessionTest, headers_too_large_get_400) {
  TestClient client(port());
  client.send("GET / HTTP/1.1\r\nX: " + std::string(40'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 400);
  EXPECT_TRUE(client.ended());
}

TEST_F(SessionTest, unfinished_requests_may_hold_only_so_much_together) {
  options_.loops = 1;
  options_.session.buffered_bytes_max = 3'000'000;
  std::vector<std::unique_ptr<TestClient>> clients;
  int refused = 0;
  for (int i = 0; i < 5 && refused == 0; ++i) {
    clients.push_back(std::make_unique<TestClient>(port()));
    clients.back()->send("POST / HTTP/1.1\r\nContent-Length: 2000000\r\n\r\n" + std::string(1'500'000, 'x'));
    // The reply to the next connection's request proves that these bytes were read.
    if (i > 0) refused += clients.back()->read_reply().status == 503;
    if (i == 0) {
      TestClient probe(port());
      probe.send(post("probe"));
      EXPECT_EQ(probe.read_reply().status, 200);
    }
  }
  EXPECT_EQ(refused, 1);
}

TEST_F(SessionTest, unsent_replies_may_hold_only_so_much_together) {
  options_.loops = 1;
  options_.session.buffered_bytes_max = 40'000'000;
  options_.session.write_timeout_ms = 60'000;
  handler_.answer = [](const HttpRequest& request, ReplyHandle reply) {
    reply.send({.body = std::string(request.path == "/large" ? 16'000'000 : 10, 'x')});
  };
  std::vector<std::unique_ptr<TestClient>> slow;
  const auto probe = [&] {
    TestClient client(port());
    client.send(post(""));
    return client.read_reply().status;
  };
  for (int i = 0; i < 20; ++i) {
    slow.push_back(std::make_unique<TestClient>(port()));
    slow.back()->send(post("", "", "/large"));
    if (probe() == 503) break;
  }
  EXPECT_LE(slow.size(), 4u) << "three or four unsent replies of 16 MB exceed 40 MB";
  EXPECT_EQ(probe(), 503);
  slow.clear();
  while (probe() == 503) std::this_thread::yield();
}

TEST_F(SessionTest, replies_that_wait_count_as_unsent) {
  options_.loops = 1;
  options_.session.buffered_bytes_max = 1'000'000;
  ReplyHandle waiting;
  handler_.answer = [&](const HttpRequest& request, ReplyHandle reply) {
    if (request.path != "/wait") return reply.send({});
    reply.reply_waits(1'000'000);
    waiting = std::move(reply);
  };
  TestClient waits(port()), other(port());
  waits.send(post("", "", "/wait"));
  const auto probe = [&] {
    other.send(post(""));
    return other.read_reply().status;
  };
  while (probe() != 503) std::this_thread::yield();
  waiting.send({.body = "done"});
  EXPECT_EQ(waits.read_reply().body, "done");
  EXPECT_EQ(probe(), 200);
}

TEST_F(SessionTest, when_buffers_are_scarce_a_stalled_reader_is_closed_early) {
  options_.loops = 1;
  options_.session.buffered_bytes_max = 1'000'000;
  options_.session.write_timeout_ms = 600;  // a tenth of it when scarce
  handler_.answer = [](const HttpRequest&, ReplyHandle reply) { reply.send({.body = std::string(16'000'000, 'x')}); };
  TestClient slow(port());
  slow.send(post(""));
  while (listener_->counts().open == 0) std::this_thread::yield();
  while (listener_->counts().open > 0) std::this_thread::yield();
}

TEST_F(SessionTest, when_buffers_are_scarce_a_reader_that_drips_is_closed_after_the_write_timeout) {
  options_.loops = 1;
  options_.session.buffered_bytes_max = 1'000'000;
  options_.session.write_timeout_ms = 400;
  handler_.answer = [](const HttpRequest&, ReplyHandle reply) { reply.send({.body = std::string(64'000'000, 'x')}); };
  TestClient slow(port());
  slow.send(post(""));
  while (listener_->counts().open == 0) std::this_thread::yield();
  char bytes[65536];
  while (listener_->counts().open > 0) {
    ASSERT_GT(recv(slow.fd(), bytes, sizeof bytes, 0), 0) << "the connection ended before the whole reply was read";
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST_F(SessionTest, http_1_0_is_answered_and_closed_unless_it_asks_to_stay) {
  TestClient client(port());
  client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const TestReply stays = client.read_reply();
  EXPECT_EQ(stays.body, "/a|");
  EXPECT_TRUE(stays.has("Connection: keep-alive\r\n"));
  client.send("GET /b HTTP/1.0\r\n\r\n");
  const TestReply closes = client.read_reply();
  EXPECT_EQ(closes.body, "/b|");
  EXPECT_TRUE(closes.has("Connection: close\r\n"));
  EXPECT_TRUE(client.ended());
}

TEST_F(SessionTest, head_gets_the_length_without_the_body) {
  TestClient client(port());
  client.send("HEAD /a HTTP/1.1\r\n\r\n" + post("x"));
  EXPECT_TRUE(client.read_reply(true).has("Content-Length: 3\r\n"));
  EXPECT_EQ(client.read_reply().body, "/|x");
}

TEST_F(SessionTest, a_client_that_ends_its_side_still_gets_its_answer) {
  TestClient client(port());
  client.send(post("bye"));
  client.end_sending();
  EXPECT_EQ(client.read_reply().body, "/|bye");
  EXPECT_TRUE(client.ended());
}

TEST_F(SessionTest, a_large_reply_arrives_whole_at_a_slow_reader) {
  const std::string large(20'000'000, 'x');
  handler_.answer = [&](const HttpRequest&, ReplyHandle reply) { reply.send({.body = large}); };
  TestClient client(port());
  client.send(post("1") + post("2"));
  EXPECT_EQ(client.read_reply().body, large);
  EXPECT_EQ(client.read_reply().body, large);
}

TEST_F(SessionTest, a_large_body_arrives_whole) {
  handler_.answer = [](const HttpRequest& request, ReplyHandle reply) {
    reply.send({.body = std::to_string(request.body.size())});
  };
  TestClient client(port());
  client.send(post(std::string(16 * 1024 * 1024, 'x')));
  EXPECT_EQ(client.read_reply().body, "16777216");
}

TEST_F(SessionTest, a_gzip_request_is_inflated_and_its_original_bytes_remain) {
  Gzip gzip;
  std::string packed;
  gzip.deflate("hello hello hello", ContentCoding::kGzip, packed);
  handler_.answer = [&](const HttpRequest& request, ReplyHandle reply) {
    EXPECT_EQ(request.body_as_sent, packed);
    reply.send({.body = std::string(request.body)});
  };
  TestClient client(port());
  client.send(post(packed, "Content-Encoding: gzip\r\n"));
  EXPECT_EQ(client.read_reply().body, "hello hello hello");
}

TEST_F(SessionTest, bad_gzip_or_another_coding_gets_500_and_a_bomb_413) {
  Gzip gzip;
  std::string bomb;
  gzip.deflate(std::string(21 * 1024 * 1024, '\0'), ContentCoding::kGzip, bomb);
  const auto status_of = [&](std::string_view body, std::string_view coding) {
    TestClient client(port());
    client.send(post(body, "Content-Encoding: " + std::string(coding) + "\r\n"));
    return client.read_reply().status;
  };
  EXPECT_EQ(status_of("not gzip", "gzip"), 500);
  EXPECT_EQ(status_of("", "gzip"), 500);
  EXPECT_EQ(status_of("not zlib", "deflate"), 500);
  EXPECT_EQ(status_of(bomb, "gzip"), 413);
  EXPECT_EQ(status_of("x", "br"), 500);
  EXPECT_EQ(status_of("x", "identity"), 200);
}

TEST_F(SessionTest, a_worthwhile_reply_is_compressed_when_asked_and_its_checksum_covers_the_sent_bytes) {
  handler_.answer = [](const HttpRequest& request, ReplyHandle reply) {
    reply.send({.body = std::string(request.body), .crc32 = true});
  };
  TestClient client(port());
  const std::string body(5000, 'x');
  client.send(post(body, "Accept-Encoding: gzip\r\n"));
  const TestReply packed = client.read_reply();
  EXPECT_TRUE(packed.has("Content-Encoding: gzip\r\n"));
  EXPECT_LT(packed.body.size(), 200u);
  Gzip gzip;
  std::string plain;
  ASSERT_EQ(gzip.inflate(packed.body, ContentCoding::kGzip, 10'000, plain), Gzip::Outcome::kOk);
  EXPECT_EQ(plain, body);
  client.send(post("healthy: dynamodb.us-east-1.amazonaws.com ", "Accept-Encoding: gzip\r\n"));
  const TestReply small = client.read_reply();
  EXPECT_FALSE(small.has("Content-Encoding"));
  EXPECT_TRUE(small.has("x-amz-crc32: 3128867991\r\n")) << small.head;
  client.send(post(body));
  EXPECT_EQ(client.read_reply().body, body);
}

// Compressing 16 MB takes much longer than answering a small request, but a busy machine may delay that request.
TEST_F(SessionTest, compressing_a_large_reply_does_not_delay_other_connections_of_its_loop) {
  std::string large(size_t{16} << 20, 'x');
  uint32_t random = 1;
  for (char& c : large) c = static_cast<char>('0' + ((random = random * 1'664'525 + 1'013'904'223) >> 27));
  handler_.answer = [&](const HttpRequest& request, ReplyHandle reply) {
    reply.send({.body = request.path == "/large" ? large : "small", .crc32 = true});
  };
  options_.loops = 1;
  bool was_delayed = true;
  for (int attempt = 0; attempt < 5 && was_delayed; ++attempt) {
    TestClient large_client(port());
    TestClient small_client(port());
    large_client.send(post("", "Accept-Encoding: gzip\r\n", "/large"));
    while (listener_->counts().requests < static_cast<uint64_t>(2 * attempt + 1)) std::this_thread::yield();
    small_client.send(post(""));
    EXPECT_EQ(small_client.read_reply().body, "small");
    pollfd readable{.fd = large_client.fd(), .events = POLLIN, .revents = 0};
    was_delayed = poll(&readable, 1, 0) != 0;
    const TestReply reply = large_client.read_reply();
    EXPECT_TRUE(reply.has("Content-Encoding: gzip\r\n")) << reply.head;
    EXPECT_TRUE(reply.has("x-amz-crc32: ")) << reply.head;
    EXPECT_LT(reply.body.size(), large.size());
    Gzip gzip;
    std::string plain;
    EXPECT_EQ(gzip.inflate(reply.body, ContentCoding::kGzip, large.size(), plain), Gzip::Outcome::kOk);
    EXPECT_TRUE(plain == large);
  }
  EXPECT_FALSE(was_delayed);
  while (listener_->counts().buffered_bytes >= large.size()) std::this_thread::yield();
}

TEST_F(SessionTest, pipelined_large_replies_stay_in_order_and_only_those_that_shrink_are_compressed) {
  handler_.answer = [](const HttpRequest& request, ReplyHandle reply) {
    std::string body(size_t{200} << 10, 'x');
    uint32_t random = 1;
    if (request.path == "/random") {
      for (char& c : body) c = static_cast<char>((random = random * 1'664'525 + 1'013'904'223) >> 24);
    }
    reply.send({.body = body + std::string(request.body)});
  };
  TestClient client(port());
  std::string requests;
  for (const char* number : {"0", "1", "2"}) {
    requests += post(number, "Accept-Encoding: gzip\r\n", "/") + post(number, "Accept-Encoding: gzip\r\n", "/random");
  }
  client.send(requests);
  for (const char* number : {"0", "1", "2"}) {
    const TestReply packed = client.read_reply();
    EXPECT_TRUE(packed.has("Content-Encoding: gzip\r\n"));
    Gzip gzip;
    std::string plain;
    ASSERT_EQ(gzip.inflate(packed.body, ContentCoding::kGzip, size_t{1} << 20, plain), Gzip::Outcome::kOk);
    EXPECT_TRUE(plain.ends_with(number));
    const TestReply random = client.read_reply();
    EXPECT_FALSE(random.has("Content-Encoding"));
    EXPECT_TRUE(random.body.ends_with(number));
  }
}

TEST_F(SessionTest, a_reply_from_another_thread_arrives) {
  std::vector<std::thread> threads;
  Mutex mutex;
  handler_.answer = [&](const HttpRequest&, ReplyHandle reply) {
    MutexLock lock(mutex);
    threads.emplace_back([reply = std::move(reply)]() mutable { reply.send({.body = "late"}); });
  };
  TestClient client(port());
  for (int i = 0; i < 20; ++i) {
    client.send(post(""));
    ASSERT_EQ(client.read_reply().body, "late");
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SessionTest, another_thread_answers_many_connections) {
  Mutex mutex;
  ConditionVariable arrived;
  std::vector<ReplyHandle> held;
  handler_.answer = [&](const HttpRequest&, ReplyHandle reply) {
    MutexLock lock(mutex);
    held.push_back(std::move(reply));
    arrived.notify_one();
  };
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 64; ++i) {
    clients.push_back(std::make_unique<TestClient>(port()));
    clients.back()->send(post(""));
  }
  {
    MutexLock lock(mutex);
    while (held.size() < 64) arrived.wait(mutex);
    for (ReplyHandle& handle : held) handle.send({.body = "late"});
  }
  for (const auto& client : clients) EXPECT_EQ(client->read_reply().body, "late");
}

TEST_F(SessionTest, a_handle_dropped_unsent_answers_500) {
  handler_.answer = [](const HttpRequest&, ReplyHandle) {};
  TestClient client(port());
  client.send(post(""));
  const TestReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 500);
  EXPECT_NE(reply.body.find("InternalServerError"), std::string::npos);
}

TEST_F(SessionTest, a_reply_to_a_connection_that_died_is_dropped) {
  std::promise<ReplyHandle> held_reply;
  handler_.answer = [&](const HttpRequest& request, ReplyHandle reply) {
    if (request.path == "/hold") return held_reply.set_value(std::move(reply));
    reply.send({.body = "ok"});
  };
  ReplyHandle held;
  {
    TestClient client(port());
    client.send(post("", "", "/hold"));
    held = held_reply.get_future().get();
    const linger reset{.l_onoff = 1, .l_linger = 0};
    setsockopt(client.fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  }
  while (listener_->counts().open != 0) std::this_thread::yield();
  TestClient next(port());
  next.send(post(""));
  EXPECT_EQ(next.read_reply().body, "ok");
  held.send({.body = "to nobody"});
  next.send(post(""));
  EXPECT_EQ(next.read_reply().body, "ok");
}

TEST_F(SessionTest, a_handle_may_outlive_the_server) {
  std::promise<ReplyHandle> held_reply;
  handler_.answer = [&](const HttpRequest&, ReplyHandle reply) { held_reply.set_value(std::move(reply)); };
  options_.stop_grace_ms = 1;
  TestClient client(port());
  client.send(post(""));
  ReplyHandle held = held_reply.get_future().get();
  listener_.reset();
  held.send({.body = "to nobody"});
  EXPECT_TRUE(client.ended());
}

TEST_F(SessionTest, headers_that_take_too_long_get_408) {
  options_.session.header_timeout_ms = 30;
  TestClient client(port());
  client.send("POST / HTTP/1.1\r\nHost:");
  EXPECT_EQ(client.read_reply().status, 408);
  EXPECT_TRUE(client.ended());
}

TEST_F(SessionTest, a_body_that_stops_coming_gets_408) {
  options_.session.body_timeout_ms = 30;
  TestClient client(port());
  client.send("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhel");
  EXPECT_EQ(client.read_reply().status, 408);
}

TEST_F(SessionTest, an_idle_connection_is_closed_in_silence) {
  options_.session.idle_timeout_ms = 30;
  TestClient never(port());
  EXPECT_TRUE(never.ended());
  for (int tries = 0; tries < 1000; ++tries) {
    TestClient once(port());
    once.send(post("x"));
    const int status = once.read_reply().status;
    if (status == 0) continue;  // on a busy machine the timeout may expire before the first request is sent
    EXPECT_EQ(status, 200);
    EXPECT_TRUE(once.ended());
    return;
  }
  FAIL() << "no request was answered";
}

// Waits until the handler gets the client's request. False if the connection ended first, as on a busy machine.
bool reaches_handler(const std::future<ReplyHandle>& held_reply, const TestClient& client) {
  pollfd end{.fd = client.fd(), .events = POLLIN, .revents = 0};
  while (held_reply.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    if (poll(&end, 1, 0) > 0) return false;
  }
  return true;
}

TEST_F(SessionTest, a_request_with_the_handler_does_not_time_out) {
  options_.session.header_timeout_ms = options_.session.body_timeout_ms = options_.session.idle_timeout_ms = 20;
  std::promise<ReplyHandle> held_reply;
  handler_.answer = [&](const HttpRequest&, ReplyHandle reply) { held_reply.set_value(std::move(reply)); };
  std::future<ReplyHandle> future = held_reply.get_future();
  std::unique_ptr<TestClient> client;
  do {
    client = std::make_unique<TestClient>(port());
    client->send(post(""));
  } while (!reaches_handler(future, *client));
  ReplyHandle held = future.get();
  TestClient idle(port());
  EXPECT_TRUE(idle.ended()) << "a connection opened later has reached the idle timeout";
  held.send({.body = "slow"});
  EXPECT_EQ(client->read_reply().body, "slow");
}

TEST_F(SessionTest, a_client_that_stops_reading_is_disconnected) {
  options_.session.write_timeout_ms = 30;
  handler_.answer = [](const HttpRequest&, ReplyHandle reply) { reply.send({.body = std::string(30'000'000, 'x')}); };
  TestClient client(port());
  client.send(post(""));
  while (listener_->counts().requests == 0 || listener_->counts().open != 0) std::this_thread::yield();
}

}  // namespace
}  // namespace trestle
