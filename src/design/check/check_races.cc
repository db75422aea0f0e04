// T223, T224, T315, T316: stale or empty reads, and writes that lose a race.
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

bool is_generated(const Field& field) {
  return field.automatic || field.identifier || field.default_value || !field.sha256_of.empty() ||
         is_time(field.type) || is_unique_by_nature(field.type);
}

// T315: `createAccount: {put: Account}` under a key that callers choose: the second account with a name replaces the
// first.
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
    const bool natural =
        !fields.empty() && std::all_of(fields.begin(), fields.end(), [&](const std::string& field_name) {
          const Field* field = entity->field(field_name);
          return field != nullptr && !is_generated(*field);
        });
    // An item that consists only of its key is replaced by an identical one.
    const bool bare = std::all_of(entity->fields.begin(), entity->fields.end(),
                                  [&](const Field& field) { return fields.contains(field.name); });
    if (!natural || bare) return;
    findings.add("T315", Severity::kWarning, write.place,
                 fmt::format("`{}` puts {} without a condition, under a key that its callers choose ({}): a second "
                             "item with the same key replaces the first without an error",
                             operation.name, entity->name, fmt::join(fields, ", ")),
                 "write `if: absent`");
  });
}

// Calls `visit` with each name $x that the expression requires to be absent.
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

// T316: operations that check whether a value is taken and then put the item. Two concurrent callers both find it free.
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
        findings.add(
            "T316", Severity::kError, write.place,
            fmt::format("`{}` checks whether such a {} exists, and then puts one: two concurrent callers both find "
                        "none, and both put{}",
                        operation.name, entity->name, by_key ? "" : "; besides, an index lags behind its table"),
            by_key ? "write `if: absent`, which DynamoDB checks atomically" : "declare the field under `unique`");
      }
    }
  }
}

// T223: an index entry with a field that no write sets, so the index stays empty.
void unset_fields(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    const auto writes = context.writes_to(entity.name);
    if (writes.empty()) continue;
    const auto is_set = [&](const std::string& name) {
      const Field* field = entity.field(name);
      if (field == nullptr || !field->optional || field->automatic || field->default_value ||
          !field->sha256_of.empty() || field->touched || field->counter)
        return true;
      return std::any_of(writes.begin(), writes.end(), [&](const CheckContext::EntityWrite& entity_write) {
        return !entity_write.write->raw.empty() || binds(entity_write.write->set, name) ||
               binds(entity_write.write->add, name) || binds(entity_write.write->by, name) ||
               (entity_write.write->sets_inputs && entity_write.operation->input(name) != nullptr) ||
               entity_write.operation->input(name) != nullptr;
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

// Whether the operation's name suggests that it decides what a caller may do.
bool decides_by_name(const Operation& operation) {
  constexpr std::array<std::string_view, 4> kInside = {"authoriz", "authenticat", "permission", "permit"};
  constexpr std::array<std::string_view, 6> kStarts = {"canaccess", "checkaccess", "hasrole",
                                                       "hasaccess", "ismember",    "isallowed"};
  const std::string name = lower(operation.name);
  return std::any_of(kInside.begin(), kInside.end(), [&](auto word) { return name.find(word) != std::string::npos; }) ||
         std::any_of(kStarts.begin(), kStarts.end(), [&](auto word) { return name.starts_with(word); });
}

// The field of the entity that access depends on: a credential, if `one` item is read, or a collection of roles,
// permissions or scopes. Null if there is none.
const Field* deciding_field(const Entity& entity, bool reads_one) {
  const auto found = std::find_if(entity.fields.begin(), entity.fields.end(), [&](const Field& field) {
    const bool credential = field.secret || field.type.base == BaseType::kSha256 || !field.sha256_of.empty();
    const bool rights = field.type.base == BaseType::kList || field.type.base == BaseType::kSet;
    const std::string name = lower(field.name);
    return (reads_one && credential) || (rights && (name == "roles" || name == "permissions" || name == "scopes"));
  });
  return found == entity.fields.end() ? nullptr : &*found;
}

// T224: authorization based on a global index, whose reads can be stale. Recognized by the operation's name, or by the
// field that it reads.
void late_authorization(const CheckContext& context, const Operation& operation, Findings& findings) {
  const bool named = decides_by_name(operation);
  each_access(operation, [&](const Access& access) {
    const Entity* entity = context.design.entity(access.entity);
    const Index* index = nullptr;
    bool reads_one = access.one;
    if (access.kind == Access::Kind::kRaw) {
      const RawReach reach = raw_reach_of(context, operation, access);
      if (reach.space == nullptr || reach.intended.empty()) return;
      entity = reach.intended[0]->entity;
      index = reach.space->index;
      reads_one = reads_one ||
                  std::all_of(reach.condition.equal.begin(), reach.condition.equal.end(), [](bool e) { return e; });
    } else if (entity != nullptr && !access.index.empty() && !access.by_guard) {
      const Table* table = context.design.table(entity->table);
      const IndexEntry* entry = entity->entry(access.index);
      index = table == nullptr || entry == nullptr ? nullptr : table->index(entry->index);
    }
    if (index == nullptr || index->local) return;
    const Field* field = operation.is_write || operation.returns ? nullptr : deciding_field(*entity, reads_one);
    // A list of all holders of a role is only displayed; the roles of one holder decide access.
    const bool credential = field != nullptr && is_scalar(field->type);
    if (!named && field != nullptr && !credential) {
      const auto key = entity->entry(access.index) == nullptr ? std::vector<std::string>()
                                                              : entity->entry(access.index)->key[0].fields();
      const bool of_holder = std::any_of(key.begin(), key.end(), [&](const std::string& name) {
        const std::string small = lower(name);
        return small.starts_with("user") || small.starts_with("member") || small.starts_with("principal") ||
               small.starts_with("subject");
      });
      if (!of_holder) field = nullptr;
    }
    if (!named && field == nullptr) return;
    findings.add("T224", named ? Severity::kWarning : Severity::kNote, access.place,
                 named ? fmt::format("`{}` bases a decision on {}, a global index, which lags behind its table: a "
                                     "permission that was just withdrawn may still be found",
                                     operation.name, index->name)
                       : fmt::format("`{}` reads `{}` of {}, which access depends on, from {}, a global index, which "
                                     "lags behind its table: a permission that was just withdrawn may still be found",
                                     operation.name, field->name, entity->name, index->name),
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
