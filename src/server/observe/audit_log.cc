#include "server/observe/audit_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/utc_text.h"
#include "protocol/json/json_output.h"
#include "server/observe/metrics_text.h"

namespace trestle {
namespace {

void write_list(JsonOutput& json, std::string_view name, const std::vector<std::string>* list) {
  json.key(name).begin_array();
  if (list != nullptr) {
    for (const std::string& text : *list) json.string(text);
  }
  json.end_array();
}

std::string line_of(const AuditedRequest& request) {
  std::string line;
  JsonOutput json(line);
  json.begin_object();
  json.member("time", utc_text_ms(request.now_ms));
  json.member("request_id", request.request_id);
  json.member("user", request.user);
  json.member("access_key", request.access_key);
  json.member("source_ip", request.source_ip);
  json.member("operation", request.operation);
  write_list(json, "actions", request.actions);
  write_list(json, "resources", request.resources);
  json.member("outcome", request.outcome);
  json.member("error", request.error);
  json.end_object();
  line.push_back('\n');
  return line;
}

uint64_t count_lines(std::string_view lines) { return static_cast<uint64_t>(std::ranges::count(lines, '\n')); }

}  // namespace

BasicResult<std::unique_ptr<AuditLog>, std::string> AuditLog::open(AuditOptions options) {
  std::unique_ptr<AuditLog> log(new AuditLog(std::move(options)));
  TRY(log->open_file());
  log->queue_.emplace("audit", log->options_.queue_bytes_max,
                      [raw = log.get()](const std::string& lines) { raw->write_lines(lines); });
  return log;
}

AuditLog::~AuditLog() {
  queue_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
}

void AuditLog::write(const AuditedRequest& request) {
  if (!queue_->add(line_of(request))) lost_.fetch_add(1, std::memory_order_relaxed);
}

std::string AuditLog::metrics_text() const {
  MetricsText text;
  text.counter("trestle_audit_lines_total", "Lines written to the audit log", static_cast<double>(written()));
  text.counter("trestle_audit_lost_lines_total", "Lines of the audit log that were lost: the disk was full or too slow",
               static_cast<double>(lost()));
  return text.take();
}

BasicResult<void, std::string> AuditLog::open_file() {
  descriptor_ = ::open(options_.file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (descriptor_ < 0) return std::unexpected(fmt::format("audit log {}: {}", options_.file, std::strerror(errno)));
  struct stat status{};
  file_bytes_ = ::fstat(descriptor_, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
  // Terminates a line that a crash left incomplete, so that it does not corrupt the next one.
  char last = '\n';
  if (file_bytes_ > 0 && ::pread(descriptor_, &last, 1, static_cast<off_t>(file_bytes_ - 1)) == 1 && last != '\n') {
    append("\n");
  }
  return {};
}

void AuditLog::rotate() {
  ::close(descriptor_);
  descriptor_ = -1;
  const auto name = [&](size_t number) {
    return number == 0 ? options_.file : fmt::format("{}.{}", options_.file, number);
  };
  std::remove(name(options_.rotated_files).c_str());
  for (size_t number = options_.rotated_files; number > 0; --number) {
    std::rename(name(number - 1).c_str(), name(number).c_str());
  }
  if (const auto opened = open_file(); !opened.has_value()) fmt::print(stderr, "trestle: {}\n", opened.error());
}

// Writes as many lines at once as fit in the file.
void AuditLog::write_lines(std::string_view lines) {
  bool rotated = false;
  while (!lines.empty()) {
    if (descriptor_ < 0) (void)open_file();
    const uint64_t lost_now = lost();
    if (lost_now != lost_reported_ && append(fmt::format("{{\"lost_lines\":{}}}\n", lost_now - lost_reported_))) {
      lost_reported_ = lost_now;
    }
    const size_t first = lines.find('\n') + 1;
    const size_t room = options_.bytes_max > file_bytes_ ? options_.bytes_max - file_bytes_ : 0;
    if (first > room && file_bytes_ > 0 && !rotated) {
      rotate();
      rotated = true;  // if the rotation failed, the current file keeps growing
      continue;
    }
    rotated = false;
    size_t size = lines.size();
    if (size > room) size = room <= first ? first : lines.rfind('\n', room - 1) + 1;
    const std::string_view piece = lines.substr(0, size);
    (append(piece) ? written_ : lost_).fetch_add(count_lines(piece), std::memory_order_relaxed);
    lines.remove_prefix(size);
  }
}

// Writes all of it or nothing.
bool AuditLog::append(std::string_view text) {
  if (descriptor_ < 0) return false;
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (done > 0 && ::ftruncate(descriptor_, static_cast<off_t>(file_bytes_)) != 0) file_bytes_ += done;
      return false;
    }
    done += static_cast<size_t>(written);
  }
  file_bytes_ += text.size();
  return true;
}

}  // namespace trestle
