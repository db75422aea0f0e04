#include "engine/items/item_lock.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "storage/cached_reads.h"

namespace trestle {
namespace {

// Most holders only search a write buffer and write to the log.
constexpr std::chrono::milliseconds kPatience{2};

}  // namespace

bool ItemLocks::lock_or_miss(Stripe& stripe, std::unique_lock<Mutex>& lock, bool& patient) {
  if (CachedReads::missed()) return false;
  const auto miss = [] {
    CachedReads::note_missed_lock();
    return false;
  };
  if (!lock.try_lock()) {
    if (!CachedReads::must_not_wait()) {
      lock.lock();
    } else if (stripe.is_held_long.load(std::memory_order_relaxed) || !std::exchange(patient, false)) {
      return miss();
    } else if (!lock.try_lock_for(kPatience)) {
      stripe.is_held_long.store(true, std::memory_order_relaxed);
      return miss();
    }
  }
  stripe.note_held();
  return true;
}

ItemLocks::Single::Single(Stripe& stripe) : stripe_(&stripe), lock_(stripe.mutex, std::try_to_lock) {
  if (owns_lock()) stripe.note_held();
}

bool ItemLocks::Single::lock() {
  bool patient = true;
  return lock_or_miss(*stripe_, lock_, patient);
}

std::optional<std::string_view> ItemLocks::Single::remembered(std::string_view key) const {
  const std::string_view both = stripe_->key_and_item;
  if (stripe_->key_size != key.size() || !both.starts_with(key)) return std::nullopt;
  return both.substr(key.size());
}

void ItemLocks::Single::forget() { stripe_->key_size = 0; }

void ItemLocks::Single::remember(std::string_view key, std::string_view item) {
  if (key.size() + item.size() > kRememberedBytesMax) return forget();
  stripe_->key_and_item.assign(key).append(item);
  stripe_->key_size = key.size();
}

size_t ItemLocks::stripe_of(std::string_view key) { return std::hash<std::string_view>{}(key) % kStripes; }

std::unique_lock<Mutex> ItemLocks::lock(Stripe& stripe) {
  std::unique_lock held(stripe.mutex);
  stripe.note_held();
  stripe.key_size = 0;
  return held;
}

std::unique_lock<Mutex> ItemLocks::lock(std::string_view key) { return lock(stripes_[stripe_of(key)]); }

ItemLocks::Single ItemLocks::try_lock(std::string_view key) { return Single(stripes_[stripe_of(key)]); }

ItemLocks::Guard ItemLocks::lock_all(std::span<const std::string> keys) {
  std::vector<size_t> stripes;
  stripes.reserve(keys.size());
  for (const std::string& key : keys) stripes.push_back(stripe_of(key));
  std::sort(stripes.begin(), stripes.end());
  stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
  Guard guard;
  bool patient = true;
  for (const size_t index : stripes) {
    std::unique_lock held(stripes_[index].mutex, std::defer_lock);
    if (!lock_or_miss(stripes_[index], held, patient)) return {};
    stripes_[index].key_size = 0;
    guard.locks_.push_back(std::move(held));
  }
  return guard;
}

}  // namespace trestle
