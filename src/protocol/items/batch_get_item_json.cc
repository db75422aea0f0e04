#include "protocol/shapes/by_hand.h"

#include "model/limits.h"
#include "model/shapes/item_enumerations.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/validation/placeholders_json.h"
#include "protocol/validation/projection_json.h"
#include "protocol/validation/request_items.h"

namespace trestle {
namespace {

struct UncheckedKeysAndAttributes {
  std::string_view name;
  std::optional<std::vector<Noted<Item>>> keys;
  UncheckedProjection projection;
  UncheckedPlaceholders placeholders{ValueWording::kCurrent};
  bool consistent_read = false;
};

Result<UncheckedKeysAndAttributes> read_keys_and_attributes(const JsonMember& entry) {
  const ValueReader values(ValueWording::kCurrent);
  UncheckedKeysAndAttributes table;
  table.name = entry.name;
  TRY_INTO(const JsonInput members, json_structure(entry.value, "KeysAndAttributes", JsonPlace::kElement));
  for (const JsonMember member : members) {
    if (member.name == "Keys") {
      TRY_INTO(const JsonArray keys, json_list(member.value));
      table.keys.emplace();
      for (const JsonElement key : keys) {
        TRY_INTO(Noted<Item> item, values.item_element(key));
        table.keys->push_back(std::move(item));
      }
    } else if (member.name == "ConsistentRead") {
      TRY_INTO(table.consistent_read, json_boolean(member.value));
    } else if (member.name == "ExpressionAttributeNames") {
      TRY(table.placeholders.take(member));
    } else {
      TRY(table.projection.take(member));
    }
  }
  return table;
}

// A violation in the words of the current layer: of one table's Keys, or of RequestItems itself.
[[gnu::cold, gnu::noinline]] std::unexpected<Error> keys_refused(std::string_view table, std::string_view constraint) {
  std::string message(kValidationErrorPrefix);
  message.append("Value at 'RequestItems");
  if (!table.empty()) message.append(".").append(table).append(".member.Keys");
  return invalid(message.append("' failed to satisfy constraint: ").append(constraint));
}

// Checks the constraints of the whole map, and then those of each table's keys.
Result<void> constrain_tables(const std::optional<JsonElement>& request_items,
                              const std::vector<UncheckedKeysAndAttributes>& tables,
                              std::optional<std::string_view> capacity_text, ReturnConsumedCapacity& capacity) {
  Constraints constraints;
  constraints.not_null(request_items.has_value(), "requestItems");
  const MemberPath map("requestItems");
  for (const UncheckedKeysAndAttributes& table : tables) {
    constrain_request_items_key(table.name, constraints, [&] { return simdjson::minify(*request_items); });
    const MemberPath element(&map, "member", table.name);
    constraints.not_null(table.keys.has_value(), MemberPath(&element, "keys"));
    table.projection.constrain(MemberPath(&element, "attributesToGet"), constraints);
  }
  constraints.one_of(capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities, capacity);
  TRY(constraints.check());

  if (tables.empty()) return keys_refused("", member_at_least(1, "length"));
  for (const UncheckedKeysAndAttributes& table : tables) {
    if (table.keys->empty()) return keys_refused(table.name, member_at_least(1, "length"));
    if (table.keys->size() > kBatchGetKeysMax) {
      return keys_refused(table.name, member_at_most(kBatchGetKeysMax, "length"));
    }
  }
  return {};
}

Result<void> check_combination_in_tables(const std::vector<UncheckedKeysAndAttributes>& tables) {
  bool any_expression = false;
  bool any_attributes = false;
  for (const UncheckedKeysAndAttributes& table : tables) {
    any_expression |= table.projection.expression.has_value();
    any_attributes |= table.projection.attributes.has_value();
  }
  for (const UncheckedKeysAndAttributes& table : tables) {
    // A request must not mix the two forms, even in different tables. Names need an expression of their own table.
    const bool expression = table.projection.expression.has_value() || (any_expression && any_attributes);
    TRY(table.placeholders.check_combination({{"AttributesToGet", any_attributes}},
                                             {{"ProjectionExpression", expression}}));
  }
  return {};
}

}  // namespace

// This function checks everything that DynamoDB checks before the first ProjectionExpression; the engine checks the
// rest, including duplicate keys, because the key attributes depend on the table.
Result<BatchGetItemRequest> read_request_by_hand(JsonInput input, Of<BatchGetItemRequest>) {
  BatchGetItemRequest request;
  std::optional<JsonElement> request_items;
  std::optional<std::string_view> capacity_text;
  std::vector<UncheckedKeysAndAttributes> tables;
  for (const JsonMember member : input) {
    if (member.name == "RequestItems") {
      request_items = member.value;
      tables.clear();
      TRY_INTO(const JsonInput map, json_map(member.value, "KeysAndAttributes"));
      for (const JsonMember entry : map) {
        TRY_INTO(UncheckedKeysAndAttributes table, read_keys_and_attributes(entry));
        tables.push_back(std::move(table));
      }
    } else if (member.name == "ReturnConsumedCapacity") {
      TRY_INTO(capacity_text, json_string(member.value));
    }
  }

  TRY(constrain_tables(request_items, tables, capacity_text, request.return_consumed_capacity));
  TRY(check_combination_in_tables(tables));
  size_t key_count = 0;
  for (UncheckedKeysAndAttributes& unchecked : tables) {
    TRY(unchecked.projection.check());
    TRY(unchecked.placeholders.check());
    BatchGetTable& table = request.tables.emplace_back();
    for (Noted<Item>& key : *unchecked.keys) {
      if (key.fault) return invalid(*key.fault);
      if (++key_count > kBatchGetKeysMax) return invalid("Too many items requested for the BatchGetItem call");
      table.keys.push_back(std::move(key.value));
    }
    table.table_name = unchecked.name;
    table.projection = unchecked.projection.release();
    table.names = unchecked.placeholders.release_names();
    table.consistent_read = unchecked.consistent_read;
  }
  return request;
}

}  // namespace trestle
