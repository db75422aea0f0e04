// T310 to T313, T330 to T333: writes that lose concurrent writes, figures and copies that cannot be maintained, and
// errors that are swallowed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/ascii.h"
#include "design/check/check_impl.h"
#include "design/plan/absent_fields.h"
#include "design/plan/plan.h"

namespace trestle::design {
namespace {

// Whether the value uses the field of the item that an earlier step read: `$grant.roles`.
bool reads_field(const Expression& value, std::string_view step, std::string_view field) {
  bool reads = false;
  each_expression(value, [&](const Expression& e) {
    const bool is_field = e.is(Expression::Kind::kMember) && e.text == field;
    reads = reads || (is_field && e.arguments[0].is(Expression::Kind::kInput) && e.arguments[0].text == step);
  });
  return reads;
}

bool names_ratio(const std::string& name) {
  static constexpr std::array<std::string_view, 8> kWords = {"rate", "ratio",   "average", "avg",
                                                             "mean", "percent", "share",   "per"};
  const std::string small = lower(name);
  return std::ranges::any_of(kWords, [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

// The value that a write or read gives a field of the key, as text.
std::string key_value_text(const std::vector<Binding>& by, const std::vector<Binding>& set, const std::string& field) {
  std::string text = "$" + field;
  for (const auto* list : {&by, &set}) {
    for (const Binding& binding : *list) {
      if (binding.field == field && !binding.element) text = expression_text(binding.value);
    }
  }
  return text;
}

// Whether the write addresses the item that the step read.
bool writes_found_item(const Write& write, const Entity& entity, const std::string& name, const Access& access) {
  return std::ranges::all_of(fields_of_key(entity.key), [&](const std::string& field) {
    const std::string written = key_value_text(write.by, write.set, field);
    return written == fmt::format("${}.{}", name, field) || written == key_value_text(access.by, {}, field);
  });
}

// Whether the value that the step read is written to another item than the one that was read. That item loses no
// change, unless it is a moved one: its old key is deleted in the same transaction, whatever the value is then.
bool is_other_item(const CheckContext& context, const Step& step, const Write& write, const std::string& name,
                   const Access& access, const std::string& field) {
  const Entity* entity = context.design.entity(write.entity);
  const bool reads_key = access.kind == Access::Kind::kGet && access.index.empty();
  if (entity == nullptr || !reads_key || writes_found_item(write, *entity, name, access)) return false;
  return std::ranges::none_of(step.writes, [&](const Write& other) {
    return other.kind == Write::Kind::kDelete && other.entity == write.entity &&
           writes_found_item(other, *entity, name, access) &&
           !(other.condition && names_field(*other.condition, field));
  });
}

void read_then_written(const CheckContext& context, const Operation& operation, Findings& findings) {
  std::map<std::string, const Access*> found;
  each_step(operation.steps, [&](const Step& step) {
    if (step.access && !step.name.empty()) found[step.name] = &*step.access;
    for (const Write& write : step.writes) {
      const bool conditional = write.condition || write.exists == Write::Exists::kAbsent;
      if (conditional || write.kind == Write::Kind::kDelete || write.kind == Write::Kind::kCheck) continue;
      for (const Binding& binding : write.set) {
        const bool is_lost = std::ranges::any_of(found, [&](const auto& read) {
          const auto& [name, access] = read;
          return access->entity == write.entity && reads_field(binding.value, name, binding.field) &&
                 !is_other_item(context, step, write, name, *access, binding.field);
        });
        if (!is_lost) continue;
        findings.add("T311", Severity::kError, binding.place,
                     fmt::format("`{}` reads `{}` of {} and writes it back without a condition: of two concurrent "
                                 "calls, the second overwrites the change of the first",
                                 operation.name, binding.field, write.entity),
                     fmt::format("use `add` on a counter or a set, or write with `if: {} = <the value read>` and retry",
                                 binding.field));
      }
    }
  });
}

// T312: a list of ids can only be changed by rewriting it; a set supports adding and removing members.
void lists_of_ids(const Entity& entity, Findings& findings) {
  for (const Field& field : entity.fields) {
    if (field.type.base != BaseType::kList || field.type.element == nullptr || field.immutable) continue;
    if (!is_unique_by_nature(*field.type.element)) continue;
    findings.add("T312", Severity::kWarning, field.place,
                 fmt::format("`{}` of {} is a list of ids: a member cannot be added or removed by value, so writers "
                             "read the list and write it back, and one of two concurrent changes is lost",
                             field.name, entity.name),
                 fmt::format("make it a set<{}>, whose members ADD and DELETE change atomically",
                             type_text(*field.type.element)));
  }
}

}  // namespace

void check_lost_updates(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    lists_of_ids(entity, findings);
  }
  for (const Operation& operation : context.design.operations) {
    read_then_written(context, operation, findings);
    if (!operation.ignores_errors) continue;
    findings.add(
        "T313", Severity::kError, operation.place,
        operation.is_write
            ? fmt::format("`{}` swallows every error: a write that was rejected or throttled is reported as successful",
                          operation.name)
            : fmt::format("`{}` swallows every error: while DynamoDB throttles or is unreachable, existing items are "
                          "reported as absent",
                          operation.name),
        "report an item as absent only if DynamoDB says so, and return or retry other errors");
  }
}

namespace {

// T330: a tally in the writer's transaction sets `touch` fields, and the defaults of an item that it creates, without
// reading the item. An index entry that also depends on other fields would not be updated.
void unread_entries(const Design& design, const Tally& tally, const Entity& into, Findings& findings) {
  const bool makes = tally_may_create(design, into);
  for (const IndexEntry& entry : into.index) {
    std::string touched, unread;
    std::set<std::string> absent;
    bool first = false;
    for (const std::string& name : fields_deciding(into, entry)) {
      const Field* field = into.field(name);
      if (field == nullptr || into.in_key(name)) continue;
      if (field->touched)
        touched = name;
      else
        unread = name;
      first = first || (makes && (field->default_value || field->automatic || field->counter));
      if (field->optional && !field->default_value && !field->automatic) absent.insert(name);
    }
    const bool sparse = entry.condition.has_value();
    // An entry that a new item cannot have needs no update.
    const bool creates_entry = makes && !absent.empty() && !lacks_entry(into, entry, absent);
    if (unread.empty() || (touched.empty() && !(sparse && first) && !creates_entry)) continue;
    findings.add("T330", Severity::kError, tally.place,
                 fmt::format("tally `{}` writes {} of {} without reading the item, but index entry `{}` also depends "
                             "on `{}`: it would not be updated",
                             tally.name,
                             !touched.empty() ? "`" + touched + "`"
                             : first          ? "the defaults"
                                              : "the entries",
                             into.name, entry.name, unread),
                 "declare `through: stream`, which reads the item");
  }
}

// T330: the same for an expiry that depends on fields that the tally does not know.
void unread_expiry(const Design& design, const Tally& tally, const Entity& into, Findings& findings) {
  if (!into.ttl) return;
  const bool makes = tally_may_create(design, into);
  std::string unread;
  std::set<std::string> absent;
  bool touched = false;
  for (const std::string& name : fields_in(into, *into.ttl)) {
    const Field& field = *into.field(name);
    if (into.in_key(name)) continue;
    touched |= field.touched;
    if (field.touched || (makes && (field.default_value || field.automatic))) continue;
    unread = name;
    if (field.optional) absent.insert(name);
  }
  const bool creates_expiry = makes && !lacks_value(*into.ttl, absent);
  if (unread.empty() || (!touched && !creates_expiry)) return;
  findings.add(
      "T330", Severity::kError, tally.place,
      fmt::format(
          "tally `{}` writes {} without reading the item, but its expiry also depends on `{}`: it would not be updated",
          tally.name, into.name, unread),
      "declare `through: stream`, which reads the item");
}

// Whether the index has a key attribute that is neither a field nor part of the table's key.
bool has_computed_key(const Entity& entity, const Table& table, const Index& index) {
  const auto computed = [&](const KeyAttribute& attribute) {
    return entity.field(attribute.name) == nullptr && !table.key.contains(attribute.name);
  };
  return std::ranges::any_of(index.key.hash, computed) || std::ranges::any_of(index.key.range, computed);
}

// T330: a tally changes a figure without reading its item, so nothing may be derived from the figure except an
// attribute that is the figure itself.
void derived_figures(const CheckContext& context, Findings& findings) {
  for (const Tally& tally : context.design.tallies) {
    const Entity* into = context.design.entity(tally.into);
    const Table* table = into == nullptr ? nullptr : context.design.table(into->table);
    if (table == nullptr) continue;
    if (!tally.through_stream) {
      unread_entries(context.design, tally, *into, findings);
      unread_expiry(context.design, tally, *into, findings);
    }
    each_figure(tally, [&](const Binding& add) {
      const auto say = [&](const std::string& what) {
        findings.add(
            "T330", Severity::kError, add.place,
            fmt::format(
                "tally `{}` writes `{}` without reading it, but {} of {} depends on it and would not be updated",
                tally.name, add.field, what, into->name),
            "index the figure as a separate attribute (key: [..., total N]), or do not use it there");
      };
      for (const IndexEntry& entry : into->index) {
        const Index* index = table->index(entry.index);
        for (size_t i = 0; i < entry.key.size() && index != nullptr; ++i) {
          if (!entry.key[i].uses(add.field)) continue;
          const size_t hashes = index->key.hash.size();
          const auto& attribute = i < hashes ? index->key.hash[i] : index->key.range[i - hashes];
          // If the value can become absent, the computed attributes of the entry would have to be removed with it.
          const bool may_go = into->field(add.field) != nullptr && into->field(add.field)->optional;
          if (attribute.name != add.field || (may_go && has_computed_key(*into, *table, *index)))
            say(fmt::format("index entry `{}`", entry.name));
        }
        if (entry.condition && names_field(*entry.condition, add.field))
          say(fmt::format("index entry `{}`", entry.name));
      }
      for (const Guard& guard : into->unique) {
        for (const Template& key : guard.key) {
          if (key.uses(add.field)) say(fmt::format("guard `{}`", guard.name));
        }
      }
      if (into->ttl && names_field(*into->ttl, add.field)) say("the expiry");
      for (const Tally& other : context.design.tallies) {
        if (other.of != into->name || other.through_stream) continue;
        bool uses = other.when && names_field(*other.when, add.field);
        const auto look = [&](const Binding& binding) {
          uses = uses || names_field(binding.value, add.field) ||
                 (binding.element && names_field(*binding.element, add.field));
        };
        for (const Binding& by : other.by) look(by);
        each_figure(other, look);
        if (uses) say(fmt::format("tally `{}`", other.name));
      }
    });
  }
}

// Whether an item that satisfies the condition never expires: the condition is that a field is absent from which the
// expiry is computed.
bool excludes_expiring(const Expression& when, const Entity& entity) {
  using Kind = Expression::Kind;
  if (when.is(Kind::kAnd))
    return std::ranges::any_of(when.arguments, [&](const Expression& e) { return excludes_expiring(e, entity); });
  if (when.is(Kind::kOr))
    return std::ranges::all_of(when.arguments, [&](const Expression& e) { return excludes_expiring(e, entity); });
  const auto is_test = [](const Expression& e) { return e.text == "exists" || e.text == "attribute_exists"; };
  const auto absent_in = [&](const Expression& e) {
    return e.is(Kind::kName) && entity.field(e.text) != nullptr && lacks_value(*entity.ttl, {e.text});
  };
  if (when.is(Kind::kCompare) && when.text == "=")
    return std::ranges::any_of(when.arguments, [](const Expression& e) { return e.is(Kind::kNull); }) &&
           std::ranges::any_of(when.arguments, absent_in);
  const Expression& test = when.is(Kind::kNot) ? when.arguments[0] : when;
  if (!test.is(Kind::kCall) || test.arguments.size() != 1) return false;
  const bool absent = when.is(Kind::kNot) ? is_test(test) : test.text == "attribute_not_exists";
  return absent && absent_in(test.arguments[0]);
}

// T331, T332: items that appear or disappear without an explicit write are only seen by the stream reader.
void unseen_changes(const CheckContext& context, Findings& findings) {
  for (const Tally& tally : context.design.tallies) {
    const Entity* of = context.design.entity(tally.of);
    if (of == nullptr || tally.through_stream) continue;
    if (of->ttl && !(tally.when && excludes_expiring(*tally.when, *of))) {
      findings.add("T331", Severity::kError, tally.place,
                   fmt::format("tally `{}` counts {} in the writer's transaction, but {} items expire: no operation "
                               "writes an expiry, so it is not counted",
                               tally.name, of->name, of->name),
                   "declare `through: stream`");
    }
    const bool is_counted = std::any_of(context.design.tallies.begin(), context.design.tallies.end(),
                                        [&](const Tally& other) { return other.into == of->name; });
    if (is_counted && tally_may_create(context.design, *of)) {
      findings.add("T331", Severity::kError, tally.place,
                   fmt::format("tally `{}` counts {} in the writer's transaction, but another tally creates {} items, "
                               "which are not counted",
                               tally.name, of->name, of->name),
                   "declare `through: stream`");
    }
    for (const Entity& owner : context.design.entities) {
      for (const Each& each : owner.eaches) {
        if (each.entity != of->name) continue;
        findings.add("T331", Severity::kError, tally.place,
                     fmt::format("tally `{}` counts {} in the writer's transaction, but each {} is written as a child "
                                 "of its {}, which is not counted",
                                 tally.name, of->name, of->name, owner.name),
                     "declare `through: stream`");
      }
    }
  }
  for (const Entity& owner : context.design.entities) {
    for (const Each& each : owner.eaches) {
      const Entity* child = context.design.entity(each.entity);
      if (child == nullptr || (child->unique.empty() && child->eaches.empty())) continue;
      findings.add("T332", Severity::kError, each.place,
                   fmt::format("each {} is written as a child of its {}, without the guards and children of {}",
                               child->name, owner.name, child->name),
                   "write them with a separate operation");
    }
  }
}

bool is_addable(const Entity& into, const Binding& add, bool tally) {
  const Field* field = into.field(add.field);
  if (field == nullptr || field->extreme != Field::Extreme::kNone) return field == nullptr;
  const FieldType& type = field->type;
  if (add.element) return type.base != BaseType::kMap || type.element == nullptr || is_numeric(*type.element);
  return is_numeric(type) || type.base == BaseType::kAny || (!tally && type.base == BaseType::kSet);
}

// T333: ADD accepts numbers and sets. A tally accepts only numbers, because it also subtracts.
void unaddable(const CheckContext& context, Findings& findings) {
  const auto refuse = [&](const Entity& into, const Binding& add, bool tally) {
    if (is_addable(into, add, tally)) return;
    const bool extreme = into.field(add.field)->extreme != Field::Extreme::kNone;
    findings.add(
        "T333", Severity::kError, add.place,
        extreme
            ? fmt::format("`{}` of {} stores a minimum or maximum: nothing can be added to it", add.field, into.name)
            : fmt::format("`{}` of {} is not a number, so nothing can be added to it", add.field, into.name),
        extreme ? (tally ? "use `min` or `max` instead of `add`" : "use `set` in an upsert or update")
                : "use `set`, or declare it as a counter");
  };
  for (const Tally& tally : context.design.tallies) {
    const Entity* of = context.design.entity(tally.of);
    const Entity* into = context.design.entity(tally.into);
    if (of == nullptr || into == nullptr) continue;
    for (const Binding& add : tally.add) {
      refuse(*into, add, true);
      const Field* amount = add.value.is(Expression::Kind::kName) ? of->field(add.value.text) : nullptr;
      if (amount == nullptr || is_numeric(amount->type) || amount->type.base == BaseType::kAny) continue;
      findings.add("T333", Severity::kError, add.place,
                   fmt::format("tally `{}` adds `{}` of {}, which is not a number", tally.name, amount->name, of->name),
                   "add a number such as 1, or a numeric field");
    }
  }
  for (const Entity& entity : context.design.entities) {
    for (const auto& [operation, write, writes_in_transaction, on_failure] : context.writes_to(entity.name)) {
      for (const Binding& add : write->add) refuse(entity, add, false);
    }
  }
}

}  // namespace

// T310: numbers that nothing maintains in an item that holds figures, such as a ratio or an average, which cannot be
// maintained by addition.
void check_figures(const CheckContext& context, Findings& findings) {
  derived_figures(context, findings);
  unseen_changes(context, findings);
  unaddable(context, findings);
  for (const Entity& entity : context.design.entities) {
    bool tallied = false;
    for (const Tally& tally : context.design.tallies) tallied = tallied || tally.into == entity.name;
    for (const auto& entity_write : context.writes_to(entity.name)) {
      const bool counts =
          std::any_of(entity_write.write->add.begin(), entity_write.write->add.end(), [&](const Binding& add) {
            const Field* field = entity.field(add.field);
            return field != nullptr && field->counter;
          });
      // An item that upserts add to also counts as an item that holds figures.
      tallied = tallied || (counts && entity_write.write->kind == Write::Kind::kUpsert);
    }
    if (!tallied) continue;
    for (const Field& field : entity.fields) {
      const bool figure = field.type.base == BaseType::kNumber || field.type.base == BaseType::kInt ||
                          field.type.base == BaseType::kMoney;
      if (!figure || field.counter || field.revision || field.extreme != Field::Extreme::kNone || field.default_value ||
          entity.in_key(field.name))
        continue;
      bool maintained = false;
      for (const Tally& tally : context.design.tallies)
        maintained = maintained || (tally.into == entity.name && tally.writes(field.name));
      for (const auto& [operation, write, writes_in_transaction, on_failure] : context.writes_to(entity.name))
        maintained = maintained || binds(write->set, field.name) || binds(write->add, field.name) ||
                     (write->sets_inputs && operation->input(field.name) != nullptr);
      // An optional number that nothing writes is merely unused.
      if (maintained || (field.optional && !names_ratio(field.name))) continue;
      findings.add(
          "T310", Severity::kError, field.place,
          fmt::format("`{}` is in {}, an item that holds figures, but nothing adds to it: a ratio or an average "
                      "changes with every count, cannot be incremented, and cannot be summed over days",
                      field.name, entity.name),
          "count its parts (`errors: counter`), and divide when reading");
    }
  }
}

}  // namespace trestle::design
