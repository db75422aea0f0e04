#include "engine/statements/write_statement.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/items/item_operations.h"
#include "engine/statements/statement_table.h"
#include "engine/tables/find_table.h"
#include "engine/transactions/cancellation.h"

namespace trestle {
namespace {

constexpr const char* kIncompleteKey = "Where clause does not contain a mandatory equality on all key attributes";

std::vector<const KeyAttribute*> attributes_of(const KeySchema& key) {
  std::vector<const KeyAttribute*> all;
  for (const auto* attributes : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *attributes) all.push_back(&attribute);
  }
  return all;
}

Result<void> check_inserted_key(const TableDescription& table, ItemView item) {
  for (const KeyAttribute* attribute : attributes_of(table.key)) {
    const auto value = item.find(attribute->name);
    if (!value) return invalid(fmt::format("Key attribute should be present in the item: Key {}", attribute->name));
    TRY(check_key_value(*attribute, *value));
  }
  return {};
}

Result<Item> key_item(const PartiqlStatement& statement, const TableDescription& table, const WriteKey& key,
                      WriteContext context) {
  const auto attributes = attributes_of(table.key);
  if (context == WriteContext::kAlone) {
    if (key.values.size() < attributes.size()) return invalid(kIncompleteKey);
    if (key.repeated_attribute) {
      return invalid(
          fmt::format("Multiple conditions on same key {}. Only single item Update/Insert/Delete are supported",
                      *key.repeated_attribute));
    }
    for (const KeyAttribute* attribute : attributes) {
      const auto it = std::ranges::find(key.values, attribute->name, &decltype(key.values)::value_type::first);
      TRY(check_key_value(*attribute, it->second));
    }
  } else if (key.repeated_attribute && statement.verb != PartiqlVerb::kExists) {
    return Item(std::vector<Field>{});
  }
  std::vector<Field> fields;
  for (const auto& [name, value] : key.values) fields.push_back({name, value});
  return Item(std::move(fields));
}

// The terms other than the key equalities, joined by AND; empty if there are none. Terms with OR are put in
// parentheses.
Result<std::string> remaining_condition(const PartiqlStatement& statement, const WriteKey& key,
                                        PartiqlLowering& lowering) {
  std::string text;
  for (uint32_t term : key.conditions) {
    TRY_INTO(std::string part, lowering.condition(term));
    if (!text.empty()) text += " AND ";
    text += statement.node(term).kind == PartiqlKind::kOr ? "(" + part + ")" : std::move(part);
  }
  return text;
}

ReturnValues return_values(PartiqlReturning returning) {
  switch (returning) {
    case PartiqlReturning::kNone:
      return ReturnValues::kNone;
    case PartiqlReturning::kAllOld:
      return ReturnValues::kAllOld;
    case PartiqlReturning::kAllNew:
      return ReturnValues::kAllNew;
    case PartiqlReturning::kModifiedOld:
      return ReturnValues::kUpdatedOld;
    case PartiqlReturning::kModifiedNew:
      return ReturnValues::kUpdatedNew;
  }
  return ReturnValues::kNone;
}

}  // namespace

Result<TransactWrite> lower_write(const PartiqlStatement& statement, const Statement& request_statement,
                                  const TableDescription& table, WriteContext context) {
  PartiqlLowering lowering(statement, request_statement.parameters);
  TransactWrite write{.table_name = table.name};
  write.condition.return_item_on_failure = request_statement.return_item_on_failure;
  const std::string& hash = table.key.hash.front().name;
  if (statement.verb == PartiqlVerb::kInsert) {
    TRY_INTO(write.item, lowering.inserted_item());
    if (context == WriteContext::kAlone) TRY(check_inserted_key(table, write.item));
    write.condition.expression = lowering.attribute_test(Function::kAttributeNotExists, hash);
    write.placeholders = lowering.release_placeholders();
    return write;
  }
  if (statement.verb == PartiqlVerb::kUpdate) {
    TRY_INTO(write.update_expression, lowering.update());
  }
  TRY_INTO(const WriteKey key, find_write_key(statement, lowering, table.key));
  TRY_INTO(const std::string rest, remaining_condition(statement, key, lowering));
  if (statement.verb == PartiqlVerb::kExists) {
    if (rest.empty() || key.values.size() < attributes_of(table.key).size()) {
      return invalid("EXISTS() must contain a single item read with additional condition");
    }
    write.kind = TransactWrite::Kind::kConditionCheck;
    write.condition.expression = rest;
  } else if (statement.verb == PartiqlVerb::kUpdate) {
    write.kind = TransactWrite::Kind::kUpdate;
    const std::string exists = lowering.attribute_test(Function::kAttributeExists, hash);
    write.condition.expression = rest.empty() ? exists : exists + " AND " + rest;
  } else {
    write.kind = TransactWrite::Kind::kDelete;
    if (!rest.empty()) {
      write.condition.expression = lowering.attribute_test(Function::kAttributeNotExists, hash) + " OR " + rest;
    }
  }
  TRY_INTO(write.item, key_item(statement, table, key, context));
  write.placeholders = lowering.release_placeholders();
  return write;
}

Result<WriteItemResponse> WriteStatement::apply(TransactWrite write, ReturnConsumedCapacity detail) {
  if (write.kind == TransactWrite::Kind::kPut) {
    auto answer = put_item(parts_,
                           {.table_name = std::move(write.table_name),
                            .item = std::move(write.item),
                            .condition = std::move(write.condition),
                            .placeholders = std::move(write.placeholders),
                            .return_consumed_capacity = detail},
                           call_);
    if (!answer && answer.error().code == ErrorCode::kConditionalCheckFailed) {
      return failure(ErrorCode::kDuplicateItem, kDuplicateItem);
    }
    return answer;
  }
  if (write.kind == TransactWrite::Kind::kDelete) {
    return delete_item(parts_,
                       {.table_name = std::move(write.table_name),
                        .key = std::move(write.item),
                        .condition = std::move(write.condition),
                        .placeholders = std::move(write.placeholders),
                        .return_values = return_values(statement_.returning),
                        .return_consumed_capacity = detail},
                       call_);
  }
  const UpdateItemRequest update{.table_name = std::move(write.table_name),
                                 .key = std::move(write.item),
                                 .update_expression = std::move(write.update_expression),
                                 .condition = std::move(write.condition),
                                 .placeholders = std::move(write.placeholders),
                                 .return_values = return_values(statement_.returning),
                                 .return_consumed_capacity = detail};
  return update_item(parts_, update, call_, UpdateSizeRule::kItem);
}

Result<std::string> WriteStatement::prepare() {
  TRY_INTO(const auto table,
           table_or_statement_error(find_table(parts_, statement_.table_name), statement_, request_statement_));
  TRY_INTO(write_, lower_write(statement_, request_statement_, table->description, WriteContext::kAlone));
  return encode_table_key(table->description.keyspace, table->description.key, write_.item);
}

Result<WriteItemResponse> WriteStatement::run(ReturnConsumedCapacity detail) {
  auto answer = apply(std::move(write_), detail);
  if (!answer) return std::unexpected(statement_error(std::move(answer).error()));
  return answer;
}

Error statement_error(Error error) { return without_nesting_detail(bare_expression_error(std::move(error))); }

}  // namespace trestle
