#include "exchange/export_line.h"

#include <gtest/gtest.h>

#include "exchange/export_ion.h"

namespace trestle {
namespace {

std::string decimal(std::string_view number) {
  std::string out;
  append_ion_decimal(out, number);
  return out;
}

std::string symbol(std::string_view name) {
  std::string out;
  append_ion_symbol(out, name);
  return out;
}

Item every_type() {
  const Value one = Value::number(1);
  const Value text = Value::string("a\"b\n\xC3\xA9");
  const ValueView elements[] = {one, text};
  return Item{{"b", Value::binary("hi")},
              {"bs", Value::set(ValueType::kBinarySet, {"x", "y"})},
              {"f", Value::boolean(false)},
              {"l", Value::list(elements)},
              {"m", Value::map({{"a b", one}})},
              {"n", Value::number("-12.5")},
              {"ns", Value::set(ValueType::kNumberSet, {"1", "600"})},
              {"nul", Value::null()},
              {"s", text},
              {"ss", Value::set(ValueType::kStringSet, {"a", "b"})}};
}

TEST(ExportLine, an_item_as_json) {
  std::string out;
  append_export_line(out, ExportFormat::kDynamoDbJson, every_type().view());
  EXPECT_EQ(out, R"({"Item":{"b":{"B":"aGk="},"bs":{"BS":["eA==","eQ=="]},"f":{"BOOL":false},)"
                 R"("l":{"L":[{"N":"1"},{"S":"a\"b\né"}]},"m":{"M":{"a b":{"N":"1"}}},"n":{"N":"-12.5"},)"
                 R"("ns":{"NS":["1","600"]},"nul":{"NULL":true},"s":{"S":"a\"b\né"},"ss":{"SS":["a","b"]}}})"
                 "\n");
}

TEST(ExportLine, an_item_as_ion) {
  std::string out;
  append_export_line(out, ExportFormat::kIon, every_type().view());
  EXPECT_EQ(out, R"($ion_1_0 {Item:{b:{{aGk=}},bs:$dynamodb_BS::[{{eA==}},{{eQ==}}],f:false,l:[1.,"a\"b\né"],)"
                 R"(m:{'a b':1.},n:-12.5,ns:$dynamodb_NS::[1.,6d2],nul:null,s:"a\"b\né",ss:$dynamodb_SS::["a","b"]}})"
                 "\n");
}

TEST(ExportLine, a_change_has_the_images_of_its_record) {
  const Item keys{{"pk", Value::string("a")}};
  const Item before{{"pk", Value::string("a")}, {"v", Value::number(1)}};
  const Item after{{"pk", Value::string("a")}, {"v", Value::number(2)}};
  const auto line = [&](ExportFormat format, ItemView old_image, ItemView new_image) {
    std::string out;
    append_export_line(out, format,
                       {.written_ms = 1'680'109'764'000, .keys = keys, .old_image = old_image, .new_image = new_image});
    return out;
  };
  EXPECT_EQ(line(ExportFormat::kDynamoDbJson, before, after),
            R"({"Metadata":{"WriteTimestampMicros":{"N":"1680109764000000"}},"Keys":{"pk":{"S":"a"}},)"
            R"("OldImage":{"pk":{"S":"a"},"v":{"N":"1"}},"NewImage":{"pk":{"S":"a"},"v":{"N":"2"}}})"
            "\n");
  EXPECT_EQ(line(ExportFormat::kDynamoDbJson, {}, {}),
            R"({"Metadata":{"WriteTimestampMicros":{"N":"1680109764000000"}},"Keys":{"pk":{"S":"a"}}})"
            "\n");
  EXPECT_EQ(line(ExportFormat::kIon, before, after),
            R"($ion_1_0 {Record:{Keys:{pk:"a"},Metadata:{WriteTimestampMicros:1680109764000000.},)"
            R"(OldImage:{pk:"a",v:1.},NewImage:{pk:"a",v:2.}}})"
            "\n");
  EXPECT_EQ(
      line(ExportFormat::kIon, {}, after),
      R"($ion_1_0 {Record:{Keys:{pk:"a"},Metadata:{WriteTimestampMicros:1680109764000000.},NewImage:{pk:"a",v:2.}}})"
      "\n");
}

TEST(ExportIon, decimals_are_exact_and_never_floats_or_integers) {
  EXPECT_EQ(decimal("0"), "0.");
  EXPECT_EQ(decimal("103"), "103.");
  EXPECT_EQ(decimal("600"), "6d2");
  EXPECT_EQ(decimal("-2000"), "-2d3");
  EXPECT_EQ(decimal("12.75"), "12.75");
  EXPECT_EQ(decimal("0.05"), "0.05");
  EXPECT_EQ(decimal("0.0000012"), "0.0000012");
  EXPECT_EQ(decimal("0.00000012"), "12d-8");
  EXPECT_EQ(decimal("-0.5"), "-0.5");
  EXPECT_EQ(decimal("99999999999999999999999999999999999999"), "99999999999999999999999999999999999999.");
  EXPECT_EQ(decimal("1" + std::string(125, '0')), "1d125");
}

TEST(ExportIon, symbols_are_quoted_where_ion_needs_it) {
  EXPECT_EQ(symbol("name"), "name");
  EXPECT_EQ(symbol("_a$1"), "_a$1");
  EXPECT_EQ(symbol("1a"), "'1a'");
  EXPECT_EQ(symbol("a-b"), "'a-b'");
  EXPECT_EQ(symbol("null"), "'null'");
  EXPECT_EQ(symbol("nan"), "'nan'");
  EXPECT_EQ(symbol("$12"), "'$12'");
  EXPECT_EQ(symbol("$ion_1_0"), "'$ion_1_0'");
  EXPECT_EQ(symbol("it's"), "'it\\'s'");
  EXPECT_EQ(symbol("\xC3\xA9"), "'\xC3\xA9'");
}

TEST(ExportIon, no_line_break_leaves_a_string) {
  std::string out;
  append_export_line(out, ExportFormat::kIon, Item{{"s", Value::string(std::string("\0\r\n\x01\x7F\\", 6))}}.view());
  EXPECT_EQ(out, "$ion_1_0 {Item:{s:\"\\0\\r\\n\\x01\\x7f\\\\\"}}\n");
}

}  // namespace
}  // namespace trestle
