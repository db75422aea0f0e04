#include "engine/items/admission.h"
#include "engine/items/capacity.h"
#include "engine/items/item_key.h"
#include "engine/items/item_operations.h"
#include "engine/items/read_projection.h"
#include "engine/tables/find_table.h"

namespace trestle {

Result<GetItemResponse> get_item(ItemParts& parts, const GetItemRequest& request, Call& call) {
  TRY_INTO(const auto projection, compile_read_projection(request.projection, request.names));
  TRY_INTO(const auto table, find_table(parts, request.table_name));
  if (projection) TRY(check_nested_paths(table->description, projection->nested_attributes()));
  TRY(check_key(table->description, request.key));
  TRY(admit(parts, table->description, UnitKind::kRead, request.key));

  const std::string key = encode_table_key(table->description.keyspace, table->description.key, request.key);
  PinnedBytes bytes;
  TRY_INTO(const bool found, parts.store->get(Space::kItems, key, bytes));
  call.commit = parts.store->commit_seen(key);

  GetItemResponse response;
  const ItemView item = found ? ItemView(bytes.view()) : ItemView();
  if (found) response.item = projection ? projection->apply(item) : Item(item);
  CapacityMeter meter(table->description.name, request.return_consumed_capacity);
  meter.charge_to(parts.throughput, *table, UnitKind::kRead);
  meter.add_table(read_units(item.size_bytes(), request.consistent_read));
  response.consumed_capacity = meter.consumed();
  return response;
}

}  // namespace trestle
