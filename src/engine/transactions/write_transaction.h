// Executes a TransactWriteItems request: prepare() validates it, run() applies it atomically.
//
// run() holds the locks of all its items from before it reads the old items until its single commit is visible, so that
// it is serializable with every other write. Then the registry holds the items until the commit is durable. If
// responses do not wait for durability, it claims the items while it runs (engine/transactions/transaction_registry.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/items/capacity.h"
#include "engine/items/write_condition.h"
#include "engine/parts.h"
#include "engine/transactions/cancellation.h"
#include "expression/update/update.h"
#include "model/database.h"

namespace trestle {

class ItemChanges;

class WriteTransaction {
 public:
  // Borrows all three.
  WriteTransaction(ItemParts& parts, const TransactWriteItemsRequest& request, Call& call)
      : parts_(parts), request_(request), call_(call) {}

  Result<void> prepare();

  // `token`, if set, is stored in the same commit.
  Result<TransactWriteItemsResponse> run(const std::optional<RequestToken>& token);
  // The commit made by run(), or 0 if there is nothing to wait for.
  uint64_t commit() const { return commit_; }

  // The response to a repeated request that took effect earlier. Nothing is executed; the request is charged for
  // reading the items as they were then.
  TransactWriteItemsResponse replay(const RequestToken& earlier);

 private:
  struct Action {
    CompiledCondition condition;
    std::optional<Update> update;
    size_t table = 0;  // index into tables_
    std::string key;   // encoded
  };
  // The effect on an action's item.
  struct Outcome {
    bool changes = false;
    bool prepared = false;  // there was no conflict, and enough capacity
    ItemView after;
    std::optional<Item> new_item;  // the item viewed by `after`, if it is not in the request
  };

  TransactionRegistry::Use use_of(size_t action) const;
  const TableDescription& table_of(size_t action) const { return tables_[actions_[action].table]->description; }
  Result<void> compile();
  static Result<void> compile(const TransactWrite& write, Action& action);
  Result<void> open_tables();
  Result<void> check_keys();
  Result<void> check_action(size_t action) const;
  Result<void> check_distinct() const;

  Result<void> decide(size_t action, ItemView before, Outcome& outcome, Cancellation& cancellation) const;
  Result<Item> updated(size_t action, ItemView before) const;
  void charge_preparation(const std::vector<Outcome>& outcomes, const std::vector<ItemView>& before);
  RequestToken with_read_units(RequestToken token, const std::vector<Outcome>& outcomes,
                               const std::vector<ItemView>& before) const;
  void hold_items() const;
  std::vector<CapacityMeter> meters(CapacityKind kind) const;
  TransactWriteItemsResponse response(const std::vector<CapacityMeter>& meters) const;

  ItemParts& parts_;
  const TransactWriteItemsRequest& request_;
  Call& call_;
  std::vector<Action> actions_;        // in the order of request_.writes
  std::vector<WritableTable> tables_;  // without duplicates, in the order of first mention
  uint64_t commit_ = 0;
};

// Erases expired client request tokens; a step of a background task.
JobOutcome trim_request_tokens(ItemParts& parts);

}  // namespace trestle
