// A request that a call sent to its Database, as reported to the call's observer (CallContext::observer).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <variant>

#include "model/database.h"

namespace trestle::runtime {

// Everything in it is borrowed and valid only while the observer runs.
struct SentRequest {
  std::variant<const GetItemRequest*, const BatchGetItemRequest*, const QueryRequest*, const ScanRequest*,
               const PutItemRequest*, const UpdateItemRequest*, const DeleteItemRequest*, const BatchWriteItemRequest*,
               const TransactWriteItemsRequest*>
      request;
  std::span<const ConsumedCapacity> consumed = {};  // empty if the response has none: most errors, and some endpoints
  const Error* error = nullptr;                     // null: it succeeded
  int64_t time_us = 0;
  std::optional<int64_t> count = {};          // of a query or scan: the items that it returned
  std::optional<int64_t> scanned_count = {};  // and the items that it read
};

// Called after each request. Requests to shards are sent concurrently, so several threads may call it at once.
using RequestObserver = std::function<void(const SentRequest&)>;

}  // namespace trestle::runtime
