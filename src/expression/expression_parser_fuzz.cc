// Parses, binds and evaluates arbitrary text as every kind of expression on a fixed item. The first byte selects the
// kind.
#include <cstdlib>

#include "expression/condition.h"
#include "expression/key_condition.h"
#include "expression/projection.h"
#include "expression/update/update.h"

namespace trestle {
namespace {

const Placeholders& placeholders() {
  static const Placeholders fixed = [] {
    Placeholders result;
    result.names = NameMap{{"#n", "n"}, {"#m", "m"}, {"#dot", "a.b"}};
    result.values = ValueMap{{":n", Value::number(7)},
                             {":s", Value::string("text")},
                             {":b", Value::binary(std::string_view("\0\1", 2))},
                             {":t", Value::boolean(true)},
                             {":ss", Value::set(ValueType::kStringSet, {"a", "b"})},
                             {":l", Value::list({})},
                             {":type", Value::string("N")}};
    return result;
  }();
  return fixed;
}

const Item& item() {
  static const Item fixed = [] {
    const Value one = Value::number(1);
    const Value text = Value::string("one");
    const Value inner = Value::map({{"x", one}, {"y", text}});
    const ValueView elements[] = {one, text, inner};
    return Item{{"pk", Value::string("key")},      {"n", Value::number(42)},
                {"s", Value::string("some text")}, {"ss", Value::set(ValueType::kStringSet, {"a", "c"})},
                {"l", Value::list(elements)},      {"m", inner}};
  }();
  return fixed;
}

void check(bool holds) {
  if (!holds) std::abort();
}

void run(uint8_t kind, std::string_view text) {
  auto binding = Binding::make(placeholders(), true);
  check(binding.has_value());
  switch (kind % 4) {
    case 0: {
      const auto condition = compile_condition(text, ExpressionKind::kCondition, *binding);
      if (!condition) return;
      check(condition->matches(item()) == condition->matches(item()));
      condition->matches(ItemView());
      break;
    }
    case 1: {
      const auto projection = compile_projection(text, *binding);
      if (!projection) return;
      const Item part = projection->apply(item());
      check(is_valid_item(part.bytes()));
      check(projection->apply(part).attributes().size() <= part.attributes().size());
      break;
    }
    case 2: {
      const auto update = compile_update(text, *binding);
      if (!update) return;
      const auto updated = update->apply(item());
      if (updated) {
        check(is_valid_item(updated->bytes()));
        check(is_valid_item(update->touched_parts(*updated).bytes()));
      }
      check(is_valid_item(update->touched_parts(item()).bytes()));
      break;
    }
    default: {
      const auto condition = compile_key_condition(text, *binding);
      if (!condition) return;
      const KeySchema key{.hash = {{"pk", ValueType::kString}}, .range = {{"n", ValueType::kNumber}}};
      (void)select_key(*condition, key, false).has_value();
      break;
    }
  }
}

}  // namespace
}  // namespace trestle

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  trestle::run(data[0], std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
  return 0;
}
