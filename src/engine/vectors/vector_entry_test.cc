#include "engine/vectors/vector_entry.h"

#include <gtest/gtest.h>

#include "storage/key_encoding.h"

namespace trestle {
namespace {

using namespace std::string_literals;

Value list_of(std::initializer_list<std::string_view> numbers) {
  std::vector<Value> values;
  for (const std::string_view number : numbers) values.push_back(Value::number(number));
  std::vector<ValueView> views(values.begin(), values.end());
  return Value::list(views);
}

TableDescription table_with(VectorIndexDescription index) {
  TableDescription table;
  table.name = "table";
  table.key.hash = {{"p", ValueType::kString}};
  index.name = "vix";
  index.vector_attribute = "v";
  index.keyspace = 7;
  table.vector_indexes = {std::move(index)};
  return table;
}

TEST(VectorEntry, bytes_are_as_documented) {
  const TableDescription table =
      table_with({.dimensions = 2, .projection = {.type = ProjectionType::kKeysOnly, .non_key_attributes = {}}});
  const Item item{{"p", Value::string("k")}, {"v", list_of({"1", "-0.5"})}, {"more", Value::string("m")}};
  const auto entry = vector_entry(table, table.vector_indexes[0], item);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->key, encode_table_key(7, table.key, item));
  const Item rest{{"p", Value::string("k")}};
  EXPECT_EQ(entry->value, "\x00\x00\x80\x3F\x00\x00\x00\xBF"s + rest.bytes());
  EXPECT_EQ(entry->size_bytes, 2u + 1 + 8);
  EXPECT_EQ(entry_vector(table.vector_indexes[0], entry->value), (std::vector<float>{1, -0.5f}));
  EXPECT_EQ(entry_item(table.vector_indexes[0], entry->value), rest.view());
}

TEST(VectorEntry, a_partition_is_a_range_of_keys) {
  const TableDescription table = table_with({.dimensions = 1, .search_schema = {{{"t", ValueType::kString}, true}}});
  const VectorIndexDescription& index = table.vector_indexes[0];
  const Item item{{"p", Value::string("k")}, {"v", list_of({"1"})}, {"t", Value::string("tenant")}};
  const auto entry = vector_entry(table, index, item);
  ASSERT_TRUE(entry.has_value());
  const std::string partition = entry_partition(index, *item.find("t"));
  EXPECT_TRUE(entry->key.starts_with(partition));
  EXPECT_EQ(entry_partition(index, entry->key), partition);
  const Item without{{"p", Value::string("k")}, {"v", list_of({"1"})}};
  EXPECT_FALSE(vector_entry(table, index, without).has_value());
}

TEST(VectorEntry, numbers_that_do_not_fit_into_32_bits_are_rejected) {
  const auto number = [](std::string_view text) { return float_of(Value::number(text)); };
  EXPECT_EQ(number("0.1"), 0.1f);
  EXPECT_EQ(number("16777217"), 16777216.0f);
  EXPECT_EQ(number("0." + std::string(60, '0') + "1"), 0.0f);
  EXPECT_EQ(number("-0." + std::string(60, '0') + "1"), 0.0f);
  EXPECT_FALSE(number("1" + std::string(39, '0')).has_value());
  EXPECT_FALSE(number("-1" + std::string(100, '0')).has_value());
  EXPECT_FALSE(float_of(Value::string("1")).has_value());
  EXPECT_EQ(vector_value(std::vector<float>{0.1f, 16777216, -1e-30f, 3e38f}),
            list_of({"0.1", "16777216", "-0." + std::string(29, '0') + "1", "3" + std::string(38, '0')}));
}

TEST(VectorEntry, a_moved_entry_is_erased_and_put_and_an_unchanged_one_is_not_written) {
  const TableDescription table =
      table_with({.dimensions = 1,
                  .search_schema = {{{"t", ValueType::kString}, true}},
                  .projection = {.type = ProjectionType::kKeysOnly, .non_key_attributes = {}}});
  const auto item = [](std::string_view tenant, std::string_view number, std::string_view other) {
    return Item{{"p", Value::string("k")},
                {"v", list_of({number})},
                {"t", Value::string(tenant)},
                {"other", Value::string(other)}};
  };
  const Item before = item("a", "1", "x");
  EXPECT_TRUE(vector_delta(table, before, item("a", "1", "y")).empty());
  const auto moved = vector_delta(table, before, item("b", "1", "x"));
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_TRUE(moved[0].erase && moved[0].put && moved[0].items_change == 0);
  EXPECT_EQ(moved[0].request_bytes, 2048);
  const auto changed = vector_delta(table, before, item("a", "2", "x"));
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_TRUE(!changed[0].erase && changed[0].put);
  EXPECT_EQ(changed[0].request_bytes, 1024);
  const auto gone = vector_delta(table, before, ItemView());
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_TRUE(gone[0].erase && !gone[0].put && gone[0].items_change == -1);
}

TEST(VectorEntry, an_indexed_vector_is_billed_by_its_dimensions) {
  const TableDescription table = table_with({.dimensions = 2});
  const std::string wide = "12345678901234567890123456789012345678";
  const Item item{{"p", Value::string("k")}, {"v", list_of({wide, wide})}};
  EXPECT_EQ(billed_bytes(table, item), 2u + 1 + 8);
  EXPECT_EQ(billed_bytes(TableDescription{}, item), item.size_bytes());
}

}  // namespace
}  // namespace trestle
