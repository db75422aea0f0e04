#include "engine/transactions/request_fingerprint.h"

#include <algorithm>

#include "base/bytes.h"

namespace trestle {
namespace {

void append_optional(std::string& out, const std::optional<std::string>& text) {
  out.push_back(text ? '\1' : '\0');
  if (text) append_sized(out, *text);
}

std::string_view bytes_of(const std::string& name) { return name; }
std::string_view bytes_of(const Value& value) { return value.bytes(); }

template <class Map>
void append_map(std::string& out, const std::optional<Map>& map) {
  append_varint(out, map ? map->size() + 1 : 0);
  if (!map) return;
  std::vector<const typename Map::value_type*> entries;
  for (const auto& entry : *map) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  for (const auto* entry : entries) {
    append_sized(out, entry->first);
    append_sized(out, bytes_of(entry->second));
  }
}

}  // namespace

Fingerprint request_fingerprint(const TransactWriteItemsRequest& request) {
  std::string bytes;
  for (const TransactWrite& write : request.writes) {
    bytes.push_back(static_cast<char>(write.kind));
    append_sized(bytes, write.table_name);
    append_sized(bytes, write.item.bytes());
    append_optional(bytes, write.update_expression);
    append_optional(bytes, write.condition.expression);
    bytes.push_back(write.condition.return_item_on_failure ? '\1' : '\0');
    append_map(bytes, write.placeholders.names);
    append_map(bytes, write.placeholders.values);
  }
  return fingerprint_of(bytes);
}

}  // namespace trestle
