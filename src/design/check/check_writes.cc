// T301 to T307, T309, T341: writes that DynamoDB rejects, or that leave items incomplete. T209: reserved words in raw
// updates.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "design/check/check_impl.h"
#include "design/language/word.h"
#include "design/plan/absent_fields.h"
#include "design/plan/plan.h"
#include "model/limits.h"
#include "model/reserved_words.h"

namespace trestle::design {
namespace {

std::set<std::string> let_names(const Operation& operation) {
  std::set<std::string> names;
  each_step(operation.steps, [&](const Step& step) {
    for (const Binding& binding : step.values) names.insert(binding.field);
    if (!step.next.empty()) names.insert(step.name);
  });
  return names;
}

// Whether an item created by this write has the field.
bool provides(const Operation& operation, const std::set<std::string>& lets, const Write& write, const Entity& entity,
              const Field& field) {
  if (binds(write.by, field.name) || binds(write.set, field.name) || binds(write.add, field.name)) return true;
  if (field.optional || field.automatic || field.counter || field.revision || field.default_value) return true;
  if (write.sets_inputs && (operation.input(field.name) != nullptr || lets.contains(field.name))) return true;
  if (!field.sha256_of.empty())
    return operation.input(field.sha256_of) != nullptr || lets.contains(field.sha256_of) ||
           binds(write.set, field.sha256_of);
  (void)entity;
  return false;
}

void incomplete_item(const CheckContext& context, const Operation& operation, const Write& write, const Entity& entity,
                     Findings& findings) {
  const bool makes = write.kind == Write::Kind::kPut || write.kind == Write::Kind::kUpsert;
  if (!makes || !write.raw.empty() || !write.from.empty()) return;
  const auto lets = let_names(operation);
  std::vector<std::string> missing;
  for (const Field& field : entity.fields) {
    if (!provides(operation, lets, write, entity, field)) missing.push_back(field.name);
  }
  (void)context;
  if (missing.empty()) return;
  findings.add("T307", Severity::kError, write.place,
               fmt::format("`{}` creates a {} without {}, which every {} must have", operation.name, entity.name,
                           fmt::join(missing, ", "), entity.name),
               "set them, give them defaults, or make them optional");
}

// T303: an update sets neither the type nor defaults, so it must not create the item.
void creating_update(const CheckContext& context, const Operation& operation, const Write& write, const Entity& entity,
                     Findings& findings) {
  if (write.kind != Write::Kind::kUpdate || !write.raw.empty() || write.exists == Write::Exists::kPresent) return;
  std::set<std::string> absent;
  for (const Field& field : entity.fields) absent.insert(field.name);
  if (const Table* table = context.design.table(entity.table)) {
    for (const auto* half : {&table->key.hash, &table->key.range}) {
      for (const KeyAttribute& attribute : *half) absent.insert(attribute.name);
    }
  }
  if (write.condition && cannot_hold(*write.condition, absent)) return;
  findings.add(
      "T303", Severity::kError, write.place,
      fmt::format("`{}` creates an incomplete {} if there is none: an update sets neither the type of the item "
                  "nor the defaults of its fields",
                  operation.name, entity.name),
      "use `upsert` or `put`, or a condition that requires the item");
}

void changed_key(const Operation& operation, const Write& write, const Entity& entity, Findings& findings) {
  if (write.kind != Write::Kind::kUpdate && write.kind != Write::Kind::kUpsert) return;
  for (const Binding& binding : write.set) {
    if (!entity.in_key(binding.field)) continue;
    if (write.kind == Write::Kind::kUpsert && !binds(write.by, binding.field)) continue;
    findings.add("T305", Severity::kError, binding.place,
                 fmt::format("`{}` sets `{}`, which is part of the key of {}: a key cannot change", operation.name,
                             binding.field, entity.name),
                 "delete the item and put the new one in one transaction");
  }
}

void flow(const Operation& operation, const Write& write, const Entity& entity, Findings& findings) {
  for (const Flow& flow : entity.flows) {
    for (const Binding& binding : write.set) {
      if (binding.field != flow.field || !binding.value.is(Expression::Kind::kText) || write.kind == Write::Kind::kPut)
        continue;
      const bool reachable = std::any_of(flow.steps.begin(), flow.steps.end(), [&](const FlowStep& step) {
        return std::find(step.to.begin(), step.to.end(), binding.value.text) != step.to.end();
      });
      // An upsert may create the item with any of the statuses.
      const Field* field = entity.field(flow.field);
      const bool starts =
          std::ranges::find(flow.steps, binding.value.text, &FlowStep::from) != flow.steps.end() ||
          (field != nullptr && field->default_value && field->default_value->text == binding.value.text);
      if (reachable || (write.kind == Write::Kind::kUpsert && starts)) continue;
      findings.add("T306", Severity::kError, binding.place,
                   fmt::format("`{}` sets {} to {}, but no step of the flow leads to that value", operation.name,
                               flow.field, binding.value.text),
                   "add the step to `flow`, or set another value");
    }
  }
}

void redundant_condition(const CheckContext& context, const Write& write, const Entity& entity, Findings& findings) {
  const Table* table = context.design.table(entity.table);
  if (!write.condition || table == nullptr || !write.condition->is(Expression::Kind::kAnd)) return;
  size_t keys = 0;
  for (const Expression& side : write.condition->arguments) {
    if (side.is(Expression::Kind::kCall) && side.text == "attribute_not_exists" && side.arguments.size() == 1 &&
        side.arguments[0].is(Expression::Kind::kName) && table->key.contains(side.arguments[0].text)) {
      ++keys;
    }
  }
  if (keys == 2) {
    findings.add("T309", Severity::kNote, write.condition->place,
                 "an existing item always has both key attributes: one attribute_not_exists is enough",
                 "write `if: absent`");
  }
}

}  // namespace

void check_writes(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    each_write(operation, [&](const Write& write, const Step&) {
      const Entity* entity = context.design.entity(write.entity);
      if (entity == nullptr) return;
      incomplete_item(context, operation, write, *entity, findings);
      creating_update(context, operation, write, *entity, findings);
      changed_key(operation, write, *entity, findings);
      flow(operation, write, *entity, findings);
      redundant_condition(context, write, *entity, findings);
    });
  }
}

// Raw update expressions, such as `ADD blockedCount :inc SET timestampLast = :ts`.
void check_raw_updates(const CheckContext& context, Findings& findings) {
  static const std::set<std::string> kKeywords = {"ADD", "SET",    "REMOVE", "DELETE",        "add",
                                                  "set", "remove", "delete", "if_not_exists", "list_append"};
  for (const Operation& operation : context.design.operations) {
    each_write(operation, [&](const Write& write, const Step&) {
      const Entity* entity = context.design.entity(write.entity);
      if (entity == nullptr || write.raw.empty()) return;
      std::set<std::string> named;
      for (size_t i = 0; i < write.raw.size();) {
        const char before = i == 0 ? ' ' : write.raw[i - 1];
        if (!is_word(write.raw[i])) {
          ++i;
          continue;
        }
        size_t end = i;
        while (end < write.raw.size() && is_word(write.raw[end])) ++end;
        const std::string word = write.raw.substr(i, end - i);
        const bool nested = end < write.raw.size() && write.raw[end] == '.';
        i = end;
        if (before == ':' || before == '.' || kKeywords.contains(word) ||
            std::isdigit(static_cast<unsigned char>(word[0])) != 0)
          continue;
        named.insert(word);
        if (before != '#' && is_reserved_word(word)) {
          findings.add(
              "T209", Severity::kWarning, write.raw_place,
              fmt::format("`{}` is a reserved word in DynamoDB: an expression that contains it is rejected", word),
              fmt::format("write #{} and define it in ExpressionAttributeNames", word));
        }
        const Field* field = entity->field(word);
        if (nested && field != nullptr) {
          findings.add("T304", Severity::kError, write.raw_place,
                       fmt::format("`{}` is a map that a new item does not have: an update of one of its members fails "
                                   "with \"The document path provided in the update expression is invalid\"",
                                   word),
                       "store each member in a separate attribute, or create the map first and retry");
        }
      }
      if (write.exists == Write::Exists::kPresent || write.condition) return;
      std::vector<std::string> missing;
      std::set<std::string> indexes;
      for (const Field& field : entity->fields) {
        if (field.optional || named.contains(field.name) || binds(write.by, field.name)) continue;
        missing.push_back(field.name);
        for (const IndexEntry& entry : entity->index) {
          if (std::any_of(entry.key.begin(), entry.key.end(), [&](const Template& t) { return t.uses(field.name); }))
            indexes.insert(entry.index);
        }
      }
      if (missing.empty()) return;
      findings.add(
          "T303", Severity::kError, write.raw_place,
          fmt::format("the first call of `{}` creates a {} without {}{}", operation.name, entity->name,
                      fmt::join(missing, ", "),
                      indexes.empty() ? "" : fmt::format(", so that it never enters {}", fmt::join(indexes, ", "))),
          "SET them in the same update (with if_not_exists to keep the first value)");
    });
  }
}

namespace {

// The maximum size of one transaction, including its loops.
struct TransactionSize {
  size_t items = 0;
  int64_t bytes = 0;
  std::vector<std::string> unbounded;
  std::vector<const Step*> loops;  // without a bound
  std::set<std::string> targets;   // of tallies: each target is one item, however many writes count in it
};

// The target of a tally as text: equal texts denote the same item. Returns "" for a write in a loop whose target can
// differ between members.
std::string target_text(const Operation& operation, const Tally& tally, const Write& write, const Entity& entity,
                        const Step* loop) {
  std::set<std::string> own;  // names whose value differs between members
  if (loop != nullptr) {
    own.insert(loop->name);
    for (const Step& inner : loop->steps) {
      own.insert(inner.name);
      for (const Binding& let : inner.values) own.insert(let.field);
    }
  }
  std::string text = tally.into;
  for (const Binding& by : tally.by) {
    bool differs = false;
    std::set<std::string> fields;
    each_expression(by.value, [&](const Expression& part) {
      if (part.is(Expression::Kind::kName) && entity.field(part.text) != nullptr) fields.insert(part.text);
    });
    for (const std::string& name : fields) {
      const Binding* bound = nullptr;
      for (const auto* list : {&write.by, &write.set}) {
        for (const Binding& binding : *list) bound = binding.field == name ? &binding : bound;
      }
      const bool is_put = write.kind == Write::Kind::kPut;
      if (bound == nullptr) differs = differs || !(is_put || entity.in_key(name)) || operation.input(name) == nullptr;
      if (bound == nullptr) continue;
      each_expression(bound->value, [&](const Expression& part) {
        differs = differs || part.is(Expression::Kind::kCall) ||
                  (part.is(Expression::Kind::kInput) && own.contains(part.text));
      });
      text += "|" + expression_text(bound->value);
    }
    if (differs && loop != nullptr) return {};
    text += "|" + by.field + "=" + expression_text(by.value);
  }
  return text;
}

// Whether the write may change the field. Every write except an update writes the whole item.
bool may_change(const Operation& operation, const Write& write, const Field& field) {
  if (write.kind != Write::Kind::kUpdate || field.touched || field.revision) return true;
  for (const auto* list : {&write.set, &write.add, &write.take}) {
    if (binds(*list, field.name)) return true;
  }
  return std::ranges::find(write.remove, field.name) != write.remove.end() ||
         (write.sets_inputs && operation.input(field.name) != nullptr);
}

// The maximum number of child items that a write touches per member. An update that changes the members can delete one
// child and put another; an update that changes fields that the children copy rewrites each child.
size_t items_per_member(const CheckContext& context, const Operation& operation, const Write& write,
                        const Entity& entity, const Each& each) {
  if (write.kind != Write::Kind::kUpdate || may_change(operation, write, *entity.field(each.field)))
    return write.kind == Write::Kind::kUpdate ? 2 : 1;
  const Entity* child = context.design.entity(each.entity);
  const auto is_copied = [&](const Field& field) {
    return (child == nullptr || child->field(field.name) != nullptr) && may_change(operation, write, field);
  };
  return std::ranges::any_of(entity.fields, is_copied) ? 1 : 0;
}

void add_write_size(const CheckContext& context, const Operation& operation, const Write& write, const Entity& entity,
                    const Step* loop, TransactionSize& size) {
  ++size.items;
  size.bytes += entity.item_bytes;
  const size_t per_guard = write.kind == Write::Kind::kUpdate ? 2 : 1;
  if (write.kind != Write::Kind::kCheck) size.items += entity.unique.size() * per_guard;
  std::set<std::string> targets;
  for (const Tally& tally : context.design.tallies) {
    if (tally.of != entity.name || tally.through_stream || write.kind == Write::Kind::kCheck) continue;
    const std::string same = target_text(operation, tally, write, entity, loop);
    if (!same.empty()) size.targets.insert(same);
    // Several tallies with the same target write one item.
    if (same.empty() && targets.insert(target_text(operation, tally, write, entity, nullptr)).second) ++size.items;
  }
  for (const Each& each : entity.eaches) {
    const Field* field = entity.field(each.field);
    if (field == nullptr || write.kind == Write::Kind::kCheck) continue;
    const size_t items = items_per_member(context, operation, write, entity, each);
    if (items == 0) continue;
    if (!field->type.max)
      size.unbounded.push_back(entity.name + "." + each.field);
    else
      size.items += static_cast<size_t>(*field->type.max) * items;
  }
}

void add_step_size(const CheckContext& context, const Operation& operation, const Step& step, const Step* in,
                   TransactionSize& size) {
  for (const Write& write : step.writes) {
    if (const Entity* entity = context.design.entity(write.entity))
      add_write_size(context, operation, write, *entity, in, size);
  }
  for (const Step& loop : step.steps) {
    TransactionSize loop_size;
    for (const Step& inner : loop.steps) {
      if (inner.kind == Step::Kind::kAtomic) add_step_size(context, operation, inner, &loop, loop_size);
    }
    const int64_t members = loop_members(operation, loop);
    if (members == 0) size.loops.push_back(&loop);
    size.items += loop_size.items * static_cast<size_t>(std::max<int64_t>(members, 1));
    size.bytes += loop_size.bytes * std::max<int64_t>(members, 1);
    size.unbounded.insert(size.unbounded.end(), loop_size.unbounded.begin(), loop_size.unbounded.end());
    size.targets.insert(loop_size.targets.begin(), loop_size.targets.end());
  }
}

// The item that a write addresses, as text: equal texts denote the same item.
std::string written_key(const Write& write, const Entity& entity) {
  std::map<std::string, std::string> by;
  for (const Binding& binding : write.by) by[binding.field] = expression_text(binding.value);
  if (write.kind == Write::Kind::kPut) {
    for (const Template& part : entity.key) {
      for (const std::string& field : part.fields()) {
        by[field] = "$" + field;
        for (const Binding& binding : write.set) {
          if (binding.field == field) by[field] = expression_text(binding.value);
        }
      }
    }
  }
  std::string key = write.entity;
  for (const auto& [field, value] : by) key += "|" + field + "=" + value;
  if (write.when) key += "?" + expression_text(*write.when);
  return key;
}

// Whether two writes of one item in a transaction are combined into one action, whatever they change: a check with
// anything but a put (runtime/requests/merge_actions.h).
bool are_combined(const Write& a, const Write& b) {
  const bool checks = a.kind == Write::Kind::kCheck || b.kind == Write::Kind::kCheck;
  return checks && a.kind != Write::Kind::kPut && b.kind != Write::Kind::kPut;
}

void check_transaction(const CheckContext& context, const Operation& operation, const Step& step, Findings& findings) {
  std::map<std::string, std::vector<const Write*>> keys;
  const auto look = [&](const auto& self, const Step& part) -> void {
    for (const Write& write : part.writes) {
      const Entity* entity = context.design.entity(write.entity);
      if (entity == nullptr) continue;
      auto& others = keys[written_key(write, *entity)];
      const bool conflicts =
          std::ranges::any_of(others, [&](const Write* other) { return !are_combined(write, *other); });
      others.push_back(&write);
      if (!conflicts) continue;
      findings.add("T302", Severity::kError, write.place,
                   fmt::format("`{}` writes the same {} twice in one transaction: DynamoDB rejects it (\"Transaction "
                               "request cannot include multiple operations on one item\")",
                               operation.name, write.entity),
                   "combine the two writes");
    }
    for (const Step& inner : part.steps) self(self, inner);
  };
  look(look, step);
  TransactionSize size;
  add_step_size(context, operation, step, nullptr, size);
  size.items += size.targets.size();
  for (const Step* loop : size.loops) {
    findings.add(
        "T301", Severity::kError, loop->place,
        fmt::format("`{}` writes an item for each member of {}, which has no size limit: above {} items the "
                    "transaction is rejected",
                    operation.name, loop->value ? expression_text(*loop->value) : "a list", kTransactionItemsMax),
        "add `most: 40`, or bound the list: list<Line>(..40)");
  }
  if (!size.unbounded.empty()) {
    findings.add("T301", Severity::kWarning, step.place,
                 fmt::format("`{}` writes one item per member of {}, which has no size limit: above {} items the "
                             "transaction is rejected",
                             operation.name, fmt::join(size.unbounded, ", "), kTransactionItemsMax),
                 "bound the set: set<string>(..40)");
  }
  if (size.items > kTransactionItemsMax) {
    findings.add("T301", Severity::kError, step.place,
                 fmt::format("`{}` can write {} items in one transaction; DynamoDB allows {}", operation.name,
                             size.items, kTransactionItemsMax),
                 "bound the number of items, or write them in several steps");
  }
  if (size.bytes > static_cast<int64_t>(kTransactionBytesMax)) {
    findings.add("T301", Severity::kError, step.place,
                 fmt::format("`{}` can write {} in one transaction; DynamoDB allows {}", operation.name,
                             bytes_text(size.bytes), bytes_text(kTransactionBytesMax)),
                 "write less in one transaction");
  }
}

}  // namespace

// T341: `next` needs the new value of a counter, which only a single UpdateItem returns. Other writes that the update
// implies would turn it into a transaction, which returns no values.
void check_numbers(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    bool takes = false;
    each_step(operation.steps, [&](const Step& step) { takes = takes || !step.next.empty(); });
    if (!takes) continue;
    const Plan plan = plan_operation(context.design, operation);
    const auto look = [&](const auto& self, const std::vector<PlanStep>& steps) -> void {
      for (const PlanStep& step : steps) {
        const bool alone = step.requests.size() == 1 && step.requests[0].current.empty();
        if (!step.next.empty() && !alone)
          findings.add("T341", Severity::kError, step.place,
                       fmt::format("`{}` takes the next `{}`, but the update of the counter implies other writes (an "
                                   "index key, a guard, a tally): a single UpdateItem cannot return the number",
                                   operation.name, step.next),
                       "store the counter in a separate item");
        self(self, step.steps);
      }
    };
    look(look, plan.steps);
  }
}

void check_transactions(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    std::set<const Step*> parts;  // atomic steps of loops within transactions; they are not separate transactions
    each_step(operation.steps, [&](const Step& step) {
      if (step.kind != Step::Kind::kAtomic || parts.contains(&step)) return;
      for (const Step& loop : step.steps) {
        for (const Step& inner : loop.steps) parts.insert(&inner);
      }
      check_transaction(context, operation, step, findings);
    });
  }
}

}  // namespace trestle::design
