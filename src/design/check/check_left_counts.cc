// T338, T339: tally figures that miss items. T338: the counted items remain when the target of the tally, which
// holds the figure, is deleted or expires. T339: items that a stream tally counts are created before their target.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "design/check/check_impl.h"
#include "design/plan/plan.h"

namespace trestle::design {
namespace {

// Whether an operation can create an item with the key of a deleted one: some operation puts or upserts items of the
// entity, and no part of the key is generated.
bool can_be_put_again(const CheckContext& context, const Entity& into) {
  const auto writes = context.writes_to(into.name);
  const bool creates = std::ranges::any_of(writes, [](const auto& entity_write) {
    return entity_write.write->kind == Write::Kind::kPut || entity_write.write->kind == Write::Kind::kUpsert;
  });
  const auto key = fields_of_key(into.key);
  const bool generated = std::ranges::any_of(key, [&](const std::string& name) {
    const Field* field = into.field(name);
    return field != nullptr && field->automatic;
  });
  return creates && !generated;
}

bool names_value(const Expression& expression, const std::string& name) {
  bool found = false;
  each_expression(expression, [&](const Expression& part) {
    found |= (part.is(Expression::Kind::kName) || part.is(Expression::Kind::kMember)) && part.text == name;
  });
  return found;
}

// Whether the operation takes the counted items into account: it reads or writes them, or its conditions name the
// tally's figures.
bool handles_counted_items(const Operation& operation, const Tally& tally) {
  bool found = false;
  const auto look = [&](const std::optional<Expression>& expression) {
    if (!expression) return;
    each_figure(tally, [&](const Binding& figure) { found |= names_value(*expression, figure.field); });
  };
  each_access(operation, [&](const Access& access) {
    found |= access.entity == tally.of || std::ranges::find(access.finds, tally.of) != access.finds.end();
  });
  each_write(operation, [&](const Write& write, const Step&) {
    found |= write.entity == tally.of;
    look(write.condition);
    look(write.when);
  });
  each_step(operation.steps, [&](const Step& step) {
    look(step.value);
    look(step.when);
  });
  return found;
}

bool are_children(const Entity& into, const Tally& tally) {
  return std::ranges::any_of(into.eaches, [&](const Each& each) { return each.entity == tally.of; });
}

// Whether a reaction runs when an item of the entity is deleted or expires. It may handle the counted items.
bool reacts(const CheckContext& context, const Entity& into, bool Reaction::* when) {
  return std::ranges::any_of(context.design.reactions,
                             [&](const Reaction& reaction) { return reaction.entity == into.name && reaction.*when; });
}

// A figure of the tally that is reset when its item is created again: a sum or count, or an exact minimum or
// maximum. Null if there is none.
const Binding* figure_of(const Tally& tally, const Entity& into) {
  for (const Binding& add : tally.add) {
    if (!add.element) return &add;
  }
  if (!tally.add.empty()) return &tally.add[0];
  for (const TallyExtreme& extreme : tally.extremes) {
    const Field* field = into.field(extreme.figure.field);
    if (field != nullptr && field->extreme == Field::Extreme::kNone) return &extreme.figure;
  }
  return nullptr;
}

// The deletions of items of the entity, by writes and cascades. Deletions that only run when another step fails are
// excluded.
std::vector<std::pair<const Operation*, Place>> deletions_of(const CheckContext& context, const Entity& into) {
  std::vector<std::pair<const Operation*, Place>> found;
  for (const auto& [operation, write, together, on_failure] : context.writes_to(into.name)) {
    if (write->kind == Write::Kind::kDelete && !on_failure) found.emplace_back(operation, write->place);
  }
  for (const Operation& operation : context.design.operations) {
    each_step(operation.steps, [&](const Step& step) {
      if (step.kind == Step::Kind::kCascade && step.access && step.access->entity == into.name)
        found.emplace_back(&operation, step.access->place);
    });
  }
  return found;
}

// Whether the operation reads items of the entity, or writes them otherwise than by deletion.
bool uses_entity(const Operation& operation, const std::string& entity) {
  bool found = false;
  each_access(operation, [&](const Access& access) { found |= access.entity == entity; });
  each_write(operation, [&](const Write& write, const Step&) {
    found |= write.entity == entity && write.kind != Write::Kind::kDelete;
  });
  return found;
}

// Whether the operation uses the tally's target, or another entity that is only created by operations that use the
// target: a member of a room.
bool knows_target(const CheckContext& context, const Operation& operation, const Tally& tally) {
  if (uses_entity(operation, tally.into)) return true;
  return std::ranges::any_of(context.design.entities, [&](const Entity& other) {
    if (other.name == tally.of || !uses_entity(operation, other.name)) return false;
    const auto writes = context.writes_to(other.name);
    const auto makes = [](const auto& entity_write) {
      return entity_write.write->kind == Write::Kind::kPut || entity_write.write->kind == Write::Kind::kUpsert;
    };
    return std::ranges::any_of(writes, makes) && std::ranges::all_of(writes, [&](const auto& entity_write) {
             return !makes(entity_write) ||
                    (entity_write.operation != &operation && uses_entity(*entity_write.operation, tally.into));
           });
  });
}

// T339: the stream reader skips changes whose target does not exist.
void source_before_target(const CheckContext& context, const Tally& tally, const Entity& into, const Binding& figure,
                          Findings& findings) {
  if (!tally.through_stream || tally_may_create(context.design, into) || are_children(into, tally) ||
      !can_be_put_again(context, into))
    return;
  for (const auto& [operation, write, together, on_failure] : context.writes_to(tally.of)) {
    const bool makes = write->kind == Write::Kind::kPut || write->kind == Write::Kind::kUpsert;
    // A copy of an item that was read counts in the target of that item.
    const bool is_copy = !write->from.empty() && std::ranges::none_of(tally.by, [&](const Binding& by) {
      return std::ranges::any_of(write->set, [&](const Binding& set) { return names_field(by.value, set.field); });
    });
    if (!makes || on_failure || is_copy || knows_target(context, *operation, tally)) continue;
    findings.add(
        "T339", Severity::kError, tally.place,
        fmt::format("`{}` creates a {} whether or not the {} whose `{}` counts it exists: the tally cannot create a "
                    "{}, skips items that precede it, and later subtracts what it never added",
                    operation->name, tally.of, into.name, figure.field, into.name),
        fmt::format("add `check: {}` to the write, or give the required fields of {} defaults", into.name, into.name));
    return;
  }
}

// T338 for expiry: a target created again after it expired starts its figures at 0. A target whose key contains a
// time is not created again.
void expiring_target(const CheckContext& context, const Tally& tally, const Entity& into, const Binding& figure,
                     Findings& findings) {
  const Entity* of = context.design.entity(tally.of);
  const bool of_a_time = std::ranges::any_of(
      into.fields, [&](const Field& field) { return is_time(field.type) && into.in_key(field.name); });
  if (!into.ttl || of == nullptr || of->ttl || of_a_time || !can_be_put_again(context, into) ||
      are_children(into, tally) || reacts(context, into, &Reaction::on_expire))
    return;
  findings.add("T338", Severity::kError, into.ttl_place,
               fmt::format("a {} expires, but the {} items that tally `{}` counts in it do not: if a {} with the same "
                           "key is created again, its `{}` starts over and does not count them",
                           into.name, tally.of, tally.name, into.name, figure.field),
               fmt::format("let {} items expire with it, or delete them in a reaction to `expire`", tally.of));
}

// Whether an item of `into` can be deleted and created again while its counted items remain.
bool can_be_recreated(const CheckContext& context, const Entity& into, const Tally& tally) {
  return (can_be_put_again(context, into) || tally_may_create(context.design, into)) && !are_children(into, tally);
}

}  // namespace

std::set<std::string> entities_with_stale_counts(const Design& design) {
  const CheckContext context(design);
  std::set<std::string> entities;
  for (const Tally& tally : design.tallies) {
    const Entity* into = design.entity(tally.into);
    const Binding* figure = into == nullptr ? nullptr : figure_of(tally, *into);
    if (figure == nullptr) continue;
    Findings findings;
    source_before_target(context, tally, *into, *figure, findings);
    expiring_target(context, tally, *into, *figure, findings);
    bool stale = !findings.empty() || (into->ttl && reacts(context, *into, &Reaction::on_expire));
    if (can_be_recreated(context, *into, tally)) {
      for (const auto& [operation, place] : deletions_of(context, *into))
        stale |= !handles_counted_items(*operation, tally);
    }
    if (stale) entities.insert(into->name);
  }
  return entities;
}

void check_left_counts(const CheckContext& context, Findings& findings) {
  std::set<std::pair<Place, std::string>> reported;
  for (const Tally& tally : context.design.tallies) {
    const Entity* into = context.design.entity(tally.into);
    const Binding* figure = into == nullptr ? nullptr : figure_of(tally, *into);
    if (figure == nullptr) continue;
    if (reported.emplace(into->ttl_place, tally.of).second) expiring_target(context, tally, *into, *figure, findings);
    source_before_target(context, tally, *into, *figure, findings);
    if (!can_be_recreated(context, *into, tally) || reacts(context, *into, &Reaction::on_remove)) continue;
    for (const auto& [operation, place] : deletions_of(context, *into)) {
      if (handles_counted_items(*operation, tally) || !reported.emplace(place, tally.of).second) continue;
      const bool counts = !tally.add.empty() && !figure->element;
      findings.add("T338", Severity::kError, place,
                   fmt::format("`{}` deletes a {}, but the {} items that tally `{}` counts in it remain: if a {} with "
                               "the same key is created again, its `{}` starts over and does not count them",
                               operation->name, into->name, tally.of, tally.name, into->name, figure->field),
                   fmt::format("add {{cascade: {}}}, or reject the deletion while there are any{}", tally.of,
                               counts ? fmt::format(": `if: {} = 0`", figure->field) : ""));
    }
  }
}

}  // namespace trestle::design
