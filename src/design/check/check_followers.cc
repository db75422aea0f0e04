// T134, T314, T344, T346: guards and children that cannot follow their owner.
#include <fmt/format.h>

#include <algorithm>

#include "design/check/check_impl.h"
#include "design/language/raw_update.h"
#include "design/plan/plan.h"
#include "design/plan/plan_impl.h"

namespace trestle::design {
namespace {

// The first field of the entity's key that the key does not contain exactly, with its placeholder.
const TemplatePart* inexact_part(const Entity& entity) {
  const TypeOf types = types_of(entity);
  const auto contains = [&](std::string_view field) {
    return std::ranges::any_of(entity.key, [&](const Template& key) {
      return std::ranges::any_of(key.parts, [&](const TemplatePart& part) {
        const FieldType* type = types(part.field);
        return !part.is_literal() && part.field == field && (type == nullptr || has_one_spelling(part, *type));
      });
    });
  };
  for (const Template& key : entity.key) {
    for (const TemplatePart& part : key.parts) {
      if (!part.is_literal() && !contains(part.field)) return &part;
    }
  }
  return nullptr;
}

bool changes_existing(const Write& write) {
  return write.kind != Write::Kind::kCheck &&
         (write.kind != Write::Kind::kPut || write.exists != Write::Exists::kAbsent);
}

bool sets(const CheckContext::EntityWrite& entity_write, const Field& field) {
  const bool by_input = entity_write.write->sets_inputs && entity_write.operation->input(field.name) != nullptr;
  return by_input || field.touched || binds(entity_write.write->set, field.name);
}

bool writes_raw(const Write& write, std::string_view field) {
  if (write.raw.empty()) return false;
  const auto clauses = read_raw_update(write.raw).clauses;
  return std::ranges::any_of(clauses, [&](const RawClause& clause) { return clause.attribute == field; });
}

// T134: guards, children and index entries are written with the caller's spelling of a key field, but the item may have
// been written with another spelling of the same key.
void inexact_keys(const CheckContext& context, const Entity& entity, Findings& findings) {
  const TemplatePart* part = inexact_part(entity);
  if (part == nullptr) return;
  const auto has_field = [&](const std::vector<Template>& key) {
    return std::ranges::any_of(key, [&](const Template& text) { return contains_exactly(text, part->field); });
  };
  for (const CheckContext::EntityWrite& entity_write : context.writes_to(entity.name)) {
    const Write& write = *entity_write.write;
    if (!changes_existing(write)) continue;
    const bool updates = write.kind == Write::Kind::kUpdate || write.kind == Write::Kind::kUpsert;
    std::string follower;
    if (!entity.unique.empty()) follower = fmt::format("the guard `{}`", entity.unique[0].name);
    for (const Each& each : entity.eaches) {
      const Entity* child = context.design.entity(each.entity);
      if (child != nullptr && child->field(part->field) != nullptr)
        follower = fmt::format("the children {}", child->name);
    }
    for (const IndexEntry& entry : entity.index) {
      if (!updates || !has_field(entry.key)) continue;
      const bool rewrites = std::ranges::any_of(fields_of_key(entry.key), [&](const std::string& name) {
        const Field* field = entity.field(name);
        return field != nullptr && !entity.in_key(name) && sets(entity_write, *field);
      });
      if (rewrites || entry.condition) follower = fmt::format("the index entry `{}`", entry.name);
    }
    if (follower.empty()) continue;
    findings.add("T134", Severity::kError, write.place,
                 fmt::format("`{}` finds {} by a key that contains `{}` only as `{{{}{}}}`: if the call spells it "
                             "differently from the item, {} of the item is not found or gets the call's spelling",
                             entity_write.operation->name, entity.name, part->field, part->field,
                             part->format.kind == Format::Kind::kCut ? ":" + part->format.unit : ":lower", follower),
                 fmt::format("put the whole `{}` into the key, or allow only one spelling in its type", part->field));
    return;
  }
}

// T314: a guard's copy of a field is updated when an update sets the field, but not when the new value is known only
// after the write.
void stale_guards(const CheckContext& context, const Entity& entity, Findings& findings) {
  for (const Guard& guard : entity.unique) {
    for (const std::string& name : guard.keeps) {
      const Field* field = entity.field(name);
      const bool in_key = std::ranges::any_of(guard.key, [&](const Template& t) { return t.uses(name); });
      if (field == nullptr || in_key || entity.in_key(name) || field->immutable) continue;
      const auto writes = context.writes_to(entity.name);
      const bool changes = std::ranges::any_of(writes, [&](const CheckContext::EntityWrite& entity_write) {
        const Write& write = *entity_write.write;
        if (write.kind != Write::Kind::kUpdate && write.kind != Write::Kind::kUpsert) return false;
        // An upsert replaces the guard, and knows only those fields of the item that it sets.
        if (sets(entity_write, *field) &&
            (field->extreme != Field::Extreme::kNone || write.kind == Write::Kind::kUpsert))
          return true;
        return field->revision || binds(write.add, name) || binds(write.take, name) || writes_raw(write, name);
      });
      if (!changes && !is_counted(context.design, entity, *field)) continue;
      findings.add("T314", Severity::kError, guard.place,
                   fmt::format("the guard `{}` of {} keeps `{}`, whose new value is not known when the guard is "
                               "written: the guard's copy becomes stale",
                               guard.name, entity.name, name),
                   "keep only the guarded value and the owner's key, and read the owner for the rest");
    }
  }
}

// T344: likewise for the fields that children copy.
void stale_children(const CheckContext& context, const Entity& entity, Findings& findings) {
  for (const Each& each : entity.eaches) {
    const Entity* child = context.design.entity(each.entity);
    if (child == nullptr) continue;
    for (const Field& copy : child->fields) {
      const Field* field = entity.field(copy.name);
      const bool is_own = copy.automatic || copy.touched || copy.counter || copy.revision;
      if (field == nullptr || copy.name == each.member || entity.in_key(copy.name) || field->immutable) continue;
      if (is_own && !child->in_key(copy.name)) continue;
      std::string cause;
      for (const CheckContext::EntityWrite& entity_write : context.writes_to(entity.name)) {
        const Write& write = *entity_write.write;
        const bool updates = write.kind == Write::Kind::kUpdate || write.kind == Write::Kind::kUpsert;
        if (!updates) continue;
        if ((sets(entity_write, *field) &&
             (field->extreme != Field::Extreme::kNone || write.kind == Write::Kind::kUpsert)) ||
            writes_raw(write, field->name))
          cause = fmt::format("`{}` writes it without reading the item", entity_write.operation->name);
      }
      if (is_counted(context.design, entity, *field)) cause = "a tally counts it";
      if (cause.empty()) continue;
      findings.add("T344", Severity::kError, copy.place,
                   fmt::format("the children {} of {} copy `{}`, and {}: their copies become stale", child->name,
                               entity.name, copy.name, cause),
                   "remove the field from the children, or write it with `update` or `put`");
    }
  }
}

// T346: a copy of an encrypted, packed or spilled field. A guard would contain what only the owner can read; a child
// would contain the plain value.
void closed_copies(const CheckContext& context, const Entity& entity, Findings& findings) {
  for (const Guard& guard : entity.unique) {
    for (const std::string& name : guard.keeps) {
      const Field* field = entity.field(name);
      if (field == nullptr || !is_stored_closed(entity, *field)) continue;
      findings.add(
          "T346", Severity::kError, guard.place,
          fmt::format("the guard `{}` of {} keeps `{}`, which is stored encrypted, packed or spilled: it can be "
                      "read only with its item",
                      guard.name, entity.name, name),
          "keep other fields, and read the owner for this one");
    }
  }
  for (const Each& each : entity.eaches) {
    const Entity* child = context.design.entity(each.entity);
    for (const Field& copy : child == nullptr ? std::vector<Field>() : child->fields) {
      const Field* field = entity.field(copy.name);
      if (field == nullptr || copy.name == each.member || !field->encrypted || copy.encrypted) continue;
      findings.add("T346", Severity::kError, copy.place,
                   fmt::format("the children {} of {} store `{}` in the clear, which {} encrypts", child->name,
                               entity.name, copy.name, entity.name),
                   "declare it `encrypted` in the child, too, or remove it");
    }
  }
}

}  // namespace

void check_followers(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    inexact_keys(context, entity, findings);
    stale_guards(context, entity, findings);
    stale_children(context, entity, findings);
    closed_copies(context, entity, findings);
  }
}

}  // namespace trestle::design
