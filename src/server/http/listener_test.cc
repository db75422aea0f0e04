#include "server/http/listener.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "server/http/test_client.h"

namespace trestle {
namespace {

constexpr std::string_view kRequest = "GET / HTTP/1.1\r\n\r\n";

class HoldingHandler final : public HttpHandler {
 public:
  void handle(const HttpRequest& request, ReplyHandle reply) override {
    if (request.path == "/hold") return held.set_value(std::move(reply));
    reply.send({.body = "ok"});
  }
  std::promise<ReplyHandle> held;
};

TEST(Listener, a_port_in_use_is_refused_with_a_reason) {
  HoldingHandler handler;
  const auto first = Listener::start(handler, {.loops = 1});
  ASSERT_TRUE(first.has_value());
  EXPECT_NE((*first)->port(), 0);
  const auto second = Listener::start(handler, {.port = (*first)->port(), .loops = 1});
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().find("Address already in use"), std::string::npos) << second.error();
}

TEST(Listener, a_second_address_has_the_same_port) {
  HoldingHandler handler;
  // Another IPv4 loopback address, which every machine has.
  const auto listener = std::move(*Listener::start(handler, {.second_address = "127.0.0.2", .loops = 1}));
  EXPECT_EQ(listener->addresses(), 2u);
  EXPECT_FALSE(Listener::start(handler, {.address = "127.0.0.2", .port = listener->port()}).has_value());
  TestClient client(listener->port());
  client.send(kRequest);
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(Listener, a_second_address_that_the_machine_lacks_is_left_out) {
  HoldingHandler handler;
  const auto listener = std::move(*Listener::start(handler, {.second_address = "192.0.2.1", .loops = 1}));
  EXPECT_EQ(listener->addresses(), 1u);
}

TEST(Listener, a_name_is_not_an_address) {
  HoldingHandler handler;
  EXPECT_FALSE(Listener::start(handler, {.address = "not an address"}).has_value());
}

TEST(Listener, connections_over_the_limit_get_503_and_are_closed) {
  HoldingHandler handler;
  const auto listener = std::move(*Listener::start(handler, {.loops = 2, .connections_max = 2}));
  TestClient one(listener->port());
  one.send(kRequest);
  EXPECT_EQ(one.read_reply().status, 200);
  {
    TestClient two(listener->port());
    two.send(kRequest);
    EXPECT_EQ(two.read_reply().status, 200);
    TestClient three(listener->port());
    const TestReply reply = three.read_reply();
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.body, "Too many connections\n");
    EXPECT_EQ(listener->counts().refused, 1u);
  }
  while (listener->counts().open != 1) std::this_thread::yield();
  TestClient four(listener->port());
  four.send(kRequest);
  EXPECT_EQ(four.read_reply().status, 200);
}

TEST(Listener, stopping_closes_idle_connections_and_refuses_new_ones) {
  HoldingHandler handler;
  const auto listener = std::move(*Listener::start(handler, {.loops = 2}));
  TestClient idle(listener->port());
  idle.send(kRequest);
  EXPECT_EQ(idle.read_reply().status, 200);
  listener->stop();
  EXPECT_TRUE(idle.ended());
  EXPECT_FALSE(TestClient(listener->port()).connected());
  EXPECT_EQ(listener->counts().open, 0u);
}

TEST(Listener, stopping_lets_an_answer_under_way_finish) {
  HoldingHandler handler;
  const auto listener = std::move(*Listener::start(handler, {.loops = 2, .stop_grace_ms = 10'000}));
  TestClient client(listener->port());
  client.send("GET /hold HTTP/1.1\r\n\r\n");
  ReplyHandle held = handler.held.get_future().get();
  std::thread stopper([&] { listener->stop(); });
  // The socket closes first; then open connections are asked to finish.
  while (TestClient(listener->port()).connected()) std::this_thread::yield();
  held.send({.body = "finished"});
  EXPECT_EQ(client.read_reply().body, "finished");
  EXPECT_TRUE(client.ended());
  stopper.join();
}

TEST(Listener, stopping_gives_up_an_answer_that_never_comes) {
  HoldingHandler handler;
  const auto listener = std::move(*Listener::start(handler, {.loops = 1, .stop_grace_ms = 20}));
  TestClient client(listener->port());
  client.send("GET /hold HTTP/1.1\r\n\r\n");
  ReplyHandle held = handler.held.get_future().get();
  listener->stop();
  EXPECT_TRUE(client.ended());
}

TEST(Listener, many_connections_opened_and_closed_leave_nothing_behind) {
  HoldingHandler handler;
  const auto listener = std::move(*Listener::start(handler, {.loops = 2}));
  for (int i = 0; i < 300; ++i) {
    TestClient client(listener->port());
    client.send(i % 3 == 0 ? kRequest.substr(0, 7) : kRequest);
    if (i % 3 == 1) {
      EXPECT_EQ(client.read_reply().status, 200);
    }
  }
  // The last connections may still wait to be accepted; each is counted open before it is counted accepted.
  while (listener->counts().accepted != 300) std::this_thread::yield();
  while (listener->counts().open != 0) std::this_thread::yield();
  EXPECT_EQ(listener->counts().refused, 0u);
}

}  // namespace
}  // namespace trestle
