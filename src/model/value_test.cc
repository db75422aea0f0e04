#include "model/value.h"

#include <gtest/gtest.h>

#include <random>

#include "base/hex_for_test.h"
#include "model/number.h"

namespace trestle {
namespace {

// The vectors of docs/formats.md: these bytes are on disk.
TEST(Value, packed_bytes_are_as_documented) {
  EXPECT_EQ(hex(Value::null().bytes()), "01");
  EXPECT_EQ(hex(Value::boolean(false).bytes()), "02");
  EXPECT_EQ(hex(Value::boolean(true).bytes()), "03");
  EXPECT_EQ(hex(Value::string("ab").bytes()), "04026162");
  EXPECT_EQ(hex(Value::number("-1.5").bytes()), "05042d312e35");
  EXPECT_EQ(hex(Value::binary(std::string_view("\0\xFF", 2)).bytes()), "060200ff");
  EXPECT_EQ(hex(Value::set(ValueType::kStringSet, {"b", "a"}).bytes()),
            "0705000000020161"
            "0162");
  EXPECT_EQ(hex(Value::set(ValueType::kNumberSet, {"10", "9"}).bytes()),
            "0806000000020139"
            "023130");
  EXPECT_EQ(hex(Value::set(ValueType::kBinarySet, {"x"}).bytes()), "0903000000010178");
  const ValueView elements[] = {ValueView(std::string_view("\x01", 1)), ValueView(std::string_view("\x03", 1))};
  EXPECT_EQ(hex(Value::list(elements).bytes()), "0a03000000020103");
  EXPECT_EQ(hex(Value::map({{"k", elements[0]}}).bytes()), "0b0400000001016b01");
}

TEST(Item, packed_bytes_are_as_documented) {
  const Item item{{"pk", Value::string("a")}, {"n", Value::number("7")}};
  EXPECT_EQ(hex(item.bytes()),
            "0106000000"
            "02"
            "016e050137"
            "02706b040161");
  EXPECT_EQ(item.size_bytes(), 6u);
  EXPECT_TRUE(is_valid_item(item.bytes()));
}

TEST(Value, views_read_what_was_packed) {
  const Value set = Value::set(ValueType::kNumberSet, {"10", "-3", "2.5"});
  std::vector<std::string> elements;
  for (std::string_view element : set.view().set()) elements.emplace_back(element);
  EXPECT_EQ(elements, (std::vector<std::string>{"-3", "2.5", "10"}));
  EXPECT_TRUE(set.view().set().contains("10"));
  EXPECT_FALSE(set.view().set().contains("1"));

  const Value text = Value::string(std::string(300, 'x'));
  const Value map = Value::map({{"b", text}, {"a", set}});
  EXPECT_EQ(map.view().type(), ValueType::kMap);
  EXPECT_EQ(map.view().map().size(), 2u);
  EXPECT_EQ(map.view().map().find("b")->scalar().size(), 300u);
  EXPECT_FALSE(map.view().map().find("c").has_value());
  EXPECT_EQ(map.view().depth(), 1u);

  const ValueView list_elements[] = {text, map};
  const Value list = Value::list(list_elements);
  EXPECT_EQ(list.view().list().at(1)->bytes(), map.bytes());
  EXPECT_FALSE(list.view().list().at(2).has_value());
  EXPECT_EQ(list.view().depth(), 2u);
}

TEST(Value, sizes_are_dynamodbs) {
  EXPECT_EQ(Value::null().view().size_bytes(), 1u);
  EXPECT_EQ(Value::boolean(true).view().size_bytes(), 1u);
  EXPECT_EQ(Value::string("h\xC3\xA9").view().size_bytes(), 3u);
  EXPECT_EQ(Value::number("123").view().size_bytes(), 3u);
  EXPECT_EQ(Value::set(ValueType::kStringSet, {"ab", "c"}).view().size_bytes(), 3u);
  EXPECT_EQ(Value::list({}).view().size_bytes(), 3u);
  const Value one = Value::string("x");
  const ValueView elements[] = {one};
  EXPECT_EQ(Value::list(elements).view().size_bytes(), 3u + 1 + 1);
  EXPECT_EQ(Value::map({{"key", one}}).view().size_bytes(), 3u + 1 + 3 + 1);
}

TEST(Value, equal_values_have_equal_bytes_however_they_were_written) {
  const Value a = Value::string("x");
  const Value b = Value::number("1");
  EXPECT_EQ(Value::map({{"a", a}, {"b", b}}), Value::map({{"b", b}, {"a", a}}));
  EXPECT_EQ(Value::set(ValueType::kStringSet, {"a", "b"}), Value::set(ValueType::kStringSet, {"b", "a"}));
  EXPECT_NE(Value::string("1"), Value::number("1"));
}

TEST(Value, only_like_scalars_have_an_order) {
  EXPECT_EQ(compare(Value::number("10"), Value::number("9")), std::strong_ordering::greater);
  EXPECT_EQ(compare(Value::string("10"), Value::string("9")), std::strong_ordering::less);
  EXPECT_FALSE(compare(Value::string("1"), Value::number("1")).has_value());
  EXPECT_FALSE(compare(Value::null(), Value::null()).has_value());
}

TEST(ItemEditor, replaces_adds_and_removes_by_name) {
  const Item old{{"a", Value::string("1")}, {"c", Value::string("3")}};
  const Value two = Value::string("2");
  ItemEditor editor(old);
  editor.set("b", two);
  editor.set("c", two);
  editor.remove("a");
  editor.remove("missing");
  EXPECT_EQ(editor.build(), (Item{{"b", two}, {"c", two}}));
  EXPECT_EQ(editor.find("b")->scalar(), "2");
  EXPECT_FALSE(editor.find("a").has_value());
}

TEST(Item, malformed_bytes_are_not_admitted) {
  const Item item{{"l", Value::list({})}, {"s", Value::set(ValueType::kStringSet, {"a", "b"})}};
  const std::string& bytes = item.bytes();
  EXPECT_TRUE(is_valid_item(bytes));
  EXPECT_FALSE(is_valid_item(""));
  for (size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(is_valid_item(bytes.substr(0, length)));
  EXPECT_FALSE(is_valid_item(bytes + '\0'));
  std::string unsorted = bytes;
  std::swap(unsorted[unsorted.size() - 1], unsorted[unsorted.size() - 3]);
  EXPECT_FALSE(is_valid_item(unsorted));
  std::string wrong_size = bytes;
  wrong_size[1] ^= 1;
  EXPECT_FALSE(is_valid_item(wrong_size));
}

TEST(Item, lengths_have_one_form_only) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(
      is_valid_item("\x01\x02\x00\x00\x00\x01\x01"
                    "a\x01"sv));
  EXPECT_FALSE(
      is_valid_item("\x01\x02\x00\x00\x00\x81\x00\x01"
                    "a\x01"sv));
  EXPECT_FALSE(
      is_valid_item("\x01\x02\x00\x00\x00\x01\x81\x00"
                    "a\x01"sv));
}

TEST(Item, random_damage_is_refused_or_harmless) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const Item item{{"m", Value::map({{"x", Value::number("1.5").view()}})}, {"s", Value::string("text")}};
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = item.bytes();
    bytes[random() % bytes.size()] = static_cast<char>(random());
    if (is_valid_item(bytes)) {
      EXPECT_EQ(Item(bytes).view().attributes().size(), 2u);
    }
  }
}

TEST(ItemList, gives_back_its_items_in_order) {
  ItemList list;
  const Item a{{"a", Value::null()}};
  const Item b{{"b", Value::null()}};
  list.add(a);
  list.add(b);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0], a.view());
  EXPECT_EQ(list[1], b.view());
}

}  // namespace
}  // namespace trestle
