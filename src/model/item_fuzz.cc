// Arbitrary bytes as an item: bytes that is_valid_item() accepts can be read completely and copied field by field, and
// the copy is identical.
#include "base/check.h"
#include "model/value.h"

using namespace trestle;

namespace {

Value copy(ValueView value) {
  switch (value.type()) {
    case ValueType::kList: {
      std::vector<Value> owned;
      for (ValueView element : value.list()) owned.push_back(copy(element));
      std::vector<ValueView> elements(owned.begin(), owned.end());
      return Value::list(elements);
    }
    case ValueType::kMap: {
      std::vector<std::pair<std::string_view, Value>> owned;
      for (const Field& field : value.map()) owned.emplace_back(field.name, copy(field.value));
      std::vector<Field> fields;
      for (const auto& [name, element] : owned) fields.push_back({name, element});
      return Value::map(std::move(fields));
    }
    case ValueType::kStringSet:
    case ValueType::kNumberSet:
    case ValueType::kBinarySet: {
      std::vector<std::string_view> elements;
      for (std::string_view element : value.set()) elements.push_back(element);
      return Value::set(value.type(), std::move(elements));
    }
    default:
      return Value(value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!is_valid_item(bytes)) return 0;
  const ItemView item(bytes);
  std::vector<std::pair<std::string_view, Value>> owned;
  for (const Field& field : item.attributes()) {
    CHECK(item.find(field.name) == field.value);
    owned.emplace_back(field.name, copy(field.value));
  }
  std::vector<Field> fields;
  for (const auto& [name, value] : owned) fields.push_back({name, value});
  CHECK(Item(std::move(fields)).bytes() == bytes);
  return 0;
}
