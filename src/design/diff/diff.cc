#include "design/diff/diff.h"

#include <fmt/format.h>

#include <set>

#include "base/json/json_writer.h"
#include "design/plan/stored_attributes.h"

namespace trestle::design {
namespace {

std::string key_text(const KeySchema& key) {
  std::vector<std::string> names;
  for (const auto* half : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *half)
      names.push_back(fmt::format("{} {}", attribute.name, type_name(attribute.type)));
  }
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string projection_text(const Projection& projection) {
  if (projection.type == ProjectionType::kAll) return "all attributes";
  if (projection.type == ProjectionType::kKeysOnly) return "keys only";
  return fmt::format("keys and {}", fmt::join(projection.non_key_attributes, ", "));
}

bool same_projection(const Projection& a, const Projection& b) {
  // DynamoDB treats the attributes as a set, so their order does not matter.
  return a.type == b.type && std::set<std::string>(a.non_key_attributes.begin(), a.non_key_attributes.end()) ==
                                 std::set<std::string>(b.non_key_attributes.begin(), b.non_key_attributes.end());
}

std::string keys_text(const std::vector<Template>& key) {
  std::vector<std::string> texts;
  for (const Template& pattern : key) texts.push_back(pattern.text);
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

bool same_keys(const std::vector<Template>& a, const std::vector<Template>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Template& x, const Template& y) { return x.parts == y.parts; });
}

std::string condition_text(const std::optional<Expression>& condition) {
  return condition ? expression_text(*condition) : "";
}

class Differ {
 public:
  Differ(const Design& before, const Design& after) : before_(before), after_(after) {}

  std::vector<Change> all() {
    for (const Table& table : after_.tables) {
      if (const Table* old = before_.table(table.name))
        compare(*old, table);
      else
        add(Effort::kSafe, "table " + table.name, "is new", "create it");
    }
    for (const Table& table : before_.tables) {
      if (after_.table(table.name) == nullptr) {
        add(Effort::kBackfill, "table " + table.name, "is removed",
            "move or archive its items, then delete it manually: exported templates retain it");
      }
    }
    for (const Entity& entity : after_.entities) {
      if (const Entity* old = before_.entity(entity.name))
        compare(*old, entity);
      else
        add(Effort::kSafe, entity.name, "is a new entity", "");
    }
    for (const Entity& entity : before_.entities) {
      if (after_.entity(entity.name) == nullptr) {
        add(Effort::kBackfill, entity.name, "is no longer an entity",
            fmt::format("delete its items from {}: nothing reads them now", entity.table));
      }
    }
    compare_operations();
    return std::move(changes_);
  }

 private:
  void add(Effort effort, std::string subject, std::string what, std::string to_do,
           std::vector<std::string> operations = {}) {
    changes_.push_back({effort, std::move(subject), std::move(what), std::move(to_do), std::move(operations)});
  }

  // ---- Operations affected by a change ---------------------------------------------------------------------------

  std::vector<std::string> reading(std::string_view entity, std::string_view entry) const {
    std::vector<std::string> out;
    for (const Operation& operation : after_.operations) {
      bool touches = false;
      each_access(operation, [&](const Access& access) {
        touches = touches || (access.entity == entity && access.index == entry);
      });
      if (touches) out.push_back(operation.name);
    }
    return out;
  }
  std::vector<std::string> touching(std::string_view entity) const {
    std::vector<std::string> out;
    for (const Operation& operation : after_.operations) {
      bool touches = false;
      each_access(operation, [&](const Access& access) { touches = touches || access.entity == entity; });
      each_write(operation, [&](const Write& write, const Step&) { touches = touches || write.entity == entity; });
      if (touches) out.push_back(operation.name);
    }
    return out;
  }
  std::vector<std::string> reading_index(const Table& table, std::string_view index) const {
    std::vector<std::string> out;
    for (const Operation& operation : after_.operations) {
      bool touches = false;
      each_access(operation, [&](const Access& access) {
        if (access.kind == Access::Kind::kRaw)
          touches = touches || (access.raw_table == table.name && access.raw_index == index);
        const Entity* entity = after_.entity(access.entity);
        const IndexEntry* entry =
            entity == nullptr || entity->table != table.name ? nullptr : entity->entry(access.index);
        touches = touches || (entry != nullptr && entry->index == index);
      });
      if (touches) out.push_back(operation.name);
    }
    return out;
  }

  // ---- Tables ----------------------------------------------------------------------------------------------------

  void compare(const Table& old, const Table& now) {
    const std::string subject = "table " + now.name;
    if (old.key != now.key) {
      std::vector<std::string> operations;
      for (const Entity& entity : after_.entities) {
        if (entity.table != now.name) continue;
        for (std::string& name : touching(entity.name)) {
          if (std::find(operations.begin(), operations.end(), name) == operations.end())
            operations.push_back(std::move(name));
        }
      }
      add(Effort::kReplace, subject, fmt::format("has the key {} (was {})", key_text(now.key), key_text(old.key)),
          "give the new table another name, copy the items, switch over, then delete the old table",
          std::move(operations));
    }
    for (const Index& index : now.indexes) compare_index(old, now, index);
    for (const Index& index : old.indexes) {
      if (now.index(index.name) != nullptr) continue;
      if (index.local) {
        add(Effort::kReplace, fmt::format("index {}.{}", now.name, index.name),
            "is removed, but a local index cannot be deleted", "keep it, or copy the items to a new table");
      } else {
        add(Effort::kSafe, fmt::format("index {}.{}", now.name, index.name), "is removed",
            "deploy the operations first, then delete it");
      }
    }
    compare_settings(old, now);
  }
  void compare_index(const Table& old_table, const Table& table, const Index& now) {
    const std::string subject = fmt::format("index {}.{}", table.name, now.name);
    const Index* old = old_table.index(now.name);
    if (old == nullptr) {
      if (now.local) {
        add(Effort::kReplace, subject, "is new, and a local index can only be created with its table",
            "make it a global index, or copy the items to a new table", reading_index(table, now.name));
      } else {
        add(Effort::kBackfill, subject, "is new",
            "create it and wait until it is ACTIVE: DynamoDB backfills it from items that already have its attributes",
            reading_index(table, now.name));
      }
      return;
    }
    if (old->key != now.key || old->local != now.local) {
      add(Effort::kReplace, subject,
          old->local != now.local ? (now.local ? "was global and is local" : "was local and is global")
                                  : fmt::format("has the key {} (was {})", key_text(now.key), key_text(old->key)),
          now.local || old->local
              ? "copy the items to a new table"
              : "create an index with another name, wait until it is ACTIVE, switch the reads, then delete this one",
          reading_index(table, now.name));
    } else if (!same_projection(old->projection, now.projection)) {
      add(Effort::kReplace, subject,
          fmt::format("projects {} (was {})", projection_text(now.projection), projection_text(old->projection)),
          now.local ? "copy the items to a new table"
                    : "a projection cannot be changed: create an index with another name, switch the reads, then "
                      "delete this one",
          reading_index(table, now.name));
    }
  }
  void compare_settings(const Table& old, const Table& now) {
    const std::string subject = "table " + now.name;
    if (old.ttl_attribute != now.ttl_attribute) {
      if (old.ttl_attribute.empty())
        add(Effort::kBackfill, subject, fmt::format("expires items by `{}`", now.ttl_attribute),
            "turn TTL on, and write the attribute to the items that should expire");
      else if (now.ttl_attribute.empty())
        add(Effort::kSafe, subject, "no longer expires items", "turn TTL off");
      else
        add(Effort::kBackfill, subject,
            fmt::format("expires items by `{}` (was `{}`)", now.ttl_attribute, old.ttl_attribute),
            "turn TTL off, wait an hour, turn it on with the new attribute, and write that attribute to all items");
    }
    if (old.stream != now.stream) {
      if (!old.stream)
        add(Effort::kSafe, subject, "has a stream",
            "enable it before its consumers start; it does not contain earlier changes");
      else if (!now.stream)
        add(Effort::kSafe, subject, "no longer has a stream", "stop its consumers, then disable it");
      else
        add(Effort::kBackfill, subject, "has another stream view type",
            "the view type cannot be changed: let consumers finish, then disable the stream and enable it with the new "
            "one; its ARN changes");
    }
    if (old.type_attribute != now.type_attribute) {
      add(Effort::kBackfill, subject,
          fmt::format("stores the entity type in `{}` (was `{}`)", now.type_attribute, old.type_attribute),
          "write the new attribute to all items");
    }
    const auto setting = [&](bool changed, std::string_view what) {
      if (changed) add(Effort::kSafe, subject, fmt::format("has {}", what), "change the table's setting");
    };
    setting(old.recovery != now.recovery, now.recovery ? "point-in-time recovery" : "no point-in-time recovery");
    setting(old.deletion_protection != now.deletion_protection,
            now.deletion_protection ? "deletion protection" : "no deletion protection");
    setting(old.encryption != now.encryption, "another encryption key");
    setting(old.infrequent_access != now.infrequent_access, "another table class");
    setting(old.tags != now.tags, "other tags");
    if (old.billing != now.billing ||
        (now.billing == BillingMode::kProvisioned && !(old.throughput == now.throughput))) {
      add(Effort::kSafe, subject, "has another billing mode or capacity",
          "update the table; it can change to provisioned and back once in 24 hours");
    }
  }

  // ---- Entities --------------------------------------------------------------------------------------------------

  void compare(const Entity& old, const Entity& now) {
    if (old.table != now.table) {
      add(Effort::kReplace, now.name, fmt::format("is in table {} (was in {})", now.table, old.table),
          "copy its items while writing to both tables, switch the reads, then delete the old items",
          touching(now.name));
    } else if (!same_keys(old.key, now.key)) {
      add(Effort::kReplace, now.name, fmt::format("has the key {} (was {})", keys_text(now.key), keys_text(old.key)),
          "an item's key cannot be changed: write each item under its new key and delete the old one, in one "
          "transaction",
          touching(now.name));
    }
    if (old.type != now.type)
      add(Effort::kBackfill, now.name, fmt::format("has the type `{}` (was `{}`)", now.type, old.type),
          "write the type attribute to its items");
    compare_entries(old, now);
    compare_guards(old, now);
    compare_fields(old, now);
    compare_shards(old, now);
    const std::string ttl = condition_text(now.ttl);
    if (const std::string old_ttl = condition_text(old.ttl); ttl != old_ttl) {
      add(ttl.empty() || !old_ttl.empty() || now.ttl ? Effort::kBackfill : Effort::kSafe, now.name,
          ttl.empty()       ? "no longer expires"
          : old_ttl.empty() ? fmt::format("expires at {}", ttl)
                            : fmt::format("expires at {} (was {})", ttl, old_ttl),
          ttl.empty() ? "remove the TTL attribute from its items, or they will still expire"
                      : "write the TTL attribute to its items");
    }
    for (const Each& each : now.eaches) {
      const bool known = std::any_of(old.eaches.begin(), old.eaches.end(), [&](const Each& other_each) {
        return other_each.field == each.field && other_each.entity == each.entity && other_each.member == each.member;
      });
      if (!known)
        add(Effort::kBackfill, fmt::format("{}.{}", now.name, each.field),
            fmt::format("has one {} per member", each.entity),
            fmt::format("write a {} for each member of each stored {}", each.entity, now.name), touching(each.entity));
    }
  }
  void compare_entries(const Entity& old, const Entity& now) {
    for (const IndexEntry& entry : now.index) {
      const std::string subject = fmt::format("{}.{}", now.name, entry.name);
      const IndexEntry* was = old.entry(entry.name);
      const std::string rewrite =
          fmt::format("rewrite every {}, so that it gets the attributes of {}", now.name, entry.index);
      if (was == nullptr) {
        add(Effort::kBackfill, subject, fmt::format("is a new entry in {}", entry.index), rewrite,
            reading(now.name, entry.name));
      } else if (was->index != entry.index) {
        add(Effort::kBackfill, subject, fmt::format("is in {} (was in {})", entry.index, was->index), rewrite,
            reading(now.name, entry.name));
      } else if (!same_keys(was->key, entry.key)) {
        add(Effort::kBackfill, subject,
            fmt::format("has the key {} (was {})", keys_text(entry.key), keys_text(was->key)), rewrite,
            reading(now.name, entry.name));
      } else if (condition_text(was->condition) != condition_text(entry.condition)) {
        add(Effort::kBackfill, subject, "has another condition", rewrite + ", or loses them",
            reading(now.name, entry.name));
      }
    }
    for (const IndexEntry& entry : old.index) {
      if (now.entry(entry.name) == nullptr)
        add(Effort::kSafe, fmt::format("{}.{}", now.name, entry.name), "is removed",
            fmt::format("items keep its attributes, which cost storage and writes in {}, until they are rewritten",
                        entry.index));
    }
  }
  void compare_guards(const Entity& old, const Entity& now) {
    for (const Guard& guard : now.unique) {
      const std::string subject = fmt::format("{}.{}", now.name, guard.name);
      const Guard* was = old.guard(guard.name);
      if (was == nullptr) {
        add(Effort::kBackfill, subject, "is unique",
            "resolve duplicate values, then write a guard for each item; until then two items may have the same value",
            touching(now.name));
      } else if (!same_keys(was->key, guard.key)) {
        add(Effort::kBackfill, subject,
            fmt::format("is guarded by {} (was {})", keys_text(guard.key), keys_text(was->key)),
            "write the new guard of each item, then delete the old ones", touching(now.name));
      } else if (was->keeps != guard.keeps || was->type != guard.type) {
        add(Effort::kBackfill, subject, "has guards with different contents", "rewrite the guards");
      }
    }
    for (const Guard& guard : old.unique) {
      if (now.guard(guard.name) == nullptr)
        add(Effort::kBackfill, fmt::format("{}.{}", now.name, guard.name), "is no longer unique",
            "delete its guards: they would reserve their values if it became unique again");
    }
  }
  void compare_fields(const Entity& old, const Entity& now) {
    for (const Field& field : now.fields) {
      const std::string subject = fmt::format("{}.{}", now.name, field.name);
      const Field* was = old.field(field.name);
      if (was == nullptr) {
        if (field.optional || field.counter || field.extreme != Field::Extreme::kNone)
          add(Effort::kSafe, subject, "is a new field that may be absent", "");
        else
          add(Effort::kBackfill, subject, "is a new required field",
              field.default_value
                  ? fmt::format("stored items lack it: write its default, {}", expression_text(*field.default_value))
                  : "stored items lack it: write a value to each, or make it optional",
              touching(now.name));
        continue;
      }
      compare_type(subject, was->type, field.type);
      if (was->optional && !field.optional)
        add(Effort::kBackfill, subject, "is now required", "write a value to the items that lack it");
      if (!was->optional && field.optional) add(Effort::kSafe, subject, "is now optional", "");
      if (was->encrypted != field.encrypted)
        add(Effort::kBackfill, subject, field.encrypted ? "is encrypted" : "is no longer encrypted",
            "rewrite every item");
      if (was->sha256_of != field.sha256_of)
        add(Effort::kReplace, subject, "is the digest of another field",
            "the old value cannot be derived from its digest: callers must supply it again");
    }
    for (const Field& field : old.fields) {
      if (now.field(field.name) == nullptr) {
        add(Effort::kSafe, fmt::format("{}.{}", now.name, field.name), "is removed",
            "items keep the attribute until they are rewritten or it is removed");
      }
    }
  }
  void compare_type(const std::string& subject, const FieldType& was, const FieldType& now) {
    if (stored_type(was) != stored_type(now)) {
      return add(Effort::kBackfill, subject,
                 fmt::format("is stored as {} (was {})", type_name(stored_type(now)), type_name(stored_type(was))),
                 "rewrite every item with the new type; until then, conditions on the field do not match old items");
    }
    if (was.base == BaseType::kEnum && now.base == BaseType::kEnum) {
      std::vector<std::string> removed;
      std::vector<std::string> added;
      for (const std::string& value : was.values) {
        if (std::find(now.values.begin(), now.values.end(), value) == now.values.end()) removed.push_back(value);
      }
      for (const std::string& value : now.values) {
        if (std::find(was.values.begin(), was.values.end(), value) == was.values.end()) added.push_back(value);
      }
      if (!removed.empty())
        add(Effort::kBackfill, subject, fmt::format("can no longer be {}", fmt::join(removed, ", ")),
            "change the items that have it");
      if (!added.empty())
        add(Effort::kSafe, subject, fmt::format("can also be {}", fmt::join(added, ", ")),
            "first deploy readers that know the new values");
      return;
    }
    // Bounds are compared first, because the text of a container type does not show them.
    const bool narrower = (now.min && (!was.min || *was.min < *now.min)) ||
                          (now.max && (!was.max || *was.max > *now.max)) || was.characters != now.characters;
    if (was.base == now.base && type_text(was) == type_text(now) && was.min == now.min && was.max == now.max) return;
    if (was.base == now.base && !narrower && !now.element)
      return add(Effort::kSafe, subject, fmt::format("is {} (was {})", type_text(now), type_text(was)), "");
    add(Effort::kBackfill, subject, fmt::format("is {} (was {})", type_text(now), type_text(was)),
        "find stored values that the new type does not allow, and change them");
  }
  void compare_shards(const Entity& old, const Entity& now) {
    for (const Shard& shard : now.shards) {
      const std::string subject = fmt::format("{}.{}", now.name, shard.field);
      const Shard* was = old.shard(shard.field);
      if (was == nullptr) {
        add(Effort::kBackfill, subject, "is a new shard", "existing items are found only after they are rewritten",
            touching(now.name));
        continue;
      }
      if (was->of != shard.of)
        add(Effort::kReplace, subject, fmt::format("is computed from {} (was {})", shard.of, was->of),
            "every item moves to another shard: rewrite each item under its new key", touching(now.name));
      if (was->count != shard.count || was->initial != shard.initial) {
        const bool epochs = !shard.epochs_entity.empty() && was->initial == shard.initial;
        add(epochs ? Effort::kSafe : Effort::kReplace, subject,
            was->initial != shard.initial ? fmt::format("starts with {} shards (was {})", shard.initial, was->initial)
                                          : fmt::format("has {} shards (was {})", shard.count, was->count),
            epochs ? "set it as a new epoch"
                   : "existing items are not in the shards where they are looked up: rewrite each item, or keep the "
                     "count in "
                     "epochs",
            touching(now.name));
      }
      if (was->most > shard.most)
        add(Effort::kBackfill, subject, fmt::format("has at most {} shards (was {})", shard.most, was->most),
            "make sure that no epoch has more");
    }
    for (const Shard& shard : old.shards) {
      if (now.shard(shard.field) == nullptr)
        add(Effort::kReplace, fmt::format("{}.{}", now.name, shard.field), "is no longer a shard",
            "rewrite every item under its key without the shard", touching(now.name));
    }
  }

  // ---- Operations ------------------------------------------------------------------------------------------------

  void compare_operations() {
    for (const Operation& operation : after_.operations) {
      const Operation* was = before_.operation(operation.name);
      if (was == nullptr) {
        add(Effort::kSafe, "operation " + operation.name, "is new", "");
        continue;
      }
      for (const Input& input : operation.takes) {
        const Input* before = was->input(input.name);
        if (before == nullptr && !input.optional)
          add(Effort::kBackfill, "operation " + operation.name, fmt::format("requires the new input {}", input.name),
              "change its callers first");
        else if (before != nullptr && before->optional && !input.optional)
          add(Effort::kBackfill, "operation " + operation.name, fmt::format("now requires the input {}", input.name),
              "change its callers first");
      }
      for (const Input& input : was->takes) {
        if (operation.input(input.name) == nullptr)
          add(Effort::kBackfill, "operation " + operation.name, fmt::format("no longer accepts {}", input.name),
              "change its callers first: unknown inputs are refused");
      }
    }
    for (const Operation& operation : before_.operations) {
      if (after_.operation(operation.name) == nullptr)
        add(Effort::kBackfill, "operation " + operation.name, "is removed", "change its callers first");
    }
  }

  const Design& before_;
  const Design& after_;
  std::vector<Change> changes_;
};

size_t count(const std::vector<Change>& changes, Effort effort) {
  return static_cast<size_t>(
      std::count_if(changes.begin(), changes.end(), [&](const Change& change) { return change.effort == effort; }));
}

}  // namespace

std::string_view effort_name(Effort effort) {
  switch (effort) {
    case Effort::kSafe:
      return "safe";
    case Effort::kBackfill:
      return "needs backfill";
    case Effort::kReplace:
      break;
  }
  return "cannot be changed in place";
}

std::vector<Change> diff_designs(const Design& before, const Design& after) { return Differ(before, after).all(); }

bool needs_work(const std::vector<Change>& changes) { return count(changes, Effort::kSafe) < changes.size(); }

std::string diff_text(const std::vector<Change>& changes) {
  std::string out;
  for (const Change& change : changes) {
    out += fmt::format("{}: {} {}.\n", effort_name(change.effort), change.subject, change.what);
    if (!change.to_do.empty()) out += fmt::format("    to do: {}\n", change.to_do);
    if (!change.operations.empty())
      out += fmt::format("    affected until then: {}\n", fmt::join(change.operations, ", "));
  }
  return out + fmt::format("{} safe, {} need backfill, {} cannot be changed in place\n", count(changes, Effort::kSafe),
                           count(changes, Effort::kBackfill), count(changes, Effort::kReplace));
}

std::string diff_json(const std::vector<Change>& changes) {
  Json list = Json::array();
  for (const Change& change : changes) {
    list.add(Json::object({{"effort", effort_name(change.effort)},
                           {"subject", change.subject},
                           {"what", change.what},
                           {"toDo", change.to_do},
                           {"operations", Json::strings(change.operations)}}));
  }
  return Json::object({{"safe", count(changes, Effort::kSafe)},
                       {"backfill", count(changes, Effort::kBackfill)},
                       {"replace", count(changes, Effort::kReplace)},
                       {"changes", std::move(list)}})
      .text();
}

}  // namespace trestle::design
