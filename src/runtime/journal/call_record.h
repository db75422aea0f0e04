// The journal's record of a call, so that a call is done once: repeated under its idempotency key it gets the first
// answer, and interrupted by a crash it is completed or taken back. Internal to the runtime.
//
// The journal has an item per key: PK "CALL#<design>", SK a digest of the caller and the key, `fingerprint` of
// operation and inputs, `answer` (JSON, sealed: sealed_text.h, since an answer may contain a secret that is shown
// once), `started`, `ttl` 24 hours later, and `table`, `entity` and `key` of the item in the answer. It is written in
// the transaction of the operation's first write. An answer that only exists after the last write is added after it.
// Until it has its answer, the record also has
//   step   the last step that wrote: its index among the steps, and within `for` the index of the member and its own:
//          "2.0.1"; "undo.<step>" while the call is taken back
//   names  sealed: recorded_names.h
// Both are set in the transaction of each further write, under the condition that `step` has the expected value. So
// each write is applied once, whichever process makes it: of two that resume a call, one is refused at its next write.
//
// Steps with an undo. The names record which of them are done. When a later step refuses:
//   1. `step` is set to "undo.<number of steps>": from here nothing goes forward;
//   2. the undo of each such step runs, the last step first; its transaction sets `step` to "undo.<step>";
//   3. the record and the note of the job are removed.
//
// The note of a job makes an unfinished call known to the background work: PK "JOB#<design>", SK the job's id,
// `operation`, `inputs` (a map of every name that the steps after the one that writes the note use, and of the items
// that are deleted with it: deleted_items.h), `started`, and
// `key` if the call has one, which names the record. It is written with the operation's first write and removed by its
// last, so a note without a running call is work that a crash interrupted. A call with a record is ended through it, so
// that a repeat gets its answer and does not cascade again: by then there may be items that a later call has written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/core.h"
#include "runtime/journal/recorded_names.h"
#include "runtime/requests/call_state.h"
#include "runtime/requests/request_parts.h"
#include "runtime/requests/write_action.h"
#include "runtime/sending/request_sender.h"

namespace trestle::runtime {

class CallRecord {
 public:
  struct Parts {
    const design::Design& design;
    const RuntimeOptions& options;
    int64_t opened_ms;
    RunningJobs& jobs;
    const PreparedPlan& plan;
    const CallContext& context;
    RequestSender& sender;
    CallState& state;
  };
  // Everything must outlive it.
  explicit CallRecord(const Parts& parts);

  // Whether the writes of the current step are recorded. A call with undos has a key of its own if it has no other.
  bool is_recorded() const;
  // The inputs as the caller sent them, without defaults: some of those differ on every call.
  void set_fingerprint(const Plain& inputs);
  // True: the call was made before, and its answer is in first_answer(). False: there was no such call, or it was
  // interrupted and, with `may_resume`, is taken up from its record.
  Outcome<bool> find_first_answer(bool may_resume);

  // Part of the transaction of the first write. `answer`, if it is known before the write.
  WriteAction first_write(const std::vector<WriteAction>& actions, const std::optional<CallReply>& answer);
  // Part of the transaction of each further write.
  WriteAction next_write(const std::vector<WriteAction>& actions) const;
  WriteAction removal() const;
  // After such a transaction.
  void set_written() { is_written_ = true; }
  void set_step() { recorded_step_ = step_name(); }
  // Adds the answer, after the last write. A failure does not concern the caller.
  void store_answer(const CallReply& reply);

  // Sets key and item of an action of the plan that notes the job, or removes the note.
  Outcome<void> fill_job_note(WriteAction& action);
  void set_job(const std::string& job);
  void begin_job();  // it runs in this process
  void end_job();

  // Records that the call is taken back.
  Outcome<void> begin_undo();
  // Removes the note of the job, and unless `keeps_record` the record: a repeat begins anew.
  Outcome<void> remove(bool keeps_record);

  // Resumed calls. Whether the current step was completed: the steps that enclose the last completed one were not.
  bool is_past() const;
  // Restores the names, if the current step is in the block that was interrupted.
  void restore_block();
  // Sets the item of the answer, as it is, or if the step deleted it as it was read before, or else its key's fields.
  Outcome<void> restore_written(const design::PlanStep& step, const RequestParts& requests);

  std::optional<CallReply>& first_answer() { return first_answer_; }
  bool is_written() const { return is_written_; }
  bool has_answer() const { return has_answer_; }
  bool has_job() const { return !job_.empty(); }
  bool is_own_key() const { return is_own_key_; }
  bool is_resumed() const { return interrupted_.has_value(); }
  bool resumes_undo() const { return resumes_undo_; }

 private:
  Item key() const;
  Item job_key() const;
  std::string sealed(const std::string& text) const;
  std::string sealed_answer(const CallReply& reply) const;
  std::string step_name() const;
  bool is_interrupted(ItemView record) const;
  Outcome<void> take_up(ItemView record);
  void restore_names();

  Parts parts_;
  std::string key_;          // empty: the call has none
  bool is_own_key_ = false;  // the call generated it: nobody asks for its answer again
  std::string fingerprint_;  // of the operation and the inputs
  std::string job_;
  bool is_written_ = false;
  bool has_answer_ = false;
  bool resumes_undo_ = false;  // the call that is resumed was being taken back
  std::optional<CallReply> first_answer_;
  std::string recorded_step_;
  // The last completed step of the call that is resumed, with its results.
  struct Interrupted {
    std::vector<size_t> step;
    RecordedNames recorded;
    const design::Entity* entity = nullptr;  // of the item in the answer
    Item key;
  };
  std::optional<Interrupted> interrupted_;
};

}  // namespace trestle::runtime
