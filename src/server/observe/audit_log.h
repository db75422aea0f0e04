// The audit log: a file with one line of JSON for each request, including rejected ones.
//
//   {"time":"2026-01-31T12:00:00.123Z","request_id":"0F3K...","user":"alice","access_key":"AKID...",
//    "source_ip":"127.0.0.1","operation":"GetItem","actions":["dynamodb:GetItem"],
//    "resources":["arn:aws:dynamodb:us-east-1:000000000000:table/music"],"outcome":"allowed","error":""}
//
// outcome is "allowed", "denied" (AccessDeniedException, or an invalid signature) or "error" (any other failure, named
// in error). Item keys and values are never written.
//
// A file that would exceed its maximum size is renamed FILE.1, the previous FILE.1 becomes FILE.2 and so on, and the
// oldest is deleted. write() only queues the line (line_queue.h), so that no request waits for the disk.
// Lines that do not fit in the queue, or cannot be written because the disk is full, are lost. They are counted
// (lost()), and reported by a line {"lost_lines":N} once there is room. A line is written whole or not at all.
// Thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/observe/line_queue.h"

namespace trestle {

struct AuditOptions {
  std::string file;
  size_t bytes_max = size_t{100} << 20;
  size_t rotated_files = 5;  // in addition to the current file
  size_t queue_bytes_max = size_t{4} << 20;
};

struct AuditedRequest {
  int64_t now_ms = 0;
  std::string_view request_id;
  std::string_view user;
  std::string_view access_key;
  std::string_view source_ip;
  std::string_view operation;
  const std::vector<std::string>* actions = nullptr;
  const std::vector<std::string>* resources = nullptr;
  std::string_view outcome;
  std::string_view error;
};

class AuditLog {
 public:
  // Fails if the file cannot be opened.
  static BasicResult<std::unique_ptr<AuditLog>, std::string> open(AuditOptions options);
  // Writes the queued lines first.
  ~AuditLog();

  void write(const AuditedRequest& request);

  uint64_t written() const { return written_.load(std::memory_order_relaxed); }
  uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }
  // For GET /metrics.
  std::string metrics_text() const;

 private:
  explicit AuditLog(AuditOptions options) : options_(std::move(options)) {}
  // Called only by the queue's thread.
  BasicResult<void, std::string> open_file();
  void rotate();
  void write_lines(std::string_view lines);
  bool append(std::string_view text);

  const AuditOptions options_;
  std::atomic<uint64_t> written_{0};
  std::atomic<uint64_t> lost_{0};

  int descriptor_ = -1;
  size_t file_bytes_ = 0;
  uint64_t lost_reported_ = 0;

  std::optional<LineQueue> queue_;  // last: its thread uses all of the above
};

}  // namespace trestle
