#include "design/plan/plan_text.h"

#include <fmt/format.h>

#include "design/plan/plan_request_text.h"
#include "model/limits.h"

namespace trestle::design {
namespace {

std::string range_text(int64_t least, int64_t most, bool unbounded) {
  if (unbounded) return fmt::format("{} or more", least);
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

void steps_text(Page& page, const std::vector<PlanStep>& steps, int& count);

// A loop within a transaction.
void loop_text(Page& page, const PlanStep& loop) {
  page.line(fmt::format("for each ${} of {}{}:", loop.name, expression_text(*loop.value),
                        loop.members > 0 ? fmt::format(", at most {}", loop.members) : ""));
  Page inner(page.depth() + 4);
  int within = 0;
  for (const PlanStep& step : loop.steps) {
    if (step.kind != PlanStep::Kind::kWrite) {
      steps_text(inner, {step}, within);
      continue;
    }
    for (const Request& request : step.requests) {
      std::string_view name = request_name(request.kind);
      if (name.ends_with("Item")) name.remove_suffix(4);
      request_block(inner, request, name, true);
    }
  }
  page.append(inner.take());
}

// Reads that are sent at once.
void batch_text(Page& page, const PlanStep& step, int& count) {
  Page inner(page.depth() + 4);
  const bool batch = is_batch(step);
  page.line(
      fmt::format("{:>2}  {} · {} reads at once", ++count, batch ? "BatchGetItem" : "in parallel", step.steps.size()));
  for (const PlanStep& plan_step : step.steps) {
    if (plan_step.when) inner.row("when", expression_text(*plan_step.when));
    request_block(
        inner, plan_step.requests[0],
        fmt::format("{} = {}", name_text(plan_step.name), batch ? "item of" : request_name(plan_step.requests[0].kind)),
        false);
    refusal_rows(inner, plan_step.refusals);
  }
  inner.row("cost", cost_text(step.cost));
  page.append(inner.take());
}

// The rows of a request, without its title.
std::string request_rows(const Page& page, const Request& request, bool is_one_of_several) {
  Page block(page.depth() + 4);
  request_block(block, request, "", is_one_of_several);
  std::string text = block.take();
  text.erase(0, text.find('\n') + 1);
  return text;
}

// The title of a read's request. Two requests read a guard, then its owner.
std::string read_title(const PlanStep& step, const Request& request, bool first, int count) {
  const std::string_view name = request_name(request.kind);
  if (step.requests.size() > 1)
    return first ? fmt::format("{:>2}  $guard = {}", count, name)
                 : fmt::format("    {} = {}", name_text(step.name), name);
  if (step.name.empty()) return fmt::format("{:>2}  {}", count, name);
  return fmt::format("{:>2}  {} = {}", count, name_text(step.name), name);
}

void read_text(Page& page, const PlanStep& step, int& count) {
  bool first = true;
  for (const Request& request : step.requests) {
    if (first) ++count;
    const std::string text = request_rows(page, request, step.requests.size() > 1);
    page.line(
        fmt::format("{} {}{}", read_title(step, request, first, count), subject_of(request),
                    step.kind == PlanStep::Kind::kObserve ? " · fields that the write needs and the inputs lack" : ""));
    Page lines(page.depth() + 4);
    if (first && step.when) lines.row("when", expression_text(*step.when));
    if (first && !step.trigger_inputs.empty()) {
      std::vector<std::string> inputs;
      for (const std::string& name : step.trigger_inputs) inputs.push_back("$" + name);
      lines.row("when", fmt::format("{}{} is given", inputs.size() > 1 ? "one of " : "", joined(inputs, ", ")));
    }
    page.append(lines.take());
    page.append(text);
    first = false;
  }
  Page inner(page.depth() + 4);
  refusal_rows(inner, step.refusals);
  if (step.requests.size() == 1) inner.row("cost", cost_text(step.cost));
  page.append(inner.take());
}

void write_text(Page& page, const PlanStep& step, int& count) {
  Page inner(page.depth() + 4);
  const bool single = step.requests.size() == 1 && step.steps.empty();
  if (single) {
    const std::string text = request_rows(page, step.requests[0], false);
    std::string title = fmt::format("{} {}", request_name(step.requests[0].kind), subject_of(step.requests[0]));
    if (!step.next.empty()) title = fmt::format("${} = {} of {}", step.name, step.next, title);
    page.line(fmt::format("{:>2}  {}", ++count, title));
    page.append(text);
  } else {
    page.line(fmt::format("{:>2}  TransactWriteItems · {} items, all or none{}", ++count,
                          range_text(step.items_least, step.items_most, step.unbounded),
                          step.items_least == 1 ? "; a single item is written without a transaction" : ""));
    for (const Request& request : step.requests) {
      std::string_view name = request_name(request.kind);
      if (name.ends_with("Item")) name.remove_suffix(4);
      request_block(inner, request, name, true);
    }
    for (const PlanStep& loop : step.steps) loop_text(inner, loop);
  }
  inner.row(single ? "cost" : "total",
            fmt::format("{} · refused: {}", cost_text(step.cost), cost_text(step.failed_cost)));
  if (!step.undo.empty()) {
    inner.line("if a later step fails:");
    Page back(inner.depth() + 2);
    int within = 0;
    steps_text(back, step.undo, within);
    inner.append(back.take());
  }
  page.append(inner.take());
}

void limit_text(Page& page, const PlanStep& step, int& count) {
  Page inner(page.depth() + 4);
  page.line(fmt::format("{:>2}  limit {} · at most {} in any {}, counted by {}", ++count, step.limit->name,
                        step.limit->max, duration_text(step.limit->window_s), duration_text(step.limit->slice_s)));
  request_block(inner, step.requests[0], "UpdateItem", false);
  if (step.requests[1].times_most > 0) {
    inner.line("if the slice is new:");
    request_block(inner, step.requests[1], "Query", false);
    inner.line(fmt::format("then, with $budget = {} - sum(count), if that is above 0:", step.limit->max));
  } else {
    inner.line(fmt::format("if the slice is new, with $budget = {}:", step.limit->max));
  }
  request_block(inner, step.requests[2], "UpdateItem", false);
  refusal_rows(inner, step.refusals);
  inner.row("cost", fmt::format("{} · refused: {}", cost_text(step.cost), cost_text(step.failed_cost)));
  page.append(inner.take());
}

void cascade_text(Page& page, const PlanStep& step, int& count) {
  Page inner(page.depth() + 4);
  page.line(fmt::format("{:>2}  cascade, page by page until none is left; resumable", ++count));
  request_block(inner, step.requests[0], "$item = Query", false);
  const bool alone = step.requests.size() == 2;
  inner.line(alone ? fmt::format("then BatchWriteItem, {} at a time:", kBatchWriteRequestsMax)
                   : "then for each TransactWriteItems:");
  for (size_t i = 1; i < step.requests.size(); ++i) {
    std::string_view name = request_name(step.requests[i].kind);
    name.remove_suffix(name.ends_with("Item") ? 4 : 0);
    request_block(inner, step.requests[i], name, false);
  }
  inner.row("cost", cost_text(step.cost));
  page.append(inner.take());
}

void step_text(Page& page, const PlanStep& step, int& count) {
  Page inner(page.depth() + 4);
  switch (step.kind) {
    case PlanStep::Kind::kRequire:
      page.line(fmt::format("{:>2}  require {}", ++count, expression_text(*step.value)));
      refusal_rows(inner, step.refusals);
      break;
    case PlanStep::Kind::kLet: {
      std::vector<std::string> parts;
      for (const Binding* binding : step.lets)
        parts.push_back(fmt::format("${} = {}", binding->field, expression_text(binding->value)));
      page.line(fmt::format("{:>2}  let {}", ++count, joined(parts, ", ")));
      break;
    }
    case PlanStep::Kind::kRead:
    case PlanStep::Kind::kObserve:
      return step.is_batched ? batch_text(page, step, count) : read_text(page, step, count);
    case PlanStep::Kind::kWrite:
      return write_text(page, step, count);
    case PlanStep::Kind::kLimit:
      return limit_text(page, step, count);
    case PlanStep::Kind::kCascade:
      return cascade_text(page, step, count);
    case PlanStep::Kind::kFor: {
      page.line(
          fmt::format("{:>2}  for each ${} of {}, in parallel", ++count, step.name, expression_text(*step.value)));
      int within = 0;
      steps_text(inner, step.steps, within);
      inner.row("cost", cost_text(step.cost));
      break;
    }
  }
  page.append(inner.take());
}

void steps_text(Page& page, const std::vector<PlanStep>& steps, int& count) {
  for (const PlanStep& step : steps) step_text(page, step, count);
}

}  // namespace

std::string plan_text(const Design& design, const Plan& plan) {
  const Operation& operation = *plan.operation;
  Page page(0);
  std::vector<std::string> inputs;
  for (const Input& input : operation.takes) inputs.push_back(input.name + (input.optional ? "?" : ""));
  page.line(fmt::format("{}.{} ({})", design.name, operation.name, joined(inputs, ", ")));
  if (!operation.about.empty()) page.line("  " + operation.about);
  page.line(fmt::format("  {} request{} · {}",
                        plan.requests_most == 0 ? fmt::format("{} or more", plan.requests_least)
                                                : range_text(plan.requests_least, plan.requests_most, false),
                        plan.requests_most == 1 && plan.requests_least == 1 ? "" : "s", cost_text(plan.cost)));
  if (operation.allow) page.line(fmt::format("  allowed if {}", expression_text(*operation.allow)));
  page.blank();
  int count = 0;
  steps_text(page, plan.steps, count);
  if (plan.idempotent != nullptr) {
    page.line(fmt::format("    if {} is taken, return its owner:", plan.idempotent->name));
    Page inner(4);
    int within = 0;
    steps_text(inner, plan.idempotent_steps, within);
    page.append(inner.take());
  }
  for (const auto& [failure, steps] : plan.also) {
    page.line(fmt::format("    before returning {}:", failure->status));
    Page inner(4);
    int within = 0;
    steps_text(inner, steps, within);
    page.append(inner.take());
  }
  if (!plan.afterwards.empty()) {
    page.line(
        "    afterwards, through the stream (changes within one second share these writes; sums of 0 are not "
        "written):");
    Page inner(4);
    int within = 0;
    steps_text(inner, plan.afterwards, within);
    page.append(inner.take());
  }
  for (const std::string& note : plan.notes) page.line("    note: " + note);
  return page.take();
}

}  // namespace trestle::design
