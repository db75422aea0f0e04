#include "copy/state_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/read_file.h"
#include "base/sha256.h"

namespace trestle::copy {
namespace {

constexpr auto kSaveInterval = std::chrono::milliseconds(500);

std::unexpected<Error> cannot(std::string_view what, const std::string& path) {
  return failure(ErrorCode::kServiceUnavailable,
                 fmt::format("{} cannot be {}: {}", path, what, std::strerror(errno)));  // NOLINT: no other thread yet
}

}  // namespace

// The owner of the lock deletes the lock file when it ends, so after locking, check that the file still exists.
Result<void> StateFile::lock() {
  const std::string name = path_ + ".lock";
  while (true) {
    lock_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lock_ < 0) return cannot("created", name);
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      return failure(ErrorCode::kResourceInUse, fmt::format("another process is using {}", path_));
    }
    struct stat is{};
    if (::fstat(lock_, &is) == 0 && is.st_nlink > 0) return {};
    ::close(lock_);
  }
}

Result<std::unique_ptr<StateFile>> StateFile::open(const std::string& path, const std::string& from,
                                                   const std::string& to, bool restart) {
  std::unique_ptr<StateFile> file(new StateFile(path));
  TRY(file->lock());
  CopyState state{.from = from, .to = to};
  std::error_code none;
  std::optional<std::string> text;
  if (std::filesystem::exists(path, none)) {
    auto read = read_file(path);
    if (!read) return invalid(read.error());
    text = std::move(*read);
  }
  if (text && restart) {
    if (auto read = read_state(*text); read && read->from == from && read->to == to)
      file->discarded_ = std::move(*read);
  }
  if (text && !restart) {
    auto read = read_state(*text);
    if (!read) return invalid(fmt::format("{} is not the state of a copy: {}", path, read.error().message));
    if (read->from != from || read->to != to) {
      return invalid(fmt::format("{} is the state of a copy from {} to {}", path, read->from, read->to));
    }
    state = std::move(*read);
  }
  file->change([&](CopyState& all) { all = std::move(state); });
  return file;
}

StateFile::~StateFile() {
  if (lock_ < 0) return;
  const std::string name = path_ + ".lock";
  ::unlink(name.c_str());
  ::close(lock_);
}

CopyState StateFile::read() const {
  const MutexLock lock(mutex_);
  return state_;
}

void StateFile::change(const std::function<void(CopyState&)>& change) {
  const MutexLock lock(mutex_);
  change(state_);
  changed_ = true;
}

Result<void> StateFile::save() {
  const MutexLock file(file_mutex_);
  std::string text;
  {
    const MutexLock lock(mutex_);
    if (!changed_) return {};
    text = state_text(state_);
    changed_ = false;
  }
  saved_at_ = std::chrono::steady_clock::now();
  auto written = write(text);
  if (!written.has_value()) {
    const MutexLock lock(mutex_);
    changed_ = true;
  }
  return written;
}

Result<void> StateFile::save_now_and_then() {
  {
    const MutexLock file(file_mutex_);
    if (std::chrono::steady_clock::now() - saved_at_ < kSaveInterval) return {};
  }
  return save();
}

Result<void> StateFile::write(const std::string& text) const {
  const std::string fresh = path_ + ".new";
  {
    const File file(fresh, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file.is_open()) return cannot("created", fresh);
    if (!file.write(text) || !file.sync()) return cannot("written", fresh);
  }
  if (std::rename(fresh.c_str(), path_.c_str()) != 0) return cannot("replaced", path_);
  sync_folder(std::filesystem::absolute(path_).parent_path().string());
  return {};
}

std::string default_state_name(const std::string& from, const std::string& to, const std::vector<std::string>& tables) {
  std::string all = from + '\n' + to;
  for (const std::string& table : tables) all += '\n' + table;
  std::string digits;
  append_hex(digits, sha256(all));
  return fmt::format("trestle-copy-{}.json", digits.substr(0, 12));
}

}  // namespace trestle::copy
