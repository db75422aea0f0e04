// The state of a copy in memory, and the file it is saved to (copy/state.h). A lock file next to it excludes other
// processes for the lifetime of this object.
//
// A save replaces the file atomically. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/lock_rank.h"
#include "base/mutex.h"
#include "copy/state.h"

namespace trestle::copy {

class StateFile {
 public:
  // Reads the file if it exists, unless `restart`. Fails if it belongs to another copy or is in use.
  static Result<std::unique_ptr<StateFile>> open(const std::string& path, const std::string& from,
                                                 const std::string& to, bool restart);
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  const std::string& path() const { return path_; }
  CopyState read() const;
  // The contents of the file before `restart` discarded it; empty if it was unreadable.
  const CopyState& discarded() const { return discarded_; }
  void change(const std::function<void(CopyState&)>& change);
  // Writes the file if the state has changed since the last successful save.
  Result<void> save();
  // The same, but at most every half second.
  Result<void> save_now_and_then();

 private:
  explicit StateFile(std::string path) : path_(std::move(path)) {}
  Result<void> lock();
  Result<void> write(const std::string& text) const;

  const std::string path_;
  CopyState discarded_;  // constant after open()
  int lock_ = -1;
  Mutex file_mutex_{kOutermostRank};  // held during a save; locked before mutex_
  std::chrono::steady_clock::time_point saved_at_ GUARDED_BY(file_mutex_) = {};
  mutable Mutex mutex_{kShortRank};
  CopyState state_ GUARDED_BY(mutex_);
  bool changed_ GUARDED_BY(mutex_) = false;
};

// "trestle-copy-<12 digits>.json". The same arguments give the same name.
std::string default_state_name(const std::string& from, const std::string& to, const std::vector<std::string>& tables);

}  // namespace trestle::copy
