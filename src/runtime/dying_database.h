// A Database that stops answering after some writes, as a process that dies does; for tests.
#pragma once

#include <atomic>
#include <string_view>

#include "model/database.h"

namespace trestle::runtime {

// Everything reaches the engine until `left` writes were made; after that nothing does.
class DyingDatabase final : public Database {
 public:
  explicit DyingDatabase(Database& to) : to_(to) {}
  std::atomic<int> left{1'000'000};

  Result<void> wait_durable(const Call& call) override { return to_.wait_durable(call); }
  void when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) override {
    to_.when_durable(call, std::move(then));
  }
#define TRESTLE_FORWARD(Name, name)                                                                                    \
  Result<Name##Response> name(const Name##Request& request, Call& call) override {                                     \
    const bool writes = std::string_view(#Name).find("Write") != std::string_view::npos ||                             \
                        std::string_view(#Name).starts_with("Put") || std::string_view(#Name).starts_with("Update") || \
                        std::string_view(#Name).starts_with("Delete");                                                 \
    if (left <= 0 || (writes && left-- <= 0)) return failure(ErrorCode::kServiceUnavailable, "gone");                  \
    return to_.name(request, call);                                                                                    \
  }                                                                                                                    \
  using Database::name;
  TRESTLE_OPERATIONS(TRESTLE_FORWARD)
#undef TRESTLE_FORWARD

 private:
  Database& to_;
};

}  // namespace trestle::runtime
