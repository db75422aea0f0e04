// Runs a SELECT: a read of one item, of the partitions in its plan, or a scan.
#pragma once

#include "engine/items/page.h"
#include "engine/parts.h"
#include "engine/statements/statement_plan.h"
#include "engine/statements/statement_token.h"
#include "model/database.h"

namespace trestle {

class SelectStatement {
 public:
  SelectStatement(ItemParts& parts, const PartiqlStatement& statement, const Statement& request_statement, Call& call)
      : parts_(parts),
        statement_(statement),
        request_statement_(request_statement),
        call_(call),
        lowering_(statement, request_statement.parameters) {}

  Result<ExecuteStatementResponse> page(const ExecuteStatementRequest& request);
  // For statements in a batch or transaction, which must select exactly one item.
  struct OneItem {
    std::optional<Item> item;
    std::optional<ConsumedCapacity> consumed_capacity;
  };
  // Returns the encoded key of that item; then get() reads the item. `api` is used in the error if the statement does
  // not select exactly one item.
  Result<std::string> prepare_item(std::string_view api);
  Result<OneItem> get(ReturnConsumedCapacity detail);
  // Returns the read of that item as a request, without running it.
  Result<GetItemRequest> item_request(std::string_view api);
  // Projects an item that was read with item_request() to the statement's columns.
  Item in_columns(ItemView item) const;

 private:
  Result<void> prepare(std::string_view api);
  Result<void> find_index();
  Result<void> name_columns();
  Result<void> check_filter_attributes() const;
  GetItemRequest get_request();
  Item item_key() const;
  Result<ExecuteStatementResponse> read_pages(const ExecuteStatementRequest& request);

  ItemParts& parts_;
  const PartiqlStatement& statement_;
  const Statement& request_statement_;
  Call& call_;
  PartiqlLowering lowering_;
  std::shared_ptr<const TableVersion> table_;
  const IndexDescription* index_ = nullptr;
  const KeySchema* key_ = nullptr;
  std::vector<std::string> column_names_;
  SelectPlan plan_;
};

}  // namespace trestle
