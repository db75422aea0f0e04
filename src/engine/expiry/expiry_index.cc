#include "engine/expiry/expiry_index.h"

#include <charconv>

#include "base/bytes.h"

namespace trestle {
namespace {

constexpr size_t kKeyspaceBytes = 4;
constexpr size_t kSecondsBytes = 8;

std::string range_edge(uint32_t keyspace, uint64_t seconds) { return expiry_key(keyspace, seconds, {}); }

}  // namespace

std::optional<uint64_t> expiry_seconds(ItemView item, std::string_view ttl_attribute) {
  if (item.empty()) return std::nullopt;
  const auto value = item.find(ttl_attribute);
  if (!value || value->type() != ValueType::kNumber) return std::nullopt;
  // Canonical text has no exponent, so the digits before the point are the whole seconds.
  const std::string_view text = value->scalar();
  int64_t seconds = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (fault != std::errc{} || text.front() == '-') return std::nullopt;
  return static_cast<uint64_t>(seconds);
}

std::string expiry_filling_key(uint32_t keyspace) {
  std::string key;
  append_u32_be(key, keyspace);
  return key;
}

std::string expiry_key(uint32_t keyspace, uint64_t seconds, std::string_view item_key) {
  std::string key;
  key.reserve(kKeyspaceBytes + kSecondsBytes + item_key.size());
  append_u32_be(key, keyspace);
  append_u64_be(key, seconds);
  key.append(item_key);
  return key;
}

std::string_view item_key_of(std::string_view expiry_key) { return expiry_key.substr(kKeyspaceBytes + kSecondsBytes); }
uint64_t seconds_of(std::string_view expiry_key) { return load_u64_be(expiry_key.data() + kKeyspaceBytes); }

KeyRange expiry_range(uint32_t keyspace, uint64_t from, uint64_t until) {
  return {range_edge(keyspace, from), range_edge(keyspace, until)};
}

KeyRange expiry_range(uint32_t keyspace) {
  const std::string prefix = expiry_filling_key(keyspace);
  return {prefix, after_prefix(prefix)};
}

std::optional<uint64_t> change_expiry(const TableDescription& table, std::string_view item_key, ItemView before,
                                      ItemView after, Batch& batch) {
  const auto old_seconds = expiry_seconds(before, *table.ttl_attribute);
  const auto new_seconds = expiry_seconds(after, *table.ttl_attribute);
  if (old_seconds == new_seconds) return std::nullopt;
  if (old_seconds) batch.erase(Space::kExpiry, expiry_key(table.keyspace, *old_seconds, item_key));
  if (new_seconds) batch.put(Space::kExpiry, expiry_key(table.keyspace, *new_seconds, item_key), {});
  return new_seconds;
}

}  // namespace trestle
