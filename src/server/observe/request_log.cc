#include "server/observe/request_log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/utc_text.h"
#include "protocol/json/json_output.h"

namespace trestle {

RequestLog::RequestLog(LogLevel level, Sink sink) : level_(level), sink_(std::move(sink)) {
  if (level_ == LogLevel::kNone) return;
  queue_.emplace("log", kQueueBytesMax, [this](std::string lines) {
    if (const uint64_t dropped = dropped_.exchange(0)) lines += fmt::format("{{\"dropped_lines\":{}}}\n", dropped);
    sink_(lines);
  });
}

void RequestLog::to_standard_error(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, lines.data(), lines.size());
    if (written <= 0) return;
    lines.remove_prefix(static_cast<size_t>(written));
  }
}

void RequestLog::write(const RequestOutcome& outcome, const Origin& origin) {
  if (!wants(outcome.status)) return;
  std::string line;
  JsonOutput json(line);
  json.begin_object();
  json.member("time", utc_text_ms(origin.now_ms));
  json.member("request_id", origin.request_id);
  json.member("operation", outcome.operation);
  json.member("table", outcome.table);
  json.member("status", int64_t{outcome.status});
  json.member("error", outcome.error);
  json.member("latency_us", outcome.latency_us);
  json.member("request_bytes", static_cast<int64_t>(outcome.request_bytes));
  json.member("reply_bytes", static_cast<int64_t>(outcome.reply_bytes));
  json.member("caller", origin.caller);
  json.member("peer", origin.peer);
  json.end_object();
  line.push_back('\n');
  if (!queue_->add(line)) dropped_.fetch_add(1);
}

}  // namespace trestle
