#include "engine/items/item_key.h"
#include "engine/items/item_operations.h"
#include "engine/items/item_writer.h"
#include "engine/items/write_condition.h"
#include "engine/tables/find_table.h"
#include "model/limits.h"

namespace trestle {

Result<PutItemResponse> put_item(ItemParts& parts, const PutItemRequest& request, Call& call) {
  TRY_INTO(const CompiledCondition condition,
           with_validation_prefix(CompiledCondition::compile(request.condition, request.placeholders)));
  TRY_INTO(const WritableTable table, open_table(parts, request.table_name));
  TRY(check_item(table->description, request.item));
  if (request.item.size_bytes() > kItemBytesMax) return invalid(kItemTooLarge);

  PutItemResponse response;
  CapacityMeter meter(table->description.name, request.return_consumed_capacity);
  TRY(ItemWriter(parts, *table, call).write(request.item, meter, [&](ItemView old_item) -> Result<ItemDecision> {
    if (!condition.holds(old_item)) return condition_failed(request.condition, old_item);
    if (request.return_values == ReturnValues::kAllOld && !old_item.empty()) response.attributes = Item(old_item);
    return ItemDecision::put(request.item.view());
  }));
  response.consumed_capacity = meter.consumed();
  response.item_collection_metrics =
      collection_metrics(request.return_item_collection_metrics, table->description, request.item);
  return response;
}

}  // namespace trestle
