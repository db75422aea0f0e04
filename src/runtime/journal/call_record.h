// The journal's record of a call, which ensures that the call takes effect once: a repeat with the same idempotency key
// gets the first answer, and a call that was interrupted by a crash is completed or undone. Internal to the runtime.
//
// The journal has one item per key: PK "CALL#<design>", SK a digest of the caller and the key, `fingerprint` of the
// operation and inputs, `answer` (JSON, sealed as in sealed_text.h because it may contain a secret that is shown only
// once), `started`, `ttl` 24 hours later, and `table`, `entity` and `key` of the item in the answer. It is written in
// the transaction of the operation's first write. An answer that depends on the last write is added after it. Until the
// record has its answer, it also has
//   step   the last step that wrote: its index among the steps, and within `for` also the index of the member and of
//   the
//          inner step: "2.0.1"; "undo.<step>" while the call is being undone
//   names  sealed: recorded_names.h
// Both are set in the transaction of each further write, on condition that `step` has the expected value. So each write
// is applied once, by whichever process: if two processes resume a call, the next write of one of them fails.
//
// Steps with an undo: the names record which of them are done. When a later step is refused:
//   1. `step` is set to "undo.<number of steps>": from then on the call cannot go forward;
//   2. the undo of each such step runs, the last step first; its transaction sets `step` to "undo.<step>";
//   3. the record and the job note are removed.
//
// A job note makes an unfinished call known to the background work: PK "JOB#<design>", SK the job's id, `operation`,
// `inputs` (a map of every name that the steps after the one that writes the note use, and of the items that this step
// deletes: deleted_items.h), `started`, and `key`, which identifies the record, if the call has one. The note is
// written with the operation's first write and removed with its last, so a note without a running call is work that a
// crash interrupted. A call with a record is completed through the record, so that a repeat gets its answer and does
// not run its cascade again, which could delete items that a later call has written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/journal/recorded_names.h"
#include "runtime/requests/call_state.h"
#include "runtime/requests/request_parts.h"
#include "runtime/requests/write_action.h"
#include "runtime/sending/request_sender.h"
#include "runtime/shared_state.h"

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
  // Everything in `parts` must outlive this object.
  explicit CallRecord(const Parts& parts);

  // Whether the writes of the current step are recorded. A call with undo steps but without an idempotency key
  // generates a key of its own.
  bool is_recorded() const;
  // The inputs as the caller sent them, without defaults, because some defaults differ on every call.
  void set_fingerprint(const Plain& inputs);
  // True: the call was made before, and its answer is in first_answer(). False: there was no such call, or (only with
  // `may_resume`) it was interrupted, and its state has been restored from the record.
  Outcome<bool> find_first_answer(bool may_resume);

  // The action to add to the transaction of the first write. `answer`: if it is known before the write.
  WriteAction first_write(const std::vector<WriteAction>& actions, const std::optional<CallReply>& answer);
  // The action to add to the transaction of each further write.
  WriteAction next_write(const std::vector<WriteAction>& actions) const;
  WriteAction removal() const;
  // To be called after such a transaction.
  void set_written() { is_written_ = true; }
  void set_step() { recorded_step_ = step_name(); }
  // Adds the answer, after the last write. Ignores failures, which do not affect the caller.
  void store_answer(const CallReply& reply);

  // Sets the key and item of a plan's action that writes or removes the job note.
  Outcome<void> fill_job_note(WriteAction& action);
  void set_job(const std::string& job);
  void begin_job();  // marks the job as running in this process
  void end_job();

  // Records that the call is being undone.
  Outcome<void> begin_undo();
  // Removes the job note and, unless `keeps_record`, the record, so that a repeat starts from the beginning.
  Outcome<void> remove(bool keeps_record);

  // For resumed calls: whether the current step was completed. The steps that enclose the last completed step were not.
  bool is_past() const;
  // Restores the recorded names if the current step is in the block that was interrupted.
  void restore_block();
  // Sets the item of the answer: to be read again, or if the step deleted it, the fields read before the deletion, or
  // else its key's fields.
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
  Outcome<void> resume_from(ItemView record);
  void restore_names();

  Parts parts_;
  std::string key_;          // empty: the call has no key
  bool is_own_key_ = false;  // the call generated the key, so no caller will repeat it
  std::string fingerprint_;  // of the operation and the inputs
  std::string job_;
  bool is_written_ = false;
  bool has_answer_ = false;
  bool resumes_undo_ = false;  // the resumed call was being undone
  std::optional<CallReply> first_answer_;
  std::string recorded_step_;
  // The last completed step of the resumed call, with its results.
  struct Interrupted {
    std::vector<size_t> step;
    RecordedNames recorded;
    const design::Entity* entity = nullptr;  // of the item in the answer
    Item key;
  };
  std::optional<Interrupted> interrupted_;
};

}  // namespace trestle::runtime
