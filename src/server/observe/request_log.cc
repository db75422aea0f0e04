#include "server/observe/request_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "protocol/json/json_output.h"

namespace trestle {

RequestLog::RequestLog(LogLevel level, Sink sink) : level_(level), sink_(std::move(sink)) {
  if (level_ != LogLevel::kNone) thread_ = std::thread([this] { run(); });
}

RequestLog::~RequestLog() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void RequestLog::to_standard_error(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, lines.data(), lines.size());
    if (written <= 0) return;
    lines.remove_prefix(static_cast<size_t>(written));
  }
}

void RequestLog::write(const RequestOutcome& outcome, const Who& who) {
  if (!wants(outcome.status)) return;
  std::string line;
  JsonOutput json(line);
  json.begin_object();
  json.member("time", fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                                  fmt::gmtime(static_cast<std::time_t>(who.now_ms / 1000)), who.now_ms % 1000));
  json.member("request_id", who.request_id);
  json.member("operation", outcome.operation);
  json.member("table", outcome.table);
  json.member("status", int64_t{outcome.status});
  json.member("error", outcome.error);
  json.member("latency_us", outcome.latency_us);
  json.member("request_bytes", static_cast<int64_t>(outcome.request_bytes));
  json.member("reply_bytes", static_cast<int64_t>(outcome.reply_bytes));
  json.member("caller", who.caller);
  json.member("peer", who.peer);
  json.end_object();
  line.push_back('\n');
  bool was_empty = false;
  {
    MutexLock lock(mutex_);
    was_empty = queue_.empty();
    if (queue_.size() + line.size() > kQueueBytesMax) {
      ++dropped_;
    } else {
      queue_ += line;
    }
  }
  if (was_empty) wake_.notify_one();
}

void RequestLog::run() {
  pthread_setname_np(pthread_self(), "log");
  for (;;) {
    std::string lines;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) wake_.wait(mutex_);
      if (queue_.empty()) return;
      lines.swap(queue_);
      if (dropped_ != 0) lines += fmt::format("{{\"dropped_lines\":{}}}\n", std::exchange(dropped_, 0));
    }
    sink_(lines);
  }
}

}  // namespace trestle
