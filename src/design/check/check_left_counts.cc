// Figures that do not count all that is there. T338: items that a tally counts stay when the item that has the figure
// is deleted or expires. T339: items that a tally through the stream counts come before the item that has the figure.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "design/check/check_impl.h"
#include "design/plan/plan.h"

namespace trestle::design {
namespace {

// Whether a caller can name the key of an item that was there before, and make it again.
bool is_put_again(const CheckContext& context, const Entity& into) {
  const auto writes = context.writes_to(into.name);
  const bool made = std::ranges::any_of(writes, [](const auto& one) {
    return one.write->kind == Write::Kind::kPut || one.write->kind == Write::Kind::kUpsert;
  });
  const auto key = fields_of_key(into.key);
  const bool generated = std::ranges::any_of(key, [&](const std::string& name) {
    const Field* field = into.field(name);
    return field != nullptr && field->automatic;
  });
  return made && !generated;
}

bool names(const Expression& expression, const std::string& name) {
  bool found = false;
  each_expression(expression, [&](const Expression& part) {
    found |= (part.is(Expression::Kind::kName) || part.is(Expression::Kind::kMember)) && part.text == name;
  });
  return found;
}

// Whether the operation looks at the counted items, or at how many there are, or deletes them as well.
bool minds(const Operation& operation, const Tally& tally) {
  bool found = false;
  const auto look = [&](const std::optional<Expression>& expression) {
    if (!expression) return;
    each_figure(tally, [&](const Binding& figure) { found |= names(*expression, figure.field); });
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

// Whether a reaction to the deletion, or the expiry, decides what becomes of the counted items.
bool reacts(const CheckContext& context, const Entity& into, bool Reaction::* when) {
  return std::ranges::any_of(context.design.reactions,
                             [&](const Reaction& reaction) { return reaction.entity == into.name && reaction.*when; });
}

// A figure that begins anew: a count, or a least or greatest value that is exact. Null: there is none.
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

// What deletes the entity's items: writes, and cascades over them. What only takes back a put is none.
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

// Whether the operation reads or writes the entity's item: it knows of it, or makes it.
bool minds(const Operation& operation, const std::string& entity) {
  bool found = false;
  each_access(operation, [&](const Access& access) { found |= access.entity == entity; });
  each_write(operation, [&](const Write& write, const Step&) {
    found |= write.entity == entity && write.kind != Write::Kind::kDelete;
  });
  return found;
}

// Whether the operation minds the item that has the figure, or another that is only made by those that do: a member of
// a room.
bool minds_target(const CheckContext& context, const Operation& operation, const Tally& tally) {
  if (minds(operation, tally.into)) return true;
  return std::ranges::any_of(context.design.entities, [&](const Entity& other) {
    if (other.name == tally.of || !minds(operation, other.name)) return false;
    const auto writes = context.writes_to(other.name);
    const auto makes = [](const auto& one) {
      return one.write->kind == Write::Kind::kPut || one.write->kind == Write::Kind::kUpsert;
    };
    return std::ranges::any_of(writes, makes) && std::ranges::all_of(writes, [&](const auto& one) {
             return !makes(one) || (one.operation != &operation && minds(*one.operation, tally.into));
           });
  });
}

// The stream reader skips what counts in an item that is not there.
void early(const CheckContext& context, const Tally& tally, const Entity& into, const Binding& figure,
           Findings& findings) {
  if (!tally.through_stream || tally_may_create(context.design, into) || are_children(into, tally) ||
      !is_put_again(context, into))
    return;
  for (const auto& [operation, write, together, on_failure] : context.writes_to(tally.of)) {
    const bool makes = write->kind == Write::Kind::kPut || write->kind == Write::Kind::kUpsert;
    if (!makes || on_failure || minds_target(context, *operation, tally)) continue;
    findings.add(
        "T339", Severity::kError, tally.place,
        fmt::format("`{}` makes a {} whether or not there is the {} whose `{}` counts it: the tally cannot make a "
                    "{}, skips what comes before it, and later subtracts what it never added",
                    operation->name, tally.of, into.name, figure.field, into.name),
        fmt::format("add `check: {}` to the write, or give what {} requires a default", into.name, into.name));
    return;
  }
}

// An expired item is made again with figures of 0. One of a time comes once.
void expiring(const CheckContext& context, const Tally& tally, const Entity& into, const Binding& figure,
              Findings& findings) {
  const Entity* of = context.design.entity(tally.of);
  const bool of_a_time = std::ranges::any_of(
      into.fields, [&](const Field& field) { return is_time(field.type) && into.in_key(field.name); });
  if (!into.ttl || of == nullptr || of->ttl || of_a_time || !is_put_again(context, into) || are_children(into, tally) ||
      reacts(context, into, &Reaction::on_expire))
    return;
  findings.add("T338", Severity::kError, into.ttl_place,
               fmt::format("a {} expires, and the {} items that tally `{}` counts in it do not: if a {} of the same "
                           "key is made again, its `{}` begins anew and does not count them",
                           into.name, tally.of, tally.name, into.name, figure.field),
               fmt::format("let {} expire with it, or delete them by a reaction to `expire`", tally.of));
}

// Whether the items of `into` come and go without what the tally counts in them.
bool may_come_again(const CheckContext& context, const Entity& into, const Tally& tally) {
  return (is_put_again(context, into) || tally_may_create(context.design, into)) && !are_children(into, tally);
}

}  // namespace

std::set<std::string> entities_with_left_counts(const Design& design) {
  const CheckContext context(design);
  std::set<std::string> entities;
  for (const Tally& tally : design.tallies) {
    const Entity* into = design.entity(tally.into);
    const Binding* figure = into == nullptr ? nullptr : figure_of(tally, *into);
    if (figure == nullptr) continue;
    Findings findings;
    early(context, tally, *into, *figure, findings);
    expiring(context, tally, *into, *figure, findings);
    bool left = !findings.empty() || (into->ttl && reacts(context, *into, &Reaction::on_expire));
    if (may_come_again(context, *into, tally)) {
      for (const auto& [operation, place] : deletions_of(context, *into)) left |= !minds(*operation, tally);
    }
    if (left) entities.insert(into->name);
  }
  return entities;
}

void check_left_counts(const CheckContext& context, Findings& findings) {
  std::set<std::pair<Place, std::string>> reported;
  for (const Tally& tally : context.design.tallies) {
    const Entity* into = context.design.entity(tally.into);
    const Binding* figure = into == nullptr ? nullptr : figure_of(tally, *into);
    if (figure == nullptr) continue;
    if (reported.emplace(into->ttl_place, tally.of).second) expiring(context, tally, *into, *figure, findings);
    early(context, tally, *into, *figure, findings);
    if (!may_come_again(context, *into, tally) || reacts(context, *into, &Reaction::on_remove)) continue;
    for (const auto& [operation, place] : deletions_of(context, *into)) {
      if (minds(*operation, tally) || !reported.emplace(place, tally.of).second) continue;
      const bool counts = !tally.add.empty() && !figure->element;
      findings.add("T338", Severity::kError, place,
                   fmt::format("`{}` deletes a {}, and the {} items that tally `{}` counts in it stay: if a {} of the "
                               "same key is made again, its `{}` begins anew and does not count them",
                               operation->name, into->name, tally.of, tally.name, into->name, figure->field),
                   fmt::format("add {{cascade: {}}}, or refuse while there are any{}", tally.of,
                               counts ? fmt::format(": `if: {} = 0`", figure->field) : ""));
    }
  }
}

}  // namespace trestle::design
