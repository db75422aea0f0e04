// Random values, and requests of items and streams with every kind of member (protocol/shapes/random_requests.h has the
// others). The same seed makes the same.
#pragma once

#include <random>
#include <string>
#include <string_view>

#include "model/database.h"

namespace trestle {

class ItemRequestMaker {
 public:
  explicit ItemRequestMaker(uint64_t seed) : random_(seed) {}

  size_t below(size_t n) { return random_() % n; }
  bool flag() { return below(2) == 0; }
  int64_t time_ms() { return 1'700'000'000'000 + static_cast<int64_t>(below(1'000'000'000)); }
  template <class T>
  std::optional<T> maybe(T value) {
    return flag() ? std::optional<T>(std::move(value)) : std::nullopt;
  }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  int64_t units() { return static_cast<int64_t>(below(1000)) + 1; }

  std::string text() {
    const std::string pieces[] = {"a", "Z9", "\"", "\\", "\n", "é", "漢", "😀", "/", "x y", "\x01"};
    std::string out = "t";
    for (size_t i = below(6); i > 0; --i) out += pieces[below(std::size(pieces))];
    return out;
  }
  std::string name() { return "name-" + std::to_string(below(1000)); }
  std::string arn() { return "arn:aws:dynamodb:us-east-1:000000000000:table/" + name(); }
  std::string stream_arn() { return arn() + "/stream/2026-01-31T12:00:00.000"; }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (size_t i = 0, count = below(3) + 1; i < count; ++i) out.push_back("n" + std::to_string(i));
    return out;
  }

  Value value(unsigned depth = 0) {
    switch (below(depth < 3 ? 9 : 6)) {
      case 0:
        return Value::null();
      case 1:
        return Value::boolean(flag());
      case 2:
        return Value::string(text());
      case 3:
        return Value::number(static_cast<int64_t>(random_() % 1'000'000) - 500'000);
      case 4:
        return Value::binary(text());
      case 5:
        return Value::set(ValueType::kStringSet, {"a", "b"});
      case 6:
        return Value::set(ValueType::kBinarySet, {"a", "\x01"});
      case 7: {
        const Value a = value(depth + 1), b = value(depth + 1);
        const ValueView views[] = {a, b};
        return Value::list(views);
      }
      default: {
        const Value a = value(depth + 1), b = value(depth + 1);
        return Value::map({{"left", a}, {text() + "?", b}});
      }
    }
  }
  Item item() {
    const Value a = value(), b = value();
    return Item(std::vector<Field>{{"pk", a}, {text(), b}});
  }
  template <class T, class Make>
  std::vector<T> some(Make make) {
    std::vector<T> out;
    for (size_t i = 0, count = below(3) + 1; i < count; ++i) out.push_back(make());
    return out;
  }

  NameMap name_map() { return {{"#a", text()}, {"#b", "plain"}}; }
  Placeholders placeholders() {
    return {.names = maybe(name_map()), .values = maybe(ValueMap{{":a", value()}, {":b", value()}})};
  }
  ReturnConsumedCapacity capacity_asked() {
    return one_of({ReturnConsumedCapacity::kNone, ReturnConsumedCapacity::kTotal, ReturnConsumedCapacity::kIndexes});
  }
  LegacyConditions legacy(bool expected) {
    LegacyConditions out;
    out.push_back({.attribute = "a\"b", .comparison = ComparisonOperator::kEq, .operands = std::vector{value(9)}});
    out.push_back({.attribute = "c",
                   .comparison = ComparisonOperator::kBetween,
                   .operands = std::vector{Value::number(1), Value::number(2)}});
    if (expected) out.push_back({.attribute = "d", .value = Value::string("v"), .exists = maybe(true)});
    return out;
  }

  // ---- Requests.

  template <class Request>
  void write_members(Request& r) {
    r.table_name = name();
    r.return_values = one_of({ReturnValues::kNone, ReturnValues::kAllOld});
    r.return_consumed_capacity = capacity_asked();
    r.return_item_collection_metrics = flag();
    r.condition.return_item_on_failure = flag();
    if (flag()) {
      r.condition.expression = "attribute_exists(#a) AND #b = :a";
      r.placeholders = placeholders();
    } else {
      r.condition.expected = legacy(true);
      r.condition.conditional_operator = maybe(ConditionalOperator::kOr);
    }
  }
  void fill(PutItemRequest& r) {
    write_members(r);
    r.item = item();
  }
  void fill(DeleteItemRequest& r) {
    write_members(r);
    r.key = item();
  }
  void fill(UpdateItemRequest& r) {
    write_members(r);
    r.key = item();
    if (r.condition.expression) {
      r.update_expression = "SET #a = :a";
    } else {
      r.attribute_updates =
          std::vector<LegacyUpdate>{{.attribute = text(), .action = UpdateAction::kAdd, .value = Value::number(1)},
                                    {.attribute = "gone", .action = UpdateAction::kDelete, .value = {}}};
    }
  }
  void projection(ReadProjection& out, std::optional<NameMap>& map) {
    if (flag()) {
      out.expression = "#a, b.c[1]";
      map = maybe(name_map());
    } else {
      out.attributes_to_get = maybe(names());
    }
  }
  void fill(GetItemRequest& r) {
    r.table_name = name();
    r.key = item();
    projection(r.projection, r.names);
    r.consistent_read = flag();
    r.return_consumed_capacity = capacity_asked();
  }
  void page(PageRequest& r) {
    r.table_name = name();
    r.index_name = maybe(name());
    r.exclusive_start_key = maybe(item());
    r.limit = maybe(units());
    r.consistent_read = flag();
    r.return_consumed_capacity = capacity_asked();
    if (flag()) {
      r.filter_expression = "#a = :a";
      r.placeholders = placeholders();
      r.select = maybe(Select::kCount);
    } else {
      r.legacy_filter = legacy(false);
      r.conditional_operator = maybe(ConditionalOperator::kAnd);
      r.projection.attributes_to_get = maybe(names());
    }
  }
  void fill(QueryRequest& r) {
    page(r);
    if (r.filter_expression) {
      r.key_condition_expression = "pk = :a";
    } else {
      r.key_conditions = legacy(false);
    }
    r.scan_index_forward = flag();
  }
  void fill(ScanRequest& r) {
    page(r);
    if (flag()) {
      r.segment = 1;
      r.total_segments = 4;
    }
  }
  void fill(BatchGetItemRequest& r) {
    const bool expressions = flag();
    for (const std::string& table : names()) {
      BatchGetTable& t = r.tables.emplace_back();
      t.table_name = "table-" + table;
      t.keys = some<Item>([&] { return item(); });
      if (expressions) {
        t.projection.expression = "#a, b";
        t.names = maybe(name_map());
      } else {
        t.projection.attributes_to_get = maybe(names());
      }
      t.consistent_read = flag();
    }
    r.return_consumed_capacity = capacity_asked();
  }
  std::vector<BatchWriteTable> write_tables() {
    std::vector<BatchWriteTable> out;
    for (const std::string& table : names()) {
      out.push_back({.table_name = "table-" + table,
                     .writes = some<BatchWrite>([&] { return BatchWrite{.is_delete = flag(), .item = item()}; })});
    }
    return out;
  }
  void fill(BatchWriteItemRequest& r) {
    r.tables = write_tables();
    r.return_consumed_capacity = capacity_asked();
    r.return_item_collection_metrics = flag();
  }
  void fill(TransactGetItemsRequest& r) {
    r.gets = some<TransactGet>([&] {
      TransactGet get;
      get.table_name = name();
      get.key = item();
      get.projection.expression = maybe(std::string("#a"));
      get.names = maybe(name_map());
      return get;
    });
    r.return_consumed_capacity = capacity_asked();
  }
  void fill(TransactWriteItemsRequest& r) {
    using Kind = TransactWrite::Kind;
    r.writes = some<TransactWrite>([&] {
      TransactWrite write;
      write.kind = one_of({Kind::kConditionCheck, Kind::kPut, Kind::kDelete, Kind::kUpdate});
      write.table_name = name();
      write.item = item();
      if (write.kind == Kind::kUpdate) write.update_expression = "REMOVE #a";
      if (write.kind == Kind::kConditionCheck || flag()) write.condition.expression = "#a = :a";
      write.condition.return_item_on_failure = flag();
      write.placeholders = placeholders();
      return write;
    });
    r.client_request_token = maybe(std::string("token"));
    r.return_consumed_capacity = capacity_asked();
    r.return_item_collection_metrics = flag();
  }
  Statement statement() {
    Statement out;
    out.text = "SELECT * FROM \"" + name() + "\" WHERE pk = ?";
    if (flag()) out.parameters = some<Value>([&] { return value(); });
    out.consistent_read = flag();
    out.return_item_on_failure = flag();
    return out;
  }
  void fill(ExecuteStatementRequest& r) {
    r.statement = statement();
    r.limit = maybe(units());
    r.return_consumed_capacity = capacity_asked();
  }
  void fill(BatchExecuteStatementRequest& r) {
    r.statements = some<Statement>([&] { return statement(); });
    r.return_consumed_capacity = capacity_asked();
  }
  void fill(ExecuteTransactionRequest& r) {
    r.statements = some<Statement>([&] { return statement(); });
    r.client_request_token = maybe(std::string("token"));
    r.return_consumed_capacity = capacity_asked();
  }
  std::string shard_id() { return "shardId-00000001577836800000-" + std::to_string(10'000'000 + below(1'000'000)); }
  void fill(DescribeStreamRequest& r) {
    r.stream_arn = stream_arn();
    r.limit = maybe<int64_t>(7);
    r.exclusive_start_shard_id = maybe(shard_id());
    r.child_shards_of = maybe(shard_id());
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace trestle
