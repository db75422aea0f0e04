#include "protocol/json/attribute_value_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/json/nested_value_for_test.h"

namespace trestle {
namespace {

// The item in a body, read and written again; or "shape: ..." or "value: ..." with the error.
std::string reread(std::string_view item_json, ValueWording wording = ValueWording::kCurrent) {
  const auto input = parse_body(fmt::format(R"({{"Item":{}}})", item_json));
  if (!input.has_value()) return "not parsed";
  const auto item = ValueReader(wording).item((*input->begin()).value);
  if (!item.has_value()) return "shape: " + item.error().message;
  if (item->fault) return "value: " + *item->fault;
  EXPECT_TRUE(is_valid_item(item->value.bytes())) << item_json;
  std::string out;
  append_item_json(out, item->value);
  return out;
}

std::string fault(std::string_view value_json, ValueWording wording = ValueWording::kCurrent) {
  return reread(fmt::format(R"({{"a":{}}})", value_json), wording);
}

TEST(AttributeValueJson, every_type_survives_the_round_trip) {
  for (std::string_view item : {
           R"({})",
           R"({"a":{"S":""}})",
           R"({"a":{"S":"x\"\\\n\u0001é"}})",
           R"({"a":{"N":"-12.5"}})",
           R"({"a":{"B":"AAH/"}})",
           R"({"a":{"B":""}})",
           R"({"a":{"BOOL":true},"b":{"BOOL":false},"c":{"NULL":true}})",
           R"({"a":{"SS":["","a","b"]},"b":{"NS":["-1","2","10"]},"c":{"BS":["","AA==","/w=="]}})",
           R"({"a":{"L":[]},"b":{"M":{}},"c":{"L":[{"S":"x"},{"M":{"k":{"L":[{"N":"1"}]}}}]}})",
       }) {
    EXPECT_EQ(reread(item), item);
  }
}

TEST(AttributeValueJson, maps_and_sets_are_sorted_and_numbers_canonical) {
  EXPECT_EQ(reread(R"({"b":{"N":"0042.1200"},"a":{"M":{"y":{"N":"1e2"},"x":{"NS":["10","9"]}}}})"),
            R"({"a":{"M":{"x":{"NS":["9","10"]},"y":{"N":"100"}}},"b":{"N":"42.12"}})");
}

TEST(AttributeValueJson, a_duplicate_name_keeps_its_last_value) {
  EXPECT_EQ(reread(R"({"a":{"S":"1"},"b":{"S":"2"},"a":{"S":"3"}})"), R"({"a":{"S":"3"},"b":{"S":"2"}})");
}

TEST(AttributeValueJson, many_entries_out_of_order_are_sorted) {
  std::string json, expected;
  for (int i = 199; i >= 100; --i) json += fmt::format(R"("{}":{{"N":"1"}},)", i);
  for (int i = 100; i <= 199; ++i) expected += fmt::format(R"("{}":{{"N":"1"}},)", i);
  json.pop_back();
  expected.pop_back();
  EXPECT_EQ(reread(fmt::format("{{{}}}", json)), fmt::format("{{{}}}", expected));
}

TEST(AttributeValueJson, an_empty_value_is_refused) {
  constexpr auto kEmpty =
      "value: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
  EXPECT_EQ(fault("{}"), kEmpty);
  EXPECT_EQ(fault(R"({"X":"a"})"), kEmpty);
  EXPECT_EQ(fault(R"({"S":null})"), kEmpty);
  EXPECT_EQ(fault("null"), kEmpty);
  EXPECT_EQ(fault(R"({"L":[{}]})"), kEmpty);
  EXPECT_EQ(fault(R"({"M":{"b":{}}})"), kEmpty);
}

TEST(AttributeValueJson, a_value_of_two_types_is_refused) {
  EXPECT_EQ(fault(R"({"S":"a","N":"1"})"),
            "value: Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported "
            "datatypes");
}

TEST(AttributeValueJson, null_must_be_true) {
  EXPECT_EQ(fault(R"({"NULL":false})"),
            "value: One or more parameter values were invalid: Null attribute value types must have the value of true");
}

TEST(AttributeValueJson, empty_sets_are_refused) {
  EXPECT_EQ(fault(R"({"SS":[]})"), "value: One or more parameter values were invalid: An string set  may not be empty");
  EXPECT_EQ(fault(R"({"NS":[]})"), "value: One or more parameter values were invalid: An number set  may not be empty");
  EXPECT_EQ(fault(R"({"BS":[]})"), "value: One or more parameter values were invalid: Binary sets should not be empty");
}

TEST(AttributeValueJson, the_current_layer_shows_duplicates_in_the_order_it_met_them) {
  constexpr std::string_view kPrefix = "value: One or more parameter values were invalid: Input collection ";
  EXPECT_EQ(fault(R"({"SS":["b","a","b"]})"), std::string(kPrefix) + R"(["a", "b", "b"] contains duplicates.)");
  EXPECT_EQ(fault(R"({"SS":["a","a"]})"), std::string(kPrefix) + R"(["a", "a"] contains duplicates.)");
  EXPECT_EQ(fault(R"({"SS":["c","b","c","a"]})"),
            std::string(kPrefix) + R"(["b", "c", "c", "a"] contains duplicates.)");
  EXPECT_EQ(fault(R"({"BS":["/w==","AA==","AA=="]})"),
            std::string(kPrefix) + R"(["AA==","/w==","AA=="]of type BS contains duplicates.)");
  EXPECT_EQ(fault(R"({"NS":["2","1","2.0"]})"), std::string(kPrefix) + "contains duplicates.");
}

TEST(AttributeValueJson, the_older_layer_shows_duplicates_as_sent) {
  constexpr std::string_view kPrefix = "value: One or more parameter values were invalid: Input collection ";
  const auto older = ValueWording::kOlder;
  EXPECT_EQ(fault(R"({"SS":["b","a","b"]})", older), std::string(kPrefix) + "[b, a, b] contains duplicates.");
  EXPECT_EQ(fault(R"({"BS":["/w==","AA==","AA=="]})", older),
            std::string(kPrefix) + "[/w==, AA==, AA==]of type BS contains duplicates.");
  EXPECT_EQ(fault(R"({"NS":["2","1","2"]})", older), "value: Input collection contains duplicates");
}

TEST(AttributeValueJson, invalid_numbers_are_refused) {
  EXPECT_EQ(fault(R"({"N":"abc"})"), "value: The parameter cannot be converted to a numeric value: abc");
  EXPECT_EQ(fault(R"({"N":""})"), "value: The parameter cannot be converted to a numeric value: ");
  EXPECT_EQ(fault(R"({"N":""})", ValueWording::kOlder), "value: The parameter cannot be converted to a numeric value");
  EXPECT_EQ(fault(R"({"NS":["1",""]})"), "value: The parameter cannot be converted to a numeric value: ");
  EXPECT_EQ(fault(R"({"N":"1e126"})"),
            "value: Number overflow. Attempting to store a number with magnitude larger than supported range");
  EXPECT_EQ(fault(R"({"N":"1e-131"})"),
            "value: Number underflow. Attempting to store a number with magnitude smaller than supported range");
  EXPECT_EQ(fault(R"({"N":"123456789012345678901234567890123456789"})"),
            "value: Attempting to store more than 38 significant digits in a Number");
}

TEST(AttributeValueJson, the_older_layer_wraps_the_largest_exponent) {
  EXPECT_EQ(fault(R"({"N":"1e2147483647"})"),
            "value: Number overflow. Attempting to store a number with magnitude larger than supported range");
  EXPECT_EQ(fault(R"({"N":"1e2147483647"})", ValueWording::kOlder),
            "value: Number underflow. Attempting to store a number with magnitude smaller than supported range");
}

TEST(AttributeValueJson, a_leaf_may_stand_at_level_thirty_two_and_no_deeper) {
  EXPECT_EQ(fault(nested(31)), fmt::format(R"({{"a":{}}})", nested(31)));
  EXPECT_EQ(fault(nested(32)),
            "value: Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
            "supported limit");
}

TEST(AttributeValueJson, a_value_beyond_the_current_layers_reach_is_marked) {
  for (const auto& [levels, marked] : {std::pair{62, false}, {63, true}}) {
    const auto input = parse_body(fmt::format(R"({{"v":{}}})", nested(levels)));
    const auto value = ValueReader(ValueWording::kCurrent).value((*input->begin()).value, JsonPlace::kElement);
    EXPECT_EQ(value->very_deep, marked) << levels;
  }
}

TEST(AttributeValueJson, an_empty_name_is_refused) {
  EXPECT_EQ(reread(R"({"":{"S":"a"}})"), "value: Empty attribute name");
  EXPECT_EQ(reread(R"({"a":{"M":{"":{"S":"a"}}}})"), "value: Empty attribute name");
}

TEST(AttributeValueJson, wrong_shapes_are_refused_before_wrong_values) {
  EXPECT_EQ(reread(R"({"a":{"SS":[]},"b":{"S":5}})"), "shape: NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(reread("[]"),
            "shape: Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.AttributeValue>");
  EXPECT_EQ(reread("5"), "shape: Unexpected field type");
  EXPECT_EQ(reread(R"({"a":5})"), "shape: Unexpected value type in payload");
  EXPECT_EQ(reread(R"({"a":[]})"),
            "shape: Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue");
  EXPECT_EQ(fault(R"({"N":5})"), "shape: NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(fault(R"({"BOOL":"maybe"})"), "shape: Unexpected token received from parser");
  EXPECT_EQ(fault(R"({"L":{}})"), "shape: Start of structure or map found where not expected");
  EXPECT_EQ(fault(R"({"L":["x"]})"), "shape: Unexpected value type in payload");
  EXPECT_EQ(fault(R"({"M":[]})"),
            "shape: Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.AttributeValue>");
  EXPECT_EQ(fault(R"({"SS":["a",1]})"), "shape: NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(fault(R"({"BS":["a"]})"), "shape: Base64 encoded length is expected a multiple of 4 bytes but found: 1");
}

}  // namespace
}  // namespace trestle
