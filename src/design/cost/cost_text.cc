// Prints the cost of a design as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json/json_writer.h"
#include "design/cost/cost.h"

namespace trestle::design {
namespace {

std::string dollars(double amount) {
  if (amount != 0 && amount < 0.005) return "<$0.01";
  return amount >= 1000 ? fmt::format("${:.0f}", amount) : fmt::format("${:.2f}", amount);
}

std::string many(double number) {
  if (number >= 1e9) return fmt::format("{:.2f}G", number / 1e9);
  if (number >= 1e6) return fmt::format("{:.2f}M", number / 1e6);
  if (number >= 1e4) return fmt::format("{:.1f}K", number / 1e3);
  return fmt::format("{:.0f}", number);
}

// Breaks text at spaces into lines of at most 118 characters.
std::string wrapped(std::string_view text) {
  std::string out;
  while (text.size() > 118) {
    const size_t end = text.rfind(' ', 118);
    if (end == std::string_view::npos || end < 10) break;
    out += fmt::format("{}\n        ", text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return out + fmt::format("{}\n", text);
}

// The consumption of one call of each operation, for designs without call rates.
std::string cost_per_call_text(const Design& design, const Prices& prices) {
  std::string out = fmt::format(
      "{} · in {}, prices of {}\n\n  No operation declares an `average`, so there is no monthly cost to compute. "
      "Declare "
      "one (`average: 10K/month`)\n  or give it with --rates operation=10K/month. On-demand, by typical size:\n\n"
      "  {:<34}{:>14}{:>14}{:>24}\n",
      design.name, prices.region, prices.date, "operation", "read units", "write units", "a million calls");
  bool extremes = false;
  for (const Operation& operation : design.operations) {
    const Plan plan = plan_operation(design, operation);
    extremes |= reads_extremes(plan);
    const double reads = plan.cost.read.typical + plan.afterwards_cost.read.typical;
    const double writes = plan.cost.write.typical + plan.afterwards_cost.write.typical;
    out += fmt::format("  {:<34}{:>14}{:>14}{:>24}\n", operation.name, figure_text(reads), figure_text(writes),
                       dollars(reads * prices.read_million + writes * prices.write_million));
  }
  if (extremes) out += wrapped(fmt::format("\n  note: {}", kExtremesNote));
  return out;
}

}  // namespace

std::string gb_text(double gb) {
  if (gb >= 1) return fmt::format("{:.1f} GB", gb);
  return gb >= 0.001 ? fmt::format("{:.1f} MB", gb * 1024) : fmt::format("{:.0f} KB", gb * 1024 * 1024);
}

std::string cost_text(const Design& design, const Prices& prices, const CostOptions& options,
                      const CostEstimate& estimate) {
  if (!estimate.has_calls()) return cost_per_call_text(design, prices);
  std::string out = fmt::format("{} · a month in {}, prices of {}\n\n", design.name, prices.region, prices.date);
  out += fmt::format("  {:<26}{:>10}{:>12}{:>12}{:>12}{:>12}{:>11}\n", "operation", "calls", "reads", "writes",
                     "of indexes", "of tallies", "on-demand");
  for (const PatternCost& pattern : estimate.patterns) {
    out += fmt::format("  {:<26}{:>10}{:>12}{:>12}{:>12}{:>12}{:>11}\n", pattern.operation->name, many(pattern.calls),
                       many(pattern.read_units), many(pattern.write_units), many(pattern.index_units),
                       many(pattern.afterwards_units), dollars(pattern.on_demand));
  }
  out += fmt::format("\n  {:<40}{:>10}{:>12}{:>14}{:>16}\n", "stored in", "items", "size", "read/s", "write/s at peak");
  for (const StoreCost& store : estimate.stores) {
    const std::string name = store.index.empty() ? store.table : fmt::format("{}.{}", store.table, store.index);
    out += fmt::format("  {:<40}{:>10}{:>12}{:>14}{:>16}\n", name, many(store.items), gb_text(store.gb),
                       many(store.read_capacity), many(store.write_capacity));
  }
  out += fmt::format("\n  {:<40}{:>12}{:>14}\n", "", "on-demand", "provisioned");
  const auto row = [&](std::string_view name, double on_demand, double provisioned) {
    out += fmt::format("  {:<40}{:>12}{:>14}\n", name, dollars(on_demand), dollars(provisioned));
  };
  row("reads", estimate.on_demand_reads, estimate.provisioned_reads);
  row("writes", estimate.on_demand_writes, estimate.provisioned_writes);
  row(fmt::format("storage, {}, {:.0f} GB of it free", gb_text(estimate.storage_gb), prices.free_gb), estimate.storage,
      estimate.storage);
  if (estimate.streams > 0) row("reading the streams", estimate.streams, estimate.streams);
  if (options.recovery) row("point-in-time recovery", estimate.recovery, estimate.recovery);
  if (options.backups > 0) row(fmt::format("{:.0f} backups", options.backups), estimate.backups, estimate.backups);
  row("total", estimate.on_demand(), estimate.provisioned());
  if (estimate.on_demand_writes > 0) {
    const double share = estimate.on_demand_indexes / estimate.on_demand_writes;
    out += fmt::format(
        "\n  Indexes account for {:.0f}% of the writes: each write to a table costs {:.1f} writes in total.\n",
        share * 100, share < 1 ? 1 / (1 - share) : 0);
  }
  out += fmt::format(
      "  Provisioned capacity is cheaper when more than {:.0f}% of it is used. With {:.0f}% in use at the peak, "
      "that is\n"
      "  the case if the peak is below {:.1f} times the average. At the assumed {:g} times, {} is cheaper.\n",
      estimate.break_even * 100, options.utilization * 100, estimate.break_even_peak, options.peak,
      estimate.on_demand() <= estimate.provisioned() ? "on-demand" : "provisioned");
  for (const AlertCost& alert : estimate.alerts) {
    out += alert.reached ? fmt::format("  alert {}: reached\n", dollars(alert.amount))
                         : fmt::format("  alert {}: at {:.3g} times these rates\n", dollars(alert.amount), alert.at);
  }
  for (const std::string& note : estimate.notes) out += wrapped("  note: " + note);
  for (const std::string& derived : prices.derived) out += wrapped("  note: price derived: " + derived);
  return out;
}

std::string cost_json(const Design& design, const Prices& prices, const CostOptions& options,
                      const CostEstimate& estimate) {
  std::string patterns, stores, alerts, notes;
  for (const PatternCost& pattern : estimate.patterns) {
    patterns += fmt::format(
        R"({}{{"operation": {}, "calls": {}, "read_units": {}, "write_units": {}, "index_units": {}, "tally_units": {}, "on_demand": {}}})",
        patterns.empty() ? "" : ",\n  ", json_quoted(pattern.operation->name), pattern.calls, pattern.read_units,
        pattern.write_units, pattern.index_units, pattern.afterwards_units, pattern.on_demand);
  }
  for (const StoreCost& store : estimate.stores) {
    stores += fmt::format(
        R"({}{{"table": {}, "index": {}, "items": {}, "gb": {}, "read_units": {}, "write_units": {}, "read_capacity": {}, "write_capacity": {}}})",
        stores.empty() ? "" : ",\n  ", json_quoted(store.table), json_quoted(store.index), store.items, store.gb,
        store.read_units, store.write_units, store.read_capacity, store.write_capacity);
  }
  for (const AlertCost& alert_cost : estimate.alerts) {
    alerts += fmt::format(R"({}{{"amount": {}, "reached": {}, "at_times_the_rates": {}}})", alerts.empty() ? "" : ", ",
                          alert_cost.amount, alert_cost.reached, alert_cost.at);
  }
  for (const std::string& note : estimate.notes)
    notes += fmt::format("{}{}", notes.empty() ? "" : ", ", json_quoted(note));
  if (!estimate.has_calls()) {
    return fmt::format(
        "{{\"design\": {}, \"region\": {}, \"prices_of\": {}, \"currency\": {}, \"operations\": [], "
        "\"on_demand\": null, \"provisioned\": null,\n \"notes\": [\"no operation declares an average\"]}}\n",
        json_quoted(design.name), json_quoted(prices.region), json_quoted(prices.date), json_quoted(prices.currency));
  }
  return fmt::format(
      "{{\"design\": {}, \"region\": {}, \"prices_of\": {}, \"currency\": {}, \"peak\": {}, \"utilization\": {},\n "
      "\"operations\": [{}],\n \"stores\": [{}],\n"
      " \"on_demand\": {{\"reads\": {}, \"writes\": {}, \"of_indexes\": {}, \"total\": {}}},\n \"provisioned\": "
      "{{\"reads\": {}, \"writes\": {}, \"total\": {}}},\n"
      " \"storage_gb\": {}, \"storage\": {}, \"streams\": {}, \"recovery\": {}, \"backups\": {}, \"break_even\": {}, "
      "\"break_even_peak\": {},\n \"alerts\": [{}], \"notes\": [{}]}}\n",
      json_quoted(design.name), json_quoted(prices.region), json_quoted(prices.date), json_quoted(prices.currency),
      options.peak, options.utilization, patterns, stores, estimate.on_demand_reads, estimate.on_demand_writes,
      estimate.on_demand_indexes, estimate.on_demand(), estimate.provisioned_reads, estimate.provisioned_writes,
      estimate.provisioned(), estimate.storage_gb, estimate.storage, estimate.streams, estimate.recovery,
      estimate.backups, estimate.break_even, estimate.break_even_peak, alerts, notes);
}

}  // namespace trestle::design
