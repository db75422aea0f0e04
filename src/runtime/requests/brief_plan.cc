#include "runtime/requests/brief_plan.h"

#include <algorithm>

namespace trestle::runtime {
namespace {

using design::PlanStep;
using design::Request;
using design::RequestKind;
using Steps = std::vector<PlanStep>;

constexpr int64_t kItemsMax = 100;       // in a page
constexpr int64_t kWrittenItemsMax = 8;  // in a transaction

bool spills(const design::Entity* entity) { return entity != nullptr && !entity->spills.empty(); }

bool is_repeated(const design::Refusal& refusal) { return refusal.retries_max != 0; }

// A read of one item, or of one page all of whose items are wanted.
bool is_brief_read(const Request& request) {
  if (request.kind != RequestKind::kQuery) return request.kind == RequestKind::kGetItem;
  return request.filter.empty() && request.finds.empty() && !request.raw && !request.fan_out &&
         request.paging != Request::Paging::kAll && request.limit <= kItemsMax;
}

bool is_brief_request(const Request& request) {
  const bool reads = request.kind == RequestKind::kGetItem || request.kind == RequestKind::kQuery ||
                     request.kind == RequestKind::kScan;
  return !spills(request.entity) && !request.fan_out && std::ranges::none_of(request.refusals, is_repeated) &&
         std::ranges::none_of(request.extreme_reads, [](const Request& read) { return spills(read.entity); }) &&
         (!reads || is_brief_read(request));
}

bool has_requests(const Steps& steps) {
  return std::ranges::any_of(steps,
                             [](const PlanStep& step) { return !step.requests.empty() || has_requests(step.steps); });
}

bool is_brief_step(const PlanStep& step, bool is_last) {
  if (!step.undo.empty() || std::ranges::any_of(step.refusals, is_repeated)) return false;
  if (!std::ranges::all_of(step.requests, is_brief_request)) return false;
  switch (step.kind) {
    case PlanStep::Kind::kCascade:
    case PlanStep::Kind::kLimit:  // counts the call, and may then read more
      return false;
    case PlanStep::Kind::kWrite:
      return is_last && step.items_most <= kWrittenItemsMax && step.steps.empty();
    case PlanStep::Kind::kFor:
      return !has_requests(step.steps);
    case PlanStep::Kind::kRead:
    case PlanStep::Kind::kObserve:
    case PlanStep::Kind::kRequire:
    case PlanStep::Kind::kLet:
      return std::ranges::all_of(step.steps, [](const PlanStep& inner) { return is_brief_step(inner, false); });
  }
  return false;
}

bool are_brief(const Steps& steps) {
  return std::ranges::all_of(steps, [&](const PlanStep& step) { return is_brief_step(step, &step == &steps.back()); });
}

// Whether several inputs have writes that are made if they are not valid: a call may have to make all of them.
bool writes_for_several_inputs(const design::Operation& operation) {
  return std::ranges::count_if(operation.bad, [](const auto& bad) { return !bad.second->also.empty(); }) > 1;
}

}  // namespace

bool is_brief_plan(const design::Operation& operation, const design::Plan& plan) {
  return !writes_for_several_inputs(operation) && are_brief(plan.steps) && are_brief(plan.idempotent_steps) &&
         std::ranges::all_of(plan.also, [](const auto& also) { return are_brief(also.second); });
}

}  // namespace trestle::runtime
