// Reads any bytes as an item. If it is valid, writing and reading it again must produce the same bytes.
#include "base/check.h"
#include "protocol/json/attribute_value_json.h"

using namespace trestle;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const ValueWording wording : {ValueWording::kCurrent, ValueWording::kOlder}) {
    const auto input = parse_body(body);
    if (!input.has_value()) return 0;
    const ValueReader reader(wording);
    // The document is a request whose members are items.
    std::string written = "{";
    std::vector<Item> items;
    for (const JsonMember member : *input) {
      const auto item = reader.item(member.value);
      if (!item.has_value() || item->fault) continue;
      CHECK(is_valid_item(item->value.bytes()));
      if (items.size() > 0) written.push_back(',');
      written.append("\"").append(std::to_string(items.size())).append("\":");
      append_item_json(written, item->value);
      items.push_back(item->value);
    }
    written.push_back('}');
    const auto again = parse_body(written);
    CHECK(again.has_value());
    size_t index = 0;
    for (const JsonMember member : *again) {
      const auto item = reader.item(member.value);
      CHECK(item.has_value() && !item->fault);
      CHECK(item->value == items[index]);
      ++index;
    }
    CHECK(index == items.size());
  }
  return 0;
}
