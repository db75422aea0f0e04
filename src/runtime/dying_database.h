// For tests: a Database that stops responding after some writes, as if the process had crashed.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "model/database.h"

namespace trestle::runtime {

// Forwards all requests until `left` writes have been made; then every request fails.
class DyingDatabase final : public Database {
 public:
  explicit DyingDatabase(Database& to) : to_(to) {}
  std::atomic<int> left{1'000'000};
  std::atomic<int> until_failure{1'000'000};  // so many writes succeed, the next fails, later ones succeed
  std::atomic<ErrorCode> failure_code{ErrorCode::kServiceUnavailable};  // the error of that write
  std::function<bool(const PutItemRequest&)> refuses_put;  // puts for which it returns true fail; set before use

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
    if (writes && until_failure-- == 0) return failure(failure_code, "full");                                          \
    if (is_refused(request)) return failure(ErrorCode::kServiceUnavailable, "not now");                                \
    return to_.name(request, call);                                                                                    \
  }                                                                                                                    \
  using Database::name;
  TRESTLE_OPERATIONS(TRESTLE_FORWARD)
#undef TRESTLE_FORWARD

 private:
  bool is_refused(const PutItemRequest& request) const { return refuses_put && refuses_put(request); }
  template <class Request>
  bool is_refused(const Request&) const {
    return false;
  }

  Database& to_;
};

}  // namespace trestle::runtime
