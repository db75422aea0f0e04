// T1..: keys that collide, overwrite, do not sort, do not fit.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "design/check/check_impl.h"
#include "design/language/source.h"
#include "model/limits.h"

namespace trestle::design {
namespace {

std::vector<std::string> key_fields(const std::vector<Template>& key) {
  std::vector<std::string> fields;
  for (const Template& part : key) {
    for (std::string& field : part.fields()) {
      if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(std::move(field));
    }
  }
  return fields;
}

void undeclared_fields(const Entity& entity, const std::vector<Template>& key, std::string_view what,
                       std::set<std::string>& reported, Findings& findings) {
  std::vector<std::string> known;
  for (const Field& field : entity.fields) known.push_back(field.name);
  for (const Template& part : key) {
    for (const std::string& field : part.fields()) {
      if (entity.field(field) != nullptr || entity.shard(field) != nullptr || !reported.insert(field).second) continue;
      findings.add(
          "T101", Severity::kError, part.place,
          fmt::format("{} `{}` is built from `{}`, which {} does not declare{}: the key cannot be computed from the "
                      "item, nor read back",
                      what, part.text, field, entity.name, did_you_mean(field, known)),
          fmt::format("declare `{}` under the fields of {}, or use the field that is meant", field, entity.name));
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
    // Nothing is known about an undeclared field; T101 has reported it.
    if (std::any_of(fields.begin(), fields.end(), [&](const std::string& f) { return types(f) == nullptr; })) continue;
    const auto example = ambiguity(*part, types);
    if (!example) continue;
    findings.add("T103", Severity::kError, part->place,
                 fmt::format("`{}` gives `{}` for two different sets of values, so two {} share a key", part->text,
                             *example, occupant.name()),
                 "exclude the delimiter from the field's characters, string([a-z0-9-]), or write {field:escape}");
  }
}

// Whether the key has the whole key of the item whose child the entity is, and the member that it is for.
bool is_child_by_key(const Design& design, const Entity& entity) {
  const auto has = [&](const std::string& field) { return entity.in_key(field); };
  return std::ranges::any_of(design.entities, [&](const Entity& owner) {
    return std::ranges::any_of(owner.eaches, [&](const Each& each) {
      return each.entity == entity.name && has(each.member) && std::ranges::all_of(key_fields(owner.key), has);
    });
  });
}

// A time in the key as the only difference between two items.
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
      // An undeclared name that is clearly a time is treated as one: T101 has already reported that it is missing.
      const bool undeclared_time = field == nullptr && part.field.find("time") != std::string::npos;
      if ((field != nullptr && is_time(field->type)) || undeclared_time) {
        time = &part;
        time_field = field;
        place = &key;
      }
      const bool numbered = field != nullptr && field->type.base == BaseType::kInt;
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
  std::vector<std::string> others = key_fields(entity.key);
  std::erase(others, time->field);
  // If every write has `if: absent`, the second one is refused and nothing is lost silently.
  const auto writes = context.writes_to(entity.name);
  bool puts = false;
  bool refused = true;
  for (const auto& [operation, write, together, on_failure] : writes) {
    if (write->kind != Write::Kind::kPut && write->kind != Write::Kind::kUpsert) continue;
    puts = true;
    refused = refused && write->exists == Write::Exists::kAbsent;
  }
  refused = refused && puts;
  findings.add("T104", refused ? Severity::kWarning : Severity::kError, place->place,
               fmt::format("only the time distinguishes two {} of one {}: of two in the same {} {}", entity.name,
                           others.empty() ? "table" : fmt::format("{}", fmt::join(others, " and ")), unit,
                           refused ? "one is refused" : "the later overwrites the earlier, without an error"),
               "end the key with a generated id (`#{event_id}`, a ulid), or count in one item with a "
               "counter field");
}

// Whether the field is where a number of shards is stored, declared or not.
bool counts_shards(const CheckContext& context, const Entity& entity, std::string_view field) {
  return std::any_of(context.design.entities.begin(), context.design.entities.end(), [&](const Entity& sharded) {
    return std::any_of(sharded.shards.begin(), sharded.shards.end(), [&](const Shard& shard) {
      return shard.count_entity == entity.name && shard.count_field == field;
    });
  });
}

// Padding that the declared range does not fit: strings of it do not sort as the numbers do.
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
  const std::string what = negative ? "it can be negative, and -5 is written 0-5 or so"
                                    : fmt::format("it can be {}, which is wider", *type.max);
  findings.add("T105", by_range ? Severity::kError : Severity::kWarning, key.place,
               fmt::format("the number `{}` is padded to {} digits in the sort key `{}`, and {}: order and ranges are "
                           "wrong",
                           part.field, part.format.digits, key.text, what),
               negative ? "add an offset, so that the least is 0, or use a key attribute of type N"
                        : fmt::format("write {{{}:0{}}}", part.field, std::to_string(*type.max).size()));
}

void unpadded_numbers(const CheckContext& context, const KeySpace& space, const Occupant& occupant,
                      Findings& findings) {
  if (occupant.guard != nullptr) return;  // found by its whole key alone, so its order means nothing
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
                   fmt::format("the number `{}` is not padded in the sort key `{}`: strings sort 10 before 9, so "
                               "order and ranges are wrong",
                               part.field, occupant.key[i]->text),
                   fmt::format("write {{{}:04}}, wide enough for the greatest number", part.field));
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
      findings.add("T106", Severity::kError, key.place,
                   fmt::format("`{}` keeps only part of a hash of `{}`: two values with the same digits share the item",
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
                 fmt::format("`{}` can be {} bytes long; DynamoDB refuses a {} key over {} bytes",
                             occupant.key[i]->text, length, i < hashes ? "partition" : "sort", most),
                 "bound the field's length, or put its hash into the key");
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
                     fmt::format("`{}` is {}: a key can contain only strings, numbers and binaries", part.field,
                                 type_text(*type)),
                     "choose another field");
      }
      if (part.format.kind == Format::Kind::kCut && !is_time(*type)) {
        findings.add("T109", Severity::kError, key.place,
                     fmt::format("`{{{}:{}}}` cuts a time, and `{}` is {}", part.field, part.format.unit, part.field,
                                 type_text(*type)),
                     "use a field of type time, epoch, date or hour");
      }
      if (attribute.type == ValueType::kNumber && !(key.parts.size() == 1 && is_numeric(*type))) {
        findings.add("T109", Severity::kError, key.place,
                     fmt::format("`{}` is not a number, and the key attribute {} is", key.text, attribute.name),
                     fmt::format("give {} one number, as {{field}}", attribute.name));
      }
    }
    if (attribute.type == ValueType::kNumber && key.is_literal()) {
      findings.add("T109", Severity::kError, key.place,
                   fmt::format("`{}` is not a number, and the key attribute {} is", key.text, attribute.name),
                   fmt::format("give {} one number, as {{field}}", attribute.name));
    }
    if (occupant.entry != nullptr || occupant.guard != nullptr) continue;
    for (const std::string& field : key.fields()) {
      const Field* found = occupant.entity->field(field);
      if (found != nullptr && found->optional) {
        findings.add("T110", Severity::kError, key.place,
                     fmt::format("`{}` is optional, and an item without it has no key", field),
                     "make it required, or use another field in the key");
      }
    }
  }
}

void singletons(const Entity& entity, Findings& findings) {
  if (entity.key.empty() || !key_fields(entity.key).empty()) return;
  for (const IndexEntry& entry : entity.index) {
    const auto fields = key_fields(entry.key);
    if (fields.empty()) continue;
    findings.add(
        "T111", Severity::kError, entry.place,
        fmt::format(
            "{} has one key for all, so there is ever one item: {}.{} finds the {} that was written last, and no other",
            entity.name, entity.name, entry.name, fmt::join(fields, " and ")),
        fmt::format("put {{{}}} into the key, and keep the newest beside it", fields[0]));
  }
}

// One item for what another entity has several of: VALIDATION#{domain}, found by the id of one of the domain's
// registrations. The next registration's replaces it.
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
                   fmt::format("there is one {} for each `{}`, and several {}: {}.{} finds that of the `{}` which was "
                               "written last, and no other",
                               entity.name, fmt::join(own, ", "), other.name, entity.name, entry.name, id->name),
                   fmt::format("put {{{}}} into the key", id->name));
    }
  }
}

void tenant_in_key(const CheckContext& context, const Entity& entity, Findings& findings) {
  const std::string& tenant = context.design.tenant;
  if (tenant.empty() || entity.field(tenant) == nullptr || entity.key.empty() || entity.key[0].uses(tenant)) return;
  findings.add("T112", Severity::kWarning, entity.key[0].place,
               fmt::format("{} belongs to a tenant, but its partition key `{}` does not name it: access cannot be "
                           "limited to a tenant's keys (dynamodb:LeadingKeys), and one guessed id reads another's data",
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
          fmt::format("`{}` has no bound, and an item holds at most 400 KB: a large one is refused when it is written",
                      field.name),
          fmt::format("bound it, or `spill: {{{}: {{over: 128KB}}}}`", field.name));
    }
    bounded += bytes_max(field.type).value_or(0);
  }
  if (bounded > static_cast<int64_t>(kItemBytesMax)) {
    findings.add(
        "T114", Severity::kWarning, entity.place,
        fmt::format("the fields of {} can take {}, and an item holds at most 400 KB", entity.name, bytes_text(bounded)),
        "bound or spill the largest");
  }
}

// A field that is also a key attribute is stored there, and must be what the template makes.
void attribute_clashes(const CheckContext& context, const Entity& entity, Findings& findings) {
  const Table* table = context.design.table(entity.table);
  if (table == nullptr) return;
  const auto check = [&](const KeySchema& schema, const std::vector<Template>* key, const Index* index) {
    std::vector<KeyAttribute> attributes = schema.hash;
    attributes.insert(attributes.end(), schema.range.begin(), schema.range.end());
    if (key == nullptr) {
      const bool all = std::all_of(attributes.begin(), attributes.end(),
                                   [&](const KeyAttribute& a) { return entity.field(a.name) != nullptr; });
      if (all && index != nullptr) {
        findings.add(
            "T115", Severity::kWarning, entity.place,
            fmt::format("{} has all key attributes of {} as fields, and so enters that index without saying so",
                        entity.name, index->name),
            "declare the entry under `index`, or name the fields otherwise");
      }
      return;
    }
    for (size_t i = 0; i < attributes.size() && i < key->size(); ++i) {
      const Field* field = entity.field(attributes[i].name);
      if (field == nullptr) continue;
      const bool inside = std::any_of((*key)[i].parts.begin(), (*key)[i].parts.end(),
                                      [&](const TemplatePart& p) { return p.field == field->name && !p.is_lossy(); });
      if (inside) continue;
      findings.add("T115", Severity::kError, (*key)[i].place,
                   fmt::format("`{}` is a key attribute and a field of {}, and the template `{}` does not contain the "
                               "field: an item has one value under one name",
                               field->name, entity.name, (*key)[i].text),
                   "name the field otherwise, or use it in the template");
    }
    for (size_t i = 0; key != nullptr && i < key->size() && i < schema.hash.size() + schema.range.size(); ++i) {
      const std::string& name =
          i < schema.hash.size() ? schema.hash[i].name : schema.range[i - schema.hash.size()].name;
      if (entity.field(name) == nullptr || !(*key)[i].uses(name)) continue;
      const bool flows =
          std::any_of(entity.flows.begin(), entity.flows.end(), [&](const Flow& flow) { return flow.field == name; });
      if (flows && (*key)[i].fields().size() > 1) {
        findings.add("T115", Severity::kError, (*key)[i].place,
                     fmt::format("`{}` of {} has a flow and is stored in the key attribute of its name together with "
                                 "other fields, as `{}`: nothing can be compared with it",
                                 name, entity.name, (*key)[i].text),
                     "name the field otherwise, so that it has an attribute of its own");
      }
      for (const std::string& other : (*key)[i].fields()) {
        const Field* beside = entity.field(other);
        if (other == name || beside == nullptr || !beside->optional) continue;
        findings.add("T115", Severity::kError, (*key)[i].place,
                     fmt::format("`{}` of {} is stored in the key attribute of its name, as `{}`: an item without `{}` "
                                 "has no such key, and would lose `{}`",
                                 name, entity.name, (*key)[i].text, other, name),
                     "name the field otherwise, so that it has an attribute of its own");
      }
    }
  };
  check(table->key, &entity.key, nullptr);
  // One attribute has one value, whichever keys it is part of.
  std::map<std::string, const Template*> result;
  const auto agree = [&](const KeySchema& schema, const std::vector<Template>& key) {
    for (size_t i = 0; i < key.size() && i < schema.hash.size() + schema.range.size(); ++i) {
      const std::string& name =
          i < schema.hash.size() ? schema.hash[i].name : schema.range[i - schema.hash.size()].name;
      const auto [known, inserted] = result.emplace(name, &key[i]);
      if (inserted || known->second->text == key[i].text) continue;
      findings.add(
          "T116", Severity::kError, key[i].place,
          fmt::format(
              "the attribute `{}` is `{}` in one key of {} and `{}` in another: an item has one value under one name",
              name, known->second->text, entity.name, key[i].text),
          "use one template, or give the index a separate attribute");
    }
  };
  agree(table->key, entity.key);
  for (const IndexEntry& entry : entity.index) {
    const Index* index = table->index(entry.index);
    if (index == nullptr) continue;
    agree(index->key, entry.key);
    if (!entry.condition) continue;
    std::vector<KeyAttribute> attributes = index->key.hash;
    attributes.insert(attributes.end(), index->key.range.begin(), index->key.range.end());
    const bool all_stored = std::all_of(attributes.begin(), attributes.end(), [&](const KeyAttribute& a) {
      return entity.field(a.name) != nullptr || table->key.contains(a.name);
    });
    if (all_stored) {
      findings.add(
          "T117", Severity::kError, entry.place,
          fmt::format(
              "{}.{} has an `if`, but its key attributes are fields that every {} has: the item enters {} all the same",
              entity.name, entry.name, entity.name, index->name),
          "index an attribute that is written only while the condition holds");
    }
  }
  for (const Index& index : table->indexes) {
    const IndexEntry* entry = nullptr;
    for (const IndexEntry& one : entity.index) {
      if (one.index == index.name) entry = &one;
    }
    check(index.key, entry == nullptr ? nullptr : &entry->key, &index);
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
