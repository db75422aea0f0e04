// T338, T339, T347: tally figures that miss items. T338: the counted items remain when the target of the tally,
// which holds the figure, is deleted or expires. T339: items that a stream tally counts are created before their
// target. T347: changes of a deleted target's items are read from the stream when another target has its key.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "design/check/check_impl.h"
#include "design/plan/absent_fields.h"
#include "design/plan/plan.h"

namespace trestle::design {
namespace {

bool is_put(const CheckContext& context, const Entity& into) {
  return std::ranges::any_of(context.writes_to(into.name), [](const auto& entity_write) {
    return entity_write.write->kind == Write::Kind::kPut || entity_write.write->kind == Write::Kind::kUpsert;
  });
}

bool has_generated_key(const Entity& into) {
  return std::ranges::any_of(fields_of_key(into.key), [&](const std::string& name) {
    const Field* field = into.field(name);
    return field != nullptr && field->automatic;
  });
}

// Whether an operation can create an item with the key of a deleted one: some operation puts or upserts items of the
// entity, and no part of the key is generated.
bool can_be_put_again(const CheckContext& context, const Entity& into) {
  return is_put(context, into) && !has_generated_key(into);
}

bool names_value(const Expression& expression, const std::string& name) {
  bool found = false;
  each_expression(expression, [&](const Expression& part) {
    found |= (part.is(Expression::Kind::kName) || part.is(Expression::Kind::kMember)) && part.text == name;
  });
  return found;
}

// Whether the operation takes the counted items into account: it reads or writes them, or its conditions name the
// tally's figures. A figure that is maintained through the stream lags behind, so it proves nothing.
bool handles_counted_items(const Operation& operation, const Tally& tally) {
  bool found = false;
  const auto look = [&](const std::optional<Expression>& expression) {
    if (!expression || tally.through_stream) return;
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
  for (const auto& [operation, write, writes_in_transaction, on_failure] : context.writes_to(into.name)) {
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

// What is known about a field of an item after a write.
struct Written {
  enum class Kind { kUnknown, kAbsent, kConstant } kind = Kind::kUnknown;
  const Expression* value = nullptr;
};

Written written_value(const Operation& operation, const Write& write, const Field& field) {
  const auto constant_or_unknown = [](const Expression& value) -> Written {
    using Kind = Expression::Kind;
    if (value.is(Kind::kNull)) return {.kind = Written::Kind::kAbsent};
    const bool is_constant = value.is(Kind::kText) || value.is(Kind::kNumber) || value.is(Kind::kBool);
    return is_constant ? Written{.kind = Written::Kind::kConstant, .value = &value} : Written{};
  };
  for (const auto* list : {&write.by, &write.set}) {
    for (const Binding& set : *list) {
      if (set.field == field.name) return set.element ? Written{} : constant_or_unknown(set.value);
    }
  }
  if (std::ranges::find(write.remove, field.name) != write.remove.end()) return {.kind = Written::Kind::kAbsent};
  if (write.kind != Write::Kind::kPut || !write.from.empty()) return {};
  bool is_named = operation.input(field.name) != nullptr;
  each_step(operation.steps, [&](const Step& step) {
    is_named = is_named || step.name == field.name ||
               std::ranges::any_of(step.values, [&](const Binding& let) { return let.field == field.name; });
  });
  if (is_named || field.automatic || field.touched || field.counter || field.revision || !field.sha256_of.empty())
    return {};
  if (field.default_value) return constant_or_unknown(*field.default_value);
  return {.kind = field.optional ? Written::Kind::kAbsent : Written::Kind::kUnknown};
}

// Whether the tally may count the item as the write leaves it. `copies: {state: in}` never satisfies `state = out`, and
// a copy without a member has no target.
bool may_count(const Operation& operation, const Write& write, const Entity& of, const Tally& tally) {
  std::set<std::string> absent;
  for (const Field& field : of.fields) {
    if (written_value(operation, write, field).kind == Written::Kind::kAbsent) absent.insert(field.name);
  }
  if (std::ranges::any_of(tally.by, [&](const Binding& by) { return lacks_value(by.value, absent); })) return false;
  if (!tally.when) return true;
  const auto fails = [&](const auto& self, const Expression& when) -> bool {
    using Kind = Expression::Kind;
    const auto fails_too = [&](const Expression& part) { return self(self, part); };
    if (when.is(Kind::kAnd)) return std::ranges::any_of(when.arguments, fails_too);
    if (when.is(Kind::kOr)) return std::ranges::all_of(when.arguments, fails_too);
    if (cannot_hold(when, absent)) return true;
    if (!when.is(Kind::kCompare) || (when.text != "=" && when.text != "<>")) return false;
    for (size_t i = 0; i < 2; ++i) {
      const Expression& other = when.arguments[1 - i];
      const Field* field = when.arguments[i].is(Kind::kName) ? of.field(when.arguments[i].text) : nullptr;
      const Written written = field == nullptr ? Written{} : written_value(operation, write, *field);
      if (written.kind != Written::Kind::kConstant || other.kind != written.value->kind) continue;
      const bool same = other.text == written.value->text && other.truth == written.value->truth;
      if (!same && other.is(Kind::kNumber)) continue;  // 1 and 1.0
      if (same == (when.text == "<>")) return true;
    }
    return false;
  };
  return !fails(fails, *tally.when);
}

// Whether an update may make the tally count the item: it changes a field that decides whether and where it counts.
bool may_begin_to_count(const Operation& operation, const Write& write, const Entity& of, const Tally& tally) {
  if (write.kind != Write::Kind::kUpdate) return false;
  const auto changes = [&](const std::string& field) {
    const auto sets = [&](const Binding& binding) { return binding.field == field; };
    return std::ranges::any_of(write.set, sets) || std::ranges::any_of(write.add, sets) ||
           std::ranges::any_of(write.take, sets) || std::ranges::count(write.remove, field) != 0 ||
           (write.sets_inputs && operation.input(field) != nullptr);
  };
  std::set<std::string> deciding;
  if (tally.when) deciding = fields_in(of, *tally.when);
  for (const Binding& by : tally.by) deciding.merge(fields_in(of, by.value));
  return std::ranges::any_of(deciding, changes) && may_count(operation, write, of, tally);
}

// T339: the stream reader skips changes whose target does not exist.
void source_before_target(const CheckContext& context, const Tally& tally, const Entity& into, const Binding& figure,
                          Findings& findings) {
  if (!tally.through_stream || tally_may_create(context.design, into) || are_children(into, tally) ||
      !can_be_put_again(context, into))
    return;
  const Entity* of = context.design.entity(tally.of);
  if (of == nullptr) return;
  const auto writes = context.writes_to(tally.of);
  // Items that do not count when they are created, whether or not the target exists, may do so later.
  const bool begins_later = std::ranges::any_of(writes, [&](const auto& entity_write) {
    return entity_write.write->kind == Write::Kind::kPut &&
           !may_count(*entity_write.operation, *entity_write.write, *of, tally) &&
           !knows_target(context, *entity_write.operation, tally);
  });
  for (const auto& [operation, write, writes_in_transaction, on_failure] : writes) {
    const bool puts = write->kind == Write::Kind::kPut && may_count(*operation, *write, *of, tally);
    const bool makes = puts || write->kind == Write::Kind::kUpsert ||
                       (begins_later && may_begin_to_count(*operation, *write, *of, tally));
    // A copy of an item that was read counts in the target of that item.
    const bool is_copy = !write->from.empty() && std::ranges::none_of(tally.by, [&](const Binding& by) {
      return std::ranges::any_of(write->set, [&](const Binding& set) { return names_field(by.value, set.field); });
    });
    if (!makes || on_failure || is_copy || knows_target(context, *operation, tally)) continue;
    findings.add(
        "T339", Severity::kError, tally.place,
        fmt::format(
            "`{}` {} a {} whether or not the {} whose `{}` counts it exists: the tally cannot create a {}, skips "
            "items that precede it, and later subtracts what it never added",
            operation->name, write->kind == Write::Kind::kUpdate ? "changes" : "creates", tally.of, into.name,
            figure.field, into.name),
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

// Whether the target of a stream tally can be deleted and created again under the same key. Changes of the items that
// the deleted one counted, their removal included, may be read from the stream later, and would be counted in the new
// one. An exact minimum or maximum is read again from the items, so it is right in the end.
bool inherits_late_changes(const CheckContext& context, const Entity& into, const Tally& tally) {
  const bool named_once =
      has_generated_key(into) || std::ranges::any_of(fields_of_key(into.key), [&](const auto& name) {
        const Field* field = into.field(name);
        return field != nullptr && field->identifier;
      });
  return tally.through_stream && !tally.add.empty() && !named_once &&
         (is_put(context, into) || tally_may_create(context.design, into));
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
    for (const auto& [operation, place] : deletions_of(context, *into)) {
      stale |= inherits_late_changes(context, *into, tally);
      stale |= can_be_recreated(context, *into, tally) && !handles_counted_items(*operation, tally);
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
    if (inherits_late_changes(context, *into, tally)) {
      for (const auto& [operation, place] : deletions_of(context, *into)) {
        if (!reported.emplace(place, tally.of).second) continue;
        findings.add("T347", Severity::kError, place,
                     fmt::format("`{}` deletes a {}, in which tally `{}` counts {} items through the stream, and a {} "
                                 "with the same key can be created again: changes of the old one's items that are read "
                                 "from the stream later would be counted in the new one's `{}`",
                                 operation->name, into->name, tally.name, tally.of, into->name, figure->field),
                     fmt::format("count in the writer's transaction (without `through: stream`), include a generated "
                                 "id in the key of {}, or mark the {} as closed instead of deleting it",
                                 into->name, into->name));
      }
      continue;
    }
    if (!can_be_recreated(context, *into, tally) || reacts(context, *into, &Reaction::on_remove)) continue;
    for (const auto& [operation, place] : deletions_of(context, *into)) {
      if (handles_counted_items(*operation, tally) || !reported.emplace(place, tally.of).second) continue;
      const bool counts = !tally.add.empty() && !figure->element && !tally.through_stream;
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
