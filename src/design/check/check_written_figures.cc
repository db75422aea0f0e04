// T336, T337: figures that a tally maintains but something else also writes, or that do not start at 0.
#include <fmt/format.h>

#include <algorithm>

#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

bool is_zero(const Expression& value) { return value.is(Expression::Kind::kNumber) && value.text == "0"; }

// How the write changes the field, as a verb. Null if it does not.
const char* change_of(const Operation& operation, const Write& write, const Entity& entity, const std::string& field) {
  const auto in = [&](const std::vector<Binding>& list) {
    return std::ranges::any_of(list, [&](const Binding& binding) { return binding.field == field; });
  };
  const bool puts = write.kind == Write::Kind::kPut;
  for (const Binding& set : write.set) {
    // A put may set the initial value of a count.
    if (set.field == field && !(puts && is_zero(set.value))) return "sets";
  }
  if (in(write.set)) return nullptr;
  const Field* own = entity.field(field);
  const bool taken = write.sets_inputs && own != nullptr && operation.input(field) != nullptr;
  if (taken && write.kind != Write::Kind::kDelete && write.kind != Write::Kind::kCheck) return "sets";
  if (in(write.add)) return "adds to";
  if (in(write.take)) return "takes from";
  return std::ranges::find(write.remove, field) != write.remove.end() ? "removes" : nullptr;
}

void written(const CheckContext& context, const Tally& tally, const Entity& into, const Binding& figure,
             Findings& findings) {
  for (const auto& [operation, write, writes_in_transaction, on_failure] : context.writes_to(into.name)) {
    const char* verb = change_of(*operation, *write, into, figure.field);
    if (verb == nullptr) continue;
    findings.add("T336", Severity::kError, write->place,
                 fmt::format("`{}` {} `{}` of {}, which tally `{}` maintains: the value then differs from the count, "
                             "and verify --repair reverts the write",
                             operation->name, verb, figure.field, into.name, tally.name),
                 fmt::format("leave the field to the tally, or use a separate field for the value that `{}` writes",
                             operation->name));
  }
}

}  // namespace

void check_written_figures(const CheckContext& context, Findings& findings) {
  for (const Tally& tally : context.design.tallies) {
    const Entity* into = context.design.entity(tally.into);
    if (into == nullptr) continue;
    const auto look = [&](const Binding& figure) {
      const Field* field = into->field(figure.field);
      // A min<T> or max<T> field covers all values ever counted or written, so other writes are allowed.
      if (field == nullptr || field->extreme != Field::Extreme::kNone) return;
      written(context, tally, *into, figure, findings);
    };
    each_figure(tally, look);
    for (const Binding& add : tally.add) {
      const Field* field = into->field(add.field);
      if (field == nullptr || add.element || !field->default_value || is_zero(*field->default_value)) continue;
      findings.add(
          "T337", Severity::kError, field->place,
          fmt::format("`{}` of {} starts at {}, but tally `{}` counts from 0: the value always differs from the count",
                      field->name, into->name, expression_text(*field->default_value), tally.name),
          "declare it as `counter`, or with `= 0`");
    }
  }
}

}  // namespace trestle::design
