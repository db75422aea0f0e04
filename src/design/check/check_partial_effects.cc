// T340: operations with several writes that can stop midway, leaving the earlier writes in place.
#include <fmt/format.h>

#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

bool changes_items(const Step& step) {
  if (!step.next.empty()) return false;  // an unused sequence number does no harm
  const auto changes = [](const Write& write) { return write.kind != Write::Kind::kCheck; };
  if (std::any_of(step.writes.begin(), step.writes.end(), changes)) return true;
  return std::any_of(step.steps.begin(), step.steps.end(), changes_items);
}

bool is_conditional(const Step& step) {
  return step.when || (step.writes.size() == 1 && step.steps.empty() && step.writes[0].when);
}

// Whether the step can end the operation: it has a failure answer, a condition, or a guard whose value may be taken.
bool can_refuse(const CheckContext& context, const Step& step) {
  if (step.kind == Step::Kind::kRequire || step.kind == Step::Kind::kLimit) return true;
  if (step.otherwise) return true;
  for (const Write& write : step.writes) {
    const Entity* entity = context.design.entity(write.entity);
    const bool guarded = entity != nullptr && !entity->unique.empty() &&
                         (write.kind == Write::Kind::kPut || write.kind == Write::Kind::kUpsert);
    // A write whose `when` tested the item in an earlier read fails only in a race.
    const bool checked = write.when && !write.condition && write.exists != Write::Exists::kAbsent;
    if ((write.otherwise && !checked) || write.condition || guarded) return true;
  }
  return std::any_of(step.steps.begin(), step.steps.end(),
                     [&](const Step& inner) { return can_refuse(context, inner); });
}

bool cascades(const Step& step) {
  return step.kind == Step::Kind::kCascade || std::any_of(step.steps.begin(), step.steps.end(), cascades);
}

// Whether the step can end the operation even if its item exists. If the item is absent, nothing was lost: what the
// cascade deleted belonged to no item.
bool can_refuse_present(const Step& step) {
  if (step.kind == Step::Kind::kRequire || step.kind == Step::Kind::kLimit) return true;
  const auto refuses = [](const Write& write) { return write.condition || write.exists == Write::Exists::kAbsent; };
  return std::any_of(step.writes.begin(), step.writes.end(), refuses) ||
         std::any_of(step.steps.begin(), step.steps.end(), can_refuse_present);
}

}  // namespace

void check_partial_effects(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    for (size_t i = 0; i < operation.steps.size(); ++i) {
      const Step& step = operation.steps[i];
      const auto after = operation.steps.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      if (const auto later = std::find_if(after, operation.steps.end(), can_refuse_present);
          cascades(step) && later != operation.steps.end()) {
        findings.add("T340", Severity::kWarning, step.place,
                     fmt::format("the items that `{}` deletes here stay deleted if a later step (line {}) fails",
                                 operation.name, later->place.line),
                     "check first: `get` the item and `require` the condition of the later step");
        continue;
      }
      if (!step.undo.empty() || !changes_items(step)) continue;
      const auto refuses = [&](const Step& later) {
        // Of two conditional steps, usually only one runs.
        return can_refuse(context, later) && !(is_conditional(step) && is_conditional(later));
      };
      const auto later = std::find_if(after, operation.steps.end(), refuses);
      if (later == operation.steps.end()) continue;
      findings.add(
          "T340", Severity::kWarning, step.place,
          fmt::format("`{}` leaves the writes of this step in place if a later step (line {}) fails", operation.name,
                      later->place.line),
          "add `undo: [...]` with the writes that revert it, or combine both steps in one transaction (`atomic`)");
    }
  }
}

}  // namespace trestle::design
