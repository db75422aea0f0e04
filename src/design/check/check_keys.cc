// T101 to T107, T109 to T112, T114 to T117: keys that collide, overwrite, sort wrongly or are too long, and items that
// are too large.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "design/check/check_impl.h"
#include "design/language/source.h"
#include "design/plan/plan_impl.h"
#include "model/limits.h"

namespace trestle::design {
namespace {

void undeclared_fields(const Entity& entity, const std::vector<Template>& key, std::string_view what,
                       std::set<std::string>& reported, Findings& findings) {
  std::vector<std::string> known;
  for (const Field& field : entity.fields) known.push_back(field.name);
  for (const Template& part : key) {
    for (const std::string& field : part.fields()) {
      if (entity.field(field) != nullptr || entity.shard(field) != nullptr || !reported.insert(field).second) continue;
      findings.add("T101", Severity::kError, part.place,
                   fmt::format("{} `{}` contains `{}`, which {} does not declare, so the key cannot be computed from "
                               "an item or parsed back{}",
                               what, part.text, field, entity.name, did_you_mean(field, known)),
                   fmt::format("declare `{}` under the fields of {}, or use an existing field", field, entity.name));
    }
  }
}

void collisions(const KeySpace& space, Findings& findings) {
  for (size_t i = 0; i < space.occupants.size(); ++i) {
    for (size_t j = i + 1; j < space.occupants.size(); ++j) {
      const Occupant& a = space.occupants[i];
      const Occupant& b = space.occupants[j];
      std::string example;
      if (!can_share_key(a, b, &example)) continue;
      findings.add(
          "T102", Severity::kError, b.place(),
          fmt::format("{} and {} can have the same key, {}: a write of one overwrites the other", a.name(), b.name(),
                      example),
          "give each its own prefix, or a type that excludes the other's values (a ulid is never an IP address)");
    }
  }
}

void ambiguous_key(const Occupant& occupant, Findings& findings) {
  for (const Template* part : occupant.key) {
    const TypeOf types = types_of(*occupant.entity);
    const auto fields = part->fields();
    // T101 reports undeclared fields.
    if (std::any_of(fields.begin(), fields.end(), [&](const std::string& f) { return types(f) == nullptr; })) continue;
    const auto example = ambiguity(*part, types);
    if (!example) continue;
    findings.add("T103", Severity::kError, part->place,
                 fmt::format("`{}` produces `{}` for two different sets of values, so two {} items share a key",
                             part->text, *example, occupant.name()),
                 "exclude the delimiter from the field's characters, string([a-z0-9-]), or write {field:escape}");
  }
}

// Whether the entity is a child (`each`) whose key contains the member, and the whole key or the id of its owner.
bool is_child_by_key(const Design& design, const Entity& entity) {
  const auto has = [&](const std::string& field) { return entity.in_key(field); };
  return std::ranges::any_of(design.entities, [&](const Entity& owner) {
    return std::ranges::any_of(owner.eaches, [&](const Each& each) {
      const Field* id = own_id(owner);
      return each.entity == entity.name && has(each.member) &&
             ((id != nullptr && has(id->name)) || std::ranges::all_of(fields_of_key(owner.key), has));
    });
  });
}

// T104: a time in the key is the only difference between two items.
void overwriting_key(const CheckContext& context, const Entity& entity, Findings& findings) {
  if (context.accumulates(entity) || is_child_by_key(context.design, entity)) return;
  const TemplatePart* time = nullptr;
  const Field* time_field = nullptr;
  const Template* place = nullptr;
  for (const Template& key : entity.key) {
    for (const TemplatePart& part : key.parts) {
      const Field* field = part.is_literal() ? nullptr : entity.field(part.field);
      if (part.is_literal()) continue;
      if (field != nullptr && (field->automatic || field->identifier) && !is_time(field->type)) return;
      // An undeclared field with "time" in its name is treated as a time. T101 reports that it is undeclared.
      const bool undeclared_time = field == nullptr && part.field.find("time") != std::string::npos;
      if ((field != nullptr && is_time(field->type)) || undeclared_time) {
        time = &part;
        time_field = field;
        place = &key;
      }
      const bool numbered =
          field != nullptr && (field->type.base == BaseType::kInt || field->type.base == BaseType::kMinuteOfDay);
      if (numbered) return;
    }
  }
  if (time == nullptr) return;
  std::string unit = "second";
  if (time->format.kind == Format::Kind::kCut)
    unit = time->format.unit;
  else if (time_field != nullptr && time_field->type.base == BaseType::kDate)
    unit = "day";
  else if (time_field != nullptr && time_field->type.base == BaseType::kHour)
    unit = "hour";
  else if (time_field != nullptr && time_field->type.resolution_ms == 1)
    unit = "millisecond";
  else if (time_field != nullptr && time_field->type.resolution_ms > 1000)
    unit = duration_text(time_field->type.resolution_ms / 1000);
  std::vector<std::string> others = fields_of_key(entity.key);
  std::erase(others, time->field);
  // If every write has `if: absent`, the second one fails and nothing is lost silently.
  const auto writes = context.writes_to(entity.name);
  bool puts = false;
  bool refused = true;
  for (const auto& [operation, write, writes_in_transaction, on_failure] : writes) {
    if (write->kind != Write::Kind::kPut && write->kind != Write::Kind::kUpsert) continue;
    puts = true;
    refused = refused && write->exists == Write::Exists::kAbsent;
  }
  refused = refused && puts;
  findings.add("T104", refused ? Severity::kWarning : Severity::kError, place->place,
               fmt::format("only the time distinguishes two {} items of one {}: of two in the same {}, {}", entity.name,
                           others.empty() ? "table" : fmt::format("{}", fmt::join(others, " and ")), unit,
                           refused ? "the second is rejected" : "the second overwrites the first without an error"),
               "end the key with a generated id (`#{event_id}`, a ulid), or count in one item with a counter field");
}

// Whether some entity stores its number of shards in this field. The field may be undeclared.
bool counts_shards(const CheckContext& context, const Entity& entity, std::string_view field) {
  return std::any_of(context.design.entities.begin(), context.design.entities.end(), [&](const Entity& sharded) {
    return std::any_of(sharded.shards.begin(), sharded.shards.end(), [&](const Shard& shard) {
      return shard.count_entity == entity.name && shard.count_field == field;
    });
  });
}

// T105: padding too narrow for the declared range, so the strings do not sort like the numbers.
void narrow_padding(const CheckContext& context, const Occupant& occupant, const Template& key,
                    const TemplatePart& part, Findings& findings) {
  const Field* field = occupant.entity->field(part.field);
  if (field == nullptr || !is_numeric(field->type) || field->type.base == BaseType::kEpoch) return;
  const FieldType& type = field->type;
  const bool negative = type.min && *type.min < 0;
  const bool wide =
      type.max && std::to_string(std::max<int64_t>(*type.max, 0)).size() > static_cast<size_t>(part.format.digits);
  if (!negative && !wide) return;
  bool by_range = false;
  for (const Operation& operation : context.design.operations) {
    each_access(operation, [&](const Access& access) {
      by_range = by_range || (access.entity == occupant.entity->name && access.range_field == part.field);
    });
  }
  const std::string what = negative ? "it can be negative, and the padding of a negative number does not sort"
                                    : fmt::format("it can be {}, which has more digits", *type.max);
  findings.add(
      "T105", by_range ? Severity::kError : Severity::kWarning, key.place,
      fmt::format(
          "the number `{}` is padded to {} digits in the sort key `{}`, but {}: order and range queries are wrong",
          part.field, part.format.digits, key.text, what),
      negative ? "add an offset so that the minimum is 0, or use a key attribute of type N"
               : fmt::format("write {{{}:0{}}}", part.field, std::to_string(*type.max).size()));
}

void unpadded_numbers(const CheckContext& context, const KeySpace& space, const Occupant& occupant,
                      Findings& findings) {
  if (occupant.guard != nullptr) return;  // a guard is read only by its whole key, so its order does not matter
  const size_t hashes = space.schema().hash.size();
  for (size_t i = hashes; i < occupant.key.size(); ++i) {
    if (space.schema().range[i - hashes].type != ValueType::kString) continue;
    for (const TemplatePart& part : occupant.key[i]->parts) {
      if (part.format.kind == Format::Kind::kPad) narrow_padding(context, occupant, *occupant.key[i], part, findings);
      if (part.is_literal() || part.format.kind == Format::Kind::kPad) continue;
      const Field* field = occupant.entity->field(part.field);
      const bool number = field == nullptr ? counts_shards(context, *occupant.entity, part.field)
                                           : is_numeric(field->type) && !sorts_as_text(field->type);
      if (!number) continue;
      findings.add("T105", Severity::kWarning, occupant.key[i]->place,
                   fmt::format("the number `{}` is not padded in the sort key `{}`: as strings, 10 sorts before 9, so "
                               "order and range queries are wrong",
                               part.field, occupant.key[i]->text),
                   field != nullptr && field->type.max
                       ? fmt::format("write {{{}:0{}}}", part.field, std::to_string(*field->type.max).size())
                       : fmt::format("write {{{}:04}}, with enough digits for the largest number", part.field));
    }
  }
}

void lossy_key(const CheckContext& context, const Entity& entity, Findings& findings) {
  if (context.accumulates(entity)) return;
  for (const Template& key : entity.key) {
    for (const TemplatePart& part : key.parts) {
      if (part.format.kind != Format::Kind::kHash) continue;
      const bool whole_elsewhere = std::any_of(entity.key.begin(), entity.key.end(), [&](const Template& other) {
        return std::any_of(other.parts.begin(), other.parts.end(),
                           [&](const TemplatePart& p) { return p.field == part.field && !p.is_lossy(); });
      });
      if (whole_elsewhere) continue;
      findings.add(
          "T106", Severity::kError, key.place,
          fmt::format("`{}` contains only part of a hash of `{}`: two values with the same digits share one item",
                      key.text, part.field),
          fmt::format("add {{{}}} itself to the sort key", part.field));
    }
  }
}

void key_length(const KeySpace& space, const Occupant& occupant, Findings& findings) {
  const size_t hashes = space.schema().hash.size();
  for (size_t i = 0; i < occupant.key.size(); ++i) {
    const size_t most = i < hashes ? kHashKeyBytesMax : kRangeKeyBytesMax;
    size_t length = 0;
    for (const TemplatePart& part : occupant.key[i]->parts) {
      const FieldType* type = part.is_literal() ? nullptr : types_of(*occupant.entity)(part.field);
      if (part.is_literal())
        length += part.literal.size();
      else if (type != nullptr && part.format.kind == Format::Kind::kPlain)
        length += static_cast<size_t>(bytes_max(*type).value_or(0));
    }
    if (length <= most) continue;
    findings.add("T107", Severity::kError, occupant.key[i]->place,
                 fmt::format("`{}` can be {} bytes long; DynamoDB rejects a {} key of more than {} bytes",
                             occupant.key[i]->text, length, i < hashes ? "partition" : "sort", most),
                 "bound the length of the field, or use its hash in the key");
  }
}

void key_types(const KeySpace& space, const Occupant& occupant, Findings& findings) {
  const size_t hashes = space.schema().hash.size();
  for (size_t i = 0; i < occupant.key.size(); ++i) {
    const KeyAttribute& attribute = i < hashes ? space.schema().hash[i] : space.schema().range[i - hashes];
    const Template& key = *occupant.key[i];
    for (const TemplatePart& part : key.parts) {
      const FieldType* type = part.is_literal() ? nullptr : types_of(*occupant.entity)(part.field);
      if (type == nullptr) continue;
      if (!is_scalar(*type) && type->base != BaseType::kBool) {
        findings.add("T109", Severity::kError, key.place,
                     fmt::format("`{}` is {}: a key can contain only strings, numbers and binary values", part.field,
                                 type_text(*type)),
                     "choose another field");
      }
      if (part.format.kind == Format::Kind::kCut && !is_time(*type)) {
        findings.add("T109", Severity::kError, key.place,
                     fmt::format("`{{{}:{}}}` truncates a time, but `{}` is {}", part.field, part.format.unit,
                                 part.field, type_text(*type)),
                     "use a field of type time, epoch, date or hour");
      }
      if (attribute.type == ValueType::kNumber && !(key.parts.size() == 1 && is_numeric(*type))) {
        findings.add("T109", Severity::kError, key.place,
                     fmt::format("`{}` is not a number, but the key attribute {} has type N", key.text, attribute.name),
                     fmt::format("use a single numeric field for {}, as {{field}}", attribute.name));
      }
    }
    if (attribute.type == ValueType::kNumber && key.is_literal()) {
      findings.add("T109", Severity::kError, key.place,
                   fmt::format("`{}` is not a number, but the key attribute {} has type N", key.text, attribute.name),
                   fmt::format("use a single numeric field for {}, as {{field}}", attribute.name));
    }
    if (occupant.entry != nullptr || occupant.guard != nullptr) continue;
    for (const std::string& field : key.fields()) {
      const Field* found = occupant.entity->field(field);
      if (found != nullptr && found->optional) {
        findings.add("T110", Severity::kError, key.place,
                     fmt::format("`{}` is optional, but an item without it has no key", field),
                     "make it required, or use another field in the key");
      }
    }
  }
}

void singletons(const Entity& entity, Findings& findings) {
  if (entity.key.empty() || !fields_of_key(entity.key).empty()) return;
  for (const IndexEntry& entry : entity.index) {
    const auto fields = fields_of_key(entry.key);
    if (fields.empty()) continue;
    findings.add(
        "T111", Severity::kError, entry.place,
        fmt::format(
            "the key of {} is constant, so at most one item exists: {}.{} finds only the {} that was written last",
            entity.name, entity.name, entry.name, fmt::join(fields, " and ")),
        fmt::format("put {{{}}} into the key, and store the newest in an additional item", fields[0]));
  }
  for (const Guard& guard : entity.unique) {
    findings.add("T111", Severity::kError, guard.place,
                 fmt::format("the key of {} is constant, so at most one item exists: there is no other item whose `{}` "
                             "could be the same",
                             entity.name, guard.name),
                 "remove the unique value, or put a field into the key");
  }
}

// T111: one item per owner that is indexed by the id of an entity with several items per owner. VALIDATION#{domain} is
// found by the id of one of the domain's registrations, and the next registration replaces it.
void outnumbered(const CheckContext& context, const Entity& entity, Findings& findings) {
  const auto own = fields_of_key(entity.key);
  if (own.empty() || context.accumulates(entity)) return;
  for (const IndexEntry& entry : entity.index) {
    const auto found_by = fields_of_key(entry.key);
    if (found_by.size() != 1 || entity.in_key(found_by[0])) continue;
    for (const Entity& other : context.design.entities) {
      const Field* id = own_id(other);
      if (&other == &entity || id == nullptr || id->name != found_by[0] || other.key.size() < 2 ||
          other.key[0].fields() != own || !other.key[1].uses(id->name))
        continue;
      findings.add("T111", Severity::kWarning, entry.place,
                   fmt::format("there is one {} for each `{}` but several {} items: {}.{} finds only the one of the "
                               "`{}` that was written last",
                               entity.name, fmt::join(own, ", "), other.name, entity.name, entry.name, id->name),
                   fmt::format("put {{{}}} into the key", id->name));
    }
  }
}

void tenant_in_key(const CheckContext& context, const Entity& entity, Findings& findings) {
  const std::string& tenant = context.design.tenant;
  if (tenant.empty() || entity.field(tenant) == nullptr || entity.key.empty() || entity.key[0].uses(tenant)) return;
  findings.add(
      "T112", Severity::kWarning, entity.key[0].place,
      fmt::format("{} belongs to a tenant, but its partition key `{}` does not contain the tenant: access cannot be "
                  "limited to a tenant's keys (dynamodb:LeadingKeys), and a guessed id reads another tenant's data",
                  entity.name, entity.key[0].text),
      fmt::format("begin the partition key with {{{}}}", tenant));
}

void item_size(const Entity& entity, Findings& findings) {
  int64_t bounded = 0;
  for (const Field& field : entity.fields) {
    const bool spilled =
        std::any_of(entity.spills.begin(), entity.spills.end(), [&](const Spill& s) { return s.field == field.name; });
    if (spilled) continue;
    if (is_unbounded(field.type)) {
      findings.add(
          "T114", Severity::kWarning, field.place,
          fmt::format(
              "`{}` has no size limit, but an item holds at most 400 KB: DynamoDB rejects the write of a larger one",
              field.name),
          fmt::format("bound it, or `spill: {{{}: {{over: 128KB}}}}`", field.name));
    }
    bounded += bytes_max(field.type).value_or(0);
  }
  if (bounded > static_cast<int64_t>(kItemBytesMax)) {
    findings.add(
        "T114", Severity::kWarning, entity.place,
        fmt::format("the fields of {} can take {}, but an item holds at most 400 KB", entity.name, bytes_text(bounded)),
        "bound or spill the largest fields");
  }
}

const std::string& attribute_name(const KeySchema& schema, size_t i) {
  return i < schema.hash.size() ? schema.hash[i].name : schema.range[i - schema.hash.size()].name;
}

// T115: all key attributes of an index without an entry are fields.
void undeclared_entry(const Entity& entity, const Index& index, Findings& findings) {
  const auto attributes = key_attributes(index.key);
  const bool all = std::ranges::all_of(
      attributes, [&](const KeyAttribute* attribute) { return entity.field(attribute->name) != nullptr; });
  if (!all) return;
  findings.add("T115", Severity::kWarning, entity.place,
               fmt::format("{} has all key attributes of {} as fields, so its items enter that index although no "
                           "entry is declared",
                           entity.name, index.name),
               "declare the entry under `index`, or rename the fields");
}

// T115: a field with the name of a key attribute whose template does not contain the field.
void field_beside_template(const Entity& entity, const KeySchema& schema, const std::vector<Template>& key,
                           Findings& findings) {
  const auto attributes = key_attributes(schema);
  for (size_t i = 0; i < attributes.size() && i < key.size(); ++i) {
    const Field* field = entity.field(attributes[i]->name);
    if (field == nullptr) continue;
    const bool inside = std::ranges::any_of(
        key[i].parts, [&](const TemplatePart& part) { return part.field == field->name && !part.is_lossy(); });
    if (inside) continue;
    findings.add("T115", Severity::kError, key[i].place,
                 fmt::format("`{}` is both a key attribute and a field of {}, but the template `{}` does not contain "
                             "the field: an attribute has only one value",
                             field->name, entity.name, key[i].text),
                 "rename the field, or use it in the template");
  }
}

// T115: a field that is stored in a key attribute together with other fields.
void field_among_others(const Entity& entity, const KeySchema& schema, const std::vector<Template>& key,
                        Findings& findings) {
  for (size_t i = 0; i < key.size() && i < schema.hash.size() + schema.range.size(); ++i) {
    const std::string& name = attribute_name(schema, i);
    if (entity.field(name) == nullptr || !key[i].uses(name)) continue;
    const bool flows = std::ranges::any_of(entity.flows, [&](const Flow& flow) { return flow.field == name; });
    if (flows && key[i].fields().size() > 1) {
      findings.add("T115", Severity::kError, key[i].place,
                   fmt::format("`{}` of {} has a flow, but is stored in the key attribute of the same name together "
                               "with other fields, as `{}`: a condition cannot compare it",
                               name, entity.name, key[i].text),
                   "rename the field, so that it is stored in a separate attribute");
    }
    for (const std::string& other : key[i].fields()) {
      const Field* beside = entity.field(other);
      if (other == name || beside == nullptr || !beside->optional) continue;
      findings.add("T115", Severity::kError, key[i].place,
                   fmt::format("`{}` of {} is stored in the key attribute of the same name, as `{}`: an item without "
                               "`{}` does not have this attribute and would lose `{}`",
                               name, entity.name, key[i].text, other, name),
                   "rename the field, so that it is stored in a separate attribute");
    }
  }
}

// T116: an attribute that is part of several keys has the same value in all of them.
void different_templates(const Entity& entity, const KeySchema& schema, const std::vector<Template>& key,
                         std::map<std::string, const Template*>& known_templates, Findings& findings) {
  for (size_t i = 0; i < key.size() && i < schema.hash.size() + schema.range.size(); ++i) {
    const std::string& name = attribute_name(schema, i);
    const auto [known, inserted] = known_templates.emplace(name, &key[i]);
    if (inserted || known->second->text == key[i].text) continue;
    findings.add(
        "T116", Severity::kError, key[i].place,
        fmt::format("the attribute `{}` is `{}` in one key of {} and `{}` in another: an attribute has only one value",
                    name, known->second->text, entity.name, key[i].text),
        "use one template, or give the index a separate attribute");
  }
}

// T117: the items are in the index even if the condition of the entry is false.
void ineffective_condition(const Entity& entity, const Table& table, const Index& index, const IndexEntry& entry,
                           Findings& findings) {
  if (!entry.condition) return;
  const auto attributes = key_attributes(index.key);
  const bool all_stored = std::ranges::all_of(attributes, [&](const KeyAttribute* attribute) {
    const Field* field = entity.field(attribute->name);
    const bool is_condition = field != nullptr && field->optional && names_field(*entry.condition, attribute->name);
    return (field != nullptr && !is_condition) || table.key.contains(attribute->name);
  });
  if (!all_stored) return;
  findings.add("T117", Severity::kError, entry.place,
               fmt::format("{}.{} has an `if`, but its key attributes are fields or table keys that every {} has: "
                           "items enter {} even if the condition is false",
                           entity.name, entry.name, entity.name, index.name),
               "index an attribute that is written only while the condition holds");
}

// Fields with the name of a key attribute are stored in that attribute, so their value must agree with the template.
void attribute_clashes(const CheckContext& context, const Entity& entity, Findings& findings) {
  const Table* table = context.design.table(entity.table);
  if (table == nullptr) return;
  const auto check_templates = [&](const KeySchema& schema, const std::vector<Template>& key) {
    field_beside_template(entity, schema, key, findings);
    field_among_others(entity, schema, key, findings);
  };
  check_templates(table->key, entity.key);
  std::map<std::string, const Template*> templates;
  different_templates(entity, table->key, entity.key, templates, findings);
  for (const IndexEntry& entry : entity.index) {
    const Index* index = table->index(entry.index);
    if (index == nullptr) continue;
    different_templates(entity, index->key, entry.key, templates, findings);
    ineffective_condition(entity, *table, *index, entry, findings);
  }
  for (const Index& index : table->indexes) {
    const IndexEntry* entry = nullptr;
    for (const IndexEntry& index_entry : entity.index) {
      if (index_entry.index == index.name) entry = &index_entry;
    }
    if (entry == nullptr)
      undeclared_entry(entity, index, findings);
    else
      check_templates(index.key, entry->key);
  }
}

}  // namespace

void check_keys(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    std::set<std::string> reported;
    undeclared_fields(entity, entity.key, "the key", reported, findings);
    for (const IndexEntry& entry : entity.index)
      undeclared_fields(entity, entry.key, "the index key", reported, findings);
    overwriting_key(context, entity, findings);
    lossy_key(context, entity, findings);
    singletons(entity, findings);
    outnumbered(context, entity, findings);
    tenant_in_key(context, entity, findings);
    item_size(entity, findings);
    attribute_clashes(context, entity, findings);
  }
  for (const KeySpace& space : context.spaces) {
    if (space.index == nullptr) collisions(space, findings);
    for (const Occupant& occupant : space.occupants) {
      if (space.index == nullptr) ambiguous_key(occupant, findings);
      unpadded_numbers(context, space, occupant, findings);
      key_length(space, occupant, findings);
      key_types(space, occupant, findings);
    }
  }
}

}  // namespace trestle::design
