// A Database that forwards every request and remembers the last one that was rejected as invalid, so that a rehearsal
// can report it. Failed conditions are not recorded. Not thread-safe.
#pragma once

#include <algorithm>
#include <string>

#include "model/database.h"
#include "protocol/client/client_json.h"

namespace trestle::rehearsal {

class WatchedDatabase final : public Database {
 public:
  explicit WatchedDatabase(Database& to) : to_(to) {}

  // "UpdateItem {...}: the reason". Empty if no request was rejected since the last forget().
  const std::string& refused() const { return refused_; }
  void forget() { refused_.clear(); }

  Result<void> wait_durable(const Call& call) override { return to_.wait_durable(call); }
  void when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) override {
    to_.when_durable(call, std::move(then));
  }
#define TRESTLE_WATCH(Name, name)                                                      \
  Result<Name##Response> name(const Name##Request& request, Call& call) override {     \
    auto response = to_.name(request, call);                                           \
    if (!response && is_invalid(response.error())) {                                   \
      std::string json;                                                                \
      write_request_json(request, json);                                               \
      refused_ = std::string(#Name) + " " + json + ": " + reason_of(response.error()); \
    }                                                                                  \
    return response;                                                                   \
  }                                                                                    \
  using Database::name;
  TRESTLE_OPERATIONS(TRESTLE_WATCH)
#undef TRESTLE_WATCH

 private:
  static const CancellationReason* invalid_reason(const Error& error) {
    if (error.code != ErrorCode::kTransactionCanceled || error.reasons == nullptr) return nullptr;
    const auto found = std::find_if(error.reasons->begin(), error.reasons->end(),
                                    [](const CancellationReason& reason) { return reason.code == "ValidationError"; });
    return found == error.reasons->end() ? nullptr : &*found;
  }
  static bool is_invalid(const Error& error) {
    if (error.code == ErrorCode::kConditionalCheckFailed) return false;
    return error.code != ErrorCode::kTransactionCanceled || invalid_reason(error) != nullptr;
  }
  static const std::string& reason_of(const Error& error) {
    const CancellationReason* reason = invalid_reason(error);
    return reason == nullptr ? error.message : reason->message;
  }

  Database& to_;
  std::string refused_;
};

}  // namespace trestle::rehearsal
