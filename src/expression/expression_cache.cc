#include "expression/expression_cache.h"

#include <array>
#include <functional>
#include <unordered_map>

#include "base/mutex.h"

namespace trestle {
namespace {

using Shared = std::shared_ptr<const ParsedExpression>;  // shared because a request may outlive the cache entry

constexpr size_t kShards = 16;
constexpr size_t kGenerationBytes = 64 * 1024;

struct Key {
  std::string_view text;
  Grammar grammar;
  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  size_t operator()(const Key& key) const {
    return std::hash<std::string_view>()(key.text) * 4 + static_cast<size_t>(key.grammar);
  }
};

class Shard {
 public:
  Shared find(const Key& key) {
    const MutexLock lock(mutex_);
    if (auto it = young_.find(key); it != young_.end()) return it->second;
    auto it = old_.find(key);
    if (it == old_.end()) return nullptr;
    Shared found = it->second;
    old_.erase(it);
    insert_locked(found);
    return found;
  }

  void insert(Shared expression) {
    const MutexLock lock(mutex_);
    insert_locked(std::move(expression));
  }

 private:
  void insert_locked(Shared expression) REQUIRES(mutex_) {
    if (young_bytes_ + expression->text.size() > kGenerationBytes) {
      old_ = std::move(young_);
      young_.clear();
      young_bytes_ = 0;
    }
    const Key key{expression->text, expression->grammar};
    if (young_.emplace(key, std::move(expression)).second) young_bytes_ += key.text.size();
  }

  Mutex mutex_{kShortRank};
  // Keys point into the texts of their values.
  std::unordered_map<Key, Shared, KeyHash> young_ GUARDED_BY(mutex_);
  std::unordered_map<Key, Shared, KeyHash> old_ GUARDED_BY(mutex_);
  size_t young_bytes_ GUARDED_BY(mutex_) = 0;
};

Shard& shard_of(const Key& key) {
  static std::array<Shard, kShards> shards;
  return shards[(KeyHash()(key) >> 20) % kShards];
}

}  // namespace

ParseResult<Shared> cached_expression(std::string_view text, Grammar grammar) {
  const Key key{text, grammar};
  Shard& shard = shard_of(key);
  if (Shared found = shard.find(key)) return found;
  auto parsed = parse_expression(text, grammar);
  if (parsed) shard.insert(*parsed);
  return parsed;
}

}  // namespace trestle
