#include "storage/key_encoding.h"

#include <gtest/gtest.h>

#include <random>

#include "base/hex_for_test.h"
#include "model/number.h"

namespace trestle {
namespace {

std::string component(const Value& value) {
  std::string out;
  append_component(out, value);
  return out;
}

Value number(std::string_view text) { return Value::number(*canonical_number(text)); }

// The vectors of docs/formats.md: these bytes are on disk.
TEST(KeyEncoding, bytes_are_as_documented) {
  EXPECT_EQ(hex(component(Value::string("a"))), "610001");
  EXPECT_EQ(hex(component(Value::string(""))), "0001");
  EXPECT_EQ(hex(component(Value::binary(std::string_view("\0\xFF", 2)))), "00ffff0001");
  EXPECT_EQ(hex(component(number("0"))), "01");
  EXPECT_EQ(hex(component(number("1"))), "02810200");
  EXPECT_EQ(hex(component(number("-1"))), "007efdff");
  EXPECT_EQ(hex(component(number("123.45"))), "028202182e00");
  EXPECT_EQ(hex(component(number("0.001"))), "027f0b00");
  const Value pk = Value::string("user#1");
  const ValueView hash[] = {pk};
  EXPECT_EQ(hex(encode_partition(7, hash)),
            "00000007"
            "4d954369"
            "757365722331"
            "0001");
}

TEST(KeyEncoding, number_order_is_numeric_order) {
  const char* ascending[] = {"-9.99e125", "-1e125", "-101",    "-100", "-99.5",  "-10",   "-1.5",
                             "-1",        "-0.1",   "-1e-130", "0",    "1e-130", "0.01",  "0.1",
                             "0.11",      "1",      "1.01",    "1.5",  "9",      "10",    "11",
                             "99",        "100",    "101",     "1000", "1e38",   "1e125", "9.99e125"};
  for (size_t i = 0; i + 1 < std::size(ascending); ++i) {
    EXPECT_LT(component(number(ascending[i])), component(number(ascending[i + 1]))) << ascending[i];
  }
}

TEST(KeyEncoding, random_numbers_sort_by_value_and_round_trip) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto any = [&] {
    std::string text = random() % 2 ? "-" : "";
    const size_t digits = random() % 38 + 1;
    for (size_t i = 0; i < digits; ++i) text += static_cast<char>('0' + random() % 10);
    return number(text + "e" + std::to_string(static_cast<int>(random() % 200) - 120));
  };
  for (int i = 0; i < 3000; ++i) {
    const Value a = any();
    const Value b = any();
    EXPECT_EQ(component(a) <=> component(b), compare_numbers(a.view().scalar(), b.view().scalar()));
    std::string encoded = component(a);
    std::string_view rest = encoded;
    EXPECT_EQ(read_component(rest, ValueType::kNumber), a);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(KeyEncoding, string_order_is_byte_order_also_with_zeros) {
  const std::string_view ascending[] = {"",
                                        std::string_view("\0", 1),
                                        std::string_view("\0\0", 2),
                                        std::string_view("\0a", 2),
                                        "\x01",
                                        "a",
                                        std::string_view("a\0", 2),
                                        "a\x01",
                                        "ab",
                                        "b",
                                        "\xFF",
                                        "\xFF\xFF"};
  for (size_t i = 0; i + 1 < std::size(ascending); ++i) {
    EXPECT_LT(component(Value::string(ascending[i])), component(Value::string(ascending[i + 1])));
  }
  for (std::string_view text : ascending) {
    std::string encoded = component(Value::binary(text));
    std::string_view rest = encoded;
    EXPECT_EQ(read_component(rest, ValueType::kBinary), Value::binary(text));
  }
}

TEST(KeyEncoding, a_prefix_covers_exactly_the_strings_that_start_with_it) {
  std::string prefix;
  append_component_prefix(prefix, Value::string(std::string_view("a\0", 2)));
  EXPECT_TRUE(component(Value::string(std::string_view("a\0b", 3))).starts_with(prefix));
  EXPECT_FALSE(component(Value::string("a")).starts_with(prefix));
  EXPECT_FALSE(component(Value::string("ab")).starts_with(prefix));
}

TEST(KeyEncoding, damaged_components_are_rejected) {
  for (std::string_view bytes :
       {std::string_view("abc"), std::string_view("a\0", 2), std::string_view("a\0\x02", 3), std::string_view()}) {
    EXPECT_FALSE(read_component(bytes, ValueType::kString).has_value());
  }
  for (std::string_view bytes : {std::string_view("\x02"), std::string_view("\x03\x80\x02", 3),
                                 std::string_view("\x02\x80\xF0", 3), std::string_view()}) {
    EXPECT_FALSE(read_component(bytes, ValueType::kNumber).has_value());
  }
}

TEST(KeyEncoding, index_keys_exist_only_for_items_with_all_their_attributes) {
  const KeySchema table{.hash = {{"pk", ValueType::kString}}, .range = {}};
  const KeySchema index{.hash = {{"a", ValueType::kString}, {"b", ValueType::kNumber}},
                        .range = {{"c", ValueType::kString}}};
  const Item whole{
      {"pk", Value::string("1")}, {"a", Value::string("x")}, {"b", Value::number("1")}, {"c", Value::string("y")}};
  const Item lacking{{"pk", Value::string("1")}, {"a", Value::string("x")}, {"c", Value::string("y")}};
  const Item mistyped{
      {"pk", Value::string("1")}, {"a", Value::string("x")}, {"b", Value::string("1")}, {"c", Value::string("y")}};
  EXPECT_TRUE(encode_index_key(1, index, table, whole).has_value());
  EXPECT_FALSE(encode_index_key(1, index, table, lacking).has_value());
  EXPECT_FALSE(encode_index_key(1, index, table, mistyped).has_value());
}

TEST(KeyEncoding, segments_cover_a_keyspace_without_gap_or_overlap) {
  for (uint32_t total : {1u, 2u, 3u, 7u, 1000000u}) {
    EXPECT_EQ(segment_range(5, 0, total).begin, keyspace_range(5).begin);
    EXPECT_EQ(segment_range(5, total - 1, total).end, keyspace_range(5).end);
    for (uint32_t i = 0; i + 1 < std::min(total, 100u); ++i) {
      EXPECT_EQ(segment_range(5, i, total).end, segment_range(5, i + 1, total).begin);
    }
  }
  EXPECT_EQ(after_prefix(std::string("a\xFF\xFF")), "b");
}

}  // namespace
}  // namespace trestle
