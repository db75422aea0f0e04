// Steps that write, with a single request or a transaction, and the handling of their failures.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "model/limits.h"
#include "runtime/call/answer.h"
#include "runtime/call/execution.h"
#include "runtime/items/item_form.h"
#include "runtime/journal/deleted_items.h"
#include "runtime/requests/extra_attributes.h"
#include "runtime/requests/merge_actions.h"
#include "runtime/requests/write_text.h"

namespace trestle::runtime {

using design::Cause;
using design::PlanStep;
using design::Request;
using design::RequestKind;

namespace {

// An item that is being moved has changed since it was read.
const design::Refusal kChanged{
    .cause = Cause::kObserved, .status = 409, .message = {}, .retries_max = design::kRaceRetries};

}  // namespace

// Handles an error of a write. On success, the write must be sent again, with the newly chosen forms.
Outcome<void> Execution::after_error(const PlanStep& step, std::vector<WriteAction>& actions, const Error& error) {
  if (!is_conflict(error)) return after_failure(step, actions, error);
  const auto durable = sender_.wait_durable();
  if (!durable) return std::unexpected(refused_by(durable.error()));
  return {};
}

Outcome<void> Execution::after_failure(const PlanStep& step, std::vector<WriteAction>& actions, const Error& error) {
  const auto failed = failed_actions(actions, error, state_.now_ms / 1000);
  if (failed.empty()) return std::unexpected(refused_write(actions, error));
  // Order of precedence: an earlier call with the same key, then items that changed since they were read, then failures
  // that no retry can fix.
  for (const FailedAction& failed_action : failed) {
    if (failed_action.action->prepared != nullptr) continue;
    TRY_INTO(const bool answered, record_.find_first_answer(false));
    if (answered) return answered_before();
    return {};
  }
  for (const FailedAction& failed_action : failed) {
    const design::Guard* guard = failed_action.action->prepared->request.guard;
    if (failed_action.cause != Cause::kGuard || guard == nullptr || guard != plan_.plan.idempotent) continue;
    TRY_INTO(const bool found, find_owner_of_guard());
    if (found) return answered_before();
    return refuse(409, fmt::format("This {} is taken.", guard->name));
  }
  for (const FailedAction& failed_action : failed) {
    if (failed_action.cause != Cause::kObserved) continue;
    const design::Refusal* refusal = refusal_for(*failed_action.action, failed_action.cause, failed_action.old);
    return std::unexpected(refused_by(refusal == nullptr ? &kChanged : refusal, failed_action.cause,
                                      failed_action.action->prepared->request.entity));
  }
  for (const FailedAction& failed_action : failed) {
    if (failed_action.cause == Cause::kForm || is_obsolete(*failed_action.action, failed_action.cause)) continue;
    const design::Refusal* refusal = refusal_for(*failed_action.action, failed_action.cause, failed_action.old);
    // A guard without a refusal of its own uses the refusal of the step.
    if (refusal == nullptr && !step.refusals.empty()) refusal = &step.refusals[0];
    return std::unexpected(refused_by(refusal, failed_action.cause, failed_action.action->prepared->request.entity));
  }
  const auto read = [&](const auto& extreme) { return read_extreme(extreme); };
  for (const FailedAction& failed_action : failed) TRY(choose_forms(*failed_action.action, failed_action.old, read));
  remove_obsolete(actions, failed);
  return {};
}

// Merges the actions on the same item into one.
Outcome<void> Execution::merge_writes(std::vector<WriteAction>& actions) {
  if (!merge_actions(actions)) return refuse(400, "This would write one item twice; nothing was changed.");
  const auto read = [&](const auto& extreme) { return read_extreme(extreme); };
  for (WriteAction& action : actions) {
    if (!action.figures.empty()) TRY(complete_figures(shared_.design, action, read));
  }
  return {};
}

Outcome<void> Execution::write(const PlanStep& step, std::vector<WriteAction>& actions) {
  if (actions.size() > kTransactionItemsMax)
    return refuse(
        400, fmt::format("This would write {} items at once; the limit is {}.", actions.size(), kTransactionItemsMax));
  for (int attempt = 0;; ++attempt) {
    for (WriteAction& action : actions) TRY(set_expressions(requests(), action));
    std::optional<Item> answer;
    std::optional<Error> error;
    if (actions.size() == 1) {
      auto sent = sender_.write(actions[0], !plan_.operation.returns);
      if (sent)
        answer = std::move(*sent);
      else
        error = std::move(sent.error());
    } else {
      auto sent = sender_.transact(actions);
      if (!sent) error = std::move(sent.error());
    }
    if (!error) return set_written(actions, std::move(answer));
    if (attempt >= kConflictRetriesMax) return std::unexpected(refused_by(*error));
    TRY(after_error(step, actions, *error));
    sender_.back_off(attempt);
  }
}

// Sets the item for the answer: the main item of the last write, in its new state or, if it was deleted, its old state.
Outcome<void> Execution::set_written(const std::vector<WriteAction>& actions, std::optional<Item> answer) {
  for (const WriteAction& action : actions) {
    if (action.prepared == nullptr && action.kind == RequestKind::kPutItem && record_.is_recorded())
      record_.set_written();
  }
  const WriteAction* main = state_.at.depth > 0 ? nullptr : main_of(actions, plan_.plan.idempotent);
  if (main == nullptr) return {};
  const design::Entity& entity = *main->prepared->request.entity;
  // An earlier step put the item with the operation's `idempotent` key, which is also the answer of a repeated call.
  if (state_.written && owns_own_key(*state_.written->entity) && !owns_own_key(entity)) return {};
  WrittenItem item{.entity = &entity, .fields = {}, .read = nullptr, .key = {}};
  if (main->kind == RequestKind::kPutItem) {
    item.fields = main->fields;
  } else if (main->kind == RequestKind::kUpdateItem && (!answer || plan_.operation.returns)) {
    item.read = main->prepared;
    item.key = main->key;
  } else if (main->kind == RequestKind::kUpdateItem) {
    TRY_INTO(item.fields, shared_.codec.decode(entity, *answer));
    shared_.codec.add_extras(entity, *answer, true, item.fields);
  } else if (answer && !plan_.operation.returns) {
    item.fields = deleted_fields(entity, *answer);
  } else if (const auto stored = state_.stored.find(main->prepared->current); stored != state_.stored.end()) {
    if (!plan_.operation.returns) item.fields = deleted_fields(entity, stored->second);
  } else if (actions.size() > 1) {
    const auto before = state_.names.find(main->prepared->current);
    item.fields = before == state_.names.end() ? main->fields : before->second;
  }
  state_.written = std::move(item);
  return {};
}

bool Execution::owns_own_key(const design::Entity& entity) const {
  return std::ranges::any_of(entity.unique, [&](const auto& guard) { return &guard == plan_.plan.idempotent; });
}

// The item is already deleted, so a value that cannot be opened is left out.
Plain Execution::deleted_fields(const design::Entity& entity, ItemView item) const {
  auto opened = shared_.codec.decode(entity, item);
  Plain fields = opened ? std::move(*opened) : shared_.codec.decode_plain_fields(entity, item);
  shared_.codec.add_extras(entity, item, true, fields);
  return fields;
}

// Takes the next number of a counter. It is a request of its own, because a transaction returns no values, and it is
// never undone: if the call fails or is repeated, the number is skipped, as with sequences of other databases.
Outcome<bool> Execution::take_next(const PlanStep& step, std::vector<WriteAction>& actions) {
  CHECK(actions.size() == 1);
  for (int attempt = 0;; ++attempt) {
    TRY(set_expressions(requests(), actions[0]));
    auto sent = sender_.write(actions[0], true);
    if (sent) {
      const auto value = *sent ? (*sent)->find(step.next) : std::nullopt;
      if (!value) return refuse(500, "The database returned no number.");
      state_.names[step.name] = to_plain(*value);
      return true;
    }
    if (attempt >= kConflictRetriesMax) return std::unexpected(refused_by(sent.error()));
    TRY(after_error(step, actions, sent.error()));
    sender_.back_off(attempt);
  }
}

// Finds the item that has the operation's `idempotent` key: it is the answer of the first call, and its fields become
// names for `returns`. False: there is no such item.
Outcome<bool> Execution::find_owner_of_guard() {
  const Names names = state_.names;
  for (const design::PlanStep& step : plan_.plan.idempotent_steps) TRY(read_step(step));
  const auto first = state_.names.find("$first");
  const Plain fields = first == state_.names.end() ? Plain() : first->second;
  state_.names = names;  // a step of the design may have the name, too
  if (!fields.exists()) return false;
  FirstCall call{.names = names, .written = {}};
  for (const auto& [name, value] : fields.members()) call.names[name] = value;
  call.written = WrittenItem{.entity = state_.entity_of["$first"], .fields = fields, .read = nullptr, .key = {}};
  first_call_ = std::move(call);
  return true;
}

std::unexpected<Refused> Execution::answered_before() {
  was_answered_ = true;
  return std::unexpected(Refused{.status = 409, .message = "This call has already been executed."});
}

// The answer of a call whose last write is about to be sent, if it does not depend on the response to that write.
std::optional<CallReply> Execution::answer_before_write(const std::vector<WriteAction>& actions) {
  const WriteAction* main = main_of(actions, plan_.plan.idempotent);
  const bool puts = main != nullptr && main->kind == RequestKind::kPutItem;
  if (!plan_.operation.returns && !puts) return std::nullopt;
  if (puts)
    state_.written =
        WrittenItem{.entity = main->prepared->request.entity, .fields = main->fields, .read = {}, .key = {}};
  auto reply = compose_answer(plan_.operation, state_, state_.names, context_.caller);
  if (!reply) return std::nullopt;
  return std::move(*reply);
}

Outcome<std::optional<Value>> Execution::read_extreme(const WriteAction::ExtremeLeft& extreme) {
  ItemForm form(shared_.design, shared_.database, shared_.codec);
  const ExtremeQuery query{
      .design = shared_.design, .codec = shared_.codec, .form = form, .send = [this](QueryRequest& request) {
        return sender_.send(&Database::query, request);
      }};
  TRY_INTO(auto left,
           query.read(*extreme.tally, *extreme.figure, extreme.fields, extreme.key, extreme.rows, state_.now_ms));
  merge_extreme(extreme.change.greatest, left, extreme.change.after);
  return left;
}

Outcome<std::vector<WriteAction>> Execution::actions_of(std::span<const Request> requests) {
  std::vector<WriteAction> actions;
  TRY(add_actions(this->requests(), plan_, requests, actions));
  for (WriteAction& action : actions) {
    if (action.prepared == nullptr) TRY(record_.fill_job_note(action));
  }
  return actions;
}

// Reads the items that the step copies again if their stored forms are not known, because the call was resumed. An item
// that has changed since is not moved.
Outcome<void> Execution::read_copied(const PlanStep& step) {
  for (const Request& request : step.requests) {
    const auto name = request.extras_from.empty() ? state_.names.end() : state_.names.find(request.extras_from);
    if (name == state_.names.end() || !name->second.is(Plain::Kind::kMap) || state_.stored.contains(name->first))
      continue;
    const design::Entity& entity = *request.entity;
    ItemForm form(shared_.design, shared_.database, shared_.codec);
    TRY_INTO(auto key, form.key(entity, name->second, state_.now_ms));
    if (!key) continue;
    GetItemRequest get{.table_name = request.table, .key = std::move(*key)};
    get.consistent_read = true;
    const auto found = sender_.send(&Database::get_item, get);
    if (!found) return std::unexpected(refused_by(found.error()));
    Plain fields = Plain::map();
    if (found->item && plan_.opens(name->first, entity)) {
      TRY_INTO(fields, shared_.codec.decode(entity, *found->item));
    } else if (found->item) {
      fields = shared_.codec.decode_plain_fields(entity, *found->item);
    }
    const bool same = found->item && std::ranges::all_of(fields.members(), [&](const auto& field) {
                        return name->second.member(field.first) == field.second;
                      });
    if (same) state_.stored.emplace(name->first, *found->item);
    const bool moves = std::ranges::any_of(step.requests, [&](const Request& other) {
      return other.kind == RequestKind::kDeleteItem && other.entity == request.entity && is_own(other);
    });
    if (!same && moves) return std::unexpected(refused_by(&kChanged, Cause::kObserved, &entity));
  }
  return {};
}

Outcome<bool> Execution::write_step(const PlanStep& step) {
  TRY_INTO(const bool runs, should_run(step));
  if (!runs) return false;
  if (record_.is_resumed() || resumes_job_) TRY(read_copied(step));
  if (collected_ != nullptr) {
    const size_t before = collected_->size();
    TRY(add_actions(requests(), plan_, step.requests, *collected_));
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
  TRY(merge_writes(actions));
  Plain deleted_before;
  if (const auto deleted = state_.names.find(kDeletedItems); deleted != state_.names.end())
    deleted_before = deleted->second;
  if (plan_.cascades && state_.at.also_depth == 0 && !state_.at.undoing) {
    add_deleted_items(state_.names, actions);
    for (WriteAction& action : actions) {
      if (action.prepared == nullptr && action.kind == RequestKind::kPutItem) TRY(record_.fill_job_note(action));
    }
  }
  const bool removes_job =
      actions.size() == 1 && actions[0].prepared == nullptr && actions[0].kind == RequestKind::kDeleteItem;
  // The answer of a call that generated its own key is never requested again.
  if (removes_job && record_.is_written() && record_.is_own_key()) actions.push_back(record_.removal());
  // The end of a cascade is recorded too: a repeated cascade would delete what later calls have written.
  const bool records_step = record_.is_recorded() && (!removes_job || (record_.is_written() && !record_.is_own_key()));
  const auto undone_before = steps_to_undo(state_.names, plan_.plan.steps.size());
  if (records_step) {
    if (!state_.at.undoing && state_.at.depth == 0 && !step.undo.empty()) {
      auto undone = undone_before;
      undone.push_back(state_.at.path.back());
      set_steps_to_undo(state_.names, undone);
    }
    // No later step writes, so the answer may already be known.
    const bool last = state_.at.depth == 0 && &step == &plan_.plan.steps.back() && !record_.is_own_key();
    if (record_.is_written())
      actions.push_back(record_.next_write(actions));
    else
      actions.push_back(record_.first_write(actions, last ? answer_before_write(actions) : std::nullopt));
  }
  if (!removes_job) record_.begin_job();
  is_done_ = is_done_ || removes_job;
  auto done = write(step, actions);
  if (!done) {
    if (records_step && !state_.at.undoing) set_steps_to_undo(state_.names, undone_before);
    if (plan_.cascades) state_.names[std::string(kDeletedItems)] = deleted_before;
    return std::unexpected(std::move(done.error()));
  }
  if (removes_job) record_.end_job();
  if (records_step) record_.set_step();
  return true;
}

}  // namespace trestle::runtime
