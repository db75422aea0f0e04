// T229, T231, T320, T321: items that refer to other items by id.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

bool in_some_key(const Entity& entity, std::string_view field) {
  const auto uses = [&](const std::vector<Template>& key) {
    return std::any_of(key.begin(), key.end(), [&](const Template& part) { return part.uses(field); });
  };
  return uses(entity.key) || std::any_of(entity.index.begin(), entity.index.end(),
                                         [&](const IndexEntry& entry) { return uses(entry.key); });
}

bool has_write(const CheckContext& context, const Entity& entity, std::initializer_list<Write::Kind> kinds) {
  const auto writes = context.writes_to(entity.name);
  return std::any_of(writes.begin(), writes.end(), [&](const CheckContext::EntityWrite& entity_write) {
    return std::find(kinds.begin(), kinds.end(), entity_write.write->kind) != kinds.end();
  });
}

// Whether the field is a list or set of the entity's ids, judging by its name: `roles` and the entity Role.
bool is_list_of(const Field& field, const Entity& entity) {
  const bool collection = field.type.base == BaseType::kList || field.type.base == BaseType::kSet;
  if (!collection || !field.type.element || !is_unique_by_nature(*field.type.element)) return false;
  const std::string name = lower(field.name), of = lower(entity.name);
  return name == of + "s" || name == of + "ids" || name == of + "_ids";
}

// T231: when an item changes or is deleted, the items that refer to it cannot be found.
void reverse_lookups(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    if (is_log(entity) || entity.ttl) continue;
    for (const Field& field : entity.fields) {
      for (const Entity& target : context.design.entities) {
        const Field* id = own_id(target);
        if (&target == &entity || id == nullptr || in_some_key(entity, field.name)) continue;
        const bool followed = written_together(context, target, entity) ||
                              std::any_of(entity.eaches.begin(), entity.eaches.end(),
                                          [&](const Each& e) { return e.field == field.name; });
        if (followed) continue;
        if (is_list_of(field, target)) {
          findings.add("T231", Severity::kNote, field.place,
                       fmt::format("`{}` of {} refers to {} items, but nothing finds the {} items that refer to one: "
                                   "when a {} is renamed or deleted, they still refer to the old one",
                                   field.name, entity.name, target.name, entity.name, target.name),
                       fmt::format("store each member as a separate item (`each`), with an index by {}", id->name));
          continue;
        }
        // Found through an intermediate entity: the lines of an order by the order, and the order by its customer.
        const bool through =
            std::any_of(context.design.entities.begin(), context.design.entities.end(), [&](const Entity& between) {
              const Field* middle = own_id(between);
              return &between != &target && &between != &entity && middle != nullptr && middle->name != id->name &&
                     in_some_key(between, id->name) && in_some_key(entity, middle->name);
            });
        if (field.name != id->name || through || own_id(entity) == &field ||
            !has_write(context, target, {Write::Kind::kUpdate, Write::Kind::kUpsert, Write::Kind::kDelete}))
          continue;
        findings.add("T231", Severity::kNote, field.place,
                     fmt::format("{} refers to a {} by `{}`, which is in no key or index: when the {} changes or is "
                                 "deleted, the items that refer to it cannot be found",
                                 entity.name, target.name, field.name, target.name),
                     fmt::format("add an index entry with {{{}}} in its partition key", field.name));
      }
    }
  }
}

// T229: a list of link items that contain only ids, so each linked item must be read separately.
void bare_links(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    if (!operation.access || operation.returns) continue;
    const Access& access = *operation.access;
    const Entity* link = context.design.entity(access.entity);
    const IndexEntry* entry = link == nullptr ? nullptr : link->entry(access.index);
    if (access.kind == Access::Kind::kRaw) {
      const RawReach reach = raw_reach_of(context, operation, access);
      if (reach.space == nullptr || reach.intended.size() != 1 ||
          std::all_of(reach.condition.equal.begin(), reach.condition.equal.end(), [](bool e) { return e; }))
        continue;
      link = reach.intended[0]->entity;
      entry = reach.intended[0]->entry;
    } else if (access.kind != Access::Kind::kQuery) {
      continue;
    }
    if (link == nullptr || entry == nullptr || access.one || entry->key.size() < 2) continue;
    const auto whole = fields_of_key(link->key);
    const bool bare = std::all_of(link->fields.begin(), link->fields.end(), [&](const Field& field) {
      return std::find(whole.begin(), whole.end(), field.name) != whole.end();
    });
    const auto listed = entry->key[1].fields();
    if (!bare || listed.size() != 1) continue;
    for (const Entity& target : context.design.entities) {
      if (&target == link || fields_of_key(target.key) != listed || target.fields.size() < 3) continue;
      findings.add(
          "T229", Severity::kNote, access.place,
          fmt::format("`{}` lists {} items, which contain nothing of the {} except `{}`: to show more, each {} must be "
                      "read separately",
                      operation.name, link->name, target.name, listed[0], target.name),
          fmt::format(
              "copy the fields that the list shows into {} (`each` maintains them), or read the {} items in one batch",
              link->name, target.name));
      break;
    }
  }
}

// The entity that the field refers to: one whose whole key is that field, and that is its id. Null if there is none.
const Entity* identified_by(const CheckContext& context, const Entity& from, const std::string& field) {
  for (const Entity& entity : context.design.entities) {
    const Field* id = own_id(entity);
    if (&entity != &from && id != nullptr && id->name == field &&
        fields_of_key(entity.key) == std::vector<std::string>{field})
      return &entity;
  }
  return nullptr;
}

bool touches(const Operation& operation, const Entity& entity) {
  bool found = false;
  each_access(operation, [&](const Access& access) { found = found || access.entity == entity.name; });
  each_write(operation, [&](const Write& write, const Step&) { found = found || write.entity == entity.name; });
  return found;
}

// T320: a relation between two items is written without checking that either exists.
void unchecked_relations(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    each_write(operation, [&](const Write& write, const Step&) {
      const Entity* entity = context.design.entity(write.entity);
      if (entity == nullptr || write.kind != Write::Kind::kPut) return;
      std::vector<const Entity*> ends;
      const auto key = fields_of_key(entity->key);
      for (const std::string& field : key) {
        if (const Entity* end = identified_by(context, *entity, field)) ends.push_back(end);
      }
      if (ends.size() < 2 || ends.size() != key.size()) return;
      const auto known = [&](const Entity* end) {
        return touches(operation, *end) ||
               std::any_of(context.design.tallies.begin(), context.design.tallies.end(), [&](const Tally& tally) {
                 return tally.of == entity->name && tally.into == end->name && !tally.through_stream;
               });
      };
      if (std::any_of(ends.begin(), ends.end(), known)) return;
      findings.add("T320", Severity::kNote, write.place,
                   fmt::format("`{}` puts a {} that links a {} and a {}, but checks neither: both may have been "
                               "deleted, or may never have existed",
                               operation.name, entity->name, ends[0]->name, ends[1]->name),
                   fmt::format("use one transaction with {{check: {}, if: present}}", ends[0]->name));
    });
  }
}

// T321: an item is deleted, but the items under its id remain.
void orphans(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    each_write(operation, [&](const Write& write, const Step&) {
      const Entity* entity = context.design.entity(write.entity);
      const auto key = entity == nullptr ? std::vector<std::string>() : fields_of_key(entity->key);
      if (key.size() != 1 || write.kind != Write::Kind::kDelete) return;
      const Field* id = entity->field(key[0]);
      // If the key is the id of another entity, that entity is the owner.
      if (id == nullptr || identified_by(context, *entity, id->name) != nullptr) return;
      // The field's name in other entities: `teamId` stays teamId, `name` of Group becomes groupName, and `id` is too
      // generic to match.
      const std::string there = id->name == "name" ? lower(entity->name) + "Name" : id->name == "id" ? "" : id->name;
      std::vector<std::string> left;
      for (const Entity& child : context.design.entities) {
        const bool under = &child != entity && !child.key.empty() &&
                           ((child.key[0].text == entity->key[0].text && child.table == entity->table) ||
                            (!there.empty() && child.in_key(there)));
        if (!under || child.ttl || is_log(child) || touches(operation, child) ||
            written_together(context, *entity, child))
          continue;
        left.push_back(child.name);
      }
      const bool reacts =
          std::any_of(context.design.reactions.begin(), context.design.reactions.end(),
                      [&](const Reaction& reaction) { return reaction.entity == entity->name && reaction.on_remove; });
      if (left.empty() || reacts) return;
      findings.add("T321", Severity::kNote, write.place,
                   fmt::format("`{}` deletes a {}, but the {} items under its `{}` remain", operation.name,
                               entity->name, fmt::join(left, ", "), id->name),
                   fmt::format("add {{cascade: {}}}, or reject the deletion while there are any", left[0]));
    });
  }
}

}  // namespace

void check_references(const CheckContext& context, Findings& findings) {
  reverse_lookups(context, findings);
  bare_links(context, findings);
  unchecked_relations(context, findings);
  orphans(context, findings);
}

}  // namespace trestle::design
