// For tests: a Database that regularly misses: a request that must not wait (Call::cached_reads_only) has no effect and
// must be repeated.
#pragma once

#include <atomic>
#include <string_view>

#include "model/database.h"

namespace trestle::runtime {

class ColdDatabase final : public Database {
 public:
  explicit ColdDatabase(Database& to) : to_(to) {}
  std::atomic<int> misses_every{3};  // of the requests that must not wait, one in so many misses; 0: none
  // How many writes of this thread, which must not wait, took effect.
  static inline thread_local int writes_without_wait = 0;

  Result<void> wait_durable(const Call& call) override { return to_.wait_durable(call); }
  void when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) override {
    to_.when_durable(call, std::move(then));
  }
#define TRESTLE_FORWARD(Name, name)                                                                                    \
  Result<Name##Response> name(const Name##Request& request, Call& call) override {                                     \
    const bool writes = std::string_view(#Name).find("Write") != std::string_view::npos ||                             \
                        std::string_view(#Name).starts_with("Put") || std::string_view(#Name).starts_with("Update") || \
                        std::string_view(#Name).starts_with("Delete");                                                 \
    if (call.cached_reads_only && misses()) {                                                                          \
      call.needs_disk = true;                                                                                          \
      return failure(ErrorCode::kInternal, "a miss");                                                                  \
    }                                                                                                                  \
    auto answer = to_.name(request, call);                                                                             \
    if (writes && call.cached_reads_only && answer.has_value()) ++writes_without_wait;                                 \
    return answer;                                                                                                     \
  }                                                                                                                    \
  using Database::name;
  TRESTLE_OPERATIONS(TRESTLE_FORWARD)
#undef TRESTLE_FORWARD

 private:
  bool misses() {
    const int every = misses_every;
    return every > 0 && ++requests_ % every == 0;
  }

  Database& to_;
  std::atomic<int> requests_ = 0;
};

}  // namespace trestle::runtime
