// T617 to T621: false claims about what operations and client code do.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

class BehaviourClaim {
 public:
  BehaviourClaim(const CheckContext& context, const Claim& claim, Findings& findings)
      : context_(context), design_(context.design), claim_(claim), findings_(findings) {}

  void check() {
    if (claim_.kind == "only")
      only();
    else if (claim_.kind == "request")
      request();
    else if (claim_.kind == "retryable")
      retryable();
    else if (claim_.kind == "idempotent")
      idempotent();
    else if (claim_.kind == "follows")
      follows();
  }

 private:
  void wrong(std::string_view code, const std::string& because, std::string repair,
             Severity severity = Severity::kError) {
    findings_.add(code, severity, claim_.place, fmt::format("the claim \"{}\" is false: {}", claim_.says, because),
                  std::move(repair));
  }
  const Operation* operation() {
    const Operation* found = design_.operation(claim_.subject);
    if (found == nullptr)
      findings_.mistake("T004", claim_.place, fmt::format("there is no operation `{}`", claim_.subject));
    return found;
  }
  bool says(std::string_view word) const {
    return std::find(claim_.values.begin(), claim_.values.end(), word) != claim_.values.end();
  }

  // `only`: the operation's reads must fix the field by their key, a filter, or the condition of the index entry.
  void only() {
    const Operation* subject = operation();
    if (subject == nullptr || claim_.values.empty()) return;
    const std::string& field = claim_.values[0];
    bool fixed = false;
    each_access(*subject, [&](const Access& access) {
      for (const Binding& binding : access.by) fixed = fixed || binding.field == field;
      fixed = fixed || (access.filter && names_field(*access.filter, field));
      const Entity* entity = design_.entity(access.entity);
      const IndexEntry* entry = entity == nullptr ? nullptr : entity->entry(access.index);
      fixed = fixed || (entry != nullptr && entry->condition && names_field(*entry->condition, field));
      if (!access.where) return;
      each_expression(*access.where, [&](const Expression& e) {
        const bool names_it = e.is(Expression::Kind::kText) && e.text.find("{" + field + "}") != std::string::npos;
        fixed = fixed || names_it || e.is_name(field);
      });
    });
    if (!fixed) {
      wrong("T617",
            fmt::format("nothing in `{}` restricts `{}`: it returns items with any value of it", subject->name, field),
            fmt::format("put `{}` into the key that it reads by, or filter on it", field), Severity::kWarning);
    }
  }

  // `request`: boto3 has two interfaces. The client takes TableName and typed values; a Table takes neither. Neither
  // accepts floats.
  void request() {
    static const std::map<std::string, std::vector<std::string>> kRequired = {
        {"GetItem", {"Key"}},    {"PutItem", {"Item"}}, {"UpdateItem", {"Key"}},
        {"DeleteItem", {"Key"}}, {"Query", {}},         {"Scan", {}}};
    const auto known = kRequired.find(claim_.subject);
    if (known == kRequired.end()) {
      return findings_.mistake("T004", claim_.place, fmt::format("there is no request `{}`", claim_.subject));
    }
    std::vector<std::string> faults;
    for (const std::string& name : known->second) {
      if (!says(name)) faults.push_back(fmt::format("{} needs {}", claim_.subject, name));
    }
    if (says("client") && !says("TableName"))
      faults.push_back(fmt::format("the client's {} needs TableName", claim_.subject));
    if (says("client") && says("plain"))
      faults.push_back("the client takes values with their type, {\"S\": ...}, and rejects plain ones");
    if (says("table") && says("TableName")) faults.emplace_back("a Table's call takes no TableName");
    if (says("table") && says("typed")) faults.emplace_back("a Table stores {\"S\": ...} as a map, not as a string");
    if (says("floats")) faults.emplace_back("boto3 rejects Python floats: \"Float types are not supported\"");
    if (!faults.empty()) {
      wrong("T618", fmt::format("{}", fmt::join(faults, "; ")),
            "use one interface throughout, client or Table, and Decimal for fractions");
    }
  }

  // `retryable`: the claim must list every retryable error that the design's operations can receive.
  void retryable() {
    std::vector<std::string> wanted = {"ProvisionedThroughputExceeded", "Throttling", "RequestLimitExceeded",
                                       "InternalServerError"};
    bool transactions = false;
    for (const Operation& operation : design_.operations) {
      each_step(operation.steps, [&](const Step& step) {
        size_t items = step.writes.size();
        for (const Write& write : step.writes) {
          const Entity* entity = design_.entity(write.entity);
          if (entity != nullptr) items += entity->unique.size() + entity->eaches.size();
        }
        transactions = transactions || items > 1;
      });
    }
    if (transactions) {
      wanted.emplace_back("TransactionConflict");
      wanted.emplace_back("TransactionInProgress");
    }
    std::vector<std::string> missing;
    for (const std::string& error : wanted) {
      const bool named = std::any_of(claim_.values.begin(), claim_.values.end(),
                                     [&](const std::string& value) { return value.starts_with(error); });
      if (!named) missing.push_back(error);
    }
    if (!missing.empty()) {
      wrong("T619",
            fmt::format("{} must be retried too{}", fmt::join(missing, ", "),
                        transactions ? ": when two transactions conflict on an item, DynamoDB cancels one of them "
                                       "although its conditions hold"
                                     : ""),
            "add them to the list; the cancellation reasons of a transaction name the error");
    }
  }

  void idempotent() {
    const Operation* subject = operation();
    if (subject == nullptr || !subject->idempotent.empty()) return;
    std::vector<std::string> faults;
    each_write(*subject, [&](const Write& write, const Step&) {
      const bool conditional = write.condition || write.exists == Write::Exists::kAbsent;
      if (conditional) return;
      if (write.kind == Write::Kind::kPut) {
        faults.push_back(fmt::format(
            "it puts {} without a condition, so a second call replaces the item or creates another one", write.entity));
      }
      if (!write.add.empty()) faults.push_back(fmt::format("a second call adds to {} again", write.entity));
    });
    if (!faults.empty()) {
      wrong("T620", fmt::format("{}", fmt::join(faults, "; ")),
            "write `if: absent` under a key that the caller chooses, or declare `idempotent: <guard>`");
    }
  }

  // `follows` for one field that must equal another: every write that sets one must set the other to the same value.
  void field_follows(const Entity* entity, const std::string& name, const Entity* owner, const std::string& field) {
    const Field* copy = entity == nullptr ? nullptr : entity->field(name);
    if (copy == nullptr || owner == nullptr || owner->field(field) == nullptr)
      return findings_.mistake("T004", claim_.place, "expected `Entity.field: Entity.field`, of fields that exist");
    const auto writes = context_.writes_to(entity->name);
    const bool maintained =
        entity == owner && !writes.empty() &&
        std::all_of(writes.begin(), writes.end(), [&](const CheckContext::EntityWrite& entity_write) {
          const auto value = [&](const std::string& of) -> std::string {
            for (const Binding& binding : entity_write.write->set) {
              if (binding.field == of) return expression_text(binding.value);
            }
            const bool by_input = entity_write.write->sets_inputs && entity_write.operation->input(of) != nullptr;
            return by_input ? "$" + of : "";
          };
          return value(name) == value(field);
        });
    if (maintained) return;
    wrong("T621",
          fmt::format("`{}` of {} is a second copy of `{}`, and not every write sets both to the same value", name,
                      entity->name, field),
          fmt::format("remove it, and put {{{}}} into the index", field));
  }

  void follows() {
    const std::string owner_field = claim_.values.empty() ? "" : claim_.values[0];
    const size_t dot = owner_field.find('.');
    const Entity* owner = design_.entity(owner_field.substr(0, dot));
    const size_t at = claim_.subject.find('.');
    const Entity* child = design_.entity(claim_.subject.substr(0, at));
    if (at != std::string::npos && dot != std::string::npos) {
      return field_follows(child, claim_.subject.substr(at + 1), owner, owner_field.substr(dot + 1));
    }
    if (owner == nullptr || child == nullptr || dot == std::string::npos) {
      return findings_.mistake("T004", claim_.place, "expected `Child: Owner.field`, of entities that exist");
    }
    const std::string field = owner_field.substr(dot + 1);
    const bool maintained = std::any_of(owner->eaches.begin(), owner->eaches.end(), [&](const Each& each) {
      return each.field == field && each.entity == child->name;
    });
    if (!maintained) {
      wrong("T621",
            fmt::format("`{}` of {} and the {} items are written separately, and nothing deletes the items of removed "
                        "members: after a failure between the two writes, or a change, they differ permanently",
                        field, owner->name, child->name),
            fmt::format("declare `each: {{{}: {}.<field>}}`, which writes only the differences, in one transaction",
                        field, child->name));
    }
  }

  const CheckContext& context_;
  const Design& design_;
  const Claim& claim_;
  Findings& findings_;
};

}  // namespace

void check_behaviour_claim(const CheckContext& context, const Claim& claim, Findings& findings) {
  BehaviourClaim(context, claim, findings).check();
}

}  // namespace trestle::design
