// Resuming and undoing calls (runtime/journal/call_record.h).
#include "runtime/call/execution.h"

namespace trestle::runtime {

using design::PlanStep;

// Skips a step that was completed before the call was interrupted: only restores its results.
Outcome<bool> Execution::skip_step(const PlanStep& step) {
  // A repeated read may find something else than the first time, or be refused.
  const auto ignore_refusal = [&](auto done) -> Outcome<void> {
    if (done || done.error().status < 500) return {};
    return std::unexpected(std::move(done.error()));
  };
  switch (step.kind) {
    case PlanStep::Kind::kRead:
    case PlanStep::Kind::kObserve:
      state_.names.erase(step.name);
      TRY(ignore_refusal(read_step(step)));
      break;
    case PlanStep::Kind::kLet:
      TRY(ignore_refusal(let_step(step)));
      break;
    case PlanStep::Kind::kFor:
      TRY(ignore_refusal(for_step(step)));
      break;
    case PlanStep::Kind::kWrite:
      if (state_.at.depth == 0) TRY(record_.restore_written(step, requests()));
      break;
    default:
      break;
  }
  record_.restore_block();
  return true;
}

// Undoes what the steps before the refusal did. Returns the refusal.
Outcome<void> Execution::undo_steps(Refused why) {
  auto steps = steps_to_undo(state_.names, plan_.plan.steps.size());
  const auto unfinished = [&](const Refused& refused) -> Outcome<void> {
    // The background work must learn that the call has to be resumed again.
    if (context_.only_resumes) return std::unexpected(refused);
    why.message += " Its earlier steps have not been undone yet: " + refused.message;
    return std::unexpected(std::move(why));
  };
  // A repeat under the caller's key continues where this call was refused.
  const bool keeps_record = steps.empty() && !record_.resumes_undo() && !record_.is_own_key();
  if (!steps.empty() && !record_.resumes_undo()) {
    // Until this is recorded, a resumed call would go forward, so the refusal must not be answered.
    TRY(record_.begin_undo());
  }
  while (!steps.empty()) {
    const size_t step = steps.back();
    steps.pop_back();
    set_steps_to_undo(state_.names, steps);
    state_.at.undoing = step;
    auto done = run_block(plan_.plan.steps[step].undo);
    state_.at.undoing.reset();
    if (done) continue;
    if (!done.error().is_final()) return unfinished(done.error());
    why.message += " One of its earlier steps could not be undone: " + done.error().message;
  }
  if (const auto removed = record_.remove(keeps_record); !removed) return unfinished(removed.error());
  return std::unexpected(std::move(why));
}

}  // namespace trestle::runtime
