#include "design/cost/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace trestle::design {
namespace {

constexpr double kGb = 1024.0 * 1024 * 1024;
constexpr double kItemOverhead = 100;
// How often the stream reader polls each shard.
constexpr double kStreamReadsPerSecond = 1;

const Rate* rate_of(const CostOptions& options, const Operation& operation) {
  for (const auto& [name, rate] : options.rates) {
    if (name == operation.name) return &rate;
  }
  if (options.rates.empty() && operation.average.declared()) return &operation.average;
  return nullptr;
}

// The lifetime of an item in months.
double lifetime_months(const Entity& entity, const CostOptions& options) {
  if (!entity.ttl) return options.lifetime_months;
  int64_t seconds = 0;
  each_expression(*entity.ttl, [&](const Expression& part) {
    if (part.is(Expression::Kind::kDuration)) seconds = std::max(seconds, part.duration_s);
  });
  for (const Field& field : entity.fields) {
    if (seconds != 0 || !field.default_value || !entity.ttl->is_name(field.name)) continue;
    each_expression(*field.default_value, [&](const Expression& part) {
      if (part.is(Expression::Kind::kDuration)) seconds = std::max(seconds, part.duration_s);
    });
  }
  return seconds == 0 ? options.lifetime_months : static_cast<double>(seconds) / kMonthSeconds;
}

bool reads_extremes(const std::vector<PlanStep>& steps) {
  return std::ranges::any_of(steps, [](const PlanStep& step) {
    return std::ranges::any_of(step.requests, [](const Request& request) { return !request.extreme_reads.empty(); }) ||
           reads_extremes(step.steps);
  });
}

class Estimator {
 public:
  Estimator(const Design& design, const Prices& prices, const CostOptions& options)
      : design_(design), prices_(prices), options_(options) {
    for (const Table& table : design.tables) {
      store(table.name, "");
      for (const Index& index : table.indexes) store(table.name, index.name);
    }
  }

  CostEstimate estimate() {
    for (const Operation& operation : design_.operations) add_operation(operation);
    std::stable_sort(cost_.patterns.begin(), cost_.patterns.end(),
                     [](const PatternCost& a, const PatternCost& b) { return a.on_demand > b.on_demand; });
    add_items();
    for (StoreCost& store : cost_.stores) {
      add_capacity(store);
      cost_.storage_gb += store.gb;
      // A backup contains a table and its local indexes, but not its global indexes.
      const Table* table = design_.table(store.table);
      const Index* index = table == nullptr || store.index.empty() ? nullptr : table->index(store.index);
      if (index == nullptr || index->local) backed_up_gb_ += store.gb;
    }
    add_rest();
    add_alerts();
    return std::move(cost_);
  }

 private:
  StoreCost& store(const std::string& table, const std::string& index) {
    for (StoreCost& store : cost_.stores) {
      if (store.table == table && store.index == index) return store;
    }
    cost_.stores.push_back({.table = table, .index = index});
    return cost_.stores.back();
  }

  void add_units(const std::vector<PlanStep>& steps, double calls) {
    for (const PlanStep& step : steps) {
      // Counts the reads of each request, unless the step typically reads nothing.
      for (const Request& request : step.requests) {
        store(request.table, request.index).read_units +=
            request.cost.read.typical * request.times_typical * calls * (step.cost.read.typical > 0 ? 1 : 0);
        const double times = step.kind == PlanStep::Kind::kCascade ? kPageItemsTypical : request.times_typical;
        for (const Request& query : request.extreme_reads)
          store(query.table, query.index).read_units += query.cost.read.typical * times * calls;
      }
      add_units(step.steps, calls * loops(step));
    }
  }
  void add_writes(const Cost& cost, const std::string& table, double calls) {
    double indexes = 0;
    for (const IndexUnits& index : cost.indexes) {
      store(index.table, index.index).write_units += index.write.typical * calls;
      indexes += index.write.typical;
    }
    store(table, "").write_units += (cost.write.typical - indexes) * calls;
  }

  void add_operation(const Operation& operation) {
    const Rate* rate = rate_of(options_, operation);
    if (rate == nullptr) return;
    const Plan plan = plan_operation(design_, operation);
    PatternCost pattern{.operation = &operation, .calls = rate->per_second * kMonthSeconds};
    pattern.write_units = plan.cost.write.typical * pattern.calls;
    const double shared = std::max(1.0, rate->per_second);  // the changes of one second share the writes of tallies
    pattern.read_units =
        plan.cost.read.typical * pattern.calls + plan.afterwards_cost.read.typical * pattern.calls / shared;
    pattern.afterwards_units = plan.afterwards_cost.write.typical * pattern.calls / shared;
    pattern.write_units += pattern.afterwards_units;
    for (const IndexUnits& index : plan.cost.indexes) pattern.index_units += index.write.typical * pattern.calls;
    for (const IndexUnits& index : plan.afterwards_cost.indexes)
      pattern.index_units += index.write.typical * pattern.calls / shared;
    pattern.on_demand =
        pattern.read_units * prices_.read_million / 1e6 + pattern.write_units * prices_.write_million / 1e6;
    cost_.on_demand_reads += pattern.read_units * prices_.read_million / 1e6;
    cost_.on_demand_writes += pattern.write_units * prices_.write_million / 1e6;
    cost_.on_demand_indexes += pattern.index_units * prices_.write_million / 1e6;

    add_units(plan.steps, pattern.calls);
    add_units(plan.afterwards, pattern.calls / shared);
    each_table(plan.steps, [&](const std::string& table, const Cost& cost) { add_writes(cost, table, pattern.calls); });
    each_table(plan.afterwards,
               [&](const std::string& table, const Cost& cost) { add_writes(cost, table, pattern.calls / shared); });
    each_write(operation, [&](const Write& write, const Step&) {
      if (write.kind == Write::Kind::kPut && !write.when) created_[write.entity] += pattern.calls;
    });
    cost_.patterns.push_back(pattern);
    counts_extremes_ |= reads_extremes(plan);
  }

  // Calls `visit` for each write request with its table and typical cost.
  using Visit = std::function<void(const std::string& table, const Cost& cost)>;
  void each_table(const std::vector<PlanStep>& steps, const Visit& visit) {
    for (const PlanStep& step : steps) {
      if (step.kind == PlanStep::Kind::kLimit) {
        visit(step.requests[0].table, step.requests[0].cost);
        continue;
      }
      const double times = step.kind == PlanStep::Kind::kCascade ? kPageItemsTypical : 1;
      for (const Request& request : step.requests) {
        if (request.cost.write.typical > 0 && request.times_typical > 0)
          visit(request.table, request.cost * (request.times_typical * times));
      }
      each_table(step.steps, [&](const std::string& table, const Cost& cost) { visit(table, cost * loops(step)); });
    }
  }
  static double loops(const PlanStep& step) {
    if (step.kind != PlanStep::Kind::kFor) return 1;
    const auto members = static_cast<double>(step.members);
    if (step.is_most && step.members > 0) return std::min(members, kLoopTypical);
    return step.members > 0 ? members : kLoopTypical;
  }

  void add_items() {
    for (const Entity& entity : design_.entities) {
      const auto created = created_.find(entity.name);
      double items = static_cast<double>(entity.count);
      if (items == 0 && created != created_.end()) items = created->second * lifetime_months(entity, options_);
      if (items == 0) continue;
      StoreCost& own = store(entity.table, "");
      own.items += items;
      own.gb += items * (static_cast<double>(item_bytes(design_, entity).typical) + kItemOverhead) / kGb;
      const Table* table = design_.table(entity.table);
      for (const IndexEntry& entry : entity.index) {
        const Index* index = table == nullptr ? nullptr : table->index(entry.index);
        if (index == nullptr) continue;
        StoreCost& store_cost = store(entity.table, index->name);
        store_cost.items += items;
        store_cost.gb +=
            items * (static_cast<double>(entry_bytes(design_, entity, *index).typical) + kItemOverhead) / kGb;
      }
    }
  }

  void add_capacity(StoreCost& store) {
    const auto capacity = [&](double units) {
      return std::max(1.0, std::ceil(units / kMonthSeconds * options_.peak / options_.utilization));
    };
    store.read_capacity = capacity(store.read_units);
    store.write_capacity = capacity(store.write_units);
    cost_.provisioned_reads += store.read_capacity * prices_.read_unit_hour * kMonthHours;
    cost_.provisioned_writes += store.write_capacity * prices_.write_unit_hour * kMonthHours;
  }

  void add_rest() {
    cost_.storage = std::max(0.0, cost_.storage_gb - prices_.free_gb) * prices_.gb_month;
    if (options_.recovery) cost_.recovery = backed_up_gb_ * prices_.pitr_gb_month;
    cost_.backups = backed_up_gb_ * prices_.backup_gb_month * options_.backups;
    double reads = 0;
    for (const Table& table : design_.tables) reads += table.stream ? kStreamReadsPerSecond * kMonthSeconds : 0;
    cost_.streams = std::max(0.0, reads - prices_.free_stream_reads) / 1e5 * prices_.stream_reads_100k;
    // Provisioned capacity is charged by the hour whether used or not; on-demand requests are charged when made.
    cost_.break_even = prices_.write_unit_hour / 3600 / (prices_.write_million / 1e6);
    cost_.break_even_peak = options_.utilization / cost_.break_even;
    for (const Operation& operation : design_.operations) {
      if (rate_of(options_, operation) == nullptr && options_.rates.empty()) unrated_.push_back(operation.name);
    }
    if (counts_extremes_) cost_.notes.emplace_back(kExtremesNote);
    if (!unrated_.empty())
      cost_.notes.push_back(
          fmt::format("not counted, because no `average` is declared: {}", fmt::join(unrated_, ", ")));
  }

  void add_alerts() {
    // Requests and storage grow with the rates, the cost of the stream reader does not.
    for (const double amount : options_.alerts) {
      AlertCost alert{.amount = amount, .reached = cost_.on_demand() >= amount};
      const auto total = [&](double factor) {
        const double gb = cost_.storage_gb * factor;
        return cost_.requests() * factor + std::max(0.0, gb - prices_.free_gb) * prices_.gb_month + cost_.streams +
               (cost_.recovery + cost_.backups) * factor;
      };
      double low = 0, high = 1;
      while (total(high) < amount && high < 1e12) high *= 2;
      for (int i = 0; i < 100; ++i) (total((low + high) / 2) < amount ? low : high) = (low + high) / 2;
      alert.at = high;
      cost_.alerts.push_back(alert);
    }
  }

  const Design& design_;
  const Prices& prices_;
  const CostOptions& options_;
  CostEstimate cost_;
  std::map<std::string, double> created_;
  std::vector<std::string> unrated_;
  double backed_up_gb_ = 0;
  bool counts_extremes_ = false;
};

}  // namespace

CostEstimate cost_design(const Design& design, const Prices& prices, const CostOptions& options) {
  return Estimator(design, prices, options).estimate();
}

bool reads_extremes(const Plan& plan) { return reads_extremes(plan.steps) || reads_extremes(plan.afterwards); }

}  // namespace trestle::design
