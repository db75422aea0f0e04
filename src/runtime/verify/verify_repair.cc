// The writes that repair faults, each on condition that the fault still exists.
#include <fmt/format.h>

#include "runtime/verify/verify_impl.h"

namespace trestle::runtime {
namespace {

constexpr size_t kAttributesComparedMax = 100;  // an expression has at most 300 operators
constexpr size_t kBytesComparedMax = 200'000;

// The condition that the item is unchanged. If it has very many or very large attributes, only the first are compared.
struct Unchanged {
  explicit Unchanged(ItemView item) {
    size_t bytes = 0;
    for (const Field& field : item.attributes()) {
      bytes += field.value.bytes().size();
      if (names.size() == kAttributesComparedMax || bytes > kBytesComparedMax) break;
      const size_t i = names.size();
      condition += fmt::format("{}#n{} = :v{}", condition.empty() ? "" : " AND ", i, i);
      names.emplace_back(fmt::format("#n{}", i), std::string(field.name));
      values.emplace_back(fmt::format(":v{}", i), Value(field.value));
    }
  }
  std::string condition;
  NameMap names;
  ValueMap values;
};

// `words`, the reason why nothing was done, if a condition failed; otherwise the error.
Outcome<std::string> reason_or_error(const Error& error, std::string words) {
  const bool refused =
      error.code == ErrorCode::kConditionalCheckFailed || error.code == ErrorCode::kTransactionCanceled;
  if (refused) return words;
  return std::unexpected(refused_by(error));
}

}  // namespace

Outcome<std::string> Verification::put_missing(const std::string& table, const Item& item) {
  const design::Table& where = *design_.table(table);
  PutItemRequest request{.table_name = table, .item = item};
  request.condition.expression = "attribute_not_exists(#k)";
  request.placeholders.names = NameMap{{"#k", where.key.hash[0].name}};
  const auto done = database_.put_item(request);
  if (done) return std::string();
  return reason_or_error(done.error(), "another item has its key");
}

Outcome<std::string> Verification::replace_unchanged(const std::string& table, ItemView old, const Item& item) {
  Unchanged unchanged(old);
  PutItemRequest request{.table_name = table, .item = item};
  request.condition.expression = std::move(unchanged.condition);
  request.placeholders.names = std::move(unchanged.names);
  request.placeholders.values = std::move(unchanged.values);
  const auto done = database_.put_item(request);
  if (done) return std::string();
  return reason_or_error(done.error(), "it has changed in the meantime");
}

Outcome<std::string> Verification::delete_unchanged(const design::Table& table, ItemView item) {
  Unchanged unchanged(item);
  DeleteItemRequest request{.table_name = table.name, .key = key_of(table, item)};
  request.condition.expression = std::move(unchanged.condition);
  request.placeholders.names = std::move(unchanged.names);
  request.placeholders.values = std::move(unchanged.values);
  const auto done = database_.delete_item(request);
  if (done) return std::string();
  return reason_or_error(done.error(), "it has changed in the meantime");
}

Outcome<std::string> Verification::move_unchanged(const design::Table& table, ItemView item, const Item& moved) {
  const Item key = key_of(table, moved);
  if (key.attributes().size() != table.key.hash.size() + table.key.range.size())
    return std::string("left unchanged: fields of its key are missing");
  const ItemKind kind = kind_of(design_, table, item);
  for (const design::Field& field : kind.entity->fields) {
    const auto value = item.find(field.name);
    if (value && (field.encrypted || ItemCodec::blob_of(*value)))
      return fmt::format("left unchanged: `{}` is sealed or spilled for its current key", field.name);
  }
  TRY_INTO(const auto taken, get(table.name, key));
  if (taken) return fmt::format("left unchanged: another item has the key {}", key_words(table, key));
  Unchanged unchanged(item);
  TransactWriteItemsRequest request;
  TransactWrite removal{.kind = TransactWrite::Kind::kDelete, .table_name = table.name, .item = key_of(table, item)};
  removal.condition.expression = std::move(unchanged.condition);
  removal.placeholders.names = std::move(unchanged.names);
  removal.placeholders.values = std::move(unchanged.values);
  TransactWrite put{.kind = TransactWrite::Kind::kPut, .table_name = table.name, .item = moved};
  put.condition.expression = "attribute_not_exists(#k)";
  put.placeholders.names = NameMap{{"#k", table.key.hash[0].name}};
  request.writes.push_back(std::move(removal));
  request.writes.push_back(std::move(put));
  const auto done = database_.transact_write_items(request);
  if (done) return std::string();
  return reason_or_error(done.error(), "it has changed in the meantime");
}

}  // namespace trestle::runtime
