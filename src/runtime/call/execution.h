// A call of an operation: its names, its steps in order, its answer. Internal to the runtime.
//
// Steps run once, in order. When a write finds that an item changed since it was read, the steps after the last one
// that wrote anything are run again, so nothing is counted or written twice.
//
//   execution.cc       the steps, retries, refusals
//   request_values.cc  values of requests: sources -> attribute values
//   reads.cc           GetItem, Query, Scan, BatchGetItem, pages, shards
//   writes.cc          single-item writes, TransactWriteItems, causes of failed conditions
//   extra_attributes.cc attributes that are no fields
//   write_actions.cc   which requests of a write take part, and with which forms
//   limits.cc          rate windows
//   cascade.cc         deletion of all that goes with an item, and the journal of it
//   idempotence.cc     calls made again under one key
//   progress.cc        calls that were cut short and are ended under that key
//   undo.cc            writes of earlier steps, taken back when a later step refuses
//   answer.cc          what the caller is told
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/steady_us.h"
#include "runtime/call/shard_merge.h"
#include "runtime/core.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/expressions/scope.h"
#include "runtime/requests/write_action.h"

namespace trestle::runtime {

// How often what a batch left unprocessed is asked for again.
inline constexpr int kUnprocessedTriesMax = 12;

// What the name of a step begins with that is being taken back (undo.cc).
inline constexpr std::string_view kUndoing = "undo.";

using Names = std::map<std::string, Plain, std::less<>>;

// Why steps did not go on.
struct Stop {
  enum class Kind {
    kRefused,
    kAgain,     // the steps are run again, at most `again` times for this refusal
    kAnswered,  // the operation was done before: its first answer is repeated
  };
  Stop(Refused why) : refused(std::move(why)) {}  // NOLINT: every refusal stops
  Kind kind = Kind::kRefused;
  Refused refused;
  const design::Refusal* refusal = nullptr;
  int again = 0;
};
template <class T>
using Done = BasicResult<T, Stop>;

class Execution {
 public:
  Execution(Core& core, const PreparedPlan& prepared, Names inputs, const ListOptions& list, const CallContext& context,
            int64_t now_ms, Call& call);

  // The inputs as the caller sent them. Required before run() of a call with an idempotency key: the same key must come
  // with the same inputs.
  void note_given(const Plain& given);
  Outcome<CallReply> run();
  // The steps that are done beside a refusal. What goes wrong with them changes nothing.
  void run_aside(const design::Failure* failure);
  // The steps behind the one that noted the job, with the names that it noted.
  Outcome<void> resume(const std::string& job);

 private:
  using Steps = std::vector<design::PlanStep>;

  // execution.cc
  Done<void> run_block(const Steps& steps, size_t first = 0);
  Done<bool> run_step(const design::PlanStep& step);  // whether it changed anything
  Done<void> require_step(const design::PlanStep& step);
  Done<void> let_step(const design::PlanStep& step);
  Done<bool> for_step(const design::PlanStep& step);
  Done<bool> takes_part(const design::PlanStep& step);
  bool is_given(const std::vector<std::string>& inputs) const;
  // Does what is to be done before the refusal is answered.
  std::unexpected<Stop> stopped(const design::Refusal* refusal, design::Cause cause, const design::Entity* entity,
                                int64_t retry_after_s = 0);
  void back_off(int attempt);
  // Every request of a call goes through here. `call` is the one that waits for it: where requests are sent side by
  // side, each has its own.
  template <class Request, class Response>
  Result<Response> send(Result<Response> (Database::*operation)(const Request&, Call&), Request& request, Call& call) {
    request.return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
    Call one{.caller = call.caller, .commit = 0, .table_name = {}};
    const int64_t began_us = context_.observer ? steady_us() : 0;
    Result<Response> answer = (core_.database.*operation)(request, one);
    call.commit = std::max(call.commit, one.commit);
    SentRequest sent{.request = &request};
    std::optional<ConsumedCapacity> refused;
    if constexpr (requires { request.table_name; }) {
      if (one.refused_units > 0) {
        refused = ConsumedCapacity{.table_name = request.table_name, .total = one.refused_units};
        sent.consumed = {&*refused, 1};
      }
    }
    if (answer) {
      if constexpr (requires { answer->scanned_count; }) {
        sent.count = answer->count;
        sent.scanned_count = answer->scanned_count;
      }
      if constexpr (requires { answer->consumed_capacity->total; }) {
        if (answer->consumed_capacity) sent.consumed = {&*answer->consumed_capacity, 1};
      } else {
        sent.consumed = answer->consumed_capacity;
      }
    } else {
      sent.error = &answer.error();
    }
    if (context_.observer) sent.time_us = steady_us() - began_us;
    note_sent(sent);
    return answer;
  }
  template <class Request, class Response>
  Result<Response> send(Result<Response> (Database::*operation)(const Request&, Call&), Request& request) {
    return send(operation, request, call_);
  }
  void note_sent(const SentRequest& sent) const;
  // Sends again, by `send`, while an item is in a transaction.
  static constexpr int kConflictRetriesMax = 60;
  template <class Send>
  auto send_past_conflicts(const Send& send) -> decltype(send()) {
    for (int attempt = 0;; ++attempt) {
      auto sent = send();
      if (sent || attempt >= kConflictRetriesMax || !is_conflict(sent.error())) return sent;
      if (auto durable = core_.database.wait_durable(call_); !durable)
        return std::unexpected(std::move(durable.error()));
      back_off(attempt);
    }
  }

  // request_values.cc
  Scope scope(const Plain* fields = nullptr) const;
  bool is_as_stored(const design::Request& request, std::string_view field, const Plain& value) const;
  Outcome<Plain> fields_of(const PreparedRequest& prepared, const Plain* owner = nullptr,
                           const Plain* member = nullptr);
  Outcome<std::optional<Value>> value_of(const PreparedRequest& prepared, const design::ValueSource& source,
                                         const Plain& fields, design::Section section = design::Section::kNone);
  Outcome<std::optional<std::string>> key_text_of(const PreparedRequest& prepared, const design::Template& key,
                                                  const Plain& fields, const Plain* last = nullptr);
  Outcome<std::optional<Value>> range_end(const PreparedRequest& prepared, const design::ValueSource& source,
                                          const Plain& fields);
  Outcome<std::optional<Item>> key_of(const PreparedRequest& prepared, const Plain& fields);
  Outcome<bool> entry_exists(const PreparedRequest& prepared, const design::IndexEntry& entry, const Plain& fields);
  Outcome<std::string> member_name(const design::Expression& expression, const Plain& fields);

  // reads.cc
  struct Page {
    std::vector<Item> items;
    std::string position;  // empty: the end
  };
  Done<void> read_step(const design::PlanStep& step);
  Done<void> read_together(const design::PlanStep& step);
  Done<void> read_shard_counts(const design::PlanStep& step);
  Done<std::optional<Item>> get(const PreparedRequest& prepared);
  Done<std::optional<Item>> get_owner(const design::PlanStep& step);
  Done<std::vector<Item>> get_all(const std::string& table, const std::vector<Item>& keys, bool consistent,
                                  const std::vector<std::string>& key_names);
  struct PageBounds {
    std::optional<int64_t> limit;
    bool descending = false;
    std::string position;
  };
  Done<Page> read_page(const PreparedRequest& prepared, const PageBounds& bounds);
  Done<Page> read_entries(const PreparedRequest& prepared, const PageBounds& bounds);
  Done<Page> read_merged(const PreparedRequest& prepared, const Plain& fields, const PageBounds& bounds);
  Done<Page> read_again(const PreparedRequest& prepared, Page page);
  // Nothing: nothing can be found.
  Outcome<std::optional<QueryRequest>> query_of(const PreparedRequest& prepared, const Plain& fields, bool descending);
  Outcome<ShardPage> fetch(const PreparedRequest& prepared, QueryRequest query, std::optional<int64_t> limit,
                           Call& call);
  bool is_hidden(const PreparedRequest& prepared, ItemView item) const;
  bool is_of_entity(const PreparedRequest& prepared, ItemView item) const;
  Outcome<Plain> decode(std::string_view name, const PreparedRequest& prepared, ItemView item);
  Done<void> found(const design::PlanStep& step, Plain value);

  // write_actions.cc
  Outcome<void> check_times(const design::Request& request, const Plain& fields) const;
  Outcome<void> start_epochs_late(const design::Request& request, Plain& fields) const;
  Done<std::vector<WriteAction>> actions_of(const std::vector<design::Request>& requests, size_t first = 0);
  Done<void> add_actions(const std::vector<design::Request>& requests, size_t first, std::vector<WriteAction>& actions);
  Done<void> add_guard(const PreparedRequest& prepared, const std::vector<design::Request>& requests,
                       const WriteAction& own, std::vector<WriteAction>& actions);
  Done<void> add_children(const PreparedRequest& prepared, const WriteAction& own, std::vector<WriteAction>& actions);
  Done<void> add_tally(const PreparedRequest& prepared, const WriteAction& own, std::vector<WriteAction>& actions);
  Outcome<std::optional<WriteAction>> action_of(const PreparedRequest& prepared, Plain fields);
  Outcome<void> choose_forms(WriteAction& action, const std::optional<ItemView>& old);
  Outcome<void> choose_extreme(WriteAction& action, size_t piece, const std::optional<ItemView>& old);
  Outcome<void> finish(WriteAction& action);
  bool was_there(const std::string& step) const;
  bool was_expired(const PreparedRequest& prepared) const;
  std::optional<Value> stored_value(const std::string& step, std::string_view attribute) const;

  // extra_attributes.cc
  Outcome<bool> has_foreign_expiry(const design::Request& request, ItemView item) const;
  Outcome<void> put_extras(const design::Request& request, WriteAction& action, Plain& fields) const;
  Outcome<void> update_extras(WriteAction& action, NameMap& names, ValueMap& values) const;
  Outcome<void> delete_as_copied(std::vector<WriteAction>& actions) const;

  // writes.cc
  Done<bool> write_step(const design::PlanStep& step);
  Done<bool> take_next(const design::PlanStep& step, std::vector<WriteAction>& actions);
  Done<void> write(const design::PlanStep& step, std::vector<WriteAction>& actions);
  Result<std::optional<Item>> send_alone(const WriteAction& action, bool tells);
  Result<void> send_together(const std::vector<WriteAction>& actions);
  Done<void> judge(const design::PlanStep& step, std::vector<WriteAction>& actions, const Error& error);
  Done<void> written(const design::PlanStep& step, const std::vector<WriteAction>& actions, std::optional<Item> answer);

  // limits.cc
  Done<void> limit_step(const design::PlanStep& step);
  struct Counted {
    enum class Kind { kCounted, kFull, kNewSlice } kind = Kind::kCounted;
    int64_t remaining = 0;
  };
  Done<Counted> count_in_slice(const PreparedRequest& prepared);
  struct Earlier {
    int64_t total = 0;
    std::optional<int64_t> oldest_s;  // the start of the oldest slice that counted anything
  };
  Done<Earlier> earlier_slices(const PreparedRequest& prepared, const design::Limit& limit);

  // cascade.cc
  Done<void> cascade_step(const design::PlanStep& step);
  Done<void> delete_batch(const std::string& table, std::vector<Item> keys);
  Outcome<WriteAction> journal_action(const PreparedRequest& prepared);

  // idempotence.cc
  Done<void> find_first_answer(bool may_resume);
  Outcome<WriteAction> answer_record(const std::vector<WriteAction>& actions, bool last);
  Item record_key() const;
  std::string sealed(const std::string& text) const;
  Outcome<std::string> unsealed(std::string_view kept) const;
  std::string sealed_answer(const CallReply& reply) const;
  void keep_answer(const CallReply& reply);
  Done<void> answer_of_guard();
  // A call with undos is recorded under a key of its own if it has none.
  bool is_recorded() const { return !key_.empty() && prepared_.operation.is_write && aside_ == 0; }
  WriteAction record_removal() const;

  // progress.cc
  std::string step_name() const;
  std::string sealed_names() const;
  Outcome<WriteAction> progress_note(const std::vector<WriteAction>& actions);
  bool is_dead(ItemView record) const;
  Outcome<void> take_up(ItemView record);
  bool is_past() const;
  Done<bool> pass_over(const design::PlanStep& step);
  Done<void> recall_written(const design::PlanStep& step);
  void recall_names();

  // undo.cc
  void note_done(const design::PlanStep& step);
  std::vector<size_t> steps_to_undo() const;
  void set_steps_to_undo(const std::vector<size_t>& steps);
  Done<void> take_back(Stop why);
  Outcome<void> note_undo();
  Outcome<void> forget_call(bool keeps_record);

  // answer.cc
  Outcome<CallReply> answer();
  Outcome<Plain> answer_value(const design::Answer& answer, const Scope& scope) const;
  Plain shown(const design::Entity& entity, Plain fields) const;

  // The same for the whole call.
  Core& core_;
  const PreparedPlan& prepared_;
  const ListOptions& list_;
  const CallContext& context_;
  int64_t now_ms_;  // when it began; of a call that is taken up, when that began
  Call& call_;

  Names names_;
  // The stored form of items that steps read and then write, for the conditions that they have not changed.
  std::map<std::string, Item, std::less<>> stored_;
  std::map<std::string, const design::Entity*, std::less<>> entity_of_;  // of the items that steps found
  std::map<std::string, std::shared_ptr<const ShardCounts>, std::less<>> shard_counts_;
  std::optional<int64_t> shard_;  // the current shard of a fan-out
  std::map<const design::Refusal*, int> tries_;
  std::optional<std::string> position_;

  // The item that a write answers with.
  struct Written {
    const design::Entity* entity = nullptr;
    Plain fields;                           // a map; absent: there is none
    const PreparedRequest* read = nullptr;  // it must be read: written by a transaction, which returns nothing
    Item key;
  };
  std::optional<Written> written_;

  std::string job_;
  std::string key_;                // of the record of this call; empty: it has none
  bool is_own_key_ = false;        // the call made it: nobody asks for its answer again
  std::optional<size_t> undoing_;  // the step whose undo runs
  bool resumes_undo_ = false;      // the call that is taken up was being taken back
  std::string fingerprint_;        // of the operation and the given inputs
  bool record_written_ = false;
  bool record_has_answer_ = false;
  std::optional<CallReply> first_answer_;
  // The transaction that the writes of a loop become part of; null: a write is sent.
  std::vector<WriteAction>* collected_ = nullptr;
  int depth_ = 0;
  int aside_ = 0;  // steps that are done beside a refusal

  std::vector<size_t> path_;  // the step that runs: its place, and within `for` the member's place and then its own
  bool is_done_ = false;      // all but the note of the job, which is to be removed
  std::string noted_step_;    // the step in the record
  // Resumed calls: the last completed step, with its results.
  struct CutShort {
    std::vector<size_t> step;
    Names names;
    std::map<std::string, const design::Entity*, std::less<>> entity_of;
    const design::Entity* entity = nullptr;  // of the item in the answer
    std::string table;
    Item key;
  };
  std::optional<CutShort> cut_short_;
};

}  // namespace trestle::runtime
