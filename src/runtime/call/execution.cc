#include "runtime/call/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/call/answer.h"
#include "runtime/call/rate_limit.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/items/typed_value.h"

namespace trestle::runtime {

using design::Cause;
using design::PlanStep;

namespace {

constexpr int kStepsDepthMax = 8;

}  // namespace

Execution::Execution(SharedState& shared, const PreparedPlan& plan, Names inputs, const ListOptions& list,
                     const CallContext& context, int64_t now_ms, Call& call)
    : shared_(shared),
      plan_(plan),
      list_(list),
      context_(context),
      state_{.now_ms = now_ms, .names = std::move(inputs)},
      sender_({.database = shared.database,
               .units = shared.units,
               .operation = plan.operation,
               .observer = context.observer,
               .remote = shared.options.remote},
              call),
      record_({.design = shared.design,
               .options = shared.options,
               .opened_ms = shared.opened_ms,
               .jobs = shared.jobs,
               .plan = plan,
               .context = context,
               .sender = sender_,
               .state = state_}) {}

Outcome<CallReply> Execution::run() {
  if (record_.is_recorded() && context_.idempotency_key) {
    TRY_INTO(const bool answered, record_.find_first_answer(true));
    if (answered) return std::move(*record_.first_answer());
  }
  if (context_.only_resumes && !record_.is_resumed() && !record_.resumes_undo()) return CallReply{.body = Plain::map()};
  auto done = record_.resumes_undo() ? Outcome<void>(refuse(409, "The call was undone.")) : run_block(plan_.plan.steps);
  if (!done && first_call_)
    done = answer_first_call(std::move(done));
  else if (!done && plan_.undoes && !was_answered_ && record_.is_written() && !is_done_)
    done = undo_steps(std::move(done.error()));
  else if (!done && (was_answered_ || done.error().is_final()))
    forget_job();
  record_.end_job();
  if (!done && !was_answered_) return std::unexpected(std::move(done.error()));
  if (!done && record_.first_answer()) return std::move(*record_.first_answer());
  TRY_INTO(CallReply reply, answer());
  if (record_.is_recorded() && !record_.is_own_key() && !record_.has_answer()) record_.store_answer(reply);
  return reply;
}

Outcome<void> Execution::resume(const std::string& job) {
  record_.set_job(job);
  resumes_job_ = true;
  const Steps& steps = plan_.plan.steps;
  size_t first = 0;
  const auto is_note = [](const design::Request& request) {
    return request.table == design::kJournalTable && request.kind == design::RequestKind::kPutItem;
  };
  while (first < steps.size() && std::ranges::none_of(steps[first].requests, is_note)) ++first;
  auto done = run_block(steps, first + 1);
  if (!done && done.error().is_final()) {
    forget_job();
    done = {};
  }
  record_.end_job();
  return done;
}

// A refused call is over. If its job note stayed, resuming it would run a cascade that deletes what later calls wrote.
// If the note cannot be removed now, the call that resumes it is refused too, and removes it.
void Execution::forget_job() {
  if (record_.has_job() && !is_done_) (void)record_.remove(true);
}

// Runs the steps. After a refusal, repeats those after the last one that wrote anything, as often as the plan allows.
Outcome<void> Execution::run_block(const Steps& steps, size_t first) {
  if (state_.at.depth > kStepsDepthMax) return refuse(500, "Steps are nested too deeply.");
  size_t from = first;
  for (size_t at = from; at < steps.size(); ++at) {
    state_.at.path.push_back(at);
    const bool past = record_.is_past();
    // A repeated call has no effect, so it must be recognized before anything is written.
    if (!past && is_main(steps) && plan_.plan.idempotent_at == at && !record_.is_written()) {
      auto found = find_owner_of_guard();
      if (!found || *found) state_.at.path.pop_back();
      if (!found) return std::unexpected(std::move(found.error()));
      if (*found) return answered_before();
    }
    auto changed = past ? skip_step(steps[at]) : run_step(steps[at]);
    state_.at.path.pop_back();
    if (changed) {
      if (*changed) from = at + 1;
      continue;
    }
    Refused& refused = changed.error();
    if (!may_run_again(refused)) {
      // Conditions that are evaluated before the transaction is sent also yield to its guard: a repeated call gets the
      // first answer.
      if (!past && !was_answered_ && refused.status < 500 && puts_own_key(steps[at])) {
        TRY_INTO(const bool found, find_owner_of_guard());
        if (found) return answered_before();
      }
      if (const auto* planned = std::exchange(refused.planned, nullptr)) run_also(planned->failure);
      return std::unexpected(std::move(refused));
    }
    sender_.back_off(tries_[refused.planned]++);
    at = from - 1;  // wraps to -1 and back to 0
  }
  return {};
}

// Whether the step is the write that puts the guard of the operation's `idempotent` key, or a read for that write.
bool Execution::puts_own_key(const PlanStep& step) const {
  const Steps& steps = plan_.plan.steps;
  if (plan_.plan.idempotent == nullptr || state_.at.depth > 0) return false;
  auto at = std::ranges::find(steps, &step, [](const PlanStep& plan_step) { return &plan_step; });
  while (at != steps.end() && (at->kind == PlanStep::Kind::kObserve || plan_.is_shard_count(*at))) ++at;
  return at != steps.end() &&
         std::ranges::find(at->requests, plan_.plan.idempotent, &design::Request::guard) != at->requests.end();
}

// Whether these are the steps of the operation, and not those of a loop, an undo or an `also`.
bool Execution::is_main(const Steps& steps) const { return &steps == &plan_.plan.steps; }

// The call is a repeat under the operation's `idempotent` key: it gets the answer of the first call. If that was found
// only when the key's guard was put, because both ran at the same time, the steps before it are undone first.
Outcome<void> Execution::answer_first_call(Outcome<void> done) {
  const std::string repeated = done.error().message;
  if (plan_.undoes && record_.is_written() && !is_done_) {
    done = undo_steps(std::move(done.error()));
    if (done.error().message != repeated) was_answered_ = false;
  } else {
    forget_job();
  }
  state_.names = std::move(first_call_->names);
  state_.written = std::move(first_call_->written);
  return done;
}

bool Execution::may_run_again(const Refused& refused) const {
  if (refused.planned == nullptr) return false;
  const auto tries = tries_.find(refused.planned);
  return (tries == tries_.end() ? 0 : tries->second) < refused.planned->retries_max;
}

Outcome<bool> Execution::should_run(const PlanStep& step) const {
  if (!has_one_of(state_.names, step.trigger_inputs)) return false;
  if (!step.when) return true;
  TRY_INTO(const bool runs, holds(*step.when, requests().scope()));
  return runs;
}

Outcome<bool> Execution::run_step(const PlanStep& step) {
  switch (step.kind) {
    case PlanStep::Kind::kRead:
    case PlanStep::Kind::kObserve:
      TRY(read_step(step));
      return false;
    case PlanStep::Kind::kRequire:
      TRY(require_step(step));
      return false;
    case PlanStep::Kind::kLet:
      TRY(let_step(step));
      return false;
    case PlanStep::Kind::kWrite:
      return write_step(step);
    case PlanStep::Kind::kLimit: {
      TRY_INTO(const bool runs, should_run(step));
      if (runs) {
        TRY_INTO(const int64_t remaining, count_call(reads(), plan_, step));
        state_.names[step.name] = Plain::number(remaining);
      }
      return runs;
    }
    case PlanStep::Kind::kCascade: {
      TRY_INTO(const bool runs, should_run(step));
      if (runs) TRY(cascade_step(step));
      return runs;
    }
    case PlanStep::Kind::kFor:
      return for_step(step);
  }
  return false;
}

Outcome<void> Execution::require_step(const PlanStep& step) {
  TRY_INTO(const bool runs, should_run(step));
  if (!runs) return {};
  TRY_INTO(const bool fulfilled, holds(*step.value, requests().scope()));
  if (fulfilled) return {};
  return std::unexpected(refused_by(&step.refusals[0], Cause::kCondition, nullptr));
}

Outcome<void> Execution::let_step(const PlanStep& step) {
  TRY_INTO(const bool runs, should_run(step));
  if (!runs) return {};
  for (const design::Binding* binding : step.lets) {
    TRY_INTO(Plain value, evaluate(binding->value, requests().scope()));
    const auto field = plan_.let_fields.find(binding->field);
    if (value.exists() && field != plan_.let_fields.end()) {
      TRY_INTO(value, convert_to_type(shared_.design, field->second->type, std::move(value), binding->field));
    }
    state_.forget_stored(binding->field);
    state_.names[binding->field] = std::move(value);
  }
  return {};
}

// Afterwards, the result of each inner read is the list of the items that it found: of its results, or, if these are
// lists themselves, of their members.
Outcome<bool> Execution::for_step(const PlanStep& step) {
  TRY_INTO(const bool runs, should_run(step));
  std::map<std::string, Plain::List> results;
  std::map<std::string, std::vector<Item>, std::less<>> stored;
  const auto each_read = [&](const auto& self, const Steps& steps, const auto& visit) -> void {
    for (const PlanStep& inner_step : steps) {
      if (inner_step.kind == PlanStep::Kind::kRead && !inner_step.name.empty() && !plan_.is_shard_count(inner_step))
        visit(inner_step.name);
      self(self, inner_step.steps, visit);
    }
  };
  each_read(each_read, step.steps, [&](const std::string& name) { results[name]; });
  bool changes = false;
  if (runs) {
    TRY_INTO(const Plain members, evaluate(*step.value, requests().scope()));
    const bool many = members.is(Plain::Kind::kList) || members.is(Plain::Kind::kSet);
    const Plain::List none;
    const auto most = static_cast<size_t>(step.members > 0 ? step.members : std::numeric_limits<int64_t>::max());
    if (collected_ != nullptr && many && members.elements().size() > most) {
      Refused refused{.status = 400,
                      .message = fmt::format("At most {} can be processed at once; the request has {}.", most,
                                             members.elements().size())};
      return std::unexpected(std::move(refused));
    }
    // The stored items of the members, if an earlier step found them.
    const auto list = step.value->is(design::Expression::Kind::kInput) ? state_.stored_lists.find(step.value->text)
                                                                       : state_.stored_lists.end();
    const bool are_items =
        many && list != state_.stored_lists.end() && list->second.size() == members.elements().size();
    const std::vector<Item> items = are_items ? list->second : std::vector<Item>();
    ++state_.at.depth;
    size_t place = 0;
    for (const Plain& member : many ? members.elements() : none) {
      state_.names[step.name] = member;
      state_.forget_stored(step.name);
      if (are_items) state_.stored.emplace(step.name, items[place]);
      state_.at.path.push_back(place++);
      auto done = run_block(step.steps);
      state_.at.path.pop_back();
      if (!done) {
        --state_.at.depth;
        return std::unexpected(std::move(done.error()));
      }
      changes = true;
      each_read(each_read, step.steps, [&](const std::string& name) {
        const auto found = state_.names.find(name);
        if (found == state_.names.end() || !found->second.exists()) return;
        if (found->second.is(Plain::Kind::kList)) {
          results[name].insert(results[name].end(), found->second.elements().begin(), found->second.elements().end());
          const auto list_items = state_.stored_lists.find(name);
          if (list_items != state_.stored_lists.end())
            stored[name].insert(stored[name].end(), list_items->second.begin(), list_items->second.end());
        } else {
          results[name].push_back(found->second);
          if (const auto item = state_.stored.find(name); item != state_.stored.end())
            stored[name].push_back(item->second);
        }
      });
    }
    --state_.at.depth;
  }
  state_.names.erase(step.name);
  state_.forget_stored(step.name);
  for (auto& [name, list] : results) {
    state_.names[name] = Plain::list(std::move(list));
    state_.forget_stored(name);
    if (const auto items = stored.find(name); items != stored.end())
      state_.stored_lists[name] = std::move(items->second);
  }
  // A loop that only reads changes nothing.
  const auto only_reads = [](const auto& self, const Steps& steps) -> bool {
    return std::all_of(steps.begin(), steps.end(), [&](const PlanStep& plan_step) {
      return (plan_step.kind == PlanStep::Kind::kRead || plan_step.kind == PlanStep::Kind::kLet ||
              plan_step.kind == PlanStep::Kind::kRequire || plan_step.kind == PlanStep::Kind::kFor) &&
             self(self, plan_step.steps);
    });
  };
  return changes && !only_reads(only_reads, step.steps);
}

void Execution::run_also(const design::Failure* failure) {
  const Steps* also = failure == nullptr ? nullptr : plan_.also(failure);
  if (also == nullptr) return;
  std::vector<WriteAction>* const collected = std::exchange(collected_, nullptr);
  const bool was_answered = was_answered_;
  auto first_call = std::exchange(first_call_, std::nullopt);
  ++state_.at.depth;
  ++state_.at.also_depth;
  (void)run_block(*also);
  --state_.at.also_depth;
  --state_.at.depth;
  was_answered_ = was_answered;
  first_call_ = std::move(first_call);
  collected_ = collected;
}

Outcome<CallReply> Execution::answer() {
  const design::Operation& operation = plan_.operation;
  if (state_.written && state_.written->read != nullptr && !operation.returns && !operation.access) {
    WrittenItem& written = *state_.written;
    GetItemRequest request{.table_name = written.read->request.table, .key = written.key};
    request.consistent_read = true;
    const auto found = sender_.send(&Database::get_item, request);
    if (!found) return std::unexpected(refused_by(found.error()));
    if (found->item) {
      TRY_INTO(written.fields, shared_.codec.decode(*written.entity, *found->item));
      shared_.codec.add_extras(*written.entity, *found->item, true, written.fields);
    }
  }
  auto reply = compose_answer(operation, state_, std::move(state_.names), context_.caller);
  if (reply) reply->expires_s = state_.expires_s;
  return reply;
}

}  // namespace trestle::runtime
