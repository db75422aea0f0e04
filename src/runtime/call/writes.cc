// Writes: one request, or a transaction of those that take part; and the handling of failures.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/random_id.h"
#include "model/limits.h"
#include "runtime/call/execution.h"
#include "runtime/requests/merge_actions.h"
#include "runtime/values/plain_json.h"

namespace trestle::runtime {

using design::Cause;
using design::PlanStep;
using design::Request;
using design::RequestKind;

namespace {

// An item that is moved was changed since it was read.
const design::Refusal kChanged{.cause = Cause::kObserved, .status = 409, .message = {}, .again = design::kRaceRetries};

TransactWrite::Kind kind_of(RequestKind kind) {
  switch (kind) {
    case RequestKind::kPutItem:
      return TransactWrite::Kind::kPut;
    case RequestKind::kUpdateItem:
      return TransactWrite::Kind::kUpdate;
    case RequestKind::kDeleteItem:
      return TransactWrite::Kind::kDelete;
    default:
      return TransactWrite::Kind::kConditionCheck;
  }
}

WriteCondition condition_of(const WriteAction& action) {
  WriteCondition condition;
  if (action.condition.empty()) return condition;
  condition.expression = action.condition;
  condition.return_item_on_failure = true;
  return condition;
}

std::optional<ItemView> view_of(const std::shared_ptr<const Item>& item) {
  if (item == nullptr || item->bytes().empty()) return std::nullopt;
  return item->view();
}

const design::Refusal* refusal_for(const WriteAction& action, Cause cause) {
  for (const design::Refusal& refusal : action.prepared->request.refusals) {
    if (refusal.cause == cause) return &refusal;
  }
  return nullptr;
}

// For an item that is too large, names the largest field.
Refused refused_write(const std::vector<WriteAction>& actions, const Error& error) {
  Refused refused = refused_by(error);
  if (refused.status != 400 || !refused.message.starts_with("Item size")) return refused;
  std::string largest;
  size_t most = 0;
  for (const WriteAction& action : actions) {
    if (!action.fields.is(Plain::Kind::kMap)) continue;
    for (const auto& [name, value] : action.fields.members()) {
      const size_t bytes = plain_json(value).size();
      if (bytes > most) largest = name;
      most = std::max(most, bytes);
    }
  }
  if (!largest.empty())
    refused.fields.push_back({.field = largest, .reason = "makes the item larger than 400 KB, the most there is"});
  return refused;
}

// The item to remove no longer applies: a guard that meanwhile belongs to another item, a figure whose item is gone.
bool can_go(const WriteAction& action, Cause cause) {
  const Request& request = action.prepared->request;
  if (request.guard != nullptr) return cause == Cause::kGuard && action.kind == RequestKind::kDeleteItem;
  if (request.each != nullptr) return cause == Cause::kAbsent;
  return request.tally != nullptr && request.follows == Request::Follows::kOldValue && cause == Cause::kAbsent;
}

}  // namespace

// The new item, or for a deletion the old one, if the caller gets it.
Result<std::optional<Item>> Execution::send_alone(const WriteAction& action, bool tells) {
  const auto item_of = [](Result<WriteItemResponse> answer) -> Result<std::optional<Item>> {
    if (!answer) return std::unexpected(std::move(answer.error()));
    return std::move(answer->attributes);
  };
  switch (action.kind) {
    case RequestKind::kPutItem: {
      PutItemRequest request{.table_name = action.table, .item = action.item};
      request.condition = condition_of(action);
      request.placeholders = action.placeholders;
      return item_of(send(&Database::put_item, request));
    }
    case RequestKind::kUpdateItem: {
      UpdateItemRequest request{.table_name = action.table, .key = action.key};
      if (!action.update.empty()) request.update_expression = action.update;
      request.condition = condition_of(action);
      request.placeholders = action.placeholders;
      if (tells) request.return_values = ReturnValues::kAllNew;
      return item_of(send(&Database::update_item, request));
    }
    case RequestKind::kDeleteItem: {
      DeleteItemRequest request{.table_name = action.table, .key = action.key};
      request.condition = condition_of(action);
      request.placeholders = action.placeholders;
      if (tells) request.return_values = ReturnValues::kAllOld;
      return item_of(send(&Database::delete_item, request));
    }
    default: {
      auto answer = send_together({action});
      if (!answer) return std::unexpected(std::move(answer.error()));
      return std::nullopt;
    }
  }
}

Result<void> Execution::send_together(const std::vector<WriteAction>& actions) {
  TransactWriteItemsRequest request;
  for (const WriteAction& action : actions) {
    TransactWrite one{.kind = kind_of(action.kind), .table_name = action.table};
    one.item = action.kind == RequestKind::kPutItem ? action.item : action.key;
    if (action.kind == RequestKind::kUpdateItem) {
      if (action.update.empty())
        one.kind = TransactWrite::Kind::kConditionCheck;
      else
        one.update_expression = action.update;
    }
    one.condition = condition_of(action);
    one.placeholders = action.placeholders;
    // An update of nothing under no condition has no place in a transaction.
    if (one.kind == TransactWrite::Kind::kConditionCheck && !one.condition.expression) continue;
    request.writes.push_back(std::move(one));
  }
  // A request that is retried because its reply was lost takes effect once.
  if (core_.options.remote) request.client_request_token = random_uuid().substr(0, 36);
  auto answer = send(&Database::transact_write_items, request);
  if (!answer) return std::unexpected(std::move(answer.error()));
  return {};
}

// Handles a failed condition. Returning normally means: retry with the newly chosen forms.
Done<void> Execution::judge(const PlanStep& step, std::vector<WriteAction>& actions, const Error& error) {
  struct Failed {
    WriteAction* action;
    std::optional<ItemView> old;
    Cause cause;
  };
  std::vector<Failed> failed;
  const int64_t now_s = now_ms_ / 1000;
  const auto add = [&](WriteAction& action, const std::shared_ptr<const Item>& item) {
    const auto old = view_of(item);
    if (action.prepared == nullptr) return failed.push_back({&action, old, Cause::kPresent});
    std::vector<WriteAction*> parts = {&action};
    for (WriteAction& part : action.parts) parts.push_back(&part);
    const size_t before = failed.size();
    for (WriteAction* part : parts) {
      if (const auto cause = cause_of(*part, old, now_s)) failed.push_back({part, old, *cause});
    }
    if (failed.size() == before) failed.push_back({&action, old, Cause::kCondition});
  };
  if (error.code == ErrorCode::kConditionalCheckFailed) {
    add(actions[0], error.item);
  } else if (error.code == ErrorCode::kTransactionCanceled && error.reasons != nullptr) {
    size_t at = 0;
    for (WriteAction& action : actions) {
      const bool sent = action.kind != RequestKind::kUpdateItem || !action.update.empty() || !action.condition.empty();
      if (!sent) continue;
      if (at >= error.reasons->size()) break;
      const CancellationReason& reason = (*error.reasons)[at++];
      if (reason.code == "ConditionalCheckFailed") add(action, reason.item);
    }
  }
  if (failed.empty()) return std::unexpected(Stop(refused_write(actions, error)));

  // First an earlier call with the same key, then observed items that changed since, then failures that no retry can
  // fix.
  for (const Failed& one : failed) {
    if (one.action->prepared == nullptr) return find_first_answer(false);
  }
  for (const Failed& one : failed) {
    const design::Guard* guard = one.action->prepared->request.guard;
    if (one.cause == Cause::kGuard && guard != nullptr && guard == prepared_.plan.idempotent) return answer_of_guard();
  }
  for (const Failed& one : failed) {
    if (one.cause != Cause::kObserved) continue;
    const design::Refusal* refusal = refusal_for(*one.action, one.cause);
    return stopped(refusal == nullptr ? &kChanged : refusal, one.cause, one.action->prepared->request.entity);
  }
  for (const Failed& one : failed) {
    if (one.cause == Cause::kForm || can_go(*one.action, one.cause)) continue;
    const design::Refusal* refusal = refusal_for(*one.action, one.cause);
    // A guard says of itself that it is taken.
    if (refusal == nullptr && !step.refusals.empty()) refusal = &step.refusals[0];
    return stopped(refusal, one.cause, one.action->prepared->request.entity);
  }
  for (const Failed& one : failed) TRY(choose_forms(*one.action, one.old));
  // A part is left out by its base; the places of actions change only here, at the end.
  std::vector<const WriteAction*> gone;
  for (const Failed& one : failed) {
    if (can_go(*one.action, one.cause)) gone.push_back(one.action);
  }
  const auto is_gone = [&](const WriteAction& action) { return std::ranges::find(gone, &action) != gone.end(); };
  std::vector<WriteAction> left;
  for (WriteAction& action : actions) {
    std::vector<WriteAction> parts;
    for (WriteAction& part : action.parts) {
      if (!is_gone(part)) parts.push_back(std::move(part));
    }
    const bool stays = !is_gone(action);
    if (!stays && parts.empty()) continue;
    if (stays) {
      action.parts = std::move(parts);
      left.push_back(std::move(action));
      continue;
    }
    WriteAction base = std::move(parts[0]);
    base.parts.assign(std::make_move_iterator(parts.begin() + 1), std::make_move_iterator(parts.end()));
    left.push_back(std::move(base));
  }
  actions = std::move(left);
  return {};
}

Done<void> Execution::write(const PlanStep& step, std::vector<WriteAction>& actions) {
  if (!merge_actions(actions))
    return std::unexpected(
        Stop(Refused{.status = 400, .message = "This would write one item twice; nothing was changed."}));
  if (actions.size() > kTransactionItemsMax) {
    return std::unexpected(Stop(Refused{.status = 400,
                                        .message = fmt::format("This would write {} items at once; {} is the most.",
                                                               actions.size(), kTransactionItemsMax)}));
  }
  for (int attempt = 0;; ++attempt) {
    for (WriteAction& action : actions) TRY(finish(action));
    std::optional<Item> answer;
    std::optional<Error> error;
    if (actions.size() == 1) {
      auto sent = send_alone(actions[0], !prepared_.operation.returns);
      if (sent)
        answer = std::move(*sent);
      else
        error = std::move(sent.error());
    } else {
      auto sent = send_together(actions);
      if (!sent) error = std::move(sent.error());
    }
    if (!error) return written(step, actions, std::move(answer));
    if (attempt >= kConflictRetriesMax) return std::unexpected(Stop(refused_by(*error)));
    if (is_conflict(*error)) {
      if (const auto durable = core_.database.wait_durable(call_); !durable)
        return std::unexpected(Stop(refused_by(durable.error())));
    } else {
      TRY(judge(step, actions, *error));
    }
    back_off(attempt);
  }
}

// The item for the answer: the last item written, in its new state.
Done<void> Execution::written(const PlanStep&, const std::vector<WriteAction>& actions, std::optional<Item> answer) {
  for (const WriteAction& action : actions) {
    if (action.prepared == nullptr) {
      record_written_ |= action.kind == RequestKind::kPutItem && is_recorded();
      continue;
    }
    const Request& request = action.prepared->request;
    if (action.in_loop || request.entity == nullptr || request.guard != nullptr || request.each != nullptr ||
        request.tally != nullptr || request.kind == RequestKind::kConditionCheck || depth_ > 0)
      continue;
    Written made{.entity = request.entity, .fields = {}, .read = nullptr, .key = {}};
    if (action.kind == RequestKind::kPutItem) {
      made.fields = action.fields;
    } else if (answer && !prepared_.operation.returns) {
      TRY_INTO(made.fields, core_.codec.decode(*request.entity, *answer));
      core_.codec.add_extras(*request.entity, *answer, true, made.fields);
    } else if (action.kind == RequestKind::kUpdateItem) {
      made.read = action.prepared;
      made.key = action.key;
    } else if (actions.size() > 1) {
      const auto before = names_.find(action.prepared->current);
      made.fields = before == names_.end() ? action.fields : before->second;
    }
    written_ = std::move(made);
  }
  return {};
}

// A number of a counter. It is sent by itself, for a transaction returns nothing, and never taken back: if the call
// fails or is made again the number is passed over, as with sequences of other databases.
Done<bool> Execution::take_next(const PlanStep& step, std::vector<WriteAction>& actions) {
  CHECK(actions.size() == 1);
  for (int attempt = 0;; ++attempt) {
    TRY(finish(actions[0]));
    auto sent = send_alone(actions[0], true);
    if (sent) {
      const auto value = *sent ? (*sent)->find(step.next) : std::nullopt;
      if (!value) return std::unexpected(Stop(Refused{.status = 500, .message = "The database returned no number."}));
      names_[step.name] = to_plain(*value);
      return true;
    }
    if (attempt >= kConflictRetriesMax) return std::unexpected(Stop(refused_by(sent.error())));
    if (is_conflict(sent.error())) {
      const auto durable = core_.database.wait_durable(call_);
      if (!durable) return std::unexpected(Stop(refused_by(durable.error())));
    } else {
      TRY(judge(step, actions, sent.error()));
    }
    back_off(attempt);
  }
}

Done<bool> Execution::write_step(const PlanStep& step) {
  TRY_INTO(const bool part, takes_part(step));
  if (!part) return false;
  if (collected_ != nullptr) {
    const size_t before = collected_->size();
    TRY(add_actions(step.requests, 0, *collected_));
    for (size_t i = before; i < collected_->size(); ++i) (*collected_)[i].in_loop = true;
    return true;
  }
  TRY_INTO(auto actions, actions_of(step.requests));
  for (const PlanStep& loop : step.steps) {
    collected_ = &actions;
    auto done = for_step(loop);
    collected_ = nullptr;
    if (!done) return std::unexpected(std::move(done.error()));
  }
  if (actions.empty()) return false;
  TRY(delete_as_copied(actions));
  if (!step.next.empty()) return take_next(step, actions);
  const bool removes_job =
      actions.size() == 1 && actions[0].prepared == nullptr && actions[0].kind == RequestKind::kDeleteItem;
  // Nobody asks for the answer of a call that made its own key.
  if (removes_job && record_written_ && is_own_key_) actions.push_back(record_removal());
  const bool notes_step = is_recorded() && !removes_job;
  const auto undone_before = steps_to_undo();
  if (notes_step) {
    if (!undoing_ && depth_ == 0) note_done(step);
    const bool last = depth_ == 0 && &step == &prepared_.plan.steps.back() && !is_own_key_;
    TRY_INTO(auto record, record_written_ ? progress_note(actions) : answer_record(actions, last));
    actions.push_back(std::move(record));
  }
  const bool notes_job = !job_.empty() && !removes_job;
  if (notes_job) core_.jobs.add(job_);
  is_done_ = is_done_ || removes_job;
  auto done = write(step, actions);
  if (!done) {
    if (notes_step && !undoing_) set_steps_to_undo(undone_before);
    return std::unexpected(std::move(done.error()));
  }
  if (removes_job) core_.jobs.remove(job_);
  if (notes_step) noted_step_ = step_name();
  return true;
}

}  // namespace trestle::runtime
