// For tests: Databases that forward requests to another one, except for some that they fail.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "model/database.h"

namespace trestle::runtime {

class ForwardingDatabase : public Database {
 public:
  explicit ForwardingDatabase(Database& to) : to_(to) {}

  Result<void> wait_durable(const Call& call) override { return to_.wait_durable(call); }
  void when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) override {
    to_.when_durable(call, std::move(then));
  }
#define TRESTLE_FORWARD(Name, name)                                                \
  Result<Name##Response> name(const Name##Request& request, Call& call) override { \
    const bool writes = is_write(#Name);                                           \
    TRY(before(writes, put_of(request), call));                                    \
    auto answer = to_.name(request, call);                                         \
    if (answer.has_value()) after(writes, call);                                   \
    return answer;                                                                 \
  }                                                                                \
  using Database::name;
  TRESTLE_OPERATIONS(TRESTLE_FORWARD)
#undef TRESTLE_FORWARD

 protected:
  // Called before a request is forwarded. An error is returned in place of a response. `put` is null unless the request
  // is a PutItem.
  virtual Result<void> before(bool writes, const PutItemRequest* put, Call& call) = 0;
  // Called after a request has succeeded.
  virtual void after(bool /*writes*/, const Call& /*call*/) {}

 private:
  static bool is_write(std::string_view operation) {
    return operation.find("Write") != std::string_view::npos || operation.starts_with("Put") ||
           operation.starts_with("Update") || operation.starts_with("Delete");
  }
  static const PutItemRequest* put_of(const PutItemRequest& request) { return &request; }
  template <class Request>
  static const PutItemRequest* put_of(const Request&) {
    return nullptr;
  }

  Database& to_;
};

// Regularly misses: a request that must not wait (Call::cached_reads_only) has no effect and must be repeated.
class ColdDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  std::atomic<int> misses_every{3};  // of the requests that must not wait, one in so many misses; 0: none
  // From now on, of the requests that must not wait, only this one misses: 1 is the next. 0: none.
  void miss_only(int request) {
    misses_every = 0;
    requests_ = 0;
    missing_request_ = request;
  }
  int requests_without_wait() const { return requests_; }
  // How many writes of this thread, which must not wait, took effect.
  static inline thread_local int writes_without_wait = 0;

 protected:
  Result<void> before(bool /*writes*/, const PutItemRequest* /*put*/, Call& call) override {
    if (!call.cached_reads_only || !misses()) return {};
    call.needs_disk = true;
    return failure(ErrorCode::kInternal, "a miss");
  }
  void after(bool writes, const Call& call) override {
    if (writes && call.cached_reads_only) ++writes_without_wait;
  }

 private:
  bool misses() {
    const int request = ++requests_;
    const int every = misses_every;
    return request == missing_request_ || (every > 0 && request % every == 0);
  }

  std::atomic<int> requests_ = 0;
  std::atomic<int> missing_request_ = 0;
};

// Stops responding after some writes, as if the process had crashed: forwards all requests until `left` writes have
// been made; then every request fails.
class DyingDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  std::atomic<int> left{1'000'000};
  std::atomic<int> until_failure{1'000'000};  // so many writes succeed, the next fails, later ones succeed
  std::atomic<ErrorCode> failure_code{ErrorCode::kServiceUnavailable};  // the error of that write
  std::function<bool(const PutItemRequest&)> refuses_put;  // puts for which it returns true fail; set before use

 protected:
  Result<void> before(bool writes, const PutItemRequest* put, Call& /*call*/) override {
    if (left <= 0 || (writes && left-- <= 0)) return failure(ErrorCode::kServiceUnavailable, "gone");
    if (writes && until_failure-- == 0) return failure(failure_code, "full");
    if (put != nullptr && refuses_put && refuses_put(*put)) return failure(ErrorCode::kServiceUnavailable, "not now");
    return {};
  }
};

}  // namespace trestle::runtime
