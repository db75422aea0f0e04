// T127, T128, T130, T131: a value stored in several places without anything that keeps the copies consistent.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/ascii.h"
#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

// Whether the field can be a description of the item's owner. A field with a generic name (status, title) describes the
// item itself.
bool describes_owner(const Field& field) {
  constexpr std::array<std::string_view, 22> kOwn = {
      "name",    "title",  "description", "status",  "state",   "type",  "kind",  "role",
      "note",    "notes",  "body",        "text",    "content", "about", "label", "subject",
      "message", "reason", "action",      "comment", "version", "ttl"};
  switch (field.type.base) {
    case BaseType::kString:
    case BaseType::kEmail:
    case BaseType::kDomain:
    case BaseType::kUrl:
    case BaseType::kE164:
    case BaseType::kIp:
      break;
    default:
      return false;
  }
  const std::string name = lower(field.name);
  const bool reference = name == "id" || field.name.ends_with("Id") || field.name.ends_with("_id");
  return !reference && !field.identifier && !field.immutable && field.sha256_of.empty() &&
         std::find(kOwn.begin(), kOwn.end(), name) == kOwn.end();
}

// Whether a put copies the field from an item that it read: the copy deliberately records the value at that time.
bool is_snapshot(const CheckContext& context, const Entity& copy, std::string_view field) {
  const auto writes = context.writes_to(copy.name);
  return std::any_of(writes.begin(), writes.end(), [&](const CheckContext::EntityWrite& entity_write) {
    return std::any_of(entity_write.write->set.begin(), entity_write.write->set.end(), [&](const Binding& binding) {
      return binding.field == field && binding.value.is(Expression::Kind::kMember);
    });
  });
}

// Whether the field alone is the whole key of some entity, as `appName` is of App: the field is then a reference.
bool is_key_of_some(const CheckContext& context, std::string_view field) {
  return std::any_of(context.design.entities.begin(), context.design.entities.end(), [&](const Entity& entity) {
    return fields_of_key(entity.key) == std::vector<std::string>{std::string(field)};
  });
}

bool is_copy(const CheckContext& context, const Entity& owner, const Entity& copy, const Field& field) {
  const Field* there = copy.field(field.name);
  return there != nullptr && !copy.in_key(field.name) && !there->immutable && !is_log(copy) &&
         !written_together(context, owner, copy) && !is_snapshot(context, copy, field.name);
}

void report(const Field& field, const std::string& of, const std::vector<std::string>& in, Findings& findings) {
  findings.add("T127", Severity::kNote, field.place,
               fmt::format("`{}` {} is copied to {}, and nothing updates the copies when it changes", field.name, of,
                           fmt::join(in, ", ")),
               "store it in one place and read it there, write all copies in one transaction, or make it `immutable`");
}

// A field of an entity that also appears in entities that refer to it by id.
void copies_by_id(const CheckContext& context, Findings& findings) {
  for (const Entity& owner : context.design.entities) {
    const Field* id = own_id(owner);
    if (id == nullptr) continue;
    for (const Field& field : owner.fields) {
      if (!describes_owner(field) || !can_change(context, owner, field)) continue;
      std::vector<std::string> in;
      for (const Entity& copy : context.design.entities) {
        if (&copy != &owner && copy.field(id->name) != nullptr && own_id(copy) == nullptr &&
            is_copy(context, owner, copy, field))
          in.push_back(copy.name);
      }
      if (!in.empty()) report(field, "of " + owner.name, in, findings);
    }
  }
}

// A field that two entities with the same partition key both have.
void copies_by_owner(const CheckContext& context, Findings& findings) {
  std::set<std::string> seen;
  for (const Entity& first : context.design.entities) {
    if (first.key.size() < 2 || first.key[0].fields().size() != 1 || is_log(first)) continue;
    for (const Field& field : first.fields) {
      if (first.in_key(field.name) || !describes_owner(field) || !can_change(context, first, field) ||
          is_key_of_some(context, field.name) || seen.contains(field.name))
        continue;
      std::vector<std::string> in;
      for (const Entity& other : context.design.entities) {
        if (&other != &first && !other.key.empty() && other.key[0].fields() == first.key[0].fields() &&
            is_copy(context, first, other, field))
          in.push_back(other.name);
      }
      if (in.empty()) continue;
      seen.insert(field.name);
      report(field, "of " + first.name, in, findings);
    }
  }
}

// A field of the partition's owner in every item of the partition: `childName` in the items of `{childPhoneNumber}`.
void copies_in_partition(const CheckContext& context, Findings& findings) {
  constexpr std::array<std::string_view, 4> kOfOwner = {"Name", "_name", "Title", "_title"};
  for (const Entity& entity : context.design.entities) {
    const auto owner = entity.key.size() < 2 ? std::vector<std::string>() : entity.key[0].fields();
    if (owner.size() != 1 || entity.key[1].fields().empty() || is_log(entity)) continue;
    const auto end = std::find_if(owner[0].begin(), owner[0].end(), [](char c) { return !(c >= 'a' && c <= 'z'); });
    const std::string stem(owner[0].begin(), end);
    if (end == owner[0].end() || stem.size() < 3) continue;
    for (const std::string_view ending : kOfOwner) {
      const Field* field = entity.field(stem + std::string(ending));
      if (field == nullptr || entity.in_key(field->name) || !describes_owner(*field) ||
          is_snapshot(context, entity, field->name) || !can_change(context, entity, *field))
        continue;
      report(*field, fmt::format("belongs to the `{}` and", owner[0]), {"every " + entity.name + " item of it"},
             findings);
    }
  }
}

const NamedRecord* record_of(const CheckContext& context, const FieldType& type) {
  const FieldType& inner = type.element ? *type.element : type;
  return inner.base == BaseType::kRecord ? context.design.type(inner.record) : nullptr;
}
bool has_field(const NamedRecord& record, std::string_view name) {
  return std::any_of(record.fields.begin(), record.fields.end(), [&](const Field& f) { return f.name == name; });
}

// A record inside an item that repeats the key and further fields of another entity, or an id of the item itself.
void copies_in_records(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    for (const Field& field : entity.fields) {
      const NamedRecord* record = record_of(context, field.type);
      if (record == nullptr || field.immutable) continue;
      for (const Field& inner : record->fields) {
        const Field* same = entity.field(inner.name);
        const bool id = inner.name.ends_with("Id") || inner.name.ends_with("_id");
        if (same == nullptr || field.type.element || !id) continue;
        findings.add("T127", Severity::kNote, field.place,
                     fmt::format("{} has `{}` as a field and also inside `{}`: two values under one name, and nothing "
                                 "says which one applies",
                                 entity.name, inner.name, field.name),
                     "give them different names, or remove one");
      }
      for (const Entity& source : context.design.entities) {
        const auto key = fields_of_key(source.key);
        if (&source == &entity || key.empty() ||
            !std::all_of(key.begin(), key.end(), [&](const std::string& name) { return has_field(*record, name); }))
          continue;
        std::vector<std::string> repeated;
        for (const Field& inner : record->fields) {
          const Field* there = source.field(inner.name);
          if (there != nullptr && !source.in_key(inner.name) && can_change(context, source, *there))
            repeated.push_back("`" + inner.name + "`");
        }
        if (repeated.empty() || written_together(context, source, entity)) continue;
        findings.add("T127", Severity::kNote, field.place,
                     fmt::format("`{}` of {} copies {} of {}, and nothing updates the copies when the original changes",
                                 field.name, entity.name, fmt::join(repeated, ", "), source.name),
                     fmt::format("store only the key of {}, and read the rest from there", source.name));
      }
    }
  }
}

// T128: one prefix for two different fields of one entity: `SITE#{domain}` in the table and `SITE#{site_id}` in an
// index. The prefix does not tell which value follows.
void prefix_of_two(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    const Field* id = own_id(entity);
    if (id == nullptr || entity.key.empty()) continue;
    const auto value = [&](const Template& key) -> const Field* {
      return key.parts.size() == 2 && key.parts[0].is_literal() ? entity.field(key.parts[1].field) : nullptr;
    };
    for (const IndexEntry& entry : entity.index) {
      if (entry.key.empty()) continue;
      const Field* table = value(entity.key[0]);
      const Field* index = value(entry.key[0]);
      if (table == nullptr || index == nullptr || table == index ||
          entity.key[0].parts[0].literal != entry.key[0].parts[0].literal)
        continue;
      const Field* other = table == id ? index : index == id ? table : nullptr;
      if (other == nullptr || !describes_owner(*other) || is_unique_by_nature(other->type)) continue;
      findings.add(
          "T128", Severity::kNote, entry.key[0].place,
          fmt::format(
              "the prefix `{}` precedes `{}` in the table and `{}` in {}: it does not tell which of the two follows",
              entry.key[0].parts[0].literal, table->name, index->name, entry.index),
          fmt::format("give one of them a different prefix"));
    }
  }
}

// T130: a hand-written lookup item that finds another item by one of its fields. Unlike a guard, it does not change
// with its owner.
void loose_lookups(const CheckContext& context, Findings& findings) {
  for (const Entity& lookup : context.design.entities) {
    const auto key = fields_of_key(lookup.key);
    if (key.size() != 1) continue;
    for (const Entity& owner : context.design.entities) {
      const Field* field = owner.field(key[0]);
      const Field* id = own_id(owner);
      if (&owner == &lookup || field == nullptr || id == nullptr || field == id || owner.in_key(key[0]) ||
          field->immutable || lookup.field(id->name) == nullptr || own_id(lookup) != nullptr ||
          written_together(context, owner, lookup))
        continue;
      findings.add(
          "T130", Severity::kNote, lookup.place,
          fmt::format("{} finds {} by `{}`, but no operation writes both: a changed `{}` leaves the old {} behind, and "
                      "a failure between the two writes leaves one without the other",
                      lookup.name, owner.name, key[0], key[0], lookup.name),
          fmt::format("declare it in {}: `unique: {{{}: ...}}`, or write both in one transaction", owner.name, key[0]));
    }
  }
}

// T131: an address that should be unique (URL, email, ...) on items with an id as their key, and no guard that rejects
// a second item with the same address.
void unguarded_addresses(const CheckContext& context, Findings& findings) {
  constexpr std::array<std::string_view, 5> kNames = {"url", "email", "domain", "phone", "isbn"};
  for (const Entity& entity : context.design.entities) {
    const Field* id = own_id(entity);
    if (id == nullptr || fields_of_key(entity.key) != std::vector<std::string>{id->name}) continue;
    for (const Field& field : entity.fields) {
      if (std::find(kNames.begin(), kNames.end(), field.name) == kNames.end() || field.optional || field.encrypted)
        continue;
      const bool guarded =
          std::any_of(entity.unique.begin(), entity.unique.end(),
                      [&](const Guard& guard) {
                        return std::any_of(guard.key.begin(), guard.key.end(),
                                           [&](const Template& key) { return key.uses(field.name); });
                      }) ||
          std::any_of(context.design.entities.begin(), context.design.entities.end(), [&](const Entity& other) {
            return &other != &entity && fields_of_key(other.key) == std::vector<std::string>{field.name};
          });
      if (guarded) continue;
      findings.add("T131", Severity::kNote, field.place,
                   fmt::format("nothing prevents two {} items from having the same `{}`", entity.name, field.name),
                   fmt::format("declare `unique: {{{}: \"...#{{{}}}\"}}`", field.name, field.name));
    }
  }
}

}  // namespace

void check_copies(const CheckContext& context, Findings& findings) {
  copies_by_id(context, findings);
  copies_by_owner(context, findings);
  copies_in_partition(context, findings);
  copies_in_records(context, findings);
  prefix_of_two(context, findings);
  loose_lookups(context, findings);
  unguarded_addresses(context, findings);
}

}  // namespace trestle::design
