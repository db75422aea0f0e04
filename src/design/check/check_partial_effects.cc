// Operations of several writes that stop midway: what the earlier ones did stays unless it is taken back.
#include <fmt/format.h>

#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

bool changes_items(const Step& step) {
  if (!step.next.empty()) return false;  // a number that is passed over harms nobody
  const auto changes = [](const Write& write) { return write.kind != Write::Kind::kCheck; };
  if (std::any_of(step.writes.begin(), step.writes.end(), changes)) return true;
  return std::any_of(step.steps.begin(), step.steps.end(), changes_items);
}

bool is_conditional(const Step& step) {
  return step.when || (step.writes.size() == 1 && step.steps.empty() && step.writes[0].when);
}

// Whether the step can end the operation: it has an answer of its own for that, a condition, or a value that may be
// taken.
bool can_refuse(const CheckContext& context, const Step& step) {
  if (step.kind == Step::Kind::kRequire || step.kind == Step::Kind::kLimit) return true;
  if (step.otherwise) return true;
  for (const Write& write : step.writes) {
    const Entity* entity = context.design.entity(write.entity);
    const bool guarded = entity != nullptr && !entity->unique.empty() &&
                         (write.kind == Write::Kind::kPut || write.kind == Write::Kind::kUpsert);
    // What takes part only where an earlier read found the item is refused only in a race.
    const bool checked = write.when && !write.condition && write.exists != Write::Exists::kAbsent;
    if ((write.otherwise && !checked) || write.condition || guarded) return true;
  }
  return std::any_of(step.steps.begin(), step.steps.end(),
                     [&](const Step& inner) { return can_refuse(context, inner); });
}

bool cascades(const Step& step) {
  return step.kind == Step::Kind::kCascade || std::any_of(step.steps.begin(), step.steps.end(), cascades);
}

// Whether the step can end the operation although its item exists. Where an item is absent, what a cascade deleted
// under it belonged to nothing.
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
                     fmt::format("what `{}` deletes here is gone when a later step (line {}) refuses", operation.name,
                                 later->place.line),
                     "find out first whether it may be done: `get` the item and `require` what the later step asks");
        continue;
      }
      if (!step.undo.empty() || !changes_items(step)) continue;
      const auto refuses = [&](const Step& later) {
        // Of steps that are each taken under a condition usually one is.
        return can_refuse(context, later) && !(is_conditional(step) && is_conditional(later));
      };
      const auto later = std::find_if(after, operation.steps.end(), refuses);
      if (later == operation.steps.end()) continue;
      findings.add("T340", Severity::kWarning, step.place,
                   fmt::format("`{}` keeps what this step wrote when a later one (line {}) refuses", operation.name,
                               later->place.line),
                   "say `undo: [...]` with the writes that take it back, or make one transaction of both (`atomic`)");
    }
  }
}

}  // namespace trestle::design
