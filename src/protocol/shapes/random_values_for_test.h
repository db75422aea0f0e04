// Random values and parts of requests, for tests. The same seed produces the same values.
#pragma once

#include <random>
#include <string>

#include "model/database.h"

namespace trestle {

class RandomValues {
 public:
  explicit RandomValues(uint64_t seed) : random_(seed) {}

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
  ItemList items() {
    ItemList out;
    for (size_t i = below(4); i > 0; --i) out.add(item());
    return out;
  }
  template <class T, class Make>
  std::vector<T> some(Make make) {
    std::vector<T> out;
    for (size_t i = 0, count = below(3) + 1; i < count; ++i) out.push_back(make());
    return out;
  }

  void fill_value(Value& out) { out = value(); }
  void fill_value(Item& out) { out = item(); }
  void fill_value(ItemList& out) { out = items(); }
  void fill_value(NameMap& out) { out = {{"#a", text()}, {"#b", "plain"}}; }
  void fill_value(ValueMap& out) { out = {{":a", value()}, {":b", value()}}; }
  // The operands fit the comparisons.
  void fill_value(LegacyConditions& out) {
    out.push_back({.attribute = "a\"b", .comparison = ComparisonOperator::kEq, .operands = std::vector{value(9)}});
    out.push_back({.attribute = "c",
                   .comparison = ComparisonOperator::kBetween,
                   .operands = std::vector{Value::number(1), Value::number(2)}});
  }
  void fill_value(std::vector<LegacyUpdate>& out) {
    out.push_back({.attribute = text(), .action = UpdateAction::kAdd, .value = Value::number(1)});
    out.push_back({.attribute = "gone", .action = UpdateAction::kDelete, .value = {}});
    out.push_back({.attribute = "put", .action = maybe(UpdateAction::kPut), .value = value()});
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace trestle
