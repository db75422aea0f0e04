// T307: values of a new item that depend on each other, or on a value that the item may lack.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "design/check/check_impl.h"
#include "design/plan/plan.h"
#include "design/plan/value_order.h"

namespace trestle::design {
namespace {

using Kind = Expression::Kind;
using Values = std::map<std::string, Expression>;

bool is_computed(const Expression& e) {
  return e.is(Kind::kAdd) || e.is(Kind::kSubtract) || e.is(Kind::kMultiply) || e.is(Kind::kDivide);
}

// The item that a put or upsert creates: the value of each of its fields.
class CreatedItem {
 public:
  CreatedItem(const Operation& operation, const Request& request) : operation_(operation), request_(request) {
    for (const FieldValue& field : request.fields) values_.emplace(field.name, field.source.expression);
  }

  const Values& values() const { return values_; }

  // The field whose absence makes the value absent; empty: none is known to do so.
  std::string lacking(const Expression& e) const {
    std::set<std::string> within;
    return lacking(e, within);
  }

 private:
  bool is_optional_input(const Expression& e) const {
    const Input* input = e.is(Kind::kInput) ? operation_.input(e.text) : nullptr;
    return input != nullptr && input->optional && !input->default_value;
  }

  std::string first_lacking(const std::vector<Expression>& parts, std::set<std::string>& within) const {
    for (const Expression& part : parts) {
      if (std::string name = lacking(part, within); !name.empty()) return name;
    }
    return {};
  }

  std::string lacking(const Expression& e, std::set<std::string>& within) const {
    if (e.is(Kind::kName)) return lacking_field(e.text, within);
    // The item that an upsert creates had no value before.
    if (e.is(Kind::kMember) && !request_.current.empty() && e.arguments[0].is(Kind::kInput) &&
        e.arguments[0].text == request_.current)
      return e.text;
    if (is_computed(e)) return first_lacking(e.arguments, within);
    if (!e.is(Kind::kCall)) return {};
    if (e.text == "coalesce") {
      std::string first;
      for (const Expression& part : e.arguments) {
        if (is_optional_input(part)) continue;
        const std::string name = lacking(part, within);
        if (name.empty()) return {};
        if (first.empty()) first = name;
      }
      return first;
    }
    static constexpr std::array<std::string_view, 9> kStrict = {"concat", "date",  "hour", "hour_of_day", "ulid_time",
                                                                "lower",  "floor", "ceil", "epoch"};
    return std::ranges::find(kStrict, e.text) == kStrict.end() ? "" : first_lacking(e.arguments, within);
  }

  std::string lacking_field(const std::string& name, std::set<std::string>& within) const {
    const Field* field = request_.entity->field(name);
    if (field == nullptr || !within.insert(name).second) return {};
    const auto value = values_.find(name);
    if (value == values_.end()) return field->optional ? name : "";
    if (is_optional_input(value->second)) return name;
    return lacking(value->second, within).empty() ? "" : name;
  }

  const Operation& operation_;
  const Request& request_;
  Values values_;
};

// The values of one operation's writes. Findings about defaults are reported once for all operations.
class CreatedValues {
 public:
  CreatedValues(const CheckContext& context, Findings& findings) : context_(context), findings_(findings) {}

  void check_defaults() {
    for (const Entity& entity : context_.design.entities) {
      Values defaults;
      for (const Field& field : entity.fields) {
        if (field.default_value) defaults.emplace(field.name, *field.default_value);
      }
      const auto cycle = cycle_of(defaults);
      if (cycle.empty()) continue;
      in_cycle_.insert(&entity);
      add_cycle(entity.field(cycle[0])->place, fmt::format("the defaults of {}", entity.name), cycle);
    }
  }

  void check(const Operation& operation) {
    bool creates = false;
    each_write(operation, [&](const Write& write, const Step&) { creates |= is_creating(write); });
    if (!creates) return;
    const Plan plan = plan_operation(context_.design, operation);
    check(operation, plan.steps);
    for (const auto& [failure, steps] : plan.also) check(operation, steps);
  }

 private:
  static bool is_creating(const Write& write) {
    return (write.kind == Write::Kind::kPut || write.kind == Write::Kind::kUpsert) && write.raw.empty();
  }

  void add_cycle(Place place, const std::string& what, const std::vector<std::string>& cycle) {
    findings_.add("T307", Severity::kError, place,
                  cycle.size() == 1
                      ? fmt::format("{} compute `{}` from itself: a new item has no earlier value", what, cycle[0])
                      : fmt::format("{} compute `{}` from each other: a new item would have none of them", what,
                                    fmt::join(cycle, "`, `")),
                  "compute one of them from inputs; the input `x` is `$x`");
  }

  void check(const Operation& operation, const std::vector<PlanStep>& steps) {
    for (const PlanStep& step : steps) {
      for (const Request& request : step.requests) {
        const bool own = request.follows == Request::Follows::kItself && request.guard == nullptr &&
                         request.each == nullptr && request.tally == nullptr && request.entity != nullptr;
        const bool writes = request.kind == RequestKind::kPutItem || request.kind == RequestKind::kUpdateItem;
        const bool exists =
            std::ranges::find(request.refusals, Cause::kAbsent, &Refusal::cause) != request.refusals.end();
        // A copy has what the item has that it copies.
        if (own && writes && !exists && request.extras_from.empty()) check(operation, request);
      }
      check(operation, step.steps);
      check(operation, step.undo);
    }
  }

  // The write that the request is planned from, if it may create an item: the one that sets the field, if any does.
  static const Write* write_of(const Operation& operation, const Request& request, const std::string& field) {
    const Write* found = nullptr;
    each_write(operation, [&](const Write& write, const Step&) {
      const auto kind = write.kind == Write::Kind::kPut ? RequestKind::kPutItem : RequestKind::kUpdateItem;
      if (!is_creating(write) || write.exists == Write::Exists::kPresent || write.entity != request.entity->name ||
          kind != request.kind)
        return;
      if (found == nullptr || binds(write.set, field)) found = &write;
    });
    return found;
  }

  void check(const Operation& operation, const Request& request) {
    const CreatedItem item(operation, request);
    const auto cycle = cycle_of(item.values());
    if (!cycle.empty()) {
      const Write* write = write_of(operation, request, cycle[0]);
      for (const std::string& field : cycle) {
        if (const Write* sets = write_of(operation, request, field); sets != nullptr && binds(sets->set, field))
          write = sets;
      }
      if (write != nullptr && !in_cycle_.contains(request.entity))
        add_cycle(write->place, fmt::format("the values of `{}`", operation.name), cycle);
      return;
    }
    for (const Field& field : request.entity->fields) {
      const auto value = item.values().find(field.name);
      const Write* write = write_of(operation, request, field.name);
      if (field.optional || value == item.values().end() || write == nullptr) continue;
      const std::string lacks = item.lacking(value->second);
      if (lacks.empty()) continue;
      const bool of_default = !binds(write->set, field.name);
      if (of_default && !reported_.insert(&field).second) continue;
      findings_.add(
          "T307", Severity::kError, of_default ? field.place : write->place,
          fmt::format("`{}` may create a {} without {}, which is computed from `{}`: a new item may lack it",
                      operation.name, request.entity->name, field.name, lacks),
          fmt::format("write coalesce({}, ...) with a value for that case, or make {} optional", lacks, field.name));
    }
  }

  const CheckContext& context_;
  Findings& findings_;
  std::set<const Entity*> in_cycle_;
  std::set<const Field*> reported_;
};

}  // namespace

void check_created_values(const CheckContext& context, Findings& findings) {
  CreatedValues values(context, findings);
  values.check_defaults();
  for (const Operation& operation : context.design.operations) values.check(operation);
}

// T330: the default of an item that a tally creates is computed from a figure, which the tally adds without knowing it.
void check_figure_defaults(const CheckContext& context, Findings& findings) {
  for (const Tally& tally : context.design.tallies) {
    const Entity* into = context.design.entity(tally.into);
    if (into == nullptr || !tally_may_create(context.design, *into)) continue;
    for (const Field& field : into->fields) {
      if (!field.default_value) continue;
      const auto operands = fields_in(*into, *field.default_value);
      const auto unknown = std::ranges::find_if(operands, [&](const std::string& name) {
        const Field& operand = *into->field(name);
        return !into->in_key(name) && !operand.default_value && !operand.automatic && !operand.touched;
      });
      if (unknown == operands.end()) continue;
      findings.add("T330", Severity::kError, field.place,
                   fmt::format("tally `{}` creates the {} that it counts in, but the default of `{}` is computed from "
                               "`{}`, which the tally does not know",
                               tally.name, into->name, field.name, *unknown),
                   "compute it when it is read, or from fields of the key");
    }
  }
}

}  // namespace trestle::design
