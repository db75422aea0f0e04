#include "protocol/shapes/by_hand.h"

#include "model/limits.h"
#include "model/shapes/item_enumerations.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/json/java_text.h"
#include "protocol/validation/request_items.h"

namespace trestle {
namespace {

struct UncheckedWriteRequest {
  bool put = false;     // has PutRequest
  bool remove = false;  // has DeleteRequest
  std::optional<Noted<Item>> item;
  std::optional<Noted<Item>> key;
};

struct UncheckedTableWrites {
  std::string_view name;
  std::vector<UncheckedWriteRequest> writes;
};

Result<UncheckedWriteRequest> read_write_request(JsonElement json) {
  const ValueReader values(ValueWording::kOlder);
  UncheckedWriteRequest write;
  TRY_INTO(const JsonInput members, json_structure(json, "WriteRequest", JsonPlace::kElement));
  for (const JsonMember member : members) {
    if (member.name == "PutRequest") {
      write.put = true;
      TRY_INTO(const JsonInput put, json_structure(member.value, "PutRequest", JsonPlace::kMember));
      for (const JsonMember inner : put) {
        if (inner.name != "Item") continue;
        TRY_INTO(write.item, values.item(inner.value));
      }
    } else if (member.name == "DeleteRequest") {
      write.remove = true;
      TRY_INTO(const JsonInput remove, json_structure(member.value, "DeleteRequest", JsonPlace::kMember));
      for (const JsonMember inner : remove) {
        if (inner.name != "Key") continue;
        TRY_INTO(write.key, values.item(inner.value));
      }
    }
  }
  return write;
}

Result<UncheckedTableWrites> read_table_writes(const JsonMember& entry) {
  if (!entry.value.is_array() && !entry.value.is_object()) return serialization_failure(std::string(kNotParameterized));
  TRY_INTO(const JsonArray array, json_list(entry.value));
  UncheckedTableWrites table;
  table.name = entry.name;
  for (const JsonElement json : array) {
    if (json.is_null()) continue;
    TRY_INTO(UncheckedWriteRequest write, read_write_request(json));
    table.writes.push_back(std::move(write));
  }
  return table;
}

Result<void> constrain_items(const std::optional<JsonElement>& request_items,
                             const std::vector<UncheckedTableWrites>& tables) {
  Constraints constraints;
  constraints.not_null(request_items.has_value(), "requestItems");
  const MemberPath map("requestItems");
  const auto shown = [&] { return java_request_items(*request_items); };
  for (const UncheckedTableWrites& table : tables) {
    constrain_request_items_key(table.name, constraints, shown);
    if (table.writes.empty() || table.writes.size() > kBatchWriteRequestsMax) {
      constraints.violated(map, shown(),
                           "Map value must satisfy constraint: [" + member_at_most(kBatchWriteRequestsMax, "length") +
                               ", " + member_at_least(1, "length") + "]");
    }
    const MemberPath element(&map, "member", table.name);
    for (size_t i = 0; i < table.writes.size(); ++i) {
      const UncheckedWriteRequest& write = table.writes[i];
      const MemberPath request(&element, "member", i + 1);
      const MemberPath remove(&request, "deleteRequest");
      const MemberPath put(&request, "putRequest");
      if (write.remove) constraints.not_null(write.key.has_value(), MemberPath(&remove, "key"));
      if (write.put) constraints.not_null(write.item.has_value(), MemberPath(&put, "item"));
    }
  }
  return constraints.check();
}

Result<BatchWrite> check_write(UncheckedWriteRequest& write) {
  if (write.put == write.remove) {
    return invalid(
        "Supplied AttributeValue has more than one datatypes set, "
        "must contain exactly one of the supported datatypes");
  }
  Noted<Item>& noted = write.put ? *write.item : *write.key;
  if (noted.fault) return invalid(*noted.fault);
  if (write.put && noted.value.size_bytes() > kItemBytesMax) {
    return invalid(kItemTooLarge);
  }
  return BatchWrite{.is_delete = write.remove, .item = std::move(noted.value)};
}

}  // namespace

// BatchWriteItem is validated by DynamoDB's older layer. The engine checks keys and their duplicates, because this
// requires the tables.
Result<BatchWriteItemRequest> read_request_by_hand(JsonInput input, Of<BatchWriteItemRequest>) {
  BatchWriteItemRequest request;
  std::optional<JsonElement> request_items;
  std::optional<std::string_view> capacity_text;
  std::optional<std::string_view> metrics_text;
  std::vector<UncheckedTableWrites> tables;
  for (const JsonMember member : input) {
    if (member.name == "RequestItems") {
      request_items = member.value;
      tables.clear();
      TRY_INTO(const JsonInput map,
               json_map(member.value, "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>"));
      for (const JsonMember entry : map) {
        TRY_INTO(UncheckedTableWrites table, read_table_writes(entry));
        tables.push_back(std::move(table));
      }
    } else if (member.name == "ReturnConsumedCapacity") {
      TRY_INTO(capacity_text, json_string(member.value));
    } else if (member.name == "ReturnItemCollectionMetrics") {
      TRY_INTO(metrics_text, json_string(member.value));
    }
  }

  // Invalid enumerations are reported alone, before the map is checked.
  Constraints enumerations;
  enumerations.one_of(capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                      request.return_consumed_capacity);
  enumerations.one_of(metrics_text, "returnItemCollectionMetrics", kReturnItemCollectionMetrics,
                      request.return_item_collection_metrics);
  TRY(enumerations.check());
  if (request_items && tables.empty()) return invalid("The requestItems parameter is required for BatchWriteItem");
  TRY(constrain_items(request_items, tables));

  size_t count = 0;
  for (UncheckedTableWrites& unchecked : tables) {
    BatchWriteTable& table = request.tables.emplace_back();
    table.table_name = unchecked.name;
    for (UncheckedWriteRequest& write : unchecked.writes) {
      TRY_INTO(BatchWrite checked, check_write(write));
      if (++count > kBatchWriteRequestsMax) return invalid("Too many items requested for the BatchWriteItem call");
      table.writes.push_back(std::move(checked));
    }
  }
  return request;
}

}  // namespace trestle
