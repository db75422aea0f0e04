#include "server/http/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <iterator>

#include "base/check.h"

namespace trestle {

namespace {

constexpr int kEventsPerRound = 256;

int64_t coarse_now_ms() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

EventLoop::EventLoop()
    : epoll_fd_(epoll_create1(EPOLL_CLOEXEC)),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      now_ms_(coarse_now_ms()) {
  CHECK(epoll_fd_ >= 0 && wake_fd_ >= 0, "no descriptors left for an event loop");
  CHECK(add(wake_fd_, EPOLLIN, nullptr));
}

EventLoop::~EventLoop() {
  close(wake_fd_);
  close(epoll_fd_);
}

EventLoop*& EventLoop::current() {
  thread_local EventLoop* loop = nullptr;
  return loop;
}

void EventLoop::run() {
  current() = this;
  epoll_event events[kEventsPerRound];
  while (!stopping_.load(std::memory_order_acquire)) {
    const int count = epoll_wait(epoll_fd_, events, kEventsPerRound, wait_ms());
    now_ms_ = coarse_now_ms();
    bool woken = false;
    for (int i = 0; i < count; ++i) {
      if (auto* source = static_cast<Source*>(events[i].data.ptr)) {
        source->on_events(events[i].events);
      } else {
        woken = true;
      }
    }
    after_batch_();
    if (woken) run_posted();
    if (!timers_.empty()) run_timers();
    if (!deferred_.empty()) run_deferred();
  }
  {
    MutexLock lock(mutex_);
    ended_ = true;
  }
  run_posted();
  while (!deferred_.empty()) run_deferred();
  current() = nullptr;
}

void EventLoop::stop() {
  stopping_.store(true, std::memory_order_release);
  wake();
}

bool EventLoop::post(Task task) {
  bool first;
  {
    MutexLock lock(mutex_);
    if (ended_) return false;
    first = posted_.empty();
    posted_.push_back(std::move(task));
  }
  if (first) wake();
  return true;
}

void EventLoop::every(int64_t interval_ms, Task task) {
  timers_.push_back({interval_ms, now_ms_ + interval_ms, std::move(task)});
}

bool EventLoop::add(int fd, uint32_t events, Source* source) {
  epoll_event event{.events = events, .data = {.ptr = source}};
  return epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) == 0;
}

void EventLoop::remove(int fd) { epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr); }

int EventLoop::wait_ms() const {
  if (!deferred_.empty()) return 0;
  if (timers_.empty()) return -1;
  int64_t due = timers_.front().due_ms;
  for (const Timer& timer : timers_) due = std::min(due, timer.due_ms);
  return static_cast<int>(std::clamp<int64_t>(due - now_ms_, 1, 60'000));
}

void EventLoop::run_posted() {
  uint64_t ignored;
  // The count does not matter, and a loop that ends without a wake-up has nothing to read.
  [[maybe_unused]] const ssize_t n = read(wake_fd_, &ignored, sizeof ignored);
  std::vector<Task> tasks;
  {
    MutexLock lock(mutex_);
    tasks.swap(posted_);
  }
  for (Task& task : tasks) task();
  after_batch_();
}

void EventLoop::run_deferred() {
  running_.swap(deferred_);
  for (Task& task : running_) task();
  after_batch_();
  running_.clear();
}

void EventLoop::run_timers() {
  // Iterates by index because a timer's task may add timers.
  for (size_t i = 0; i < timers_.size(); ++i) {
    if (timers_[i].due_ms > now_ms_) continue;
    timers_[i].due_ms = now_ms_ + timers_[i].interval_ms;
    Task task = std::move(timers_[i].task);
    task();
    timers_[i].task = std::move(task);
  }
}

void EventLoop::wake() {
  const uint64_t one = 1;
  // Fails only when the counter is full, and then the loop is already awake.
  [[maybe_unused]] const ssize_t n = write(wake_fd_, &one, sizeof one);
}

}  // namespace trestle
