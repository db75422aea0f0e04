// Steps that are taken back. A step with an undo whose write is done is noted among the names of the call
// ("undo.steps", the places of such steps), in the transaction of that write. When a later step refuses:
//
//   1. the record of the call (idempotence.cc) says "undo.<number of steps>": from here nothing goes forward;
//   2. the undo of each noted step runs, the last step first; its transaction moves the record on to "undo.<step>";
//   3. the record and the note of the job are removed.
//
// After a crash resume() takes the call up from its record and goes on: forward, or with the undo. Each write is made
// under the condition that the record is where the call believes it to be, so it is made once.
#include <algorithm>
#include <charconv>

#include "runtime/call/execution.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kStepsToUndo = "undo.steps";  // no name of a design has a dot

}  // namespace

std::vector<size_t> Execution::steps_to_undo() const {
  std::vector<size_t> steps;
  const auto noted = names_.find(kStepsToUndo);
  if (noted == names_.end() || !noted->second.is(Plain::Kind::kList)) return steps;
  for (const Plain& place : noted->second.elements()) {
    size_t step = 0;
    const std::string& text = place.string();
    std::from_chars(text.data(), text.data() + text.size(), step);
    if (step < prepared_.plan.steps.size()) steps.push_back(step);
  }
  return steps;
}

void Execution::set_steps_to_undo(const std::vector<size_t>& steps) {
  Plain::List list;
  for (const size_t step : steps) list.push_back(Plain::number(static_cast<int64_t>(step)));
  names_[std::string(kStepsToUndo)] = Plain::list(std::move(list));
}

// Before the step's write: its transaction notes it.
void Execution::note_done(const design::PlanStep& step) {
  if (step.undo.empty()) return;
  auto steps = steps_to_undo();
  steps.push_back(path_.back());
  set_steps_to_undo(steps);
}

Outcome<void> Execution::note_undo() {
  undoing_ = prepared_.plan.steps.size();
  auto note = progress_note({});
  undoing_.reset();
  if (!note) return std::unexpected(std::move(note.error()));
  UpdateItemRequest request{.table_name = note->table, .key = note->key};
  request.update_expression = note->update;
  request.condition.expression = note->condition;
  request.placeholders = note->placeholders;
  const auto done = send_past_conflicts([&] { return send(&Database::update_item, request); });
  if (!done) return std::unexpected(refused_by(done.error()));
  noted_step_ = std::string(kUndoing) + std::to_string(prepared_.plan.steps.size());
  return {};
}

WriteAction Execution::record_removal() const {
  WriteAction action{
      .prepared = nullptr, .kind = design::RequestKind::kDeleteItem, .table = std::string(design::kJournalTable)};
  action.key = record_key();
  return action;
}

// What the call left in the journal, removed: a repeat begins anew, unless the record is kept.
Outcome<void> Execution::forget_call(bool keeps_record) {
  std::vector<WriteAction> actions;
  if (!keeps_record) actions.push_back(record_removal());
  if (!job_.empty()) {
    actions.push_back(record_removal());
    const Value partition = Value::string("JOB#" + core_.design.name);
    const Value job = Value::string(job_);
    actions.back().key = Item({{"PK", partition}, {"SK", job}});
  }
  if (actions.empty()) return {};
  const auto done = send_past_conflicts([&] { return send_together(actions); });
  if (!done) return std::unexpected(refused_by(done.error()));
  return {};
}

// Takes back what the steps before the refusal did; then the refusal is the answer.
Done<void> Execution::take_back(Stop why) {
  auto steps = steps_to_undo();
  const auto unfinished = [&](const Refused& refused) -> Done<void> {
    why.refused.message += " What it had done before is still to be taken back: " + refused.message;
    return std::unexpected(std::move(why));
  };
  // A repeat under the caller's key goes on from where this call was refused.
  const bool keeps_record = steps.empty() && !resumes_undo_ && !is_own_key_;
  if (!steps.empty() && !resumes_undo_) {
    // Until this is noted the call may still go forward, so its refusal cannot be answered.
    if (auto noted = note_undo(); !noted) return std::unexpected(Stop(std::move(noted.error())));
  }
  while (!steps.empty()) {
    const size_t step = steps.back();
    steps.pop_back();
    set_steps_to_undo(steps);
    undoing_ = step;
    auto done = run_block(prepared_.plan.steps[step].undo);
    undoing_.reset();
    if (done) continue;
    if (done.error().refused.status >= 500) return unfinished(done.error().refused);
    why.refused.message += " A part of what it had done could not be taken back: " + done.error().refused.message;
  }
  if (auto forgotten = forget_call(keeps_record); !forgotten) return unfinished(forgotten.error());
  return std::unexpected(std::move(why));
}

}  // namespace trestle::runtime
