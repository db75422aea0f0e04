// T223, T224, T315, T316: reads that are late or empty, and writes that trust them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "base/ascii.h"
#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

bool made_by_itself(const Field& field) {
  return field.automatic || field.identifier || field.default_value || !field.sha256_of.empty() ||
         is_time(field.type) || is_unique_by_nature(field.type);
}

// `createAccount: {put: Account}` under a key that callers choose: the second account of a name replaces the first.
void blind_creation(const CheckContext& context, const Operation& operation, Findings& findings) {
  constexpr std::array kCreation = {"create", "insert", "new", "signup", "open"};
  const std::string name = lower(operation.name);
  if (std::none_of(kCreation.begin(), kCreation.end(), [&](const char* word) { return name.starts_with(word); }))
    return;
  each_write(operation, [&](const Write& write, const Step&) {
    const Entity* entity = context.design.entity(write.entity);
    if (entity == nullptr || write.kind != Write::Kind::kPut || write.exists != Write::Exists::kEither ||
        write.condition || context.accumulates(*entity))
      return;
    std::set<std::string> fields;
    for (const Template& key : entity->key) {
      for (std::string& field : key.fields()) fields.insert(std::move(field));
    }
    const bool natural = !fields.empty() && std::all_of(fields.begin(), fields.end(), [&](const std::string& one) {
      const Field* field = entity->field(one);
      return field != nullptr && !made_by_itself(*field);
    });
    // An item that consists of its key is the same item again.
    const bool bare = std::all_of(entity->fields.begin(), entity->fields.end(),
                                  [&](const Field& field) { return fields.contains(field.name); });
    if (!natural || bare) return;
    findings.add("T315", Severity::kWarning, write.place,
                 fmt::format("`{}` puts {} without a condition, under a key that its callers choose ({}): a second one "
                             "replaces the first, without an error",
                             operation.name, entity->name, fmt::join(fields, ", ")),
                 "write `if: absent`");
  });
}

// The names $x that an expression requires to be absent.
void each_absent(const Expression& expression, const std::function<void(const std::string&)>& visit) {
  each_expression(expression, [&](const Expression& part) {
    const Expression* inner = nullptr;
    if (part.is(Expression::Kind::kNot)) inner = &part.arguments[0];
    if (inner != nullptr && inner->is(Expression::Kind::kCall) && inner->text == "exists" &&
        !inner->arguments.empty() && inner->arguments[0].is(Expression::Kind::kInput))
      visit(inner->arguments[0].text);
    if (part.is(Expression::Kind::kCompare) && part.text == "=" && part.arguments[1].is(Expression::Kind::kNull) &&
        part.arguments[0].is(Expression::Kind::kInput))
      visit(part.arguments[0].text);
  });
}

// Finds operations that check whether a value is taken and then put the item: two concurrent callers both find it free.
void looked_before(const CheckContext& context, const Operation& operation, Findings& findings) {
  std::map<std::string, const Access*> found;
  std::set<const Access*> absent;
  for (const Step& step : operation.steps) {
    if (step.kind == Step::Kind::kFind && step.access) found[step.name] = &*step.access;
    if (step.kind == Step::Kind::kRequire && step.value) {
      each_absent(*step.value, [&](const std::string& name) {
        if (const auto known = found.find(name); known != found.end()) absent.insert(known->second);
      });
    }
    for (const Write& write : step.writes) {
      const Entity* entity = context.design.entity(write.entity);
      if (entity == nullptr || write.kind != Write::Kind::kPut) continue;
      for (const Access* access : absent) {
        if (access->entity != entity->name || access->by_guard) continue;
        const bool by_key = access->index.empty();
        if (by_key && (write.exists == Write::Exists::kAbsent || write.condition)) continue;
        const bool guarded = std::any_of(entity->unique.begin(), entity->unique.end(), [&](const Guard& guard) {
          return std::any_of(access->by.begin(), access->by.end(), [&](const Binding& by) {
            return std::any_of(guard.key.begin(), guard.key.end(),
                               [&](const Template& key) { return key.uses(by.field); });
          });
        });
        if (guarded) continue;
        findings.add("T316", Severity::kError, write.place,
                     fmt::format("`{}` checks whether there is such a {}, and then puts one: two concurrent callers "
                                 "both find none, and both put{}",
                                 operation.name, entity->name, by_key ? "" : "; an index is also behind its table"),
                     by_key ? "write `if: absent`: DynamoDB then decides" : "declare the field under `unique`");
      }
    }
  }
}

// An entry of an index whose field no write ever sets: the index stays empty.
void unset_fields(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    const auto writes = context.writes_to(entity.name);
    if (writes.empty()) continue;
    const auto is_set = [&](const std::string& name) {
      const Field* field = entity.field(name);
      if (field == nullptr || !field->optional || field->automatic || field->default_value ||
          !field->sha256_of.empty() || field->touched || field->counter)
        return true;
      return std::any_of(writes.begin(), writes.end(), [&](const CheckContext::EntityWrite& one) {
        return !one.write->raw.empty() || binds(one.write->set, name) || binds(one.write->add, name) ||
               binds(one.write->by, name) || (one.write->sets_inputs && one.operation->input(name) != nullptr) ||
               one.operation->input(name) != nullptr;
      });
    };
    for (const IndexEntry& entry : entity.index) {
      for (const Template& key : entry.key) {
        for (const std::string& name : key.fields()) {
          if (is_set(name)) continue;
          findings.add("T223", Severity::kWarning, entry.place,
                       fmt::format("{}.{} needs `{}`, which no operation sets: no item ever enters the index",
                                   entity.name, entry.name, name),
                       "set the field where the item is written, or remove the entry");
        }
      }
    }
  }
}

// Authorization by a read that can be stale.
void late_authorization(const CheckContext& context, const Operation& operation, Findings& findings) {
  const std::string name = lower(operation.name);
  if (name.find("authoriz") == std::string::npos && name.find("permi") == std::string::npos &&
      !name.starts_with("canaccess") && !name.starts_with("checkaccess"))
    return;
  each_access(operation, [&](const Access& access) {
    const Entity* entity = context.design.entity(access.entity);
    const Table* table = entity == nullptr ? nullptr : context.design.table(entity->table);
    const IndexEntry* entry =
        access.index.empty() || access.by_guard || entity == nullptr ? nullptr : entity->entry(access.index);
    const Index* index = table == nullptr || entry == nullptr ? nullptr : table->index(entry->index);
    if (index == nullptr || index->local) return;
    findings.add("T224", Severity::kWarning, access.place,
                 fmt::format("`{}` decides by what it finds in {}, a global index, which is behind its table: what was "
                             "withdrawn a moment ago may still be found",
                             operation.name, index->name),
                 "read the table by its key, with `consistent: true`");
  });
}

}  // namespace

void check_races(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    blind_creation(context, operation, findings);
    looked_before(context, operation, findings);
    late_authorization(context, operation, findings);
  }
  unset_fields(context, findings);
}

}  // namespace trestle::design
