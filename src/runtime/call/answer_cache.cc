#include "runtime/call/answer_cache.h"

#include <algorithm>

#include "runtime/values/plain_json.h"

namespace trestle::runtime {
namespace {

constexpr size_t kCachedAnswersMax = 4096;
constexpr size_t kCachedBytesMax = 32 << 20;
constexpr size_t kCachedAnswerBytesMax = 4 << 20;

bool add_entities(const design::Design& design, const std::vector<design::PlanStep>& steps, EntityNames& names) {
  for (const design::PlanStep& step : steps) {
    for (const design::Request& request : step.requests) {
      if (request.table == design::kJournalTable) continue;
      if (request.entity == nullptr || request.raw) return false;
      names.insert(request.entity);
    }
    if (!add_entities(design, step.steps, names)) return false;
  }
  return true;
}

}  // namespace

std::optional<EntityNames> entities_of(const design::Design& design, const design::Plan& plan) {
  EntityNames names;
  for (const auto* steps : {&plan.steps, &plan.idempotent_steps}) {
    if (!add_entities(design, *steps, names)) return std::nullopt;
  }
  for (const auto& [failure, steps] : plan.also) {
    if (!add_entities(design, steps, names)) return std::nullopt;
  }
  return names;
}

std::string AnswerCache::key_of(const design::Operation& operation, const Plain& inputs, const ListOptions& list,
                                const CallContext& context) {
  std::string key = operation.name;
  const auto add = [&](const std::string& part) {
    key += '\n';
    key += part;
  };
  add(plain_json(inputs));
  add(context.caller.exists() ? plain_json(context.caller) : std::string());
  add(list.limit ? std::to_string(*list.limit) : std::string());
  add(list.descending ? (*list.descending ? "1" : "0") : "");
  add(list.position);
  return key;
}

std::optional<AnswerCache::Found> AnswerCache::find(const std::string& key, int64_t age_max_s, int64_t now_ms) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  const int64_t age_ms = now_ms - found->second.stored_ms;
  const auto& expires_s = found->second.reply.expires_s;
  if (age_ms < 0 || age_ms >= age_max_s * 1000 || (expires_s && *expires_s <= now_ms / 1000)) {
    bytes_ -= found->second.bytes;
    entries_.erase(found);
    return std::nullopt;
  }
  Found out{.reply = found->second.reply, .commit = found->second.commit};
  out.reply.age_s = age_ms / 1000;
  return out;
}

uint64_t AnswerCache::generation_locked(const std::optional<EntityNames>& reads) const {
  uint64_t sum = unknown_writes_;
  for (const auto& [entity, writes] : writes_) {
    if (!reads || reads->contains(entity)) sum += writes;
  }
  return sum;
}

uint64_t AnswerCache::generation(const std::optional<EntityNames>& reads) const {
  const MutexLock lock(mutex_);
  return generation_locked(reads);
}

void AnswerCache::put(const std::string& key, const std::optional<EntityNames>& reads, uint64_t generation,
                      CallReply reply, uint64_t commit, int64_t now_ms) {
  const size_t bytes = key.size() + plain_json(reply.body).size();
  if (bytes > kCachedAnswerBytesMax) return;
  const MutexLock lock(mutex_);
  if (generation_locked(reads) != generation) return;
  if (entries_.size() >= kCachedAnswersMax || bytes_ + bytes > kCachedBytesMax) {
    entries_.clear();
    bytes_ = 0;
  }
  Entry entry{.reply = std::move(reply), .commit = commit, .stored_ms = now_ms, .bytes = bytes, .reads = reads};
  const auto [at, fresh] = entries_.try_emplace(key);
  if (!fresh) bytes_ -= at->second.bytes;
  at->second = std::move(entry);
  bytes_ += bytes;
}

void AnswerCache::forget(const std::optional<EntityNames>& written) {
  const MutexLock lock(mutex_);
  if (!written) {
    ++unknown_writes_;
  } else {
    for (const design::Entity* entity : *written) ++writes_[entity];
  }
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto& reads = entry->second.reads;
    const bool touched = !written || !reads || std::ranges::any_of(*written, [&](const design::Entity* written_entity) {
      return reads->contains(written_entity);
    });
    if (touched) bytes_ -= entry->second.bytes;
    entry = touched ? entries_.erase(entry) : std::next(entry);
  }
}

}  // namespace trestle::runtime
