#include "engine/indexes/top_keys.h"

#include <algorithm>
#include <utility>

namespace trestle {

void TopKeys::swap(size_t a, size_t b) {
  std::swap(heap_[a], heap_[b]);
  heap_[a].place->second = a;
  heap_[b].place->second = b;
}

void TopKeys::sift_down(size_t at) {
  while (true) {
    size_t least = at;
    for (const size_t child : {2 * at + 1, 2 * at + 2}) {
      if (child < heap_.size() && heap_[child].count < heap_[least].count) least = child;
    }
    if (least == at) return;
    swap(at, least);
    at = least;
  }
}

void TopKeys::sift_up(size_t at) {
  while (at > 0 && heap_[at].count < heap_[(at - 1) / 2].count) {
    swap(at, (at - 1) / 2);
    at = (at - 1) / 2;
  }
}

void TopKeys::add(std::string_view key) {
  ++total_;
  if (const auto it = places_.find(key); it != places_.end()) {
    ++heap_[it->second].count;
    sift_down(it->second);
    return;
  }
  if (heap_.size() < capacity_) {
    const auto [it, added] = places_.emplace(key, heap_.size());
    heap_.push_back({.place = &*it, .count = 1, .error = 0});
    sift_up(heap_.size() - 1);
    return;
  }
  // The key takes over the smallest counter. The map's node is reused, so that only the key's text is allocated.
  auto node = places_.extract(places_.find(heap_.front().place->first));
  node.key() = key;
  node.mapped() = 0;
  const auto placed = places_.insert(std::move(node));
  Counter& smallest = heap_.front();
  smallest = {.place = &*placed.position, .count = smallest.count + 1, .error = smallest.count};
  sift_down(0);
}

std::vector<TopKeys::Entry> TopKeys::top(size_t count) const {
  std::vector<Entry> entries;
  entries.reserve(heap_.size());
  for (const Counter& counter : heap_) {
    entries.push_back({.key = counter.place->first, .count = counter.count, .error = counter.error});
  }
  const auto larger = [](const Entry& a, const Entry& b) {
    return a.count != b.count ? a.count > b.count : a.key < b.key;
  };
  count = std::min(count, entries.size());
  std::partial_sort(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(count), entries.end(), larger);
  entries.resize(count);
  return entries;
}

}  // namespace trestle
