#include "vector/vector_set.h"

#include <utility>

namespace trestle {

std::shared_ptr<VectorPartition> VectorSet::find(std::string_view partition) const {
  std::shared_lock lock(partitions_mutex_);
  const auto it = partitions_.find(std::string(partition));
  return it == partitions_.end() ? nullptr : it->second;
}

std::shared_ptr<VectorPartition> VectorSet::find_or_make(std::string_view partition) {
  if (auto found = find(partition)) return found;
  std::unique_lock lock(partitions_mutex_);
  auto& slot = partitions_[std::string(partition)];
  if (!slot) slot = std::make_shared<VectorPartition>(space_, memory_);
  return slot;
}

template <class Change>
std::shared_ptr<VectorPartition> VectorSet::apply(std::string_view key, Change change) {
  std::shared_ptr<VectorPartition> changed;
  switch (phase_.load()) {
    case Phase::kAbsent:
    case Phase::kTooLarge:
      return nullptr;
    case Phase::kLoading: {
      MutexLock lock(load_mutex_);
      touched_.emplace(key);
      changed = change();
      break;
    }
    case Phase::kReady:
      changed = change();
      break;
  }
  return changed && changed->wants_building() ? changed : nullptr;
}

std::shared_ptr<VectorPartition> VectorSet::put(const Entry& entry) {
  return apply(entry.key, [&] {
    auto partition = find_or_make(entry.partition);
    partition->put(entry.key, entry.vector, entry.tags);
    return partition;
  });
}

std::shared_ptr<VectorPartition> VectorSet::erase(std::string_view partition, std::string_view key) {
  return apply(key, [&] {
    auto found = find(partition);
    if (found) found->erase(key);
    return found;
  });
}

// Starts recording changes only after clearing all previous state. Otherwise a change could be recorded as touched and
// then cleared, and would be lost, because load() ignores the snapshot's entry for that key.
void VectorSet::begin_load() {
  phase_.store(Phase::kAbsent);
  Partitions discarded;
  {
    MutexLock lock(load_mutex_);
    touched_.clear();
    discarded = take_partitions();
    phase_.store(Phase::kLoading);
  }
  for (auto& [name, partition] : discarded) destroy_when_unused(std::move(partition));
}

bool VectorSet::load(const Entry& entry) {
  MutexLock lock(load_mutex_);
  if (touched_.contains(std::string(entry.key))) return true;
  find_or_make(entry.partition)->put(entry.key, entry.vector, entry.tags);
  return !memory_.is_full();
}

void VectorSet::finish_load() {
  phase_.store(Phase::kReady);
  MutexLock lock(load_mutex_);
  touched_.clear();
}

VectorSet::Partitions VectorSet::take_partitions() {
  const std::unique_lock lock(partitions_mutex_);
  return std::exchange(partitions_, {});
}

void VectorSet::free_vectors() {
  for (auto& [name, partition] : take_partitions()) destroy_when_unused(std::move(partition));
}

std::optional<VectorPartition::Answer> VectorSet::search(std::string_view partition,
                                                         const VectorPartition::Query& query) const {
  if (phase_.load() != Phase::kReady) return std::nullopt;
  const auto found = find(partition);
  // If the set was dropped in between, a missing partition does not mean that there are no vectors.
  if (phase_.load() != Phase::kReady) return std::nullopt;
  if (!found) return VectorPartition::Answer{};
  return found->search(query);
}

std::vector<std::shared_ptr<VectorPartition>> VectorSet::partitions() const {
  std::shared_lock lock(partitions_mutex_);
  std::vector<std::shared_ptr<VectorPartition>> all;
  for (const auto& [name, partition] : partitions_) all.push_back(partition);
  return all;
}

}  // namespace trestle
