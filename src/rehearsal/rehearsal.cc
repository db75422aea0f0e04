#include "rehearsal/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/utf8.h"
#include "design/check/check.h"
#include "engine/engine.h"
#include "rehearsal/calls.h"
#include "rehearsal/random_inputs.h"
#include "rehearsal/rival_inputs.h"
#include "rehearsal/sampled_design.h"
#include "rehearsal/watched_database.h"
#include "runtime/background/reaction_inputs.h"
#include "runtime/background/stream_tallies.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/items/memory_blobs.h"
#include "runtime/runtime.h"
#include "runtime/tables.h"
#include "runtime/values/plain_json.h"
#include "runtime/verify/verify.h"

namespace trestle::rehearsal {

using design::Design;
using design::Entity;
using design::Finding;
using design::Operation;
using design::Severity;
using design::Write;
using runtime::Plain;

namespace {

constexpr size_t kInputTextMax = 600;
constexpr size_t kFaultsPerOperation = 3;
constexpr int kPagesMax = 4;
constexpr size_t kRandomCallsAtOnce = 100;  // then the samples are reloaded, because verifying takes time for each item
constexpr size_t kCallsPerLook = 4;
constexpr size_t kCallsPerVerify = 20;

std::string shortened(std::string text) {
  if (text.size() <= kInputTextMax) return text;
  size_t end = kInputTextMax;
  while (end > 0 && continues_character(text[end])) --end;  // do not cut within a character
  return text.substr(0, end) + " ...";
}

bool deletes(const Operation& operation) {
  bool found = false;
  design::each_step(operation.steps, [&](const design::Step& step) {
    found = found || step.kind == design::Step::Kind::kCascade;
    for (const Write& write : step.writes) found = found || write.kind == Write::Kind::kDelete;
  });
  return found;
}

// The statuses that the operation declares for its failures.
std::set<int> declared_statuses(const Operation& operation) {
  std::set<int> statuses;
  const auto note = [&](const std::shared_ptr<const design::Failure>& failure) {
    if (failure) statuses.insert(failure->status);
  };
  design::each_step(operation.steps, [&](const design::Step& step) {
    note(step.otherwise);
    for (const Write& write : step.writes) note(write.otherwise);
  });
  return statuses;
}

class Rehearsal {
 public:
  Rehearsal(const Design& design, size_t random_calls) : sampled_(design), random_calls_(random_calls) {}

  std::vector<Finding> run() {
    if (open()) {
      load();
      // Deletions come last, so that the other operations find items. The final reads then find nothing.
      call_all([](const Operation& candidate) { return candidate.is_write && !deletes(candidate); });
      call_reactions();
      call_all([](const Operation& candidate) { return !candidate.is_write; });
      call_all([](const Operation& candidate) { return candidate.is_write && deletes(candidate); });
      call_all([](const Operation& candidate) { return !candidate.is_write; });
      if (findings_.empty()) call_at_random();
      report_refused();
    }
    return std::move(findings_);
  }

 private:
  void close() {
    tallies_.reset();
    form_.reset();
    codec_.reset();
    runtime_.reset();
    keys_.reset();
    database_.reset();
    engine_.reset();
  }

  bool open() {
    close();
    EngineOptions options;
    options.store.in_memory = true;
    options.store.cache_bytes = size_t{8} << 20;
    options.throttles = false;
    options.expiry.interval_ms = 0;  // items expire by the rehearsal's clock but are not deleted
    auto engine = Engine::open(std::move(options));
    if (!engine)
      return fails("T701", design_.place, "cannot open the database of the rehearsal: " + engine.error().message);
    engine_ = std::move(*engine);
    database_ = std::make_unique<WatchedDatabase>(*engine_);
    if (const auto created = runtime::create_tables(design_, *database_); !created)
      return fails("T701", design_.place, "DynamoDB refuses to create a table: " + created.error().message);
    keys_ = std::make_unique<runtime::KeyRing>(std::move(*runtime::KeyRing::parse(runtime::KeyRing::make_text())));
    auto opened = runtime::DesignRuntime::open(
        design_, *database_, {.keys = keys_.get(), .blobs = &blobs_, .clock = &clock_, .remote = false});
    if (!opened) return fails("T701", design_.place, "the design cannot be served: " + opened.error().message);
    runtime_ = std::move(*opened);
    codec_ = std::make_unique<runtime::ItemCodec>(design_, keys_.get(), &blobs_);
    form_ = std::make_unique<runtime::ItemForm>(design_, *database_, *codec_);
    tallies_ = std::make_unique<runtime::StreamTallies>(design_, *database_, *codec_, *form_);
    caller_.caller = sampled_.caller();
    return true;
  }

  bool fails(std::string_view code, design::Place place, std::string message) {
    findings_.push_back({std::string(code), Severity::kError, place, std::move(message), {}});
    return false;
  }

  void load() {
    for (const SampledDesign::Load& load : sampled_.loads()) {
      for (const Plain& fields : load.items) call(*load.operation, fields, {});
      verify(*load.operation);
    }
  }

  void call_all(const std::function<bool(const Operation&)>& chosen) {
    for (const Operation& operation : design_.operations) {
      if (operation.name.starts_with("load ") || !chosen(operation)) continue;
      const std::vector<Plain> calls = maker_.calls(operation, remembered_);
      const RivalInputs rivals(design_, sampled_.drafts(), operation);
      for (const Plain& inputs : calls) {
        is_partial_ = is_partial(operation, calls.front(), inputs);
        names_one_twice_ = rivals.has_equal(inputs);
        if (faulty_.contains(&operation)) break;
        if (runtime_->is_list(operation))
          call_pages(operation, inputs);
        else
          call(operation, inputs, {});
        clock_.advance_ms(1'100);  // stored times have a resolution of one second
      }
      if (operation.is_write) verify(operation);
    }
  }

  // Makes random calls in random order, reloading the samples now and then. This finds faults that need certain calls
  // of other operations first, or certain values in two items.
  void call_at_random() {
    is_random_ = true;
    RandomInputs random(design_, 1);
    for (size_t calls = 0; calls < random_calls_ && findings_.empty(); calls += kRandomCallsAtOnce) {
      RandomInputs same = random;
      const auto known = known_faults_;
      const size_t count = std::min(kRandomCallsAtOnce, random_calls_ - calls);
      call_at_random(random, count, kCallsPerVerify);
      if (findings_.empty() || !faulty_.empty()) continue;
      // Repeats the same calls and verifies after each write, to find the call after which items are wrong.
      const auto found = std::exchange(findings_, {});
      known_faults_ = known;
      call_at_random(same, count, 1);
      if (findings_.empty()) findings_ = found;
    }
  }

  void call_at_random(RandomInputs& random, size_t count, size_t calls_per_verify) {
    std::vector<const Operation*> reads, writes;
    for (const Operation& operation : design_.operations) {
      if (!operation.name.starts_with("load ")) (operation.is_write ? writes : reads).push_back(&operation);
    }
    if (writes.empty() || !open()) return;
    load();
    RandomInputs::Items items;
    const Operation* last = nullptr;
    for (size_t i = 0; i < count && findings_.empty(); ++i) {
      if (i % kCallsPerLook == 0) items = stored_items();
      const auto& chosen = !reads.empty() && random.percent(20) ? reads : writes;
      const Operation& operation = *chosen[random.below(chosen.size())];
      call(operation, random.of(operation, items, clock_.now_ms()), {});
      if (operation.is_write) last = &operation;
      const bool verifies = (i + 1) % calls_per_verify == 0 || i + 1 == count;
      if (verifies && last != nullptr) verify(*std::exchange(last, nullptr));
      clock_.advance_ms(random.percent(4) ? 3'600'000 : 1'100);
    }
  }

  // The fields of all stored items, by entity.
  RandomInputs::Items stored_items() {
    RandomInputs::Items items;
    for (const design::Table& table : design_.tables) {
      ScanRequest scan;
      scan.table_name = table.name;
      Call call;
      const auto page = engine_->scan(scan, call);
      if (!page) continue;
      for (size_t i = 0; i < page->items.size(); ++i) {
        const ItemView item = page->items[i];
        const auto entity = std::ranges::find_if(design_.entities, [&](const Entity& candidate) {
          return candidate.table == table.name && codec_->is_of(candidate, item);
        });
        if (entity == design_.entities.end()) continue;
        if (auto fields = codec_->decode(*entity, item)) items[&*entity].push_back(std::move(*fields));
      }
    }
    return items;
  }

  // Whether the inputs have some but not all of the optional inputs of the first call, which may only be valid
  // together.
  static bool is_partial(const Operation& operation, const Plain& first, const Plain& inputs) {
    size_t some = 0, all = 0;
    for (const design::Input& input : operation.takes) {
      if (!input.optional || !first.member(input.name).exists()) continue;
      ++all;
      some += inputs.member(input.name).exists() ? 1 : 0;
    }
    return some > 0 && some < all;
  }

  // Calls the operation of each reaction with the inputs it would get, for each kind of event on each sample item.
  void call_reactions() {
    for (const design::Reaction& reaction : design_.reactions) {
      const Operation* operation = reaction.run.empty() ? nullptr : design_.operation(reaction.run);
      const Entity* entity = design_.entity(reaction.entity);
      if (operation == nullptr || entity == nullptr) continue;
      for (const Plain& fields : sampled_.items_of(*entity)) {
        if (!call_reaction(reaction, *operation, fields)) break;
      }
      verify(*operation);
    }
  }

  // Returns false if the operation rejects the inputs.
  bool call_reaction(const design::Reaction& reaction, const Operation& operation, const Plain& fields) {
    const Plain none;
    const auto call_on = [&](bool on, std::string_view event, const Plain& before, const Plain& after) {
      if (!on) return true;
      const runtime::Names names = {{"event", Plain::text(std::string(event))}};
      runtime::Scope scope;
      scope.names = &names;
      scope.old_item = &before;
      scope.new_item = &after;
      scope.now_ms = clock_.now_ms();
      const auto happens = reaction.condition ? runtime::holds(*reaction.condition, scope) : true;
      if (happens && !*happens) return true;
      const Plain inputs = runtime::reaction_inputs(reaction, operation, scope);
      Call call;
      const auto reply = runtime_->call(operation, inputs, {}, caller_, call);
      if (reply || reply.error().status != 400 || reply.error().fields.empty()) return true;
      const runtime::FieldFault& fault = reply.error().fields[0];
      return fails(
          "T702", reaction.place,
          fmt::format("reaction `{}` calls `{}` on {} with {}, which refuses the call: {} {}", reaction.name,
                      operation.name, event, shortened(runtime::plain_json(inputs)), fault.field, fault.reason));
    };
    return call_on(reaction.on_insert, "insert", none, fields) &&
           call_on(reaction.on_modify, "modify", fields, fields) &&
           call_on(reaction.on_remove, "remove", fields, none) && call_on(reaction.on_expire, "expire", fields, none);
  }

  void call_pages(const Operation& operation, const Plain& inputs) {
    for (const bool descending : {false, true}) {
      runtime::ListOptions list{.limit = 1, .descending = descending, .position = {}};
      for (int page = 0; page < kPagesMax; ++page) {
        const auto position = call(operation, inputs, list);
        if (!position || position->empty()) break;
        list.position = *position;
      }
    }
    call(operation, inputs, {});
  }

  // Returns the continuation token of the list; nothing if the call was refused.
  std::optional<std::string> call(const Operation& operation, const Plain& inputs, const runtime::ListOptions& list) {
    database_->forget();
    Call call;
    const auto reply = runtime_->call(operation, inputs, list, caller_, call);
    if (operation.is_write) last_inputs_ = inputs;
    if (reply) {
      succeeded_.insert(&operation);
      remember(reply->body, remembered_);
      return reply->position.value_or("");
    }
    const runtime::Refused& refused = reply.error();
    if (refused.status != 400 && !refused.retryable) answered_otherwise_.insert(&operation);
    const std::string outcome = fmt::format("answers {}: {}", refused.status, refused.message);
    if (refused.status >= 500)
      report("T702", operation, inputs, outcome);
    else if (is_random_ || (names_one_twice_ && refused.status == 400 && refused.fields.empty()))
      return std::nullopt;
    else if (refused.status == 400 && !is_partial_ && !declared_statuses(operation).contains(400) &&
             (refused.fields.empty() || !operation.name.starts_with("load ")))
      refused_.try_emplace(&operation, "T702", inputs, outcome, !refused.fields.empty());
    else if (refused.status == 409 && refused.retryable)
      refused_.try_emplace(&operation, "T703", inputs,
                           outcome + " There are no other callers: a condition of the plan never holds.", false);
    return std::nullopt;
  }

  // An operation may refuse some inputs for good reason, but not all of them.
  void report_refused() {
    database_->forget();
    for (const auto& [operation, first] : refused_) {
      const bool is_input_refused = first.names_fields && answered_otherwise_.contains(operation);
      if (!succeeded_.contains(operation) && !is_input_refused)
        report(first.code, *operation, first.inputs, first.outcome + " No other input that was tried succeeded");
    }
  }

  void report(std::string_view code, const Operation& operation, const Plain& inputs, const std::string& outcome) {
    if (!faulty_.insert(&operation).second) return;
    std::string message =
        fmt::format("`{}` with {} {}", operation.name, shortened(runtime::plain_json(inputs)), outcome);
    if (!database_->refused().empty()) message += ". The refused request: " + shortened(database_->refused());
    findings_.push_back({std::string(code), Severity::kError, operation.place, std::move(message), {}});
  }

  // Readers of a stream see a record only when no earlier commit is in progress, not even one of the engine's own jobs.
  void wait_for_records() {
    const uint64_t begun = engine_->store().begun_commit();
    while (engine_->store().finished_commit() < begun) std::this_thread::yield();
  }

  void verify(const Operation& operation) {
    wait_for_records();
    if (const auto drained = tallies_->drain(clock_.now_ms()); !drained)
      return report("T704", operation, last_inputs_,
                    "leaves figures that cannot be counted: " + drained.error().message);
    form_->forget_shard_counts();
    size_t reported = 0;
    const auto verified = runtime::verify_design(
        design_, *database_, *codec_, clock_, {.repair = false, .recheck_delay_ms = 0, .sleeper = [](auto) {}},
        [&](const runtime::Fault& fault) {
          if (left_counts_.contains(fault.entity)) return;
          const bool known = !known_faults_.insert(fault.table + fault.item + fault.kind).second;
          if (known || ++reported > kFaultsPerOperation) return;
          findings_.push_back({"T704",
                               Severity::kError,
                               operation.place,
                               fmt::format("after calls of `{}`, the last with {}, the item {} of {} is wrong ({}): {}",
                                           operation.name, shortened(runtime::plain_json(last_inputs_)), fault.item,
                                           fault.table, fault.kind, fault.words),
                               {}});
        });
    if (!verified)
      report("T704", operation, last_inputs_, "leaves items that cannot be read: " + verified.error().message);
  }

  const SampledDesign sampled_;
  const size_t random_calls_;
  const Design& design_ = sampled_.design();
  CallMaker maker_{design_, sampled_.drafts()};
  ManualClock clock_{sampled_.now_ms()};
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<WatchedDatabase> database_;
  std::unique_ptr<runtime::KeyRing> keys_;
  runtime::MemoryBlobs blobs_;
  std::unique_ptr<runtime::DesignRuntime> runtime_;
  std::unique_ptr<runtime::ItemCodec> codec_;
  std::unique_ptr<runtime::ItemForm> form_;
  std::unique_ptr<runtime::StreamTallies> tallies_;
  runtime::CallContext caller_;
  Remembered remembered_;
  Plain last_inputs_ = Plain::map();
  bool is_partial_ = false;
  bool names_one_twice_ = false;  // other calls name different items, so a refusal of this one proves nothing
  bool is_random_ = false;
  const std::set<std::string> left_counts_ = design::entities_with_stale_counts(design_);
  std::set<const Operation*> faulty_;
  std::set<const Operation*> succeeded_;
  struct FirstRefusal {
    std::string_view code;
    Plain inputs;
    std::string outcome;
    bool names_fields;
  };
  std::set<const Operation*> answered_otherwise_;     // operations whose inputs were accepted at least once
  std::map<const Operation*, FirstRefusal> refused_;  // operations refused in a way that only their inputs may explain
  std::set<std::string> known_faults_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> rehearse(const Design& design, size_t random_calls) {
  return Rehearsal(design, random_calls).run();
}

}  // namespace trestle::rehearsal
