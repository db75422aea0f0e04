#include "engine/tables/transient_statuses.h"

namespace trestle {

void TransientStatuses::begin(const TableDescription& shown) {
  if (duration_ms_ == 0 || paused_.load(std::memory_order_relaxed)) return;
  const int64_t now_ms = clock_.now_ms();
  MutexLock lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) { return entry.second.until_ms <= now_ms; });
  entries_[shown.name] = {.shown = shown, .until_ms = now_ms + duration_ms_};
  count_.store(entries_.size(), std::memory_order_release);
}

const TransientStatuses::Entry* TransientStatuses::find(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.until_ms <= clock_.now_ms()) return nullptr;
  return &found->second;
}

void TransientStatuses::show(TableDescription& table) const {
  if (is_empty()) return;
  MutexLock lock(mutex_);
  const Entry* entry = find(table.name);
  if (entry == nullptr || entry->shown.id != table.id) return;
  const int64_t item_count = table.item_count, size_bytes = table.size_bytes;
  table = entry->shown;
  table.item_count = item_count;
  table.size_bytes = size_bytes;
}

bool TransientStatuses::is_creating(const TableDescription& table) const {
  if (is_empty()) [[likely]]
    return false;
  MutexLock lock(mutex_);
  const Entry* entry = find(table.name);
  return entry != nullptr && entry->shown.id == table.id && entry->shown.status == Status::kCreating;
}

std::optional<TableDescription> TransientStatuses::find_deleting(std::string_view name) const {
  if (is_empty()) return std::nullopt;
  MutexLock lock(mutex_);
  const Entry* entry = find(name);
  if (entry == nullptr || entry->shown.status != Status::kDeleting) return std::nullopt;
  return entry->shown;
}

std::vector<std::string> TransientStatuses::deleting_names() const {
  if (is_empty()) return {};
  std::vector<std::string> names;
  MutexLock lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    if (entry.shown.status == Status::kDeleting && find(name) != nullptr) names.push_back(name);
  }
  return names;
}

}  // namespace trestle
