#include <fmt/format.h>

#include "engine/items/item_key.h"
#include "engine/items/item_operations.h"
#include "engine/items/item_writer.h"
#include "engine/items/write_condition.h"
#include "engine/tables/find_table.h"
#include "expression/update/update.h"
#include "model/limits.h"

namespace trestle {
namespace {

struct CompiledUpdateItem {
  std::optional<Update> update;  // absent: the call only creates the item if it does not exist
  CompiledCondition condition;
};

Result<CompiledUpdateItem> compile_update_item(const UpdateItemRequest& request) {
  TRY_INTO(Binding binding, Binding::make(request.placeholders, request.condition.expression.has_value() ||
                                                                    request.update_expression.has_value()));
  CompiledUpdateItem compiled;
  if (request.update_expression) {
    TRY_INTO(compiled.update, compile_update(*request.update_expression, binding));
  } else if (request.attribute_updates) {
    compiled.update = compile_legacy_update(*request.attribute_updates);
  }
  TRY_INTO(compiled.condition, CompiledCondition::compile(request.condition, binding));
  TRY(binding.all_used());
  return compiled;
}

void set_returned(const UpdateItemRequest& request, const std::optional<Update>& update, ItemView old_item,
                  ItemView new_item, UpdateItemResponse& response) {
  const auto parts = [&](ItemView item) -> std::optional<Item> {
    if (!update || item.empty()) return std::nullopt;
    Item updated_parts = update->touched_parts(item);
    if (updated_parts.attributes().size() == 0) return std::nullopt;
    return updated_parts;
  };
  switch (request.return_values) {
    case ReturnValues::kNone:
      break;
    case ReturnValues::kAllOld:
      if (!old_item.empty()) response.attributes = Item(old_item);
      break;
    case ReturnValues::kAllNew:
      if (!new_item.empty()) response.attributes = Item(new_item);
      break;
    case ReturnValues::kUpdatedOld:
      response.attributes = parts(old_item);
      break;
    case ReturnValues::kUpdatedNew:
      response.attributes = parts(new_item);
      break;
  }
}

}  // namespace

Result<UpdateItemResponse> update_item(ItemParts& parts, const UpdateItemRequest& request, Call& call) {
  return update_item(parts, request, call, UpdateSizeRule::kExpressionAndItem);
}

Result<UpdateItemResponse> update_item(ItemParts& parts, const UpdateItemRequest& request, Call& call,
                                       UpdateSizeRule size_rule) {
  TRY_INTO(const CompiledUpdateItem compiled, with_validation_prefix(compile_update_item(request)));
  TRY_INTO(const WritableTable table, open_table(parts, request.table_name));
  TRY(check_key(table->description, request.key));
  if (compiled.update) TRY(check_key_not_updated(table->description, *compiled.update));
  if (compiled.update) {
    TRY(check_written_index_types(table->description, *compiled.update));
    TRY(check_nested_paths(table->description, compiled.update->nested_attributes()));
    if (size_rule == UpdateSizeRule::kExpressionAndItem && compiled.update->charge_bytes() > kItemBytesMax) {
      return invalid(kUpdatedItemTooLarge);
    }
  }

  UpdateItemResponse response;
  CapacityMeter meter(table->description.name, request.return_consumed_capacity);
  TRY(ItemWriter(parts, *table, call).write(request.key, meter, [&](ItemView old_item) -> Result<ItemDecision> {
    if (!compiled.condition.holds(old_item)) return condition_failed(request.condition, old_item);
    if (old_item.empty() && compiled.update && compiled.update->only_removes()) return ItemDecision::keep();
    const ItemView base = old_item.empty() ? request.key.view() : old_item;
    Item new_item(base);
    if (compiled.update) {
      TRY_INTO(new_item, compiled.update->apply(base));
    }
    if (old_item.empty()) TRY(check_new_key(table->description, request.key));
    if (compiled.update) TRY(check_updated_index_keys(table->description, *compiled.update, new_item));
    if (new_item.size_bytes() > kItemBytesMax) return invalid(kUpdatedItemTooLarge);
    set_returned(request, compiled.update, old_item, new_item, response);
    return ItemDecision::put(std::move(new_item));
  }));
  response.consumed_capacity = meter.consumed();
  response.item_collection_metrics =
      collection_metrics(request.return_item_collection_metrics, table->description, request.key);
  return response;
}

}  // namespace trestle
