#include "rehearsal/sampled_design.h"

#include <set>

#include "design/plan/load_operation.h"
#include "design/sample/sample_value.h"

namespace trestle::rehearsal {

using design::Design;
using design::Entity;
using design::Operation;
using runtime::Plain;

namespace {

// Entities ordered so that the targets of tallies are loaded before the items they count. Omitted are the children of
// `each`, which are created with their owners, and shard counts, which are only created by the operations that set them
// because they determine where items are.
std::vector<const Entity*> loading_order(const Design& design) {
  std::set<std::string> left_out;
  for (const Entity& entity : design.entities) {
    for (const design::Each& each : entity.eaches) left_out.insert(each.entity);
    for (const design::Shard& shard : entity.shards) left_out.insert({shard.count_entity, shard.epochs_entity});
  }
  std::vector<const Entity*> order;
  std::set<std::string> visited;
  const auto visit = [&](const auto& self, const Entity& entity) -> void {
    if (left_out.contains(entity.name) || !visited.insert(entity.name).second) return;
    for (const design::Tally& tally : design.tallies) {
      const Entity* into = design.entity(tally.into);
      if (tally.of == entity.name && into != nullptr) self(self, *into);
    }
    order.push_back(&entity);
  };
  for (const Entity& entity : design.entities) visit(visit, entity);
  return order;
}

}  // namespace

SampledDesign::SampledDesign(const Design& design) : design_(design), drafts_(design::sample_drafts(design_)) {
  for (Operation& operation : design_.operations) operation.allow.reset();
  for (const Entity* entity : loading_order(design_)) loaded_.push_back(entity->name);
  for (const std::string& entity : loaded_)
    design_.operations.push_back(design::load_operation(*design_.entity(entity), false));
}

std::vector<SampledDesign::Load> SampledDesign::loads() const {
  std::vector<Load> loads;
  for (const std::string& name : loaded_)
    loads.push_back({.operation = design_.operation("load " + name), .items = items_of(*design_.entity(name))});
  return loads;
}

std::vector<Plain> SampledDesign::items_of(const Entity& entity) const {
  std::vector<Plain> items;
  const auto drafts = drafts_.find(&entity);
  if (drafts == drafts_.end()) return items;
  for (const design::SampleDraft& draft : drafts->second)
    items.push_back(loaded_fields(design_, entity, draft, items.size()));
  return items;
}

// Samples of successive entities are written about twenty minutes apart (design/sample/sample_draft.h).
int64_t SampledDesign::now_ms() const {
  return (design::kSampleNowSeconds + static_cast<int64_t>(design_.entities.size() + 2) * 1800) * 1000;
}

Plain SampledDesign::caller() const {
  Plain caller = Plain::map();
  caller.set("sub", Plain::text(design::ulid_value("caller", design::kSampleNowSeconds)));
  caller.set("email", Plain::text("caller@example.com"));
  caller.set("groups", Plain::list({Plain::text("admin"), Plain::text("user")}));
  const auto note = [&](const std::string& entity_name, const std::vector<design::Binding>& bindings) {
    const Entity* entity = design_.entity(entity_name);
    const auto samples = drafts_.find(entity);
    if (entity == nullptr || samples == drafts_.end() || samples->second.empty()) return;
    for (const design::Binding& binding : bindings) {
      const bool is_claim =
          binding.value.is(design::Expression::Kind::kMember) && binding.value.arguments[0].is_name("caller");
      const auto& values = samples->second[0].values;
      if (const auto value = values.find(binding.field); is_claim && value != values.end())
        caller.set(binding.value.text, Plain::text(value->second));
    }
  };
  for (const Operation& operation : design_.operations) {
    design::each_access(operation, [&](const design::Access& access) { note(access.entity, access.by); });
    design::each_write(operation, [&](const design::Write& write, const design::Step&) {
      note(write.entity, write.by);
      note(write.entity, write.set);
    });
  }
  return caller;
}

}  // namespace trestle::rehearsal
