// T401, T402, T403: partitions with more load than DynamoDB serves, which is 1,000 write units and 3,000 read units per
// second. T008: the obsolete word `rate`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "design/check/check_impl.h"

#include "model/limits.h"

namespace trestle::design {
namespace {

constexpr double kWritesMax = 1000;
constexpr double kReadsMax = 3000;

enum class Spread { kOne, kFew, kTime, kMany };

struct Partitions {
  Spread spread = Spread::kOne;
  int64_t count = 1;  // kFew: the number of partitions
  bool unknown_count = false;
  int64_t shards = 1;
  std::set<std::string> fields;  // fields that have many values and are not times
  std::string time;
};

Partitions partitions_of(const Occupant& occupant, size_t hashes) {
  Partitions result;
  for (size_t i = 0; i < hashes && i < occupant.key.size(); ++i) {
    for (const TemplatePart& part : occupant.key[i]->parts) {
      if (part.is_literal()) continue;
      if (const Shard* shard = occupant.entity->shard(part.field)) {
        result.shards *= std::max<int64_t>(shard->count > 0 ? shard->count : shard->most, 1);
        result.fields.insert(part.field);
        continue;
      }
      const Field* field = occupant.entity->field(part.field);
      if (field != nullptr && has_few_values(*field)) {
        result.count *= 3;
        result.unknown_count = true;
        continue;
      }
      const auto values = field == nullptr ? std::nullopt : value_count(field->type);
      if (values && *values <= 50) {
        result.count *= *values;
      } else if (field != nullptr && is_time(field->type) && part.format.kind != Format::Kind::kHash) {
        result.time = part.field;
      } else {
        result.fields.insert(part.field);
      }
    }
  }
  if (!result.fields.empty())
    result.spread = Spread::kMany;
  else if (!result.time.empty())
    result.spread = Spread::kTime;
  else if (result.count > 1)
    result.spread = Spread::kFew;
  return result;
}

// The share of `rate` that one partition can receive. Absent if the load spreads over an unknown number of values.
std::optional<double> share_in_one(const Rate& rate, const Partitions& partitions) {
  for (const std::string& field : partitions.fields) {
    const bool fixed = std::find(rate.per.begin(), rate.per.end(), field) != rate.per.end();
    if (!fixed && partitions.shards == 1) return std::nullopt;
  }
  if (partitions.spread == Spread::kMany && rate.per.empty()) return std::nullopt;
  return rate.per_second / static_cast<double>(partitions.shards);
}

std::string kind_of(const Partitions& partitions) {
  if (partitions.spread == Spread::kOne) return "one partition";
  if (partitions.spread == Spread::kTime)
    return fmt::format("one partition at a time (that of the current `{}`)", partitions.time);
  return partitions.unknown_count ? "a few partitions" : fmt::format("{} partitions", partitions.count);
}

bool is_singleton(const Entity& entity) {
  return std::all_of(entity.key.begin(), entity.key.end(), [](const Template& t) { return t.is_literal(); });
}

// Whether the write can change the item's index entry.
bool touches_index(const Index& index, const Occupant& occupant, const Write& write) {
  if (write.kind != Write::Kind::kUpdate || index.projection.type == ProjectionType::kAll || write.sets_inputs ||
      !write.raw.empty())
    return true;
  std::set<std::string> touched;
  for (const auto* list : {&write.set, &write.add, &write.take}) {
    for (const Binding& binding : *list) touched.insert(binding.field);
  }
  touched.insert(write.remove.begin(), write.remove.end());
  for (const Field& field : occupant.entity->fields) {
    if (field.touched || field.revision) touched.insert(field.name);
  }
  return std::any_of(touched.begin(), touched.end(), [&](const std::string& field) {
    const auto& copied = index.projection.non_key_attributes;
    const bool in_key =
        std::any_of(occupant.key.begin(), occupant.key.end(), [&](const Template* t) { return t->uses(field); }) ||
        (occupant.entry != nullptr && occupant.entry->condition && names_field(*occupant.entry->condition, field));
    return in_key || (index.projection.type == ProjectionType::kInclude &&
                      std::find(copied.begin(), copied.end(), field) != copied.end());
  });
}

void writes(const CheckContext& context, const KeySpace& space, const Occupant& occupant, Findings& findings) {
  if (occupant.guard != nullptr) return;
  const size_t hashes = space.schema().hash.size();
  const Partitions partitions = partitions_of(occupant, hashes);
  bool declared = false;
  double hottest = 0;
  std::string by;
  std::map<const Operation*, double> failing;
  for (const auto& [operation, write, writes_in_transaction, on_failure] : context.writes_to(occupant.entity->name)) {
    if (write->kind == Write::Kind::kCheck || !operation->peak.declared()) continue;
    // A rate per tenant says nothing about a partition that all tenants share.
    const auto& per = operation->peak.per;
    declared = declared || std::all_of(per.begin(), per.end(), [&](const std::string& field) {
                 return std::any_of(occupant.key.begin(), occupant.key.begin() + static_cast<std::ptrdiff_t>(hashes),
                                    [&](const Template* key) { return key->uses(field); });
               });
    if (space.index != nullptr && !touches_index(*space.index, occupant, *write)) continue;
    const auto share = share_in_one(operation->peak, partitions);
    if (!share) continue;
    double units = *share * write_units(*occupant.entity) * (writes_in_transaction > 1 ? 2 : 1);
    // A transaction doubles the cost of the table write, not that of the index write.
    if (space.index != nullptr && writes_in_transaction > 1) units /= 2;
    // A call takes at most one failure path, so count only the most expensive.
    if (on_failure)
      failing[operation] = std::max(failing[operation], units);
    else
      hottest += units;
    if (by.find(operation->name) == std::string::npos) by += (by.empty() ? "" : ", ") + operation->name;
  }
  for (const auto& [operation, units] : failing) hottest += units;
  const Template& key = *occupant.key[0];
  if (hottest > kWritesMax) {
    findings.add(
        "T401", Severity::kError, key.place,
        fmt::format(
            "{} write {} units per second to one partition of {} (`{}`); a DynamoDB partition serves at most 1,000", by,
            std::llround(hottest), space.name(), key.text),
        "spread the partition key: add a shard, or a field with many values");
    return;
  }
  if (declared || is_singleton(*occupant.entity) || partitions.spread == Spread::kMany) return;
  if (occupant.entity->count > 0 && occupant.entity->count <= 1000) return;
  if (partitions.spread == Spread::kTime) {
    findings.add("T403", Severity::kWarning, key.place,
                 fmt::format("all {} items of one `{}` are in one partition of {}, which serves 1,000 writes per "
                             "second no matter how many other partitions there are",
                             occupant.entity->name, partitions.time, space.name()),
                 "add a field with many values or a shard to the partition key, or declare the `peak` of its writes");
  } else {
    findings.add(
        "T402", Severity::kWarning, key.place,
        fmt::format(
            "all {} items are in {} of {} (`{}`), which serve{} at most 1,000 writes and 3,000 reads per second{}",
            occupant.entity->name, kind_of(partitions), space.name(), key.text,
            partitions.spread == Spread::kOne ? "s" : "", partitions.spread == Spread::kOne ? "" : " each"),
        "add a field with many values or a shard to the partition key, or declare the `peak` of its writes");
  }
}

void reads(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    if (!operation.peak.declared()) continue;
    each_access(operation, [&](const Access& access) {
      const Reach reach = reach_of(context, operation, access);
      const Entity* entity = context.design.entity(access.entity);
      if (reach.space == nullptr || entity == nullptr || access.kind == Access::Kind::kScan) return;
      for (const Occupant* occupant : reach.occupants) {
        if (occupant->entity != entity) continue;
        const Partitions partitions = partitions_of(*occupant, reach.space->schema().hash.size());
        // A query of a sharded key reads every shard.
        Partitions unsharded = partitions;
        if (access.kind != Access::Kind::kGet) unsharded.shards = 1;
        const auto share = share_in_one(operation.peak, unsharded);
        if (!share) continue;
        const double units = *share *
                             std::max(1.0, std::ceil(static_cast<double>(entity->item_bytes) / kReadUnitBytes)) *
                             (access.consistent ? 1 : 0.5);
        if (units <= kReadsMax) continue;
        findings.add(
            "T401", Severity::kError, access.place,
            fmt::format(
                "`{}` reads {} units per second from one partition of {}; a DynamoDB partition serves at most 3,000",
                operation.name, std::llround(units), reach.space->name()),
            "spread the partition key, or cache the answer");
      }
    });
  }
}

}  // namespace

void check_capacity(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    if (operation.rate_place == Place{}) continue;
    findings.add("T008", Severity::kWarning, operation.rate_place,
                 "`rate` is ambiguous: partitions are checked against the peak, and the monthly cost is computed from "
                 "the average; it is read as `peak`",
                 "write `peak` instead, and add `average` to include the operation in the monthly cost");
  }
  for (const KeySpace& space : context.spaces) {
    for (const Occupant& occupant : space.occupants) writes(context, space, occupant, findings);
  }
  reads(context, findings);
}

}  // namespace trestle::design
