#include "runtime/call/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include "base/random_id.h"
#include "runtime/values/typed_value.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {

using design::Cause;
using design::PlanStep;

namespace {

constexpr int kBackOffBaseUs = 200;
constexpr int kBackOffMaxUs = 50'000;
constexpr int kStepsDepthMax = 8;
constexpr std::string_view kOwnKey = "undo-";  // what keys begin with that calls make for themselves

// The default message of a refusal.
std::string words_of(Cause cause, int status, const design::Entity* entity) {
  const std::string name = entity == nullptr ? "item" : entity->name;
  switch (status) {
    case 401:
      return "Not known, or not valid.";
    case 403:
      return "This may not be done.";
    case 404:
      return fmt::format("There is no such {}.", name);
    case 410:
      return "It has expired.";
    case 429:
      return "Too many requests; try again later.";
    default:
      break;
  }
  switch (cause) {
    case Cause::kAbsent:
      return fmt::format("There is no such {}.", name);
    case Cause::kPresent:
      return fmt::format("This {} exists already.", name);
    case Cause::kFlow:
      return fmt::format("This {} cannot change to that from what it is now.", name);
    case Cause::kRevision:
      return fmt::format("This {} has another revision than the one named.", name);
    case Cause::kRange:
      return fmt::format("A number of this {} would leave its range.", name);
    case Cause::kGuard:
      return "This value is taken.";
    case Cause::kObserved:
    case Cause::kForm:
      return fmt::format("This {} is being changed by others; try again.", name);
    case Cause::kCondition:
      return entity == nullptr ? "This cannot be done in the present state."
                               : fmt::format("The state of this {} does not allow that.", name);
  }
  return {};
}

}  // namespace

Execution::Execution(Core& core, const PreparedPlan& prepared, Names inputs, const ListOptions& list,
                     const CallContext& context, int64_t now_ms, Call& call)
    : core_(core),
      prepared_(prepared),
      list_(list),
      context_(context),
      now_ms_(now_ms),
      call_(call),
      names_(std::move(inputs)) {
  if (context.idempotency_key)
    key_ = *context.idempotency_key;
  else if (prepared.undoes)
    key_ = std::string(kOwnKey) + make_ulid(now_ms);
  is_own_key_ = !context.idempotency_key || (context.only_resumes && key_.starts_with(kOwnKey));
}

Outcome<CallReply> Execution::run() {
  if (is_recorded() && context_.idempotency_key) {
    auto first = find_first_answer(true);
    if (!first && first.error().kind == Stop::Kind::kAnswered) return std::move(*first_answer_);
    if (!first) return std::unexpected(std::move(first.error().refused));
  }
  if (context_.only_resumes && !cut_short_ && !resumes_undo_) return CallReply{.body = Plain::map()};
  auto done = resumes_undo_ ? Done<void>(std::unexpected(Stop(Refused{.status = 409, .message = "It was taken back."})))
                            : run_block(prepared_.plan.steps);
  if (!done && prepared_.undoes && done.error().kind == Stop::Kind::kRefused && record_written_ && !is_done_)
    done = take_back(std::move(done.error()));
  if (!job_.empty()) core_.jobs.remove(job_);
  if (!done) {
    if (done.error().kind != Stop::Kind::kAnswered) return std::unexpected(std::move(done.error().refused));
    if (first_answer_) return std::move(*first_answer_);
  }
  TRY_INTO(CallReply reply, answer());
  if (is_recorded() && !is_own_key_ && !record_has_answer_) keep_answer(reply);
  return reply;
}

Outcome<void> Execution::resume(const std::string& job) {
  job_ = job;
  names_["job"] = Plain::text(job);
  const Steps& steps = prepared_.plan.steps;
  size_t first = 0;
  const auto notes = [](const design::Request& request) {
    return request.table == design::kJournalTable && request.kind == design::RequestKind::kPutItem;
  };
  while (first < steps.size() && std::none_of(steps[first].requests.begin(), steps[first].requests.end(), notes))
    ++first;
  auto done = run_block(steps, first + 1);
  core_.jobs.remove(job_);
  if (!done) return std::unexpected(std::move(done.error().refused));
  return {};
}

// Runs the steps; repeats those after the last one that wrote anything, while the failure is retryable.
Done<void> Execution::run_block(const Steps& steps, size_t first) {
  if (depth_ > kStepsDepthMax) return std::unexpected(Stop(Refused{.status = 500, .message = "Steps within steps."}));
  size_t from = first;
  for (size_t at = from; at < steps.size(); ++at) {
    path_.push_back(at);
    auto changed = is_past() ? pass_over(steps[at]) : run_step(steps[at]);
    path_.pop_back();
    if (changed) {
      if (*changed) from = at + 1;
      continue;
    }
    Stop& stop = changed.error();
    if (stop.kind != Stop::Kind::kAgain) return std::unexpected(std::move(stop));
    const int tries = tries_[stop.refusal]++;
    if (tries >= stop.again) {
      if (stop.refusal != nullptr && stop.refusal->cause != Cause::kObserved)
        return stopped(stop.refusal, stop.refusal->cause, nullptr);
      stop.kind = Stop::Kind::kRefused;
      return std::unexpected(std::move(stop));
    }
    back_off(tries);
    at = from - 1;  // wraps to -1 and back to 0
  }
  return {};
}

// Waits a random, growing time, so that conflicting calls separate. The first times it only yields.
void Execution::back_off(int attempt) {
  if (attempt < 3 && !core_.options.remote) {
    std::this_thread::yield();
    return;
  }
  const int most = std::min(kBackOffMaxUs, kBackOffBaseUs << std::min(attempt, 8));
  const auto wait = static_cast<int64_t>(random_u64() % static_cast<uint64_t>(most));
  std::this_thread::sleep_for(std::chrono::microseconds(wait));
}

void Execution::note_sent(const SentRequest& sent) const {
  const bool reads = sent.request.index() <= 3;  // GetItem, BatchGetItem, Query, Scan
  for (const ConsumedCapacity& consumed : sent.consumed) {
    core_.units.add(prepared_.operation, reads ? OperationUnits::Kind::kRead : OperationUnits::Kind::kWrite, consumed);
  }
  if (context_.observer) context_.observer(sent);
}

bool Execution::is_given(const std::vector<std::string>& inputs) const {
  if (inputs.empty()) return true;
  return std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    const auto name = names_.find(input);
    return name != names_.end() && !name->second.is_absent();
  });
}

Done<bool> Execution::takes_part(const PlanStep& step) {
  if (!is_given(step.given)) return false;
  if (!step.when) return true;
  TRY_INTO(const bool part, holds(*step.when, scope()));
  return part;
}

Done<bool> Execution::run_step(const PlanStep& step) {
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
      TRY_INTO(const bool part, takes_part(step));
      if (part) TRY(limit_step(step));
      return part;
    }
    case PlanStep::Kind::kCascade: {
      TRY_INTO(const bool part, takes_part(step));
      if (part) TRY(cascade_step(step));
      return part;
    }
    case PlanStep::Kind::kFor:
      return for_step(step);
  }
  return false;
}

Done<void> Execution::require_step(const PlanStep& step) {
  TRY_INTO(const bool part, takes_part(step));
  if (!part) return {};
  TRY_INTO(const bool fulfilled, holds(*step.value, scope()));
  if (fulfilled) return {};
  return stopped(&step.refusals[0], Cause::kCondition, nullptr);
}

Done<void> Execution::let_step(const PlanStep& step) {
  TRY_INTO(const bool part, takes_part(step));
  if (!part) return {};
  for (const design::Binding* binding : step.lets) {
    TRY_INTO(Plain value, evaluate(binding->value, scope()));
    const auto field = prepared_.let_fields.find(binding->field);
    if (value.exists() && field != prepared_.let_fields.end()) {
      TRY_INTO(value, shaped(core_.design, field->second->type, std::move(value), binding->field));
    }
    names_[binding->field] = std::move(value);
  }
  return {};
}

// The result of an inner step is afterwards the list of its results.
Done<bool> Execution::for_step(const PlanStep& step) {
  TRY_INTO(const bool part, takes_part(step));
  std::map<std::string, Plain::List> results;
  const auto each_read = [&](const auto& self, const Steps& steps, const auto& visit) -> void {
    for (const PlanStep& one : steps) {
      if (one.kind == PlanStep::Kind::kRead && !one.name.empty() && !prepared_.is_shard_count(one)) visit(one.name);
      self(self, one.steps, visit);
    }
  };
  each_read(each_read, step.steps, [&](const std::string& name) { results[name]; });
  bool changes = false;
  if (part) {
    TRY_INTO(const Plain members, evaluate(*step.value, scope()));
    const bool many = members.is(Plain::Kind::kList) || members.is(Plain::Kind::kSet);
    const Plain::List none;
    const auto most = static_cast<size_t>(step.members > 0 ? step.members : std::numeric_limits<int64_t>::max());
    if (collected_ != nullptr && many && members.elements().size() > most) {
      Refused refused{.status = 400,
                      .message = fmt::format("This is done for at most {} at once, and {} are given.", most,
                                             members.elements().size())};
      return std::unexpected(Stop(std::move(refused)));
    }
    ++depth_;
    size_t place = 0;
    for (const Plain& member : many ? members.elements() : none) {
      names_[step.name] = member;
      path_.push_back(place++);
      auto done = run_block(step.steps);
      path_.pop_back();
      if (!done) {
        --depth_;
        return std::unexpected(std::move(done.error()));
      }
      changes = true;
      each_read(each_read, step.steps, [&](const std::string& name) {
        const auto found = names_.find(name);
        if (found != names_.end() && found->second.exists()) results[name].push_back(found->second);
      });
    }
    --depth_;
  }
  names_.erase(step.name);
  for (auto& [name, list] : results) names_[name] = Plain::list(std::move(list));
  // Reads alone change nothing.
  const auto only_reads = [](const auto& self, const Steps& steps) -> bool {
    return std::all_of(steps.begin(), steps.end(), [&](const PlanStep& one) {
      return (one.kind == PlanStep::Kind::kRead || one.kind == PlanStep::Kind::kLet ||
              one.kind == PlanStep::Kind::kRequire || one.kind == PlanStep::Kind::kFor) &&
             self(self, one.steps);
    });
  };
  return changes && !only_reads(only_reads, step.steps);
}

std::unexpected<Stop> Execution::stopped(const design::Refusal* refusal, Cause cause, const design::Entity* entity,
                                         int64_t retry_after_s) {
  Refused refused{.status = refusal == nullptr ? 409 : refusal->status, .message = {}, .fields = {}};
  if (refusal != nullptr) refused.message = refusal->message;
  if (refused.message.empty()) refused.message = words_of(cause, refused.status, entity);
  if (refusal != nullptr && refusal->failure != nullptr && !refusal->failure->field.empty())
    refused.fields.push_back({.field = refusal->failure->field, .reason = refused.message});
  refused.retry_after_s = retry_after_s;
  refused.retryable =
      cause == Cause::kObserved || cause == Cause::kForm || refused.status == 429 || refused.status == 503;
  Stop stop(std::move(refused));
  stop.refusal = refusal;
  if (refusal != nullptr && refusal->again > 0 && tries_[refusal] < refusal->again) {
    stop.kind = Stop::Kind::kAgain;
    stop.again = refusal->again;
    return std::unexpected(std::move(stop));
  }
  if (refusal != nullptr) run_aside(refusal->failure);
  return std::unexpected(std::move(stop));
}

void Execution::run_aside(const design::Failure* failure) {
  const Steps* also = failure == nullptr ? nullptr : prepared_.also(failure);
  if (also == nullptr) return;
  std::vector<WriteAction>* const collected = std::exchange(collected_, nullptr);
  ++depth_;
  ++aside_;
  (void)run_block(*also);
  --aside_;
  --depth_;
  collected_ = collected;
}

}  // namespace trestle::runtime
