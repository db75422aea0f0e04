// The parsed contents of a file, reloaded when the file changes, so that keys and policies can be changed without a
// restart.
//
//   TRY_INTO(auto jwks, WatchedFile<Jwks>::open(path));
//   std::shared_ptr<const Jwks> keys = jwks->current();
//
// The file is checked for changes at most once a second. If it cannot be read or parsed, the previous contents stay in
// effect and a message is written to standard error, once per change. T must have a static parse(text). Thread-safe.
#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/read_file.h"
#include "base/result.h"

namespace trestle {

template <class T>
class WatchedFile {
 public:
  static BasicResult<std::unique_ptr<WatchedFile>, std::string> open(const std::string& path) {
    std::unique_ptr<WatchedFile> file(new WatchedFile(path));
    MutexLock lock(file->mutex_);
    file->seen_ = file->stamp();
    TRY_INTO(file->current_, file->read());
    return file;
  }

  // Shared, because the caller may still use it after the file has changed.
  std::shared_ptr<const T> current() {
    const auto now = std::chrono::steady_clock::now();
    MutexLock lock(mutex_);
    if (now < next_check_) return current_;
    next_check_ = now + std::chrono::seconds(1);
    if (const Stamp stamp_now = stamp(); !(stamp_now == seen_)) {
      seen_ = stamp_now;
      if (auto again = read(); again.has_value()) {
        current_ = std::move(*again);
      } else {
        fmt::print(stderr, "trestle: {}; what was read before stays in force\n", again.error());
      }
    }
    return current_;
  }

 private:
  struct Stamp {
    int64_t seconds = 0, nanoseconds = 0, bytes = -1;
    uint64_t inode = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };

  explicit WatchedFile(std::string path) : path_(std::move(path)) {}

  Stamp stamp() const {
    struct stat status{};
    if (::stat(path_.c_str(), &status) != 0) return {};
    return {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size, status.st_ino};
  }
  BasicResult<std::shared_ptr<const T>, std::string> read() const {
    TRY_INTO(const std::string text, read_file(path_));
    auto parsed = T::parse(text);
    if (!parsed.has_value()) return std::unexpected(fmt::format("{}: {}", path_, parsed.error()));
    return std::make_shared<const T>(std::move(*parsed));
  }

  const std::string path_;
  Mutex mutex_;
  Stamp seen_ GUARDED_BY(mutex_);
  std::shared_ptr<const T> current_ GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point next_check_ GUARDED_BY(mutex_);
};

}  // namespace trestle
