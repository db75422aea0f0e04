// Sends the requests of a call. Counts their consumed capacity, reports them to the call's observer, and retries
// requests that conflict with a transaction and the unprocessed parts of batches.
//
// A call with Call::cached_reads_only does not wait. If it would have to, or has sent kRequestsWithoutWaitMax requests,
// it is handed over: Call::needs_disk becomes true, and this request and all further ones fail with
// kServiceUnavailable. The first write that may have had an effect clears Call::cached_reads_only, because the call
// must not be repeated after it. The flag belongs to the call, which may have several senders.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/steady_us.h"
#include "model/database.h"
#include "runtime/requests/write_action.h"
#include "runtime/sending/operation_units.h"
#include "runtime/sending/sent_request.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// How often a write is retried while an item is in a transaction.
inline constexpr int kConflictRetriesMax = 60;
// How many requests a call sends that must not wait.
inline constexpr int kRequestsWithoutWaitMax = 8;

class RequestSender {
 public:
  struct Parts {
    Database& database;
    OperationUnits& units;
    const design::Operation& operation;
    const RequestObserver& observer;
    bool remote = false;
  };
  // Everything in `parts` must outlive this object. Requests are sent on behalf of `call`.
  RequestSender(const Parts& parts, Call& call) : parts_(parts), call_(call) {}

  // Every request of a call goes through here. `call` receives the commit to wait for: requests that are sent
  // concurrently each need their own.
  template <class Request, class Response>
  Result<Response> send(Result<Response> (Database::*operation)(const Request&, Call&), Request& request, Call& call) {
    request.return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
    const bool without_wait = must_not_wait();
    if (call_.needs_disk || (without_wait && ++sent_ > kRequestsWithoutWaitMax)) return handed_over();
    Call sent_call{.caller = call.caller, .commit = 0, .cached_reads_only = without_wait, .table_name = {}};
    const int64_t began_us = parts_.observer ? steady_us() : 0;
    Result<Response> answer = (parts_.database.*operation)(request, sent_call);
    if (sent_call.needs_disk) return handed_over();
    if constexpr (!kReads<Request>) {
      if (without_wait && may_have_effect(answer)) call_.cached_reads_only = false;
    }
    call.commit = std::max(call.commit, sent_call.commit);
    SentRequest sent{.request = &request};
    std::optional<ConsumedCapacity> refused;
    if constexpr (requires { request.table_name; }) {
      if (sent_call.refused_units > 0) {
        refused = ConsumedCapacity{.table_name = request.table_name, .total = sent_call.refused_units};
        sent.consumed = {&*refused, 1};
      }
    }
    if (answer) {
      if constexpr (requires { answer->scanned_count; }) {
        sent.count = answer->count;
        sent.scanned_count = answer->scanned_count;
      }
      if constexpr (requires { answer->consumed_capacity->total; }) {
        if (answer->consumed_capacity) sent.consumed = {&*answer->consumed_capacity, 1};
      } else {
        sent.consumed = answer->consumed_capacity;
      }
    } else {
      sent.error = &answer.error();
    }
    if (parts_.observer) sent.time_us = steady_us() - began_us;
    record(sent);
    return answer;
  }
  template <class Request, class Response>
  Result<Response> send(Result<Response> (Database::*operation)(const Request&, Call&), Request& request) {
    return send(operation, request, call_);
  }
  // Repeats `send` while an item is in a transaction.
  template <class Send>
  auto send_past_conflicts(const Send& send) -> decltype(send()) {
    for (int attempt = 0;; ++attempt) {
      auto sent = send();
      if (sent || attempt >= kConflictRetriesMax || !is_conflict(sent.error())) return sent;
      if (auto durable = wait_durable(); !durable) return std::unexpected(std::move(durable.error()));
      back_off(attempt);
    }
  }

  // Sends a single action. If `returns_item`, returns the new item of an update or the old item of a deletion.
  Result<std::optional<Item>> write(const WriteAction& action, bool returns_item);
  // Sends the actions as one transaction.
  Result<void> transact(const std::vector<WriteAction>& actions);

  // The items with the keys, in their order; an empty item if there is none. `key_names` are the table's key
  // attributes.
  Outcome<std::vector<Item>> get_all(const std::string& table, const std::vector<Item>& keys, bool consistent,
                                     const std::vector<std::string>& key_names);
  Outcome<void> delete_all(const std::string& table, std::vector<Item> keys);

  // Waits a random time that grows with `attempt`, so that conflicting calls separate. On an embedded Database, the
  // first attempts only yield.
  void back_off(int attempt);
  Result<void> wait_durable() {
    if (must_not_wait()) return handed_over();
    return parts_.database.wait_durable(call_);
  }

  Call& call() { return call_; }
  bool is_remote() const { return parts_.remote; }
  Database& database() { return parts_.database; }

 private:
  template <class Request>
  static constexpr bool kReads =
      std::is_same_v<Request, GetItemRequest> || std::is_same_v<Request, BatchGetItemRequest> ||
      std::is_same_v<Request, QueryRequest> || std::is_same_v<Request, ScanRequest>;

  // The outcome of a write that the disk failed is unknown.
  template <class Response>
  static bool may_have_effect(const Result<Response>& answer) {
    return answer || answer.error().code == ErrorCode::kServiceUnavailable ||
           answer.error().code == ErrorCode::kInternal;
  }
  bool must_not_wait() const { return call_.cached_reads_only; }
  std::unexpected<Error> handed_over() {
    call_.needs_disk = true;
    return failure(ErrorCode::kServiceUnavailable, "another thread repeats the call");
  }
  void record(const SentRequest& sent) const;

  Parts parts_;
  Call& call_;
  int sent_ = 0;  // requests that must not wait
};

}  // namespace trestle::runtime
