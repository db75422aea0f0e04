// Transactions in progress: which items they hold, and which client request tokens.
//
// A write transaction is in progress from the moment it takes its items' locks until its answer may leave.
//
// Where that is when its commit is durable, others wait while it holds the locks. After that, this registry knows its
// items by the number of its commit (hold()), and they are free as soon as the store says that the commit is durable:
// nobody has to tell the registry, which only forgets later. Whoever asks about writing an item holds the item's lock,
// and so does hold(): that is what makes the answer right.
//
// Where commits need no waiting (relaxed durability, memory), the answer may leave when the locks are released, and
// what others may meet is the locks: a transaction claims its items before it locks them (ItemClaims), and who finds a
// lock taken, or is a transaction too, asks for claims. Nobody has to hold anything for that: a claim that is gone a
// moment later was still there.
//
// When no transaction is in progress, asking costs two loads. Threads may share it.
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
#include "storage/store.h"

namespace trestle {

class TransactionRegistry {
 public:
  // kRead: a ConditionCheck, or a read of TransactGetItems. Two of those do not mind each other.
  enum class Use { kRead, kWrite };

  explicit TransactionRegistry(const Store& store);

  // The commit of a transaction in progress that stands in the way of this use of an item; 0 if none does.
  uint64_t in_the_way(std::string_view key, Use use) const {
    if (newest_.load(std::memory_order_acquire) <= store_.durable_commit()) [[likely]]
      return 0;
    return find_in_the_way(key, use);
  }
  void hold(std::string_view key, Use use, uint64_t commit);

  // Whether a transaction that runs now has claimed the item for something that this use minds.
  bool is_claimed(std::string_view key, Use use) const {
    if (claimed_.load(std::memory_order_acquire) == 0) [[likely]]
      return false;
    return find_claim(key, use);
  }

  // A transaction's claims on its items, from before it takes their locks until it has released them. Only where
  // commits need no waiting; elsewhere it claims nothing, and nothing is in its way.
  class ItemClaims {
   public:
    struct Wish {
      std::string_view key;
      Use use = Use::kWrite;
    };
    // Of two transactions that want the same item one gets it, and of several that want the same items at least one
    // gets all. The keys must outlive this.
    ItemClaims(TransactionRegistry& registry, std::vector<Wish> wishes);
    ~ItemClaims();
    ItemClaims(const ItemClaims&) = delete;
    ItemClaims& operator=(const ItemClaims&) = delete;
    // Whether another transaction had this wish's item. If any had one, no item is claimed any more.
    bool is_refused(size_t wish) const { return !refused_.empty() && refused_[wish]; }
    bool any_refused() const { return !refused_.empty(); }

   private:
    void release();
    TransactionRegistry& registry_;
    std::vector<Wish> wishes_;
    std::vector<size_t> claimed_;  // of wishes_
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
    mutable Mutex mutex;
    std::unordered_map<std::string, Claim> claims GUARDED_BY(mutex);
    std::unordered_map<std::string, Held> held GUARDED_BY(mutex);
    // What to forget once its commit is durable, in about that order. May name an item twice.
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

  Mutex tokens_mutex_;
  std::unordered_map<std::string, Token> tokens_ GUARDED_BY(tokens_mutex_);
  std::deque<std::pair<uint64_t, std::string>> token_order_ GUARDED_BY(tokens_mutex_);
};

}  // namespace trestle
