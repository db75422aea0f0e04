// Tracks transactions in progress: the items they hold, and their client request tokens.
//
// A write transaction is in progress from the moment it acquires its items' locks until its response may be sent.
//
// If responses wait for durability, other writers wait while the transaction holds the locks. After that, the registry
// holds its items under the number of its commit (hold()). They are free as soon as the store reports that commit as
// durable; the registry needs no notification, and removes the holds later. The result for a writer is correct because
// the caller of hold() and a caller that asks about writing an item both hold the item's lock.
//
// If responses do not wait (relaxed durability, in memory), the response may be sent when the locks are released, and
// conflicts are possible only while the locks are held. A transaction claims its items before it locks them
// (ItemClaims). A caller that finds an item locked, or is a transaction itself, checks for claims. The check needs no
// lock: a claim that disappears a moment later was still valid.
//
// When no transaction is in progress, a check costs two loads. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "storage/catalog/request_tokens.h"
#include "storage/lock_ranks.h"
#include "storage/store.h"

namespace trestle {

class TransactionRegistry {
 public:
  // kRead: a ConditionCheck, or a read of TransactGetItems. Two reads do not conflict.
  enum class Use { kRead, kWrite };

  explicit TransactionRegistry(const Store& store);

  // The commit of a transaction in progress that conflicts with this use of an item; 0 if none does.
  uint64_t conflicting_commit(std::string_view key, Use use) const {
    if (newest_.load(std::memory_order_acquire) <= store_.durable_commit()) [[likely]]
      return 0;
    return find_conflicting_commit(key, use);
  }
  void hold(std::string_view key, Use use, uint64_t commit);

  // Whether a running transaction has claimed the item for a conflicting use.
  bool is_claimed(std::string_view key, Use use) const {
    if (claimed_.load(std::memory_order_acquire) == 0) [[likely]]
      return false;
    return find_claim(key, use);
  }

  // A transaction's claims on its items, from before it acquires their locks until it has released them. If responses
  // wait for durability, it claims nothing and never conflicts.
  class ItemClaims {
   public:
    struct ClaimRequest {
      std::string_view key;
      Use use = Use::kWrite;
    };
    // If two transactions request the same item, one of them gets it. If several request the same items, at least one
    // gets all of them. The keys must outlive this object.
    ItemClaims(TransactionRegistry& registry, std::vector<ClaimRequest> requests);
    ~ItemClaims();
    ItemClaims(const ItemClaims&) = delete;
    ItemClaims& operator=(const ItemClaims&) = delete;
    // Whether another transaction had a conflicting claim on this item. If that is so for any item, this object claims
    // none.
    bool is_refused(size_t request) const { return !refused_.empty() && refused_[request]; }

   private:
    void release();
    TransactionRegistry& registry_;
    std::vector<ClaimRequest> requests_;
    std::vector<size_t> claimed_;  // indexes into requests_
    std::vector<bool> refused_;    // empty: none
  };

  enum class TokenAnswer { kFree, kInProgress, kMismatch };

  // A transaction's claim on its token, from before it checks whether the token was used until its commit is durable.
  class TokenClaim {
   public:
    TokenClaim(TransactionRegistry& registry, std::string_view token, const Fingerprint& fingerprint)
        : registry_(registry), token_(token), answer_(registry.begin_token(token, fingerprint)) {}
    ~TokenClaim() {
      if (answer_ == TokenAnswer::kFree) registry_.end_token(token_, commit_);
    }
    TokenClaim(const TokenClaim&) = delete;
    TokenClaim& operator=(const TokenClaim&) = delete;
    TokenAnswer answer() const { return answer_; }
    void committed(uint64_t commit) { commit_ = commit; }

   private:
    TransactionRegistry& registry_;
    const std::string_view token_;
    const TokenAnswer answer_;
    uint64_t commit_ = 0;
  };

 private:
  static constexpr size_t kShards = 64;

  // The newest commits of transactions that wrote the item, and that only read it.
  struct HeldItem {
    uint64_t written = 0;
    uint64_t read = 0;
    uint64_t newest() const { return written > read ? written : read; }
  };
  // How many running transactions write the item, and how many only read it.
  struct Claim {
    uint32_t writers = 0;
    uint32_t readers = 0;
    bool conflicts_with(Use use) const { return writers > 0 || (use == Use::kWrite && readers > 0); }
  };
  struct Shard {
    mutable Mutex mutex{kShortRank};
    std::unordered_map<std::string, Claim> claims GUARDED_BY(mutex);
    std::unordered_map<std::string, HeldItem> held GUARDED_BY(mutex);
    // The holds to remove once their commits are durable, approximately in that order. An item may occur twice.
    std::deque<std::pair<uint64_t, std::string>> order GUARDED_BY(mutex);
  };
  struct Token {
    Fingerprint fingerprint{};
    uint64_t commit = UINT64_MAX;  // until it is known
  };

  Shard& shard(std::string_view key) const { return (*shards_)[std::hash<std::string_view>{}(key) % kShards]; }
  uint64_t find_conflicting_commit(std::string_view key, Use use) const;
  bool find_claim(std::string_view key, Use use) const;
  bool claim(std::string_view key, Use use);
  void unclaim(std::string_view key, Use use);
  static void forget(Shard& shard, uint64_t durable) REQUIRES(shard.mutex);
  TokenAnswer begin_token(std::string_view token, const Fingerprint& fingerprint);
  void end_token(std::string_view token, uint64_t commit);

  const Store& store_;
  const std::unique_ptr<std::array<Shard, kShards>> shards_;
  std::atomic<uint64_t> newest_{0};   // the newest commit that holds an item
  std::atomic<uint32_t> claimed_{0};  // the number of claimed items

  Mutex tokens_mutex_{kShortRank};
  std::unordered_map<std::string, Token> tokens_ GUARDED_BY(tokens_mutex_);
  std::deque<std::pair<uint64_t, std::string>> token_order_ GUARDED_BY(tokens_mutex_);
};

}  // namespace trestle
