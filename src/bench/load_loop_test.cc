#include "bench/load_loop.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "base/closed_port_for_test.h"

namespace trestle::bench {
namespace {

// Accepts connections one after another, and answers each read with the next text; an empty text closes the connection.
class Listener {
 public:
  explicit Listener(std::vector<std::string> answers, std::chrono::milliseconds delay = {}) : delay_(delay) {
    descriptor_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(descriptor_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(descriptor_, 8), 0);
    getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size);
    endpoint_ = {.host = "127.0.0.1", .port = ntohs(address.sin_port)};
    thread_ = std::jthread([this, answers = std::move(answers)] { serve(answers); });
  }
  ~Listener() {
    shutdown(descriptor_, SHUT_RDWR);  // ends a waiting accept()
    thread_.join();
    close(descriptor_);
  }
  const Endpoint& endpoint() const { return endpoint_; }

 private:
  void serve(const std::vector<std::string>& answers) {
    size_t next = 0;
    for (int client; (client = accept(descriptor_, nullptr, nullptr)) >= 0; close(client)) {
      char buffer[4096];
      while (recv(client, buffer, sizeof buffer, 0) > 0) {
        const std::string& answer = answers[std::min(next++, answers.size() - 1)];
        if (answer.empty()) break;
        std::this_thread::sleep_for(delay_);
        EXPECT_EQ(send(client, answer.data(), answer.size(), MSG_NOSIGNAL), static_cast<ssize_t>(answer.size()));
      }
    }
  }

  const std::chrono::milliseconds delay_;
  int descriptor_;
  Endpoint endpoint_;
  std::jthread thread_;
};

class CountedSource final : public RequestSource {
 public:
  explicit CountedSource(int count) : left_(count) {}
  std::string_view next(size_t) override { return left_-- > 0 ? "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n" : ""; }
  bool accept(size_t, const Response& response) override { return response.status == 200; }
  void lost(size_t) override { ++lost_; }
  int lost() const { return lost_; }

 private:
  int left_;
  int lost_ = 0;
};

const std::string kFine = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
const std::string kRefused = "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno";

Result<Measurement> drive(const Endpoint& endpoint, CountedSource& source, const RunLimits& limits = {}) {
  LoadLoop loop({.endpoint = endpoint, .tls = nullptr, .connections = 1});
  Progress progress("test", 0);
  return loop.run(source, limits, progress);
}

TEST(LoadLoop, every_request_is_answered_and_measured_once) {
  Listener listener({kFine});
  CountedSource source(100);
  const auto measured = drive(listener.endpoint(), source);
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->requests, 100u);
  EXPECT_EQ(measured->errors, 0u);
  EXPECT_EQ(measured->latency_ns.count(), 100u);
  EXPECT_EQ(measured->reply_body_bytes, 300u);
  EXPECT_GT(measured->per_second(), 0);
}

TEST(LoadLoop, refusals_are_errors_and_the_first_is_reported) {
  Listener listener({kFine, kRefused, kFine});
  CountedSource source(10);
  const auto measured = drive(listener.endpoint(), source);
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->requests, 9u);
  EXPECT_EQ(measured->errors, 1u);
  EXPECT_EQ(measured->first_error, "400 no");
}

TEST(LoadLoop, lost_connection_is_opened_again) {
  Listener listener({kFine, "", kFine});
  CountedSource source(10);
  const auto measured = drive(listener.endpoint(), source);
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->requests, 9u);
  EXPECT_EQ(measured->errors, 1u);
  EXPECT_EQ(source.lost(), 1);
}

TEST(LoadLoop, stops_at_the_asked_number_of_requests) {
  Listener listener({kFine});
  CountedSource source(1000);
  const auto measured = drive(listener.endpoint(), source, {.requests = 20});
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->requests, 20u);
}

TEST(LoadLoop, a_rate_spaces_requests_however_quick_the_answers_are) {
  Listener listener({kFine});
  CountedSource source(1000);
  const auto measured = drive(listener.endpoint(), source, {.requests = 50, .rate = 500});
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->requests, 50u);
  EXPECT_GT(measured->seconds, 0.03);  // 0.1 on average; without a rate it would be about 0.002
}

TEST(LoadLoop, with_a_rate_latency_counts_from_when_a_request_was_due) {
  Listener listener({kFine}, std::chrono::milliseconds(5));  // one connection: 200 a second at most
  CountedSource source(1000);
  const auto measured = drive(listener.endpoint(), source, {.requests = 30, .rate = 5000});
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->requests, 30u);
  EXPECT_GT(measured->latency_ns.percentile(99), 100'000'000u);  // the last one waited for nearly all others
}

TEST(LoadLoop, a_closed_port_is_a_failure) {
  const ClosedPort nobody;
  CountedSource source(1);
  EXPECT_FALSE(drive({.host = "127.0.0.1", .port = nobody.port()}, source).has_value());
}

}  // namespace
}  // namespace trestle::bench
