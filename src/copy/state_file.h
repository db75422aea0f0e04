// The state of a copy in memory, and the file it is saved to (copy/state.h). One process at a time: beside the file
// there is a lock while this lives.
//
// A save replaces the file at once or not at all, whenever the machine stops. Threads may share it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "copy/state.h"

namespace trestle::copy {

class StateFile {
 public:
  // Reads the file if there is one and `restart` is not asked for; refuses if it is another copy's, or in use.
  static Result<std::unique_ptr<StateFile>> open(const std::string& path, const std::string& from,
                                                 const std::string& to, bool restart);
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  const std::string& path() const { return path_; }
  CopyState read() const;
  // What the file said before `restart` discarded it; nothing if it could not be read.
  const CopyState& discarded() const { return discarded_; }
  void change(const std::function<void(CopyState&)>& change);
  // Writes the file if it is not what it should be.
  Result<void> save();
  // The same, unless that was done a moment ago.
  Result<void> save_now_and_then();

 private:
  explicit StateFile(std::string path) : path_(std::move(path)) {}
  Result<void> lock();
  Result<void> write(const std::string& text) const;

  const std::string path_;
  CopyState discarded_;  // constant after open()
  int lock_ = -1;
  Mutex file_mutex_;  // one save at a time; taken before the other
  std::chrono::steady_clock::time_point saved_at_ GUARDED_BY(file_mutex_) = {};
  mutable Mutex mutex_;
  CopyState state_ GUARDED_BY(mutex_);
  bool changed_ GUARDED_BY(mutex_) = false;
};

// "trestle-copy-<12 digits>.json": the same for the same copy.
std::string default_state_name(const std::string& from, const std::string& to, const std::vector<std::string>& tables);

}  // namespace trestle::copy
