// T123, T124, T125, T126: fields whose type or key contradicts what their name suggests.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/ascii.h"
#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

// T123: a key attribute built from a number in some items and from text in others: `TIME#1759500000` and
// `TIME#2025-10-03T14:00:00Z` do not sort together.
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
            fmt::format(
                "`{}` is {} in {} but {} in {}, and both are in the keys `{}` of {}: the two do not sort together",
                field->name, type_text(field->type), occupant.entity->name, type_text(other->type), entity->name,
                occupant.key[i]->text, space.name()),
            "give both the same type, or different names");
      }
    }
  }
}

// A kind of value that people spell in several ways, recognized by the name of the field.
struct Spelling {
  std::string_view ending;  // of the field's name, in lower case
  std::string_view spelled, respelled;
  std::string_view repair;
};
constexpr std::array<Spelling, 8> kSpellings = {{
    {"email", "Ann@example.org", "ann@example.org", "make it email, which has one spelling"},
    {"domain", "Example.org", "example.org", "make it domain, which has one spelling"},
    {"hostname", "Www.example.org", "www.example.org", "make it domain, which has one spelling"},
    {"username", "Ann", "ann", "write {name:lower} into the key, or allow only lower case: string([a-z0-9_-])"},
    {"phone", "+1 555 123", "+1555123", "make it e164, which has one spelling"},
    {"phonenumber", "+1 555 123", "+1555123", "make it e164, which has one spelling"},
    {"phone_number", "+1 555 123", "+1555123", "make it e164, which has one spelling"},
    {"url", "https://Example.org", "https://example.org/", "make it url, which has one spelling"},
}};
const Spelling* spelling_of(std::string_view name) {
  const std::string small = lower(name);
  for (const Spelling& spelling : kSpellings) {
    if (!small.ends_with(spelling.ending)) continue;
    // The ending must be a whole word: `email`, `parentEmail`, `parent_email`.
    const size_t at = small.size() - spelling.ending.size();
    if (at == 0 || name[at - 1] == '_' || name[at] != small[at]) return &spelling;
  }
  return nullptr;
}

bool is_plain_text(const Field& field) { return field.type.base == BaseType::kString && field.type.characters.empty(); }

bool uses_field(const std::vector<Template>& key, std::string_view field) {
  return std::any_of(key.begin(), key.end(), [&](const Template& part) { return part.uses(field); });
}

// T124: an address that people spell in several ways is used in a key without normalization.
void plain_addresses(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    for (const Field& field : entity.fields) {
      const Spelling* spelling = is_plain_text(field) ? spelling_of(field.name) : nullptr;
      if (spelling == nullptr) continue;
      const bool in_key = uses_field(entity.key, field.name) ||
                          std::any_of(entity.index.begin(), entity.index.end(),
                                      [&](const IndexEntry& entry) { return uses_field(entry.key, field.name); }) ||
                          std::any_of(entity.unique.begin(), entity.unique.end(),
                                      [&](const Guard& guard) { return uses_field(guard.key, field.name); });
      if (!in_key) continue;
      findings.add(
          "T124", Severity::kNote, field.place,
          fmt::format("`{}` of {} is used in a key without normalization: `{}` and `{}` are two different keys",
                      field.name, entity.name, spelling->spelled, spelling->respelled),
          std::string(spelling->repair));
    }
  }
}

// T125: an item has an id, but its key is a name that people change.
void keyed_by_name(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    const auto own = std::find_if(entity.fields.begin(), entity.fields.end(), [&](const Field& field) {
      return (field.identifier || (field.automatic && is_unique_by_nature(field.type))) && !entity.in_key(field.name);
    });
    if (own == entity.fields.end()) continue;
    const auto name = std::find_if(entity.fields.begin(), entity.fields.end(), [&](const Field& field) {
      return entity.in_key(field.name) && (field.name == "name" || field.name == "title" || field.name == "slug");
    });
    const auto writes = context.writes_to(entity.name);
    const bool renamed = std::any_of(writes.begin(), writes.end(), [](const CheckContext::EntityWrite& entity_write) {
      return entity_write.write->kind == Write::Kind::kDelete && entity_write.writes_in_transaction > 1;
    });
    if (name == entity.fields.end() || renamed) continue;
    findings.add(
        "T125", Severity::kNote, name->place,
        fmt::format("{} has the id `{}`, but its key contains `{}`: renaming an item means deleting it and writing "
                    "another one, and no operation does both in one transaction",
                    entity.name, own->name, name->name),
        fmt::format("use {{{}}} in the key and guard the name with `unique`, or rename in one transaction", own->name));
  }
}

// Whether the name suggests a value that people choose and change: a name, a title, an address, a telephone number.
bool names_changing(std::string_view name) {
  const std::string small = lower(name);
  if (small == "name" || small == "title") return true;
  if (name.ends_with("Name") || name.ends_with("_name")) return !small.ends_with("hostname");
  const Spelling* spelling = spelling_of(name);
  return spelling != nullptr && spelling->ending != "domain" && spelling->ending != "url" &&
         spelling->ending != "hostname";
}

// T125: the only identity of an item is a name, address or number that people change, and other items refer to it.
void referred_by_name(const CheckContext& context, Findings& findings) {
  std::set<std::string> reported;
  for (const Entity& entity : context.design.entities) {
    const auto fields = entity.key.empty() ? std::vector<std::string>() : entity.key[0].fields();
    const Field* key = fields.size() == 1 ? entity.field(fields[0]) : nullptr;
    if (key == nullptr || !names_changing(key->name) || key->immutable || key->type.base == BaseType::kEnum) continue;
    // A hand-written guard or lookup: its key is the value, and its other fields are ids.
    const bool whole = fields_of_key(entity.key).size() == 1;
    const bool guard = whole && std::all_of(entity.fields.begin(), entity.fields.end(), [&](const Field& field) {
                         return &field == key || is_unique_by_nature(field.type) || field.name.ends_with("Id") ||
                                field.name.ends_with("_id");
                       });
    if (guard || reported.contains(key->name)) continue;
    std::string spelled = key->name;
    if (spelled == "name" || spelled == "title") {  // `name` of Group is groupName or group_name elsewhere
      spelled = lower(entity.name) + spelled;
    }
    std::vector<std::string> others;
    for (const Entity& other : context.design.entities) {
      if (&other == &entity) continue;
      const bool refers = std::any_of(other.fields.begin(), other.fields.end(), [&](const Field& field) {
        std::string small = lower(field.name);
        std::erase(small, '_');
        std::string wanted = lower(spelled);
        std::erase(wanted, '_');
        return small == wanted && field.type.base == key->type.base;
      });
      if (refers) others.push_back(other.name);
    }
    if (others.empty()) continue;
    reported.insert(key->name);
    findings.add("T125", Severity::kNote, key->place,
                 fmt::format("the key of {} contains `{}`, which can change, and {} refer{} to it by this value: after "
                             "a change they still have the old one",
                             entity.name, key->name, fmt::join(others, ", "), others.size() == 1 ? "s" : ""),
                 fmt::format("give it an id that never changes and guard `{}` with `unique`, or make it `immutable`",
                             key->name));
  }
}

// Whether the name suggests a number of things.
bool names_figure(std::string_view name) {
  constexpr std::array<std::string_view, 3> kStarts = {"current_", "num_", "total_"};
  constexpr std::array<std::string_view, 6> kEnds = {"_count", "Count", "_used", "Used", "_remaining", "Remaining"};
  return std::any_of(kStarts.begin(), kStarts.end(), [&](auto start) { return name.starts_with(start); }) ||
         std::any_of(kEnds.begin(), kEnds.end(), [&](auto end) { return name.ends_with(end); });
}

// T126: a field is named like a count, but nothing counts. A put only sets the first value, which is enough only for
// log records and for items that the caller replaces with its own count.
void uncounted_figures(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    const auto writes = context.writes_to(entity.name);
    for (const Field& field : entity.fields) {
      const std::string& name = field.name;
      const bool number = field.type.base == BaseType::kNumber || field.type.base == BaseType::kInt;
      if (!names_figure(name) || !number || field.counter || field.optional || field.immutable) continue;
      const auto sets = [&](const std::vector<Binding>& list) { return binds(list, name); };
      const bool written =
          std::any_of(writes.begin(), writes.end(), [&](const CheckContext::EntityWrite& entity_write) {
            const bool by_input = entity_write.write->sets_inputs && entity_write.operation->input(name) != nullptr;
            if (entity_write.write->kind == Write::Kind::kPut)
              return is_log(entity) || (by_input && entity_write.write->exists == Write::Exists::kEither);
            return sets(entity_write.write->set) || sets(entity_write.write->add) || by_input ||
                   !entity_write.write->raw.empty();
          });
      const bool counted =
          std::any_of(context.design.tallies.begin(), context.design.tallies.end(),
                      [&](const Tally& tally) { return tally.into == entity.name && tally.writes(name); });
      if (written || counted || entity.in_key(name)) continue;
      findings.add("T126", Severity::kNote, field.place,
                   fmt::format("nothing updates `{}` of {} when what it counts changes", name, entity.name),
                   "make it a counter that a tally adds to, or count when reading");
    }
  }
}

}  // namespace

void check_names(const CheckContext& context, Findings& findings) {
  mixed_types(context, findings);
  plain_addresses(context, findings);
  keyed_by_name(context, findings);
  referred_by_name(context, findings);
  uncounted_figures(context, findings);
}

}  // namespace trestle::design
