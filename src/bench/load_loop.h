// Drives N connections from one thread, with at most one request in flight on each, and measures latencies.
//
//   LoadLoop loop({.endpoint = endpoint, .tls = tls, .connections = 64});
//   TRY_INTO(Measurement measured, loop.run(source, {.warmup_s = 0.5, .seconds = 5}, progress));
//
// A request's latency starts just before its bytes are written and ends when its whole response has been read, so it
// includes the client's own delays. With a rate, requests are sent at random times (Poisson arrivals) whether or not
// earlier ones were answered, and the latency starts at that time, so it includes the wait for a free connection: a
// server that falls behind cannot slow down the requests. A refused or failed request counts as an error without a
// latency. A connection that was lost, or closed after a response, is reopened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/failure.h"
#include "bench/histogram.h"
#include "bench/progress.h"
#include "bench/random.h"
#include "http/connection.h"
#include "http/response.h"

struct epoll_event;

namespace trestle::bench {

using http::Connection;
using http::Endpoint;
using http::Response;
using http::ResponseReader;
using http::ResponseState;

// Supplies the requests of the loop and receives the responses.
class RequestSource {
 public:
  virtual ~RequestSource() = default;
  // The bytes to send next on a connection, valid until the next call; empty if the connection has no more requests.
  virtual std::string_view next(size_t connection) = 0;
  // Returns whether the response is as expected.
  virtual bool accept(size_t connection, const Response& response) = 0;
  // Called when the connection was lost with a request in flight.
  virtual void lost(size_t /*connection*/) {}
};

struct RunLimits {
  double warmup_s = 0;             // load without measurement
  double seconds = 0;              // 0: until the source has no more requests
  uint64_t requests = 0;           // 0: no limit
  double rate = 0;                 // requests a second; 0: each connection sends when its last request is answered
  uint64_t expected_requests = 0;  // 100% of the progress bar if neither limit is set
};

struct Measurement {
  uint64_t requests = 0;  // successful ones
  uint64_t errors = 0;
  double seconds = 0;
  double client_cpu_s = 0;
  uint64_t request_bytes = 0;
  uint64_t reply_body_bytes = 0;
  Histogram latency_ns;
  std::string first_error;

  double per_second() const { return seconds > 0 ? static_cast<double>(requests) / seconds : 0; }
};

struct LoopOptions {
  const Endpoint& endpoint;
  SSL_CTX* tls = nullptr;
  size_t connections = 1;
  uint64_t seed = 1;  // of the arrival times, with a rate
};

class LoadLoop {
 public:
  explicit LoadLoop(const LoopOptions& options) : options_(options), random_(options.seed) {}
  Result<Measurement> run(RequestSource& source, const RunLimits& limits, Progress& progress);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Lane {  // a connection and its request in flight
    Connection connection;
    ResponseReader reader;
    std::string unsent;
    Time sent_at;
    bool in_flight = false;
  };

  Result<void> open_lanes();
  Result<void> reopen(size_t lane);
  Result<void> send_next(size_t lane);  // immediately, or with a rate when a request is due
  Result<void> send(size_t lane, Time since);
  Result<void> send_due();
  int wait_for_events(std::span<epoll_event> events);
  Result<void> resume_send(size_t lane);
  Result<void> receive(size_t lane);
  Result<void> complete(size_t lane);
  Result<void> lose(size_t lane, std::string_view why);
  void watch(size_t lane, int operation, bool writable);
  void note_error(std::string_view text);
  void update_phase();
  double fraction_done() const;

  const LoopOptions options_;
  int epoll_ = -1;
  std::vector<Lane> lanes_;
  std::unique_ptr<char[]> buffer_;

  RequestSource* source_ = nullptr;
  RunLimits limits_;
  Measurement measured_;
  Time started_;  // start of the measured part, if measuring_
  Time now_;
  double cpu_at_start_s_ = 0;
  size_t in_flight_ = 0;
  std::vector<size_t> idle_;  // with a rate: lanes without a request
  std::deque<Time> due_;      // arrival times of requests waiting for a lane
  Time next_due_;
  Random random_;
  bool measuring_ = false;
  bool stopping_ = false;
};

}  // namespace trestle::bench
