#include "cli/missing_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trestle {
namespace {

// Adds the DynamoDB operations of a step of a plan.
void add_requests(const design::PlanStep& step, std::set<std::string_view>& names) {
  const bool transaction = step.kind == design::PlanStep::Kind::kWrite && step.items_most > 1;
  if (transaction) names.insert("TransactWriteItems");
  if (step.is_batched && design::is_batch(step)) names.insert("BatchGetItem");
  for (const design::Request& request : step.requests) {
    if (!transaction && request.kind != design::RequestKind::kConditionCheck)
      names.insert(design::request_name(request.kind));
    if (request.reads_again) names.insert("BatchGetItem");
  }
  for (const design::PlanStep& inner : step.steps) add_requests(inner, names);
}

std::set<std::string_view> requests_of(const design::Plan& plan) {
  std::set<std::string_view> names;
  for (const auto& step : plan.steps) add_requests(step, names);
  for (const auto& step : plan.idempotent_steps) add_requests(step, names);
  for (const auto& [failure, steps] : plan.also) {
    for (const auto& step : steps) add_requests(step, names);
  }
  return names;
}

// Lists the features that the design's tables lose on an endpoint that lacks these operations.
std::string missing_features_text(const std::vector<LackingOperation>& lacking, const design::Design& design) {
  const auto lacks = [&](std::string_view name) {
    return std::ranges::any_of(lacking, [&](const LackingOperation& operation) { return operation.operation == name; });
  };
  std::string out;
  for (const design::Table& table : design.tables) {
    const auto say = [&](std::string_view effect, std::string_view needed) {
      out += fmt::format("  {}: table {} {} without {}\n", design.name, table.name, effect, needed);
    };
    if (!table.ttl_attribute.empty() && lacks("UpdateTimeToLive")) say("keeps its expired items", "UpdateTimeToLive");
    if (table.recovery && lacks("UpdateContinuousBackups"))
      say("has no point-in-time recovery", "UpdateContinuousBackups");
    for (const std::string_view needed : {"DescribeStream", "GetShardIterator", "GetRecords"}) {
      if (table.stream && lacks(needed)) say("has no stream for tallies and reactions", needed);
    }
  }
  return out;
}

}  // namespace

std::string missing_operations_text(const std::vector<LackingOperation>& lacking, const design::Design& design,
                                    const PlanOfOperation& plan_of) {
  std::string out = missing_features_text(lacking, design);
  for (const design::Operation& operation : design.operations) {
    std::string missing;
    const auto needed = requests_of(plan_of(operation));
    for (const LackingOperation& absent : lacking) {
      if (needed.contains(absent.operation)) missing += (missing.empty() ? "" : ", ") + std::string(absent.operation);
    }
    if (!missing.empty()) out += fmt::format("  {}.{} needs {}\n", design.name, operation.name, missing);
  }
  return out;
}

}  // namespace trestle
