#include "runtime/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "model/number.h"
#include "runtime/call/answer_cache.h"
#include "runtime/call/checked_inputs.h"
#include "runtime/call/execution.h"
#include "runtime/expressions/evaluate.h"

namespace trestle::runtime {
namespace {

constexpr size_t kCachedShardCountsMax = 100'000;
constexpr int64_t kListLimitMax = 1000;
constexpr int64_t kCallAwaitedS = 60;

bool uses_inputs(const design::Expression& e) {
  bool uses = false;
  design::each_expression(e, [&](const auto& part) { uses |= part.is(design::Expression::Kind::kInput); });
  return uses;
}

class Runtime final : public DesignRuntime {
 public:
  Runtime(const design::Design& design, Database& database, RuntimeOptions options)
      : shared_(design, database, options) {
    for (const design::Operation& operation : design.operations) {
      plans_.emplace(&operation, std::make_unique<PreparedPlan>(design, operation));
      caches_ |= operation.cached_s > 0;
    }
    for (const design::Operation& operation : design.operations) {
      if (caches_) touched_.emplace(&operation, entities_of(design, of(operation).plan));
    }
  }

  Outcome<CallReply> call(const design::Operation& operation, const Plain& inputs, const ListOptions& list,
                          const CallContext& context, Call& call) override {
    const PreparedPlan& prepared = of(operation);
    const int64_t now_ms = shared_.now_ms();
    if (operation.allow && !uses_inputs(*operation.allow)) TRY(allowed(operation, {}, context, now_ms));
    Names good;
    auto checked = checked_inputs(shared_.design, operation, inputs, now_ms, &good);
    if (!checked) {
      do_after_bad_inputs(operation, good, checked.error(), context, now_ms, call);
      return std::unexpected(std::move(checked.error()));
    }
    Names names = std::move(*checked);
    if (operation.allow && uses_inputs(*operation.allow)) TRY(allowed(operation, names, context, now_ms));
    if (list.limit && (*list.limit < 1 || *list.limit > kListLimitMax)) {
      Refused refused{.status = 400, .message = "An input is not valid."};
      refused.fields.push_back({"limit", fmt::format("must be between 1 and {}", kListLimitMax)});
      return std::unexpected(std::move(refused));
    }
    if (context.if_match && *context.if_match != "*") {
      const auto number = canonical_number(*context.if_match);
      if (!number || (operation.is_write && !prepared.has_revision_check))
        return refuse(409, "The item does not have the expected revision.");
      names["if_match"] = Plain::number(*number);
    }
    if (operation.cached_s > 0)
      return cached(operation, prepared, std::move(names), inputs, list, context, now_ms, call);
    Execution execution(shared_, prepared, std::move(names), list, context, now_ms, call);
    execution.set_fingerprint(inputs);
    auto reply = execution.run();
    if (caches_ && operation.is_write) cache_.forget(touched_.at(&operation));
    return reply;
  }

  bool is_brief(const design::Operation& operation) const override { return of(operation).is_brief; }
  const design::Plan& plan(const design::Operation& operation) const override { return of(operation).plan; }
  const design::Design& design() const override { return shared_.design; }
  bool is_list(const design::Operation& operation) const override { return of(operation).is_list; }

  const OperationUnits& units() const override { return shared_.units; }

  Outcome<int64_t> resume() override {
    int64_t resumed = 0;
    std::optional<Refused> failure;  // of the first job that failed; the others are resumed nevertheless
    QueryRequest query;
    query.table_name = design::kJournalTable;
    query.key_condition_expression = "#PK = :PK";
    query.placeholders.names = NameMap{{"#PK", "PK"}};
    query.placeholders.values = ValueMap{{":PK", Value::string("JOB#" + shared_.design.name)}};
    query.consistent_read = true;
    do {
      const auto page = shared_.database.query(query);
      if (!page) return std::unexpected(refused_by(page.error()));
      for (size_t i = 0; i < page->items.size(); ++i) {
        auto done = resume(page->items[i]);
        if (!done && !failure) failure = std::move(done.error());
        resumed += done.value_or(false) ? 1 : 0;
      }
      query.exclusive_start_key = page->last_evaluated_key;
    } while (query.exclusive_start_key);
    if (failure) return std::unexpected(std::move(*failure));
    return resumed;
  }

 private:
  // Runs what the operation's `bad` says for inputs that are not valid.
  void do_after_bad_inputs(const design::Operation& operation, const Names& good, const Refused& refused,
                           const CallContext& context, int64_t now_ms, Call& call) {
    for (const auto& [input, failure] : operation.bad) {
      const bool is_bad = std::ranges::any_of(
          refused.fields, [&, &name = input](const FieldFault& fault) { return fault.field == name; });
      if (!is_bad) continue;
      const ListOptions list;
      Execution execution(shared_, of(operation), good, list, context, now_ms, call);
      execution.run_also(failure.get());
    }
  }

  // The answer from the cache, or from a run that is then cached.
  Outcome<CallReply> cached(const design::Operation& operation, const PreparedPlan& prepared, Names names,
                            const Plain& inputs, const ListOptions& list, const CallContext& context, int64_t now_ms,
                            Call& call) {
    const std::string key = AnswerCache::key_of(operation, inputs, list, context);
    if (auto found = cache_.find(key, operation.cached_s, now_ms)) {
      call.commit = std::max(call.commit, found->commit);
      return std::move(found->reply);
    }
    const auto& reads = touched_.at(&operation);
    const uint64_t generation = cache_.generation(reads);
    Execution execution(shared_, prepared, std::move(names), list, context, now_ms, call);
    execution.set_fingerprint(inputs);
    auto reply = execution.run();
    if (reply && !call.needs_disk) {
      cache_.put(key, reads, generation, *reply, call.commit, now_ms);
      reply->age_s = 0;
    }
    return reply;
  }

  const PreparedPlan& of(const design::Operation& operation) const { return *plans_.at(&operation); }

  Outcome<void> allowed(const design::Operation& operation, const Names& names, const CallContext& context,
                        int64_t now_ms) const {
    Scope scope;
    scope.names = &names;
    scope.caller = &context.caller;
    scope.now_ms = now_ms;
    TRY_INTO(const bool may, holds(*operation.allow, scope));
    if (may) return {};
    if (!context.caller.exists()) return refuse(401, "Sign in to do this.");
    return refuse(403, "You may not do this.");
  }

  Outcome<bool> resume(ItemView note) {
    const std::string job(note.find("SK")->scalar());
    const auto name = note.find("operation");
    const auto noted = note.find("inputs");
    const design::Operation* operation = name ? shared_.design.operation(name->scalar()) : nullptr;
    if (operation == nullptr || !noted || shared_.jobs.contains(job)) return false;
    TRY_INTO(const bool is_left, has_note(note));
    if (!is_left) return false;
    CallContext context;
    Names names;
    const Plain inputs = to_plain(*noted);
    if (const auto key = note.find("key")) {
      TRY_INTO(const auto resumed, resume_call(*operation, note, std::string(key->scalar()), inputs));
      if (resumed) return *resumed;
      TRY_INTO(const bool is_still_left, has_note(note));
      if (!is_still_left) return false;
    }
    for (const auto& [key, value] : inputs.members()) {
      if (key == "$caller")
        context.caller = value;
      else
        names[key] = value;
    }
    Call call;
    const ListOptions list;
    Execution execution(shared_, of(*operation), std::move(names), list, context, shared_.now_ms(), call);
    TRY(execution.resume(job));
    const auto durable = shared_.database.wait_durable(call);
    if (!durable) return std::unexpected(refused_by(durable.error()));
    return true;
  }

  // Whether the note still exists. A job may have ended since it was listed; a cascade would then delete items of a
  // later call.
  Outcome<bool> has_note(ItemView note) {
    GetItemRequest request{.table_name = std::string(design::kJournalTable),
                           .key = Item({{"PK", Value(*note.find("PK"))}, {"SK", Value(*note.find("SK"))}})};
    request.consistent_read = true;
    const auto found = shared_.database.get_item(request);
    if (!found) return std::unexpected(refused_by(found.error()));
    return found->item.has_value();
  }

  // Completes or undoes a call with a key; its record says how far it has come. Nothing: the call no longer has a
  // record.
  Outcome<std::optional<bool>> resume_call(const design::Operation& operation, ItemView note, std::string key,
                                           const Plain& inputs) {
    const auto started = note.find("started");
    const int64_t started_s = started ? std::atoll(std::string(started->scalar()).c_str()) : 0;
    // It may still run in another process.
    if (shared_.options.remote && shared_.now_ms() / 1000 - started_s < kCallAwaitedS) return false;
    CallContext context;
    context.caller = inputs.member("$caller");
    context.idempotency_key = std::move(key);
    context.repeats_first_call = context.only_resumes = true;
    Call call;
    const ListOptions list;
    Execution execution(shared_, of(operation), {}, list, context, shared_.now_ms(), call);
    const auto done = execution.run();
    if (done && !execution.is_resumed() && !of(operation).undoes) return std::nullopt;
    if (!done && !done.error().is_final()) return std::unexpected(done.error());
    // The note may be in a transaction of that call until it is durable.
    const auto durable = shared_.database.wait_durable(call);
    if (!durable) return std::unexpected(refused_by(durable.error()));
    const Value partition(*note.find("PK"));
    const Value job(*note.find("SK"));
    DeleteItemRequest request{.table_name = std::string(design::kJournalTable),
                              .key = Item({{"PK", partition}, {"SK", job}})};
    const auto removed = shared_.database.delete_item(request);
    if (!removed) return std::unexpected(refused_by(removed.error()));
    return true;
  }

  SharedState shared_;
  std::unordered_map<const design::Operation*, std::unique_ptr<PreparedPlan>> plans_;
  bool caches_ = false;  // an operation has `cache`
  std::unordered_map<const design::Operation*, std::optional<EntityNames>> touched_;
  AnswerCache cache_;
};

}  // namespace

std::optional<ShardCountCache::Entry> ShardCountCache::find(const std::string& key, int64_t now_ms,
                                                            int64_t age_ms) const {
  const MutexLock lock(mutex_);
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return std::nullopt;
  const int64_t age = now_ms - entry->second.read_ms;
  if (age < 0 || age >= age_ms) return std::nullopt;
  return entry->second;
}

void ShardCountCache::put(const std::string& key, Entry entry) {
  const MutexLock lock(mutex_);
  if (entries_.size() >= kCachedShardCountsMax) entries_.clear();
  entries_[key] = std::move(entry);
}

void RunningJobs::add(const std::string& job) {
  const MutexLock lock(mutex_);
  jobs_.insert(job);
}
void RunningJobs::remove(const std::string& job) {
  const MutexLock lock(mutex_);
  jobs_.erase(job);
}
bool RunningJobs::contains(const std::string& job) const {
  const MutexLock lock(mutex_);
  return jobs_.contains(job);
}

Outcome<std::unique_ptr<DesignRuntime>> DesignRuntime::open(const design::Design& design, Database& database,
                                                            RuntimeOptions options) {
  for (const design::Entity& entity : design.entities) {
    const bool encrypts = std::any_of(entity.fields.begin(), entity.fields.end(),
                                      [](const design::Field& field) { return field.encrypted; });
    if (encrypts && options.keys == nullptr)
      return refuse(500,
                    fmt::format("{}: {} has encrypted fields, but there is no key ring.", design.name, entity.name));
    if (!entity.spills.empty() && options.blobs == nullptr)
      return refuse(500, fmt::format("{}: {} spills to blob storage, but there is none.", design.name, entity.name));
  }
  return std::make_unique<Runtime>(design, database, options);
}

}  // namespace trestle::runtime
