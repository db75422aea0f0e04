// T404 to T409, T412, T415, T416: sharding that readers cannot follow, or that does not spread the load.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

// The write units per second of the entity at the peak of all operations. Absent if no peak is declared.
std::optional<double> peak_of(const CheckContext& context, const Entity& entity) {
  double total = 0;
  bool declared = false;
  for (const auto& [operation, write, writes_in_transaction, on_failure] : context.writes_to(entity.name)) {
    if (!operation->peak.declared()) continue;
    declared = true;
    if (!on_failure) total += operation->peak.per_second * write_units(entity);
  }
  return declared ? std::optional(total) : std::nullopt;
}

constexpr double kNeedsShards = 500;  // units a second

// A mistake in sharding does no harm while the load needs no shards.
Severity shard_severity(const CheckContext& context, const Entity& entity) {
  return peak_of(context, entity).value_or(kNeedsShards) < kNeedsShards ? Severity::kNote : Severity::kError;
}

void needless(const Entity& entity, const Shard& shard, const CheckContext& context, Findings& findings) {
  const auto total = peak_of(context, entity);
  if (!total || *total >= kNeedsShards) return;
  findings.add("T408", Severity::kWarning, shard.place,
               fmt::format("{} is written {} in total, and one partition serves 1,000 writes per second: sharding "
                           "costs a read per shard without benefit",
                           entity.name, rate_text(*total)),
               "remove it until one key approaches 500 writes per second");
}

// T409: every write of the sharded entity also writes one item of an unsharded entity, by a tally or in the operation.
void figures_as_hot(const CheckContext& context, Findings& findings) {
  const auto report = [&](const Entity& of, const Entity& into, const std::string& owner, Place place) {
    findings.add(
        "T409", shard_severity(context, of), place,
        fmt::format(
            "every write of {} also writes one {} item per {}: the load that sharding spreads hits a single item again",
            of.name, into.name, owner),
        "count through the stream, which combines many additions, or shard the counters");
  };
  for (const Tally& tally : context.design.tallies) {
    const Entity* of = context.design.entity(tally.of);
    const Entity* into = context.design.entity(tally.into);
    if (of == nullptr || into == nullptr || tally.through_stream || of->shards.empty() || !into->shards.empty())
      continue;
    report(*of, *into, tally.by.empty() ? "table" : tally.by[0].field, tally.place);
  }
  for (const Operation& operation : context.design.operations) {
    const Entity* of = nullptr;
    each_write(operation, [&](const Write& write, const Step&) {
      const Entity* entity = context.design.entity(write.entity);
      if (entity != nullptr && write.kind == Write::Kind::kPut && !entity->shards.empty()) of = entity;
    });
    if (of == nullptr) continue;
    each_write(operation, [&](const Write& write, const Step&) {
      const Entity* into = context.design.entity(write.entity);
      if (into == nullptr || into == of || !into->shards.empty() || write.add.empty()) return;
      const auto owner = into->key.empty() ? std::vector<std::string>() : into->key[0].fields();
      const bool same = std::all_of(owner.begin(), owner.end(), [&](const auto& f) { return of->key[0].uses(f); });
      if (same) report(*of, *into, owner.empty() ? "table" : owner[0], write.place);
    });
  }
}

void index_as_hot(const Entity& entity, const Shard& shard, const CheckContext& context, Findings& findings) {
  if (entity.key.empty() || !entity.key[0].uses(shard.field)) return;
  const Table* table = context.design.table(entity.table);
  for (const IndexEntry& entry : entity.index) {
    const Index* index = table == nullptr ? nullptr : table->index(entry.index);
    if (index == nullptr || entry.key.empty()) continue;
    std::set<std::string> fields;
    for (size_t i = 0; i < index->key.hash.size() && i < entry.key.size(); ++i) {
      for (std::string& field : entry.key[i].fields()) fields.insert(std::move(field));
    }
    if (fields.contains(shard.field)) continue;
    const bool same_owner =
        std::all_of(fields.begin(), fields.end(), [&](const std::string& f) { return entity.key[0].uses(f); });
    if (!same_owner) continue;
    findings.add("T404", shard_severity(context, entity), entry.key[0].place,
                 fmt::format("the table is sharded by `{}`, but {}.{} puts all shards into one partition of {} again: "
                             "an index that cannot keep up throttles writes to the table",
                             shard.field, entity.name, entry.name, entry.index),
                 fmt::format("add {{{}}} to the partition key of the index too, and merge the shards when reading",
                             shard.field));
  }
}

// The seconds between the call and the time, if the expression is `now` plus or minus durations. Otherwise absent.
std::optional<int64_t> seconds_from_now(const Expression& time) {
  if (time.is(Expression::Kind::kName) && time.text == "now") return 0;
  if (!time.is(Expression::Kind::kAdd) && !time.is(Expression::Kind::kSubtract)) return std::nullopt;
  const auto start = seconds_from_now(time.arguments[0]);
  if (!start || !time.arguments[1].is(Expression::Kind::kDuration)) return std::nullopt;
  return *start + (time.is(Expression::Kind::kAdd) ? 1 : -1) * time.arguments[1].duration_s;
}

// T416: an epoch begins before all writers know about it.
void early_epochs(const Shard& shard, const CheckContext& context, Findings& findings) {
  const auto look = [&](const Operation& operation, const Binding& set) {
    each_expression(set.value, [&](const Expression& record) {
      if (!record.is(Expression::Kind::kCall) || record.text != "record") return;
      for (size_t i = 0; i + 1 < record.arguments.size(); i += 2) {
        if (!record.arguments[i].is(Expression::Kind::kText) || record.arguments[i].text != "from") continue;
        const auto seconds = seconds_from_now(record.arguments[i + 1]);
        if (seconds && *seconds >= shard.lead_s && *seconds > 0) continue;
        findings.add("T416", seconds ? Severity::kError : Severity::kWarning, set.place,
                     fmt::format("`{}` begins an epoch {}: writers that do not know about it yet put items into the "
                                 "old shards, where readers of the new epoch do not find them",
                                 operation.name,
                                 seconds ? fmt::format("{} after it is set, before the `lead` of {} has passed",
                                                       duration_text(std::max<int64_t>(*seconds, 0)),
                                                       duration_text(shard.lead_s))
                                         : "at a time that may come before `lead` has passed"),
                     fmt::format("begin it at `now + {}`", duration_text(std::max<int64_t>(shard.lead_s, 60))));
      }
    });
  };
  for (const Operation& operation : context.design.operations) {
    each_write(operation, [&](const Write& write, const Step&) {
      if (write.entity != shard.epochs_entity) return;
      for (const Binding& set : write.set) {
        if (set.field == shard.epochs_field) look(operation, set);
      }
    });
  }
}

}  // namespace

void check_shards(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    for (const Shard& shard : entity.shards) {
      index_as_hot(entity, shard, context, findings);
      needless(entity, shard, context, findings);
      if (!shard.epochs_entity.empty()) early_epochs(shard, context, findings);
      const Field* of = entity.field(shard.of);
      if (of != nullptr && is_time(of->type)) {
        findings.add("T405", shard_severity(context, entity), shard.place,
                     fmt::format("`{}` is computed from the time `{}`: all writes in one {} go to the same shard, so a "
                                 "burst is not spread",
                                 shard.field, shard.of, of->type.resolution_ms >= 1000 ? "second" : "millisecond"),
                     "compute it from the item's id");
      }
      if (!entity.in_key(shard.of)) {
        findings.add("T406", Severity::kError, shard.place,
                     fmt::format("`{}` is computed from `{}`, which is not in the key: a reader that knows the key's "
                                 "fields cannot compute the shard and must read all shards",
                                 shard.field, shard.of),
                     "compute it from a key field that every reader knows, such as the id");
      }
      if (!shard.count_entity.empty() && shard.epochs_entity.empty()) {
        findings.add("T407", Severity::kError, shard.place,
                     fmt::format("the number of shards is stored in {}.{} and can change: items written under the old "
                                 "number are then looked up in the wrong shard",
                                 shard.count_entity, shard.count_field),
                     fmt::format("record the former numbers: `epochs: {}.epochs`", shard.count_entity));
      }
      if (!shard.count_entity.empty() && shard.epochs_entity.empty()) {
        findings.add("T415", Severity::kNote, shard.place,
                     fmt::format("the number of shards is read from {} before every write of {}: each write needs a "
                                 "second request to the same item, and a change between the two is not detected",
                                 shard.count_entity, entity.name),
                     fmt::format("use a fixed number (`count: 8`), or record its history: `epochs: {}.epochs`",
                                 shard.count_entity));
      }
      const Entity* setting = context.design.entity(shard.count_entity);
      if (setting != nullptr && setting->in_key(shard.count_field)) {
        findings.add("T412", Severity::kError, setting->key.back().place,
                     fmt::format("`{}` is in the key of {}: a new number creates a second item, and a reader must know "
                                 "the number to find the item that stores it",
                                 shard.count_field, setting->name),
                     fmt::format("remove {{{}}} from the key", shard.count_field));
      }
    }
  }
  figures_as_hot(context, findings);
}

}  // namespace trestle::design
