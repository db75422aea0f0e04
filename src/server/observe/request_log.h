// Structured logs: one line of JSON for each request, written to standard error unless a test passes another sink.
//
//   {"time":"2026-01-31T12:00:00.123Z","request_id":"0F3K...","operation":"PutItem","table":"music","status":200,
//    "error":"","latency_us":412,"request_bytes":87,"reply_bytes":2,"caller":"AKID...","peer":"127.0.0.1:50312"}
//
// write() only queues the line (line_queue.h). Lines that do not fit in the queue are dropped, and a later line reports
// how many. Items and messages are never logged. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "server/observe/line_queue.h"
#include "server/observe/request_metrics.h"

namespace trestle {

enum class LogLevel {
  kNone,
  kErrors,  // replies with status 500 and above: faults of the server
  kAll,
};

class RequestLog {
 public:
  using Sink = std::function<void(std::string_view lines)>;
  static void to_standard_error(std::string_view lines);

  explicit RequestLog(LogLevel level, Sink sink = to_standard_error);

  bool wants(int status) const { return level_ == LogLevel::kAll || (level_ == LogLevel::kErrors && status >= 500); }
  struct Origin {
    std::string_view request_id;
    std::string_view caller;
    std::string_view peer;
    int64_t now_ms = 0;
  };
  void write(const RequestOutcome& outcome, const Origin& origin);

 private:
  static constexpr size_t kQueueBytesMax = size_t{1} << 20;

  const LogLevel level_;
  const Sink sink_;
  std::atomic<uint64_t> dropped_{0};
  std::optional<LineQueue> queue_;  // last: its thread uses all of the above
};

}  // namespace trestle
