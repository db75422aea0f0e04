#include "runtime/items/shard_counts.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/sha256.h"
#include "runtime/expressions/comparison.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {
namespace {

int64_t whole(const Plain& value, int64_t otherwise) {
  if (!value.is(Plain::Kind::kNumber)) return otherwise;
  int64_t number = otherwise;
  const std::string& text = value.string();
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

ShardCounts::ShardCounts(const design::Shard& shard, const Plain& item) : initial_(shard.initial) {
  const auto bounded = [&](int64_t count) { return std::clamp<int64_t>(count, 1, std::max<int64_t>(shard.most, 1)); };
  if (shard.count > 0) {
    initial_ = shard.count;
    return;
  }
  const Plain& list = item.member(shard.epochs_field);
  if (shard.epochs_field.empty() || !list.is(Plain::Kind::kList)) {
    if (shard.epochs_field.empty()) initial_ = bounded(whole(item.member(shard.count_field), shard.initial));
    return;
  }
  for (const Plain& epoch : list.elements()) {
    epochs_.push_back({.from_ms = time_of(epoch.member("from")).value_or(0),
                       .count = bounded(whole(epoch.member(shard.count_field), shard.initial))});
  }
  std::stable_sort(epochs_.begin(), epochs_.end(),
                   [](const Epoch& a, const Epoch& b) { return a.from_ms < b.from_ms; });
}

int64_t ShardCounts::count_at(int64_t unix_ms) const {
  int64_t count = initial_;
  for (const Epoch& epoch : epochs_) {
    if (epoch.from_ms > unix_ms) break;
    count = epoch.count;
  }
  return count;
}

int64_t ShardCounts::count_max() const {
  int64_t count = initial_;
  for (const Epoch& epoch : epochs_) count = std::max(count, epoch.count);
  return count;
}

int64_t ShardCounts::shard_of(std::string_view of) const {
  const Sha256Digest digest = sha256(of);
  uint64_t hash = 0;
  for (size_t i = 0; i < 8; ++i) hash = hash << 8 | digest[i];
  return static_cast<int64_t>(hash % static_cast<uint64_t>(count_at(ulid_time(of).value_or(0))));
}

}  // namespace trestle::runtime
