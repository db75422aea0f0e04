// A call of an operation: runs its steps in order and composes its answer. Internal to the runtime.
//
// Steps run once, in order. When a write finds that an item changed since it was read, the steps after the last one
// that wrote anything are run again, so nothing is counted or written twice.
//
// Execution decides which step runs and what follows from its result. The parts of a step are elsewhere:
//   runtime/requests/                 builds requests from the plan, the inputs and the items read so far
//   runtime/sending/request_sender.h  sends them
//   runtime/call/item_reader.h        reads items and pages
//   runtime/journal/call_record.h     the record of calls that are repeated, resumed or undone
//   runtime/call/answer.h             composes the answer
#pragma once

#include <map>
#include <span>
#include <vector>

#include "runtime/call/item_reader.h"
#include "runtime/journal/call_record.h"
#include "runtime/requests/call_state.h"
#include "runtime/requests/failed_writes.h"
#include "runtime/requests/write_actions.h"
#include "runtime/sending/request_sender.h"
#include "runtime/shared_state.h"

namespace trestle::runtime {

class Execution {
 public:
  Execution(SharedState& shared, const PreparedPlan& plan, Names inputs, const ListOptions& list,
            const CallContext& context, int64_t now_ms, Call& call);
  Execution(const Execution&) = delete;  // its parts refer to each other

  // The inputs as the caller sent them. Required before run() of a call with an idempotency key: a repeat with the same
  // key must have the same inputs.
  void set_fingerprint(const Plain& inputs) { record_.set_fingerprint(inputs); }
  Outcome<CallReply> run();
  // Whether run() has resumed an interrupted call.
  bool is_resumed() const { return record_.is_resumed(); }
  // Runs the steps of the failure's `also`, before the refusal is answered. Their own failures are ignored.
  void run_also(const design::Failure* failure);
  // Runs the steps after the one that wrote the job note, with the names from that note. A refusal ends the job.
  Outcome<void> resume(const std::string& job);

 private:
  using Steps = std::vector<design::PlanStep>;

  RequestParts requests() const {
    return {shared_.design, shared_.codec, state_, context_.caller, shared_.newest_id_ms};
  }
  ReadParts reads() { return {requests(), sender_}; }

  // execution.cc
  Outcome<void> run_block(const Steps& steps, size_t first = 0);
  bool may_run_again(const Refused& refused) const;
  bool puts_own_key(const design::PlanStep& step) const;
  bool is_main(const Steps& steps) const;
  Outcome<void> answer_first_call(Outcome<void> done);
  Outcome<bool> run_step(const design::PlanStep& step);  // whether it changed anything
  Outcome<void> require_step(const design::PlanStep& step);
  Outcome<void> let_step(const design::PlanStep& step);
  Outcome<bool> for_step(const design::PlanStep& step);
  Outcome<bool> should_run(const design::PlanStep& step) const;
  Outcome<CallReply> answer();

  // read_steps.cc
  Outcome<void> read_step(const design::PlanStep& step);
  Outcome<void> read_together(const design::PlanStep& step);
  Outcome<void> read_shard_counts(const design::PlanStep& step);
  Outcome<std::optional<Item>> read_owner(const design::PlanStep& step);
  Outcome<Plain> fields_found(std::string_view step, const PreparedRequest& prepared, ItemView item);
  Outcome<void> set_found(const design::PlanStep& step, Plain value);

  // write_steps.cc
  Outcome<bool> write_step(const design::PlanStep& step);
  Outcome<void> read_copied(const design::PlanStep& step);
  Outcome<std::vector<WriteAction>> actions_of(std::span<const design::Request> requests);
  Outcome<bool> take_next(const design::PlanStep& step, std::vector<WriteAction>& actions);
  Outcome<void> merge_writes(std::vector<WriteAction>& actions);
  Outcome<void> write(const design::PlanStep& step, std::vector<WriteAction>& actions);
  Outcome<void> after_error(const design::PlanStep& step, std::vector<WriteAction>& actions, const Error& error);
  Outcome<void> after_failure(const design::PlanStep& step, std::vector<WriteAction>& actions, const Error& error);
  Outcome<void> set_written(const std::vector<WriteAction>& actions, std::optional<Item> answer);
  bool owns_own_key(const design::Entity& entity) const;
  Plain deleted_fields(const design::Entity& entity, ItemView item) const;
  std::optional<CallReply> answer_before_write(const std::vector<WriteAction>& actions);
  Outcome<std::optional<Value>> read_extreme(const WriteAction::ExtremeLeft& extreme);
  std::unexpected<Refused> answered_before();
  Outcome<bool> find_owner_of_guard();

  // cascade_steps.cc
  Outcome<bool> was_owner_put_again();
  Outcome<void> cascade_step(const design::PlanStep& step);

  // resumed_steps.cc
  Outcome<bool> skip_step(const design::PlanStep& step);
  Outcome<void> undo_steps(Refused why);
  void forget_job();

  SharedState& shared_;
  const PreparedPlan& plan_;
  const ListOptions& list_;
  const CallContext& context_;
  CallState state_;
  RequestSender sender_;
  CallRecord record_;

  std::map<const design::Refusal*, int> tries_;
  bool was_answered_ = false;  // the steps ended because the same call was made before
  // The results of the call that created the item with the operation's `idempotent` key.
  struct FirstCall {
    Names names;
    WrittenItem written;
  };
  std::optional<FirstCall> first_call_;
  bool resumes_job_ = false;  // resumed from a job note, without a call record
  bool is_done_ = false;      // nothing is left to do but to remove the job note
  // The actions of the transaction that collects the writes of a loop; null: each write is sent on its own.
  std::vector<WriteAction>* collected_ = nullptr;
};

}  // namespace trestle::runtime
