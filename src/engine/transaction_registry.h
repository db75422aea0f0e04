// Transactions in progress: which items they hold, and which client request tokens.
//
// A write transaction is in progress from the moment it takes its items' locks until its commit is durable. While it
// holds the locks, others wait. After that, this registry knows its items by the number of its commit, and they are
// free as soon as the store says that the commit is durable: nobody has to tell the registry, which only forgets later.
// Where commits need no waiting (relaxed durability, memory) nothing is ever held.
//
// Whoever asks about writing an item holds the item's lock, and so does hold(): that is what makes the answer right.
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

#include "base/mutex.h"
#include "storage/request_tokens.h"
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
  struct Shard {
    mutable Mutex mutex;
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
  static void forget(Shard& shard, uint64_t durable) REQUIRES(shard.mutex);
  TokenAnswer begin_token(std::string_view token, const Fingerprint& fingerprint);
  void end_token(std::string_view token, uint64_t commit);

  const Store& store_;
  const std::unique_ptr<std::array<Shard, kShards>> shards_;
  std::atomic<uint64_t> newest_{0};  // the newest commit that holds anything

  Mutex tokens_mutex_;
  std::unordered_map<std::string, Token> tokens_ GUARDED_BY(tokens_mutex_);
  std::deque<std::pair<uint64_t, std::string>> token_order_ GUARDED_BY(tokens_mutex_);
};

}  // namespace trestle
