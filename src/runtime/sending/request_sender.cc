#include "runtime/sending/request_sender.h"

#include <chrono>
#include <thread>
#include <unordered_map>

#include "base/random_id.h"
#include "model/limits.h"
#include "runtime/items/item_form.h"
#include "runtime/requests/write_requests.h"

namespace trestle::runtime {

using design::RequestKind;

namespace {

constexpr int kBackOffBaseUs = 200;
constexpr int kBackOffMaxUs = 50'000;
// How often the unprocessed part of a batch is retried.
constexpr int kUnprocessedTriesMax = 12;

Result<std::optional<Item>> item_of(Result<WriteItemResponse> answer) {
  if (!answer) return std::unexpected(std::move(answer.error()));
  return std::move(answer->attributes);
}

}  // namespace

Result<std::optional<Item>> RequestSender::write(const WriteAction& action, bool returns_item) {
  switch (action.kind) {
    case RequestKind::kPutItem: {
      PutItemRequest request = put_request(action);
      return item_of(send(&Database::put_item, request));
    }
    case RequestKind::kUpdateItem: {
      UpdateItemRequest request = update_request(action, returns_item);
      return item_of(send(&Database::update_item, request));
    }
    case RequestKind::kDeleteItem: {
      DeleteItemRequest request = delete_request(action, returns_item);
      return item_of(send(&Database::delete_item, request));
    }
    default: {
      auto answer = transact({action});
      if (!answer) return std::unexpected(std::move(answer.error()));
      return std::nullopt;
    }
  }
}

Result<void> RequestSender::transact(const std::vector<WriteAction>& actions) {
  TransactWriteItemsRequest request = transact_request(actions);
  // With a token, a request that is retried because its reply was lost takes effect only once.
  if (parts_.remote) request.client_request_token = random_uuid().substr(0, 36);
  auto answer = send(&Database::transact_write_items, request);
  if (!answer) return std::unexpected(std::move(answer.error()));
  return {};
}

void RequestSender::back_off(int attempt) {
  if (attempt < 3 && !parts_.remote) {
    std::this_thread::yield();
    return;
  }
  if (must_not_wait()) {
    call_.needs_disk = true;
    return;
  }
  const int most = std::min(kBackOffMaxUs, kBackOffBaseUs << std::min(attempt, 8));
  const auto wait = static_cast<int64_t>(random_u64() % static_cast<uint64_t>(most));
  std::this_thread::sleep_for(std::chrono::microseconds(wait));
}

void RequestSender::record(const SentRequest& sent) const {
  const bool reads = sent.request.index() <= 3;  // GetItem, BatchGetItem, Query, Scan
  for (const ConsumedCapacity& consumed : sent.consumed) {
    parts_.units.add(parts_.operation, reads ? OperationUnits::Kind::kRead : OperationUnits::Kind::kWrite, consumed);
  }
  if (parts_.observer) parts_.observer(sent);
}

Outcome<std::vector<Item>> RequestSender::get_all(const std::string& table, const std::vector<Item>& keys,
                                                  bool consistent, const std::vector<std::string>& key_names) {
  std::unordered_map<std::string, Item> found;
  for (size_t from = 0; from < keys.size(); from += kBatchGetKeysMax) {
    BatchGetTable part{.table_name = table};
    part.consistent_read = consistent;
    part.keys.assign(keys.begin() + static_cast<ptrdiff_t>(from),
                     keys.begin() + static_cast<ptrdiff_t>(std::min(keys.size(), from + kBatchGetKeysMax)));
    BatchGetItemRequest request{.tables = {std::move(part)}};
    for (int tries = 0; !request.tables.empty(); ++tries) {
      auto answer = send(&Database::batch_get_item, request);
      if (!answer) return std::unexpected(refused_by(answer.error()));
      for (const auto& [name, items] : answer->responses) {
        for (size_t i = 0; i < items.size(); ++i) found.emplace(place_of(items[i], key_names).bytes(), Item(items[i]));
      }
      request.tables = std::move(answer->unprocessed);
      if (request.tables.empty()) break;
      if (tries >= kUnprocessedTriesMax)
        return std::unexpected(
            refused_by({.code = ErrorCode::kProvisionedThroughputExceeded, .message = "unprocessed keys"}));
      back_off(tries);
    }
  }
  std::vector<Item> items;
  for (const Item& key : keys) {
    const auto item = found.find(key.bytes());
    items.push_back(item == found.end() ? Item() : item->second);
  }
  return items;
}

Outcome<void> RequestSender::delete_all(const std::string& table, std::vector<Item> keys) {
  for (size_t from = 0; from < keys.size(); from += kBatchWriteRequestsMax) {
    BatchWriteTable part{.table_name = table};
    for (size_t i = from; i < std::min(keys.size(), from + kBatchWriteRequestsMax); ++i)
      part.writes.push_back({.is_delete = true, .item = std::move(keys[i])});
    BatchWriteItemRequest request{.tables = {std::move(part)}};
    for (int tries = 0; !request.tables.empty(); ++tries) {
      auto answer = send(&Database::batch_write_item, request);
      if (!answer) return std::unexpected(refused_by(answer.error()));
      request.tables = std::move(answer->unprocessed);
      if (request.tables.empty()) break;
      if (tries >= kUnprocessedTriesMax)
        return std::unexpected(
            refused_by({.code = ErrorCode::kProvisionedThroughputExceeded, .message = "unprocessed writes"}));
      back_off(tries + 3);
    }
  }
  return {};
}

}  // namespace trestle::runtime
