// Calls that are resumed, and those that are taken back (runtime/journal/call_record.h).
#include "runtime/call/execution.h"

namespace trestle::runtime {

using design::PlanStep;

// A step that was completed before the call was interrupted.
Outcome<bool> Execution::skip_step(const PlanStep& step) {
  // A read that is repeated may find, or refuse, something else than the first time.
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

// Takes back what the steps before the refusal did; then the refusal is the answer.
Outcome<void> Execution::take_back(Refused why) {
  auto steps = steps_to_undo(state_.names, plan_.plan.steps.size());
  const auto unfinished = [&](const Refused& refused) -> Outcome<void> {
    // Who resumes a call must learn that it is to be resumed again.
    if (context_.only_resumes) return std::unexpected(refused);
    why.message += " What it had done before is still to be taken back: " + refused.message;
    return std::unexpected(std::move(why));
  };
  // A repeat under the caller's key goes on from where this call was refused.
  const bool keeps_record = steps.empty() && !record_.resumes_undo() && !record_.is_own_key();
  if (!steps.empty() && !record_.resumes_undo()) {
    // Until this is recorded the call may still go forward, so its refusal cannot be answered.
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
    why.message += " A part of what it had done could not be taken back: " + done.error().message;
  }
  if (const auto removed = record_.remove(keeps_record); !removed) return unfinished(removed.error());
  return std::unexpected(std::move(why));
}

}  // namespace trestle::runtime
