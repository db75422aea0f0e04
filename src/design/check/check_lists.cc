// T132, T226, T227, T228: lists with duplicates or in a meaningless order, missing reads that the keys suggest, and
// first or last items that former keys sort elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "design/check/check_impl.h"
#include "design/language/raw_condition.h"

namespace trestle::design {
namespace {

// Whether all examples of the field begin with a date after a prefix, as `policy_20251003_001`, so that ids sort by
// time.
bool examples_begin_with_date(const Entity& entity, std::string_view name) {
  size_t shown = 0;
  for (const Example& example : entity.examples) {
    for (const auto& [attribute, text] : example.attributes) {
      if (attribute != name) continue;
      ++shown;
      const size_t digits = std::min(text.find_first_of("0123456789"), text.size());
      const size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
      const bool year = text.substr(digits, 2) == "19" || text.substr(digits, 2) == "20";
      if (end - digits != 8 || !year) return false;
    }
  }
  return shown > 0;
}

// Whether the field is the item's own id and its order is meaningless: neither creation time nor a readable name.
bool is_unordered_id(const Entity& entity, std::string_view name) {
  const Field* field = entity.field(name);
  if (field == nullptr) return false;
  if (examples_begin_with_date(entity, name)) return false;
  const BaseType base = field->type.base;
  return (field->identifier && base == BaseType::kString) ||
         (field->automatic && (base == BaseType::kUuid || base == BaseType::kToken));
}

// Whether the name and type suggest the id of another item. Its order is meaningless too.
bool is_reference(const Entity& entity, std::string_view name) {
  const Field* field = entity.field(name);
  if (field == nullptr || (field->type.base != BaseType::kString && field->type.base != BaseType::kUuid)) return false;
  return name == "id" || name.ends_with("Id") || name.ends_with("_id");
}

// Whether all fields are categories of the listed items (a kind, a tag, a grade) rather than their owner.
bool is_category(const Entity& entity, const std::vector<std::string>& fields) {
  return !fields.empty() && std::none_of(fields.begin(), fields.end(), [&](const std::string& name) {
    const Field* field = entity.field(name);
    return field == nullptr || field->identifier || is_time(field->type) || is_unique_by_nature(field->type) ||
           is_reference(entity, name);
  });
}

// A time field, probably of creation or of the last write. Null if there is none.
const Field* time_field_of(const Entity& entity) {
  const auto found = std::find_if(entity.fields.begin(), entity.fields.end(), [](const Field& field) {
    return field.type.base == BaseType::kTime || (field.type.base == BaseType::kEpoch && field.automatic);
  });
  return found == entity.fields.end() ? nullptr : &*found;
}

struct ListRead {
  const Operation* operation;
  Place place;
  const Occupant* occupant;
  const KeySpace* space;
};

// The queries of a design that can return several items, one element per entity that the query is intended to find.
std::vector<ListRead> lists_of(const CheckContext& context) {
  std::vector<ListRead> lists;
  for (const Operation& operation : context.design.operations) {
    // The caller does not see the order of items that a step reads or that the answer is computed from.
    if (!operation.access || operation.returns) continue;
    each_access(operation, [&](const Access& access) {
      if (access.kind == Access::Kind::kRaw) {
        const KeySpace* space = access.where ? context.space(access.raw_table, access.raw_index) : nullptr;
        if (space == nullptr) return;
        const RawCondition condition = read_raw_condition(*access.where, space->schema(), operation);
        const size_t hashes = space->schema().hash.size();
        for (size_t i = 0; i < condition.equal.size(); ++i) {
          if (condition.equal[i] != (i < hashes)) return;  // T201, or one item
        }
        for (const Occupant& occupant : space->occupants) {
          const bool intended =
              std::find(access.finds.begin(), access.finds.end(), occupant.entity->name) != access.finds.end();
          if (intended && StringSet::common(occupant.strings[0], condition.strings[0]))
            lists.push_back({&operation, access.place, &occupant, space});
        }
        return;
      }
      if (access.kind != Access::Kind::kQuery || access.limit == 1) return;
      const Reach reach = reach_of(context, operation, access);
      for (const Occupant* occupant : reach.occupants) {
        const std::string& name = occupant->entity->name;
        const bool intended =
            name == access.entity || std::any_of(access.others.begin(), access.others.end(),
                                                 [&](const auto& other) { return other.first == name; });
        if (intended && occupant->guard == nullptr) lists.push_back({&operation, access.place, occupant, reach.space});
      }
    });
  }
  return lists;
}

// T226: a list is returned in the order of its sort key, which should mean something.
void list_order(const ListRead& list, Findings& findings) {
  const Entity& entity = *list.occupant->entity;
  if (entity.count > 0 && entity.count <= 1000) return;
  const size_t hashes = list.space->schema().hash.size();
  std::vector<std::string> fields;
  for (size_t i = hashes; i < list.occupant->key.size(); ++i) {
    for (std::string& field : list.occupant->key[i]->fields()) fields.push_back(std::move(field));
  }
  const Field* time = time_field_of(entity);
  if (fields.empty() && list.space->index != nullptr && list.space->schema().range.empty()) {
    findings.add("T226", Severity::kNote, list.place,
                 fmt::format("`{}` lists {} items of the index {}, which has no sort key: their order is undefined and "
                             "can change from page to page",
                             list.operation->name, entity.name, list.space->index->name),
                 "give the index a sort key that defines the order of the list");
    return;
  }
  if (fields.empty()) return;
  const auto all = [&](bool (*is_one)(const Entity&, std::string_view)) {
    return std::all_of(fields.begin(), fields.end(), [&](const std::string& name) { return is_one(entity, name); });
  };
  const bool of_category = list.space->index != nullptr && is_category(entity, list.occupant->key[0]->fields());
  if (!(all(is_unordered_id) && time != nullptr) && !(all(is_reference) && of_category)) return;
  if (time == nullptr) {
    findings.add("T226", Severity::kNote, list.place,
                 fmt::format("`{}` lists {} items in the order of `{}`, which is arbitrary: the first page of a long "
                             "list is a random selection",
                             list.operation->name, entity.name, fmt::join(fields, ", ")),
                 "put the field that defines the order of the list into the sort key");
    return;
  }
  findings.add("T226", Severity::kNote, list.place,
               fmt::format("`{}` lists {} items in the order of `{}`, which is arbitrary: it cannot return the newest "
                           "or oldest first, although the items have `{}`",
                           list.operation->name, entity.name, fmt::join(fields, ", "), time->name),
               fmt::format("begin the sort key with {{{}}}, or make the id a ulid, which sorts by time", time->name));
}

// T132: an index that lists owners but contains an entry for each of their log records. An index UPDATES#{version},
// SITE#{site_id} of items UPDATE_CHECK#{site_id}, TIME#{at} lists a site once per record.
void repeated_owners(const CheckContext& context, const std::vector<ListRead>& lists, Findings& findings) {
  std::set<const IndexEntry*> reported;
  for (const ListRead& list : lists) {
    const Entity& entity = *list.occupant->entity;
    const IndexEntry* entry = list.occupant->entry;
    if (entry == nullptr || entity.key.size() < 2 || context.accumulates(entity)) continue;
    const auto owner = entity.key[0].fields();
    const auto own = entity.key[1].fields();
    const bool times = !own.empty() && std::all_of(own.begin(), own.end(), [&](const std::string& name) {
      const Field* field = entity.field(name);
      return field == nullptr ? lower(name).find("time") != std::string::npos : is_time(field->type);
    });
    const size_t hashes = list.space->schema().hash.size();
    std::vector<std::string> sorted;
    for (size_t i = hashes; i < entry->key.size(); ++i) {
      for (std::string& field : entry->key[i].fields()) sorted.push_back(std::move(field));
    }
    const bool by_owner = !sorted.empty() && std::all_of(sorted.begin(), sorted.end(), [&](const std::string& name) {
      return std::find(owner.begin(), owner.end(), name) != owner.end();
    });
    if (!times || !by_owner || !reported.insert(entry).second) continue;
    findings.add(
        "T132", Severity::kNote, entry->place,
        fmt::format(
            "{}.{} has an entry for each record of a `{}`, all with the same key: `{}` lists each `{}` once per record",
            entity.name, entry->name, fmt::join(owner, ", "), list.operation->name, fmt::join(owner, ", ")),
        "store the newest record in a separate item, and index that item");
  }
}

bool is_child(const CheckContext& context, const Entity& entity) {
  return std::any_of(context.design.entities.begin(), context.design.entities.end(), [&](const Entity& owner) {
    return std::any_of(owner.eaches.begin(), owner.eaches.end(),
                       [&](const Each& each) { return each.entity == entity.name; });
  });
}

// Whether an operation reads, updates or deletes items of the entity by the table's key.
bool is_found_by_key(const CheckContext& context, const Entity& entity) {
  for (const auto& entity_write : context.writes_to(entity.name)) {
    if (entity_write.write->kind != Write::Kind::kPut) return true;
  }
  for (const Operation& operation : context.design.operations) {
    bool found = false;
    each_access(operation, [&](const Access& access) {
      const bool intended = std::find(access.finds.begin(), access.finds.end(), entity.name) != access.finds.end();
      found = found || (access.kind == Access::Kind::kRaw ? intended && access.raw_index.empty()
                                                          : access.entity == entity.name && access.index.empty());
    });
    if (found) return true;
  }
  return false;
}

// T227: items that share a partition under a common prefix are usually stored this way to be listed, but nothing lists
// them. Sharded items should at least be found by their key.
void missing_reads(const CheckContext& context, const std::vector<ListRead>& lists, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    if (entity.key.size() < 2 || context.accumulates(entity) || is_child(context, entity)) continue;
    const auto owner = entity.key[0].fields();
    const auto own = entity.key[1].fields();
    const auto& parts = entity.key[1].parts;
    if (owner.empty() || own.empty() || parts.size() < 2 || !parts[0].is_literal()) continue;
    if (!entity.shards.empty()) {
      if (is_found_by_key(context, entity)) continue;
      findings.add("T227", Severity::kNote, entity.key[1].place,
                   fmt::format("nothing reads {} by its key `{}`, `{}`: it is only found through indexes", entity.name,
                               entity.key[0].text, entity.key[1].text),
                   fmt::format("add the read: {{get: {}}}", entity.name));
      continue;
    }
    const bool few = std::all_of(owner.begin(), owner.end(), [&](const std::string& name) {
      const Field* field = entity.field(name);
      return field != nullptr && (has_few_values(*field) || value_count(field->type));
    });
    const bool beyond = std::any_of(own.begin(), own.end(), [&](const std::string& field) {
      return std::find(owner.begin(), owner.end(), field) == owner.end();
    });
    const bool listed = std::any_of(lists.begin(), lists.end(), [&](const ListRead& list) {
      return list.occupant->entity == &entity &&
             (list.space->index == nullptr || list.occupant->key[0]->fields() == owner);
    });
    // A raw read that is intended for these items but misses them gets its own finding.
    const bool intended = std::any_of(
        context.design.operations.begin(), context.design.operations.end(), [&](const Operation& operation) {
          bool found = false;
          each_access(operation, [&](const Access& access) {
            if (access.kind != Access::Kind::kRaw) return;
            const bool names = std::find(access.finds.begin(), access.finds.end(), entity.name) != access.finds.end();
            const RawReach reach = raw_reach_of(context, operation, access);
            found = found || (names && (reach.intended.empty() || operation.states_knows));
          });
          return found;
        });
    if (few || !beyond || listed || intended) continue;
    const bool in_steps = std::any_of(
        context.design.operations.begin(), context.design.operations.end(), [&](const Operation& operation) {
          bool queried = false;
          if (!operation.access) {
            each_access(operation, [&](const Access& access) {
              queried = queried ||
                        (access.entity == entity.name && access.index.empty() && access.kind == Access::Kind::kQuery);
            });
          }
          return queried;
        });
    if (in_steps) continue;
    findings.add(
        "T227", Severity::kNote, entity.key[1].place,
        fmt::format(
            "{} items share the partition `{}`, each with the sort key `{}`, but nothing lists the items of one `{}`",
            entity.name, entity.key[0].text, entity.key[1].text, fmt::join(owner, ", ")),
        fmt::format("add the list: {{query: {}}}, or give each item its own partition", entity.name));
  }
}

// T228: an item under a former key sorts by that key, so the first or last item of the partition may be a different
// one.
void ends_of_former_keys(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    each_access(operation, [&](const Access& access) {
      const Entity* entity = context.design.entity(access.entity);
      if (entity == nullptr || access.kind != Access::Kind::kQuery || !access.index.empty()) return;
      if (!access.one && access.limit != 1) return;
      for (const auto& former : entity->formerly) {
        if (former.size() < 2 || entity->key.size() < 2 || former[0].text != entity->key[0].text) continue;
        findings.add("T228", Severity::kWarning, access.place,
                     fmt::format("`{}` reads the first or last {} in the order of `{}`, but items that other programs "
                                 "wrote under `{}` sort differently",
                                 operation.name, entity->name, entity->key[1].text, former[1].text),
                     "read all items and take the greatest with max(), or move such items first with verify --repair");
        return;
      }
    });
  }
}

}  // namespace

void check_lists(const CheckContext& context, Findings& findings) {
  const std::vector<ListRead> lists = lists_of(context);
  for (const ListRead& list : lists) list_order(list, findings);
  repeated_owners(context, lists, findings);
  missing_reads(context, lists, findings);
  ends_of_former_keys(context, findings);
}

}  // namespace trestle::design
