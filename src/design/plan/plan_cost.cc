// Computes the capacity units of requests and steps.
#include <algorithm>
#include <cmath>

#include "design/plan/plan_impl.h"
#include "model/limits.h"

namespace trestle::design {
namespace {

double pages_units(double bytes, bool consistent) {
  return std::max(1.0, std::ceil(bytes / kReadUnitBytes)) * (consistent ? 1 : 0.5);
}

void scale(Cost& cost, double best, double typical, double worst) {
  const auto by = [&](Units& units) {
    units.best *= best;
    units.typical *= typical;
    units.worst *= worst;
  };
  by(cost.read);
  by(cost.write);
  for (IndexUnits& index : cost.indexes) by(index.write);
}

Cost without_indexes(Cost cost) {
  for (const IndexUnits& index : cost.indexes) {
    cost.write.best -= index.write.best;
    cost.write.typical -= index.write.typical;
    cost.write.worst -= index.write.worst;
  }
  cost.indexes.clear();
  return cost;
}

// The cost of replacing a removed extreme: the Query. (The refused attempt before it is added in cost_write.) At best
// the removed value is not the extreme, and nothing is read.
Cost extremes_cost(const Request& request) {
  Cost cost;
  for (const Request& query : request.extreme_reads) cost.read += {0, query.cost.read.typical, query.cost.read.worst};
  return cost;
}

bool tests_existence(const Expression& e) {
  bool found = false;
  each_expression(e,
                  [&](const Expression& part) { found |= part.is(Expression::Kind::kCall) && part.text == "exists"; });
  return found;
}

void cost_write(PlanStep& step) {
  // A request with `when` is at best not sent, and typically sent, unless its condition tests the presence of an input
  // or field. Several conditional writes to one entity are assumed to exclude each other.
  std::vector<const Entity*> conditional;
  for (Request& request : step.requests) {
    if (!request.when) continue;
    const bool again = std::find(conditional.begin(), conditional.end(), request.entity) != conditional.end();
    const bool alone = step.requests.size() == 1;
    if (request.follows == Request::Follows::kItself) conditional.push_back(request.entity);
    if (!alone) request.times_least = 0;
    if (again || (!alone && tests_existence(*request.when))) request.times_typical = 0;
    if (again) request.times_most = 0;
  }
  double least = 0, typical = 0, most = 0;
  for (const Request& request : step.requests) {
    least += request.times_least;
    typical += request.times_typical;
    most += request.times_most;
    step.unbounded |= request.unbounded;
    step.bytes_most += static_cast<int64_t>(request.times_most * static_cast<double>(request.bytes.most));
  }
  for (const PlanStep& loop : step.steps) {
    const double members = static_cast<double>(loop.members > 0 ? loop.members : kListLimitDefault);
    step.unbounded |= loop.members == 0;
    for (const PlanStep& inner : loop.steps) {
      if (inner.kind != PlanStep::Kind::kWrite) continue;
      typical += static_cast<double>(inner.items_typical) * std::min(members, kLoopTypical);
      most += static_cast<double>(inner.items_most) * members;
      step.bytes_most += inner.bytes_most * static_cast<int64_t>(members);
    }
  }
  step.items_least = std::max<int64_t>(1, static_cast<int64_t>(least));
  step.items_typical = std::max<int64_t>(1, static_cast<int64_t>(typical));
  step.items_most = std::max<int64_t>(1, static_cast<int64_t>(most));
  const auto factor = [](int64_t items) { return items > 1 ? 2.0 : 1.0; };
  Cost extremes;
  for (Request& request : step.requests) {
    // A transaction doubles the units of the table, not those of its indexes.
    Cost tables = without_indexes(request.cost);
    scale(tables, factor(step.items_least), factor(step.items_typical), factor(step.items_most));
    tables.indexes = std::move(request.cost.indexes);
    for (const IndexUnits& index : tables.indexes) tables.write += index.write;
    request.cost = std::move(tables);
    Cost all = request.cost;
    scale(all, request.times_least, request.times_typical, request.times_most);
    step.cost += all;
    step.failed_cost += without_indexes(all);
    Cost again = extremes_cost(request);
    scale(again, request.times_least, request.times_typical, request.times_most);
    extremes += again;
  }
  // The reads and writes of loops. A transaction doubles the cost of writes that would be single.
  for (PlanStep& loop : step.steps) {
    const double members = static_cast<double>(loop.members > 0 ? loop.members : kListLimitDefault);
    loop.cost = {};
    for (const PlanStep& inner : loop.steps) {
      Cost all = inner.cost;
      if (inner.kind == PlanStep::Kind::kWrite && inner.items_most == 1) {
        Cost tables = without_indexes(all);
        scale(tables, 2, 2, 2);
        tables.indexes = all.indexes;
        for (const IndexUnits& index : tables.indexes) tables.write += index.write;
        all = std::move(tables);
      }
      scale(all, 0, std::min(members, kLoopTypical), members);
      loop.cost += all;
    }
    step.cost += loop.cost;
    step.failed_cost += without_indexes(loop.cost);
  }
  if (!extremes.read.is_zero()) extremes.write.worst = step.failed_cost.write.worst;
  step.cost += extremes;
  const bool sometimes = step.requests.size() == 1 && step.steps.empty() && step.requests[0].when;
  if (sometimes && tests_existence(*step.requests[0].when)) {
    step.requests[0].times_least = step.requests[0].times_typical = 0;
    step.cost = Cost::perhaps(step.cost);
  } else if (step.when || sometimes) {
    step.cost.write.best = 0;
  }
}

}  // namespace

void cost_read(const Design& design, Request& request) {
  if (request.entity == nullptr) {
    request.bytes = {100, 1024, static_cast<int64_t>(kItemBytesMax)};
  } else if (request.guard != nullptr) {
    request.bytes = guard_bytes(design, *request.entity, *request.guard);
  } else {
    request.bytes = item_bytes(design, *request.entity);
  }
  if (request.kind == RequestKind::kGetItem) {
    request.cost.read = read_units(request.bytes, request.consistent);
    request.cost.read.best = request.consistent ? 1 : 0.5;
    return;
  }
  const Bytes whole = request.bytes;
  const Table* table = design.table(request.table);
  if (request.entity != nullptr && table != nullptr && !request.index.empty()) {
    if (const Index* index = table->index(request.index)) request.bytes = entry_bytes(design, *request.entity, *index);
  }
  const double count =
      request.entity != nullptr && request.entity->count > 0 ? static_cast<double>(request.entity->count) : 1e15;
  double typical = std::min(request.limit > 0 ? static_cast<double>(request.limit) : kPageItemsTypical, count);
  double most = request.limit > 0 ? static_cast<double>(request.limit) : static_cast<double>(kListLimitDefault);
  if (request.paging == Request::Paging::kOne) typical = most = std::max(1.0, static_cast<double>(request.limit));
  if (request.paging == Request::Paging::kAll || !request.filter.empty()) most = 1e9;
  if (request.kind == RequestKind::kScan && count < 1e15) typical = most = count;
  const auto page = static_cast<double>(kPageBytesMax);
  request.cost.read = {pages_units(0, request.consistent),
                       pages_units(typical * static_cast<double>(request.bytes.typical), request.consistent),
                       pages_units(std::min(most * static_cast<double>(request.bytes.most), page), request.consistent)};
  if (request.reads_again) {
    const Units again = read_units(whole, false);
    request.cost.read +=
        {0, again.typical * typical, again.worst * std::min(most, static_cast<double>(kListLimitDefault))};
  }
  if (request.fan_out && request.shard != nullptr) {
    request.times_least = request.times_typical =
        static_cast<double>(request.shard->count > 0 ? request.shard->count : request.shard->initial);
    request.times_most = static_cast<double>(request.shard->count > 0 ? request.shard->count : request.shard->most);
  }
}

void cost_step(const Design& design, PlanStep& step) {
  (void)design;
  switch (step.kind) {
    case PlanStep::Kind::kRequire:
    case PlanStep::Kind::kLet:
      return;
    case PlanStep::Kind::kWrite:
      return cost_write(step);
    case PlanStep::Kind::kRead:
    case PlanStep::Kind::kObserve:
      for (const Request& request : step.requests) {
        Cost all = request.cost;
        scale(all, request.times_least, request.times_typical, request.times_most);
        if (request.cached_s > 0) all = Cost::perhaps(all);
        step.cost += all;
      }
      if (!step.trigger_inputs.empty() || (step.when && tests_existence(*step.when)))
        step.cost = Cost::perhaps(step.cost);
      else if (step.when)
        step.cost.read.best = 0;
      return;
    case PlanStep::Kind::kLimit: {
      // Normally the slice exists. The first request of a slice fails, then reads the earlier slices and creates the
      // slice.
      const Cost& count = step.requests[0].cost;
      step.cost = count;
      step.cost.write.worst = count.write.worst + step.requests[2].cost.write.worst;
      step.cost.read.worst = step.requests[1].cost.read.worst;
      step.failed_cost = count;
      return;
    }
    case PlanStep::Kind::kCascade: {
      step.cost = step.requests[0].cost;
      for (size_t i = 1; i < step.requests.size(); ++i) {
        Cost all = step.requests[i].cost;
        all += extremes_cost(step.requests[i]);
        scale(all, 0, kPageItemsTypical, static_cast<double>(kListLimitDefault));
        step.cost += all;
      }
      return;
    }
    case PlanStep::Kind::kFor:
      for (const PlanStep& inner : step.steps) {
        Cost all = inner.cost;
        const auto members = static_cast<double>(step.members);
        if (step.members > 0)
          scale(all, members, members, members);
        else
          scale(all, 0, kLoopTypical, static_cast<double>(kListLimitDefault));
        step.cost += all;
      }
      return;
  }
}

}  // namespace trestle::design
