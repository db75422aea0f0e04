// Transactions in progress: the items they hold, and their client request tokens.
//
// A write transaction is in progress from the moment it takes its items' locks until its response may be sent.
//
// If responses wait for durability, other writers wait while it holds the locks. After that, the registry holds its
// items under the number of its commit (hold()), and they are free as soon as the store reports that commit as durable:
// the registry needs no notification, it only forgets later. Both the caller of hold() and a caller that asks about
// writing an item hold the item's lock, which makes the result correct.
//
// If commits need no waiting (relaxed durability, memory), the response may be sent when the locks are released, and
// others can only collide with the locks: a transaction claims its items before it locks them (ItemClaims), and a
// caller that finds a lock taken, or is a transaction itself, checks for claims. This needs no lock: a claim that
// disappears a moment later was still valid.
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
  uint64_t in_the_way(std::string_view key, Use use) const {
    if (newest_.load(std::memory_order_acquire) <= store_.durable_commit()) [[likely]]
      return 0;
    return find_in_the_way(key, use);
  }
  void hold(std::string_view key, Use use, uint64_t commit);

  // Whether a running transaction has claimed the item for a conflicting use.
  bool is_claimed(std::string_view key, Use use) const {
    if (claimed_.load(std::memory_order_acquire) == 0) [[likely]]
      return false;
    return find_claim(key, use);
  }

  // A transaction's claims on its items, from before it takes their locks until it has released them. Only if commits
  // need no waiting; otherwise it claims nothing and never conflicts.
  class ItemClaims {
   public:
    struct Wish {
      std::string_view key;
      Use use = Use::kWrite;
    };
    // If two transactions want the same item, one gets it, and of several that want the same items at least one gets
    // all. The keys must outlive this.
    ItemClaims(TransactionRegistry& registry, std::vector<Wish> wishes);
    ~ItemClaims();
    ItemClaims(const ItemClaims&) = delete;
    ItemClaims& operator=(const ItemClaims&) = delete;
    // Whether another transaction had claimed this item. If so for any item, no item remains claimed.
    bool is_refused(size_t wish) const { return !refused_.empty() && refused_[wish]; }
    bool any_refused() const { return !refused_.empty(); }

   private:
    void release();
    TransactionRegistry& registry_;
    std::vector<Wish> wishes_;
    std::vector<size_t> claimed_;  // indexes into wishes_
    std::vector<bool> refused_;    // empty: none
  };

  enum class TokenAnswer { kFree, kInProgress, kMismatch };

  // A transaction's claim on its token, from before it looks whether the token was used until its commit is durable.
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

  // The newest commits that wrote and that only read an item.
  struct Held {
    uint64_t written = 0;
    uint64_t read = 0;
    uint64_t newest() const { return written > read ? written : read; }
  };
  // How many running transactions write and only read an item.
  struct Claim {
    uint32_t writers = 0;
    uint32_t readers = 0;
    bool minds(Use use) const { return writers > 0 || (use == Use::kWrite && readers > 0); }
  };
  struct Shard {
    mutable Mutex mutex{kShortRank};
    std::unordered_map<std::string, Claim> claims GUARDED_BY(mutex);
    std::unordered_map<std::string, Held> held GUARDED_BY(mutex);
    // The holds to forget once their commits are durable, approximately in that order. An item may occur twice.
    std::deque<std::pair<uint64_t, std::string>> order GUARDED_BY(mutex);
  };
  struct Token {
    Fingerprint fingerprint{};
    uint64_t commit = UINT64_MAX;  // until it is known
  };

  Shard& shard(std::string_view key) const { return (*shards_)[std::hash<std::string_view>{}(key) % kShards]; }
  uint64_t find_in_the_way(std::string_view key, Use use) const;
  bool find_claim(std::string_view key, Use use) const;
  bool claim(std::string_view key, Use use);
  void unclaim(std::string_view key, Use use);
  static void forget(Shard& shard, uint64_t durable) REQUIRES(shard.mutex);
  TokenAnswer begin_token(std::string_view token, const Fingerprint& fingerprint);
  void end_token(std::string_view token, uint64_t commit);

  const Store& store_;
  const std::unique_ptr<std::array<Shard, kShards>> shards_;
  std::atomic<uint64_t> newest_{0};   // the newest commit that holds anything
  std::atomic<uint32_t> claimed_{0};  // how many items are claimed

  Mutex tokens_mutex_{kShortRank};
  std::unordered_map<std::string, Token> tokens_ GUARDED_BY(tokens_mutex_);
  std::deque<std::pair<uint64_t, std::string>> token_order_ GUARDED_BY(tokens_mutex_);
};

}  // namespace trestle
