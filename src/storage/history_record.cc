#include "storage/history_record.h"

#include "base/bytes.h"

namespace trestle {
namespace {

constexpr char kHistoryRecordFormat = 1;
constexpr size_t kKeyspaceBytes = 4;
constexpr size_t kCommitBytes = 8;
constexpr size_t kHeaderBytes = 9;

}  // namespace

std::string key_in_keyspace(uint32_t keyspace, std::string_view key) {
  std::string result;
  result.reserve(key.size() + kCommitBytes);
  append_u32_be(result, keyspace);
  result.append(without_keyspace(key));
  return result;
}

std::string history_key(uint32_t history_keyspace, std::string_view item_key, uint64_t commit) {
  std::string key = key_in_keyspace(history_keyspace, item_key);
  append_u64_be(key, commit);
  return key;
}

std::string history_value(int64_t time_ms, ItemView before) {
  std::string value(1, kHistoryRecordFormat);
  value.reserve(kHeaderBytes + before.bytes().size());
  append_u64_be(value, static_cast<uint64_t>(time_ms));
  value.append(before.bytes());
  return value;
}

std::string_view item_part(std::string_view history_key) {
  return history_key.substr(kKeyspaceBytes, history_key.size() - kKeyspaceBytes - kCommitBytes);
}

uint64_t history_commit(std::string_view history_key) {
  return load_u64_be(history_key.data() + history_key.size() - kCommitBytes);
}

std::optional<int64_t> history_time_ms(std::string_view value) {
  if (value.size() < kHeaderBytes || value.front() != kHistoryRecordFormat) return std::nullopt;
  return static_cast<int64_t>(load_u64_be(value.data() + 1));
}

std::optional<HistoryRecord> read_history_record(std::string_view key, std::string_view value) {
  const auto time_ms = history_time_ms(value);
  if (!time_ms || key.size() < kKeyspaceBytes + kCommitBytes) return std::nullopt;
  const std::string_view item = value.substr(kHeaderBytes);
  return HistoryRecord{
      .commit = history_commit(key), .time_ms = *time_ms, .before = item.empty() ? ItemView() : ItemView(item)};
}

}  // namespace trestle
