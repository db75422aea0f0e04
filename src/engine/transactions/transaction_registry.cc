#include "engine/transactions/transaction_registry.h"

#include <algorithm>
#include <numeric>

namespace trestle {

TransactionRegistry::TransactionRegistry(const Store& store)
    : store_(store), shards_(std::make_unique<std::array<Shard, kShards>>()) {}

uint64_t TransactionRegistry::find_conflicting_commit(std::string_view key, Use use) const {
  const uint64_t durable = store_.durable_commit();
  const Shard& at = shard(key);
  MutexLock lock(at.mutex);
  const auto it = at.held.find(std::string(key));
  if (it == at.held.end()) return 0;
  const uint64_t commit = use == Use::kWrite ? it->second.newest() : it->second.written;
  return commit > durable ? commit : 0;
}

void TransactionRegistry::hold(std::string_view key, Use use, uint64_t commit) {
  if (commit == 0) return;
  const uint64_t durable = store_.durable_commit();
  Shard& at = shard(key);
  {
    MutexLock lock(at.mutex);
    forget(at, durable);
    const auto it = at.held.try_emplace(std::string(key)).first;
    uint64_t& held = use == Use::kWrite ? it->second.written : it->second.read;
    held = std::max(held, commit);
    at.order.emplace_back(commit, it->first);
  }
  uint64_t newest = newest_.load(std::memory_order_relaxed);
  while (newest < commit && !newest_.compare_exchange_weak(newest, commit, std::memory_order_release)) {
  }
}

bool TransactionRegistry::find_claim(std::string_view key, Use use) const {
  const Shard& at = shard(key);
  MutexLock lock(at.mutex);
  const auto it = at.claims.find(std::string(key));
  return it != at.claims.end() && it->second.conflicts_with(use);
}

bool TransactionRegistry::claim(std::string_view key, Use use) {
  Shard& at = shard(key);
  MutexLock lock(at.mutex);
  Claim& claim = at.claims[std::string(key)];
  if (claim.conflicts_with(use)) return false;
  ++(use == Use::kWrite ? claim.writers : claim.readers);
  claimed_.fetch_add(1, std::memory_order_release);
  return true;
}

void TransactionRegistry::unclaim(std::string_view key, Use use) {
  Shard& at = shard(key);
  MutexLock lock(at.mutex);
  const auto it = at.claims.find(std::string(key));
  --(use == Use::kWrite ? it->second.writers : it->second.readers);
  if (it->second.writers == 0 && it->second.readers == 0) at.claims.erase(it);
  claimed_.fetch_sub(1, std::memory_order_release);
}

// Claims in the order of the keys, so that of several transactions at least one gets all its items.
TransactionRegistry::ItemClaims::ItemClaims(TransactionRegistry& registry, std::vector<ClaimRequest> requests)
    : registry_(registry), requests_(std::move(requests)) {
  if (registry_.store_.waits_for_sync()) return;
  std::vector<size_t> order(requests_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return requests_[i].key; });
  for (const size_t i : order) {
    const auto& [key, use] = requests_[i];
    if (refused_.empty() && registry_.claim(key, use)) {
      claimed_.push_back(i);
    } else if (refused_.empty() || registry_.find_claim(key, use)) {
      release();
      refused_.resize(requests_.size());
      refused_[i] = true;
    }
  }
}

TransactionRegistry::ItemClaims::~ItemClaims() { release(); }

void TransactionRegistry::ItemClaims::release() {
  for (const size_t i : claimed_) registry_.unclaim(requests_[i].key, requests_[i].use);
  claimed_.clear();
}

void TransactionRegistry::forget(Shard& shard, uint64_t durable) {
  while (!shard.order.empty() && shard.order.front().first <= durable) {
    // An item that was held again later has a later entry in `order`, and is removed then.
    const auto it = shard.held.find(shard.order.front().second);
    if (it != shard.held.end() && it->second.newest() <= durable) shard.held.erase(it);
    shard.order.pop_front();
  }
}

TransactionRegistry::TokenAnswer TransactionRegistry::begin_token(std::string_view token,
                                                                  const Fingerprint& fingerprint) {
  const uint64_t durable = store_.durable_commit();
  MutexLock lock(tokens_mutex_);
  while (!token_order_.empty() && token_order_.front().first <= durable) {
    const auto it = tokens_.find(token_order_.front().second);
    if (it != tokens_.end() && it->second.commit <= durable) tokens_.erase(it);
    token_order_.pop_front();
  }
  const auto [it, fresh] = tokens_.try_emplace(std::string(token));
  if (!fresh && it->second.commit > durable) {
    return it->second.fingerprint == fingerprint ? TokenAnswer::kInProgress : TokenAnswer::kMismatch;
  }
  it->second = {.fingerprint = fingerprint};
  return TokenAnswer::kFree;
}

void TransactionRegistry::end_token(std::string_view token, uint64_t commit) {
  MutexLock lock(tokens_mutex_);
  const auto it = tokens_.find(std::string(token));
  if (commit == 0) {
    tokens_.erase(it);
    return;
  }
  it->second.commit = commit;
  token_order_.emplace_back(commit, it->first);
}

}  // namespace trestle
