// A single-threaded epoll loop: ready descriptors, tasks posted by other threads, and coarse timers.
//
// run() belongs to one thread. add, remove, defer and every may be called only by that thread, or before run(). post
// and stop may be called by any thread, even after the loop has ended (post then drops the task and returns false). A
// Source must stay alive until the round in which it was removed has ended: destroy it in a task passed to defer().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/mutex.h"

namespace trestle {

class EventLoop {
 public:
  using Task = std::move_only_function<void()>;

  class Source {
   public:
    virtual void on_events(uint32_t events) = 0;

   protected:
    ~Source() = default;
  };

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void run();
  void stop();

  // Runs the task on the loop's thread. Wakes the loop only if no earlier wake-up is pending.
  bool post(Task task);

  // Runs the task after this round's events, without waiting for new ones.
  void defer(Task task) { deferred_.push_back(std::move(task)); }
  // Runs the task after each batch of events or posted tasks, before anything else.
  void after_batch(Task task) { after_batch_ = std::move(task); }
  // Runs the task about every interval_ms while the loop runs.
  void every(int64_t interval_ms, Task task);

  // False if the kernel rejects it (see errno).
  bool add(int fd, uint32_t events, Source* source);
  void remove(int fd);

  bool in_loop_thread() const { return current() == this; }
  // Monotonic milliseconds at the start of this round, with a resolution of about 4 ms.
  int64_t now_ms() const { return now_ms_; }

 private:
  struct Timer {
    int64_t interval_ms;
    int64_t due_ms;
    Task task;
  };

  static EventLoop*& current();
  int wait_ms() const;
  void run_posted();
  void run_deferred();
  void run_timers();
  void wake();

  // Constant after construction.
  int epoll_fd_;
  int wake_fd_;

  // Used only by the loop's thread.
  Task after_batch_ = [] {};
  std::vector<Task> deferred_;
  std::vector<Task> running_;
  std::vector<Timer> timers_;
  int64_t now_ms_;

  Mutex mutex_;
  std::vector<Task> posted_ GUARDED_BY(mutex_);
  bool ended_ GUARDED_BY(mutex_) = false;

  std::atomic<bool> stopping_ = false;
};

}  // namespace trestle
