// Plans the requests that count a call in a rate window.
#include <algorithm>

#include "design/plan/plan_impl.h"
#include "design/plan/write/plan_write_item.h"
#include "model/limits.h"

namespace trestle::design {

using Kind = Expression::Kind;

// Counts one call in a rate window with one conditional write. The first call of a slice reads the earlier slices.
void Planner::add_limit(const Step& step, std::vector<PlanStep>& steps) {
  const Limit* limit = design_.limit(step.limit);
  const Entity* entity = limit == nullptr ? nullptr : design_.entity(limit->entity);
  if (entity == nullptr) return;
  const Field* slice = slice_of(*entity);
  if (slice == nullptr) return;
  PlanStep result{.kind = PlanStep::Kind::kLimit, .place = step.place, .name = "remaining", .when = step.when};
  result.limit = limit;
  Write write;
  write.kind = Write::Kind::kUpdate;
  write.entity = entity->name;
  write.by = step.by;
  write.by.push_back({.field = slice->name, .element = {}, .value = name_expression("now"), .place = step.place});
  write.add.push_back({.field = "count", .element = {}, .value = number_expression("1"), .place = step.place});
  write.condition = Expression{
      .kind = Kind::kCompare, .text = "<", .arguments = {name_expression("count"), name_expression("budget")}};
  const WriteScope scope{
      .design = design_, .operation = operation_, .names = known_, .current = "$current", .read_before = false};
  Request count = WritePlanner(scope, write, *entity).requests()[0];

  Access access{.kind = Access::Kind::kQuery, .place = step.place, .entity = entity->name};
  for (const Binding& by : step.by) access.by.push_back(by);
  access.range_field = slice->name;
  access.from = Expression{.kind = Kind::kSubtract,
                           .arguments = {name_expression("now"),
                                         {.kind = Kind::kDuration,
                                          .text = duration_text(limit->window_s - limit->slice_s),
                                          .duration_s = limit->window_s - limit->slice_s}}};
  access.to = Expression{
      .kind = Kind::kSubtract,
      .arguments = {name_expression("now"),
                    {.kind = Kind::kDuration, .text = duration_text(limit->slice_s), .duration_s = limit->slice_s}}};
  access.all = true;
  access.consistent = true;
  access.fields = {"count"};
  // Key fields after the slice do not narrow the key range, so they become a filter.
  const Template* range = entity->key.size() > 1 ? &entity->key[1] : nullptr;
  for (const Binding& by : step.by) {
    if (range == nullptr || !range->uses(by.field)) continue;
    Expression same{.kind = Kind::kCompare, .text = "=", .arguments = {name_expression(by.field), by.value}};
    access.filter = access.filter ? Expression{.kind = Kind::kAnd, .arguments = {*access.filter, std::move(same)}}
                                  : std::move(same);
  }
  Request earlier = requests_of(access, {})[0];
  // At most the slices of one window are read; expired ones do not count.
  const int64_t slices = limit->window_s / std::max<int64_t>(limit->slice_s, 1);
  earlier.cost.read = read_units({earlier.bytes.least, slices * earlier.bytes.typical,
                                  std::min<int64_t>(slices * earlier.bytes.most, kPageBytesMax)},
                                 true);
  earlier.cost.read.best = 1;
  // A window of one slice has no earlier slices to read.
  if (slices <= 1) {
    earlier.times_least = earlier.times_typical = earlier.times_most = 0;
    earlier.cost = {};
  }

  write.kind = Write::Kind::kUpsert;
  write.condition =
      Expression{.kind = Kind::kOr,
                 .arguments = {call_expression("attribute_not_exists", {name_expression("count")}), *write.condition}};
  const Field* budget = entity->field("budget");
  Request first = WritePlanner(scope, write, *entity).requests()[0];
  if (budget != nullptr) {
    Form form{.section = Section::kSet, .effect = Form::Effect::kInitialValue};
    form.names.push_back({.placeholder = "#budget", .attribute = "budget", .member = {}});
    form.values.push_back({":budget", value_of(input_expression("budget"), budget)});
    form.text = "#budget = if_not_exists(#budget, :budget)";
    first.pieces.push_back({.forms = {std::move(form)}});
  }
  for (Request* request : {&count, &first}) request->refusals.clear();
  result.requests = {std::move(count), std::move(earlier), std::move(first)};
  result.refusals.push_back(refusal_of(Cause::kCondition, step.otherwise.get(), 429));
  plan_also(step.otherwise.get());
  cost_step(design_, result);
  steps.push_back(std::move(result));
  known_.insert("remaining");
}

}  // namespace trestle::design
