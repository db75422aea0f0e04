// T123, T124, T125, T126: what the name of a field says, and its type or key does not keep.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

// T123: one key attribute, written from a number in some items and from a text in others: `TIME#1759500000` and
// `TIME#2025-10-03T14:00:00Z` never sort together.
void mixed_types(const CheckContext& context, Findings& findings) {
  std::set<int> seen;
  for (const KeySpace& space : context.spaces) {
    for (size_t i = space.schema().hash.size(); i < space.schema().hash.size() + space.schema().range.size(); ++i) {
      std::map<std::string, std::pair<const Field*, const Entity*>> first;  // by the template's text
      for (const Occupant& occupant : space.occupants) {
        const auto fields = occupant.key[i]->fields();
        if (fields.size() != 1) continue;
        const Field* field = occupant.entity->field(fields[0]);
        if (field == nullptr) continue;
        const auto [known, is_new] = first.emplace(occupant.key[i]->text, std::pair{field, occupant.entity});
        const auto& [other, entity] = known->second;
        if (is_new || stored_type(other->type) == stored_type(field->type)) continue;
        if (!seen.insert(field->place.line).second) continue;
        findings.add(
            "T123", Severity::kNote, field->place,
            fmt::format("`{}` is {} in {} and {} in {}, and both are in the keys `{}` of {}: the two never sort "
                        "together",
                        field->name, type_text(field->type), occupant.entity->name, type_text(other->type),
                        entity->name, occupant.key[i]->text, space.name()),
            "give it one type, or two names");
      }
    }
  }
}

// T124: an address that people write in several ways, as it is, in a key.
void plain_addresses(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    for (const Field& field : entity.fields) {
      if (field.type.base != BaseType::kString || !field.type.characters.empty()) continue;
      const bool email = field.name == "email" || field.name.ends_with("Email") || field.name.ends_with("_email");
      const bool domain = field.name == "domain" || field.name.ends_with("Domain") || field.name.ends_with("_domain");
      const auto uses = [&](const std::vector<Template>& key) {
        return std::any_of(key.begin(), key.end(), [&](const Template& part) { return part.uses(field.name); });
      };
      const bool in_key =
          uses(entity.key) ||
          std::any_of(entity.index.begin(), entity.index.end(),
                      [&](const IndexEntry& entry) { return uses(entry.key); }) ||
          std::any_of(entity.unique.begin(), entity.unique.end(), [&](const Guard& guard) { return uses(guard.key); });
      if (!in_key || !(email || domain)) continue;
      findings.add(
          "T124", Severity::kNote, field.place,
          fmt::format("`{}` of {} is in a key as it is written: `{}` and `{}` are two keys", field.name, entity.name,
                      email ? "Ann@example.org" : "Example.org", email ? "ann@example.org" : "example.org"),
          fmt::format("make it {}, which has one spelling", email ? "email" : "domain"));
    }
  }
}

// T125: an item with an id that is kept under a name which people change.
void keyed_by_name(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    const auto own_id = std::find_if(entity.fields.begin(), entity.fields.end(), [&](const Field& field) {
      return field.automatic && is_unique_by_nature(field.type) && !entity.in_key(field.name);
    });
    if (own_id == entity.fields.end()) continue;
    const auto name = std::find_if(entity.fields.begin(), entity.fields.end(), [&](const Field& field) {
      return entity.in_key(field.name) && (field.name == "name" || field.name == "title" || field.name == "slug");
    });
    const auto writes = context.writes_to(entity.name);
    const bool renamed = std::any_of(writes.begin(), writes.end(), [](const CheckContext::EntityWrite& one) {
      return one.write->kind == Write::Kind::kDelete && one.together > 1;
    });
    if (name == entity.fields.end() || renamed) continue;
    findings.add(
        "T125", Severity::kNote, name->place,
        fmt::format(
            "{} has the id `{}` and is kept under its `{}`: to rename one is to delete it and to write another, "
            "and no operation does both in one transaction",
            entity.name, own_id->name, name->name),
        fmt::format("make the key of {{{}}} and guard the name with `unique`, or rename in one transaction",
                    own_id->name));
  }
}

// T126: a figure by its name, which nothing counts.
void uncounted_figures(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    const auto writes = context.writes_to(entity.name);
    for (const Field& field : entity.fields) {
      const std::string& name = field.name;
      const bool figure = name.starts_with("current_") || name.ends_with("_count") || name.ends_with("Count");
      const bool number = field.type.base == BaseType::kNumber || field.type.base == BaseType::kInt;
      if (!figure || !number || field.counter || field.optional) continue;
      const auto sets = [&](const std::vector<Binding>& list) { return binds(list, name); };
      const bool written = std::any_of(writes.begin(), writes.end(), [&](const CheckContext::EntityWrite& one) {
        return sets(one.write->set) || sets(one.write->add) ||
               (one.write->sets_inputs && one.operation->input(name) != nullptr) || !one.write->raw.empty() ||
               one.write->kind == Write::Kind::kPut;
      });
      const bool counted =
          std::any_of(context.design.tallies.begin(), context.design.tallies.end(),
                      [&](const Tally& tally) { return tally.into == entity.name && sets(tally.add); });
      if (written || counted || entity.in_key(name)) continue;
      findings.add("T126", Severity::kNote, field.place,
                   fmt::format("nothing keeps `{}` of {} in step with what it counts", name, entity.name),
                   "make it a counter that a tally adds to, or count when reading");
    }
  }
}

}  // namespace

void check_names(const CheckContext& context, Findings& findings) {
  mixed_types(context, findings);
  plain_addresses(context, findings);
  keyed_by_name(context, findings);
  uncounted_figures(context, findings);
}

}  // namespace trestle::design
