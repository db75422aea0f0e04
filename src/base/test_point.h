// Named points in background work at which a test can pause the work and do something else.
//
//   TRESTLE_TEST_POINT("backfill.commit");                                 // in the code
//   TestPoints::Hook hook([&](std::string_view point) { ... });            // in a test, for the lifetime of `hook`
//
// Builds with NDEBUG and without sanitizers, such as Release, have no test points (TRESTLE_HAS_TEST_POINTS). Threads
// may reach points concurrently. Only one hook may exist at a time.
#pragma once

#if defined(NDEBUG) && !defined(TRESTLE_CHECKED)

#define TRESTLE_TEST_POINT(name) ((void)0)

#else

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

#define TRESTLE_TEST_POINT(name) ::trestle::TestPoints::reach(name)
#define TRESTLE_HAS_TEST_POINTS 1

namespace trestle {

class TestPoints {
 public:
  using Reached = std::function<void(std::string_view point)>;

  class Hook {
   public:
    explicit Hook(Reached reached) { set(std::make_shared<Reached>(std::move(reached))); }
    ~Hook() { set(nullptr); }
    Hook(const Hook&) = delete;
    Hook& operator=(const Hook&) = delete;
  };

  static void reach(std::string_view point) {
    if (!is_hooked.load(std::memory_order_acquire)) [[likely]]
      return;
    std::shared_ptr<Reached> reached;  // shared because the hook may be removed while it runs
    {
      std::lock_guard lock(mutex);
      reached = hook;
    }
    if (reached) (*reached)(point);
  }

 private:
  static void set(std::shared_ptr<Reached> reached) {
    std::lock_guard lock(mutex);
    hook = std::move(reached);
    is_hooked.store(hook != nullptr, std::memory_order_release);
  }

  static inline std::atomic<bool> is_hooked{false};
  static inline std::mutex mutex;
  static inline std::shared_ptr<Reached> hook;
};

}  // namespace trestle

#endif
