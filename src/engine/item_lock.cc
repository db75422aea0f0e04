#include "engine/item_lock.h"

#include <algorithm>
#include <functional>

namespace trestle {

size_t ItemLocks::stripe(std::string_view key) { return std::hash<std::string_view>{}(key) % kStripes; }

std::unique_lock<std::mutex> ItemLocks::lock(std::string_view key) { return std::unique_lock(mutexes_[stripe(key)]); }

std::unique_lock<std::mutex> ItemLocks::try_lock(std::string_view key) {
  return {mutexes_[stripe(key)], std::try_to_lock};
}

ItemLocks::Guard ItemLocks::lock_all(std::span<const std::string> keys) {
  std::vector<size_t> stripes;
  stripes.reserve(keys.size());
  for (const std::string& key : keys) stripes.push_back(stripe(key));
  std::sort(stripes.begin(), stripes.end());
  stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
  Guard guard;
  for (size_t index : stripes) guard.locks_.emplace_back(mutexes_[index]);
  return guard;
}

}  // namespace trestle
