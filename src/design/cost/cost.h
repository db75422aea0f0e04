// The monthly cost of a design, computed from its plans, the call rates of its operations and a region's prices. Pure.
//
// A month has 30 days. Reads and writes are the plans' typical units. Storage is the declared number of items
// (`count`), or the items written within the retention time, plus the 100 bytes that DynamoDB counts for each item and
// index entry.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "design/cost/prices.h"
#include "design/plan/plan.h"

namespace trestle::design {

inline constexpr double kMonthHours = 720;
inline constexpr double kMonthSeconds = kMonthHours * 3600;

struct CostOptions {
  std::vector<std::pair<std::string, Rate>> rates;  // by operation; for others, the averages that the design declares
  std::vector<double> alerts;                       // monthly amounts
  double peak = 3;              // ratio of the busiest hour to the average; provisioned capacity must cover the peak
  double utilization = 0.7;     // the fraction of provisioned capacity in use at the peak
  double lifetime_months = 12;  // lifetime of items that never expire
  bool recovery = true;         // point-in-time recovery
  double backups = 0;           // number of full on-demand backups retained
};

struct PatternCost {
  const Operation* operation = nullptr;
  double calls = 0;  // per month
  double read_units = 0, write_units = 0;
  double index_units = 0;       // part of write_units: index entries
  double afterwards_units = 0;  // part of write_units: stream tallies; the changes of one second share a write
  double on_demand = 0;
};

struct StoreCost {
  std::string table, index;  // index empty: the table itself
  double items = 0;
  double gb = 0;
  // Units per month, and the capacity needed at the peak.
  double read_units = 0, write_units = 0;
  double read_capacity = 0, write_capacity = 0;
};

struct AlertCost {
  double amount = 0;
  bool reached = false;
  double at = 0;  // the multiple of the rates at which the amount is reached; 0: storage alone reaches it
};

struct CostEstimate {
  std::vector<PatternCost> patterns;  // in descending order of cost
  std::vector<StoreCost> stores;
  std::vector<AlertCost> alerts;
  double on_demand_reads = 0, on_demand_writes = 0, on_demand_indexes = 0;  // on_demand_indexes is part of
                                                                            // on_demand_writes
  double provisioned_reads = 0, provisioned_writes = 0;
  double storage_gb = 0, storage = 0, streams = 0, recovery = 0, backups = 0;
  double break_even = 0;       // provisioned capacity is cheaper if more than this fraction of it is used,
  double break_even_peak = 0;  // that is, if the peak is below this many times the average
  std::vector<std::string> notes;

  // False if no operation has a call rate. There is then no monthly cost, only the consumption of one call.
  bool has_calls() const { return !patterns.empty(); }
  double requests() const { return on_demand_reads + on_demand_writes; }
  double rest() const { return storage + streams + recovery + backups; }
  double on_demand() const { return requests() + rest(); }
  double provisioned() const { return provisioned_reads + provisioned_writes + rest(); }
};

// Whether the operation can remove the least or greatest value of a tally, so that the next one must be queried.
bool reads_extremes(const Plan& plan);
// How `cost` counts those queries.
inline constexpr std::string_view kExtremesNote =
    "the Query for the next least or greatest value of a tally is counted for every removed value, as if each were the "
    "least or greatest; the refused attempt before it is not counted";

CostEstimate cost_design(const Design& design, const Prices& prices, const CostOptions& options);

// "1.5 GB", "20.0 MB", "3 KB".
std::string gb_text(double gb);
std::string cost_text(const Design& design, const Prices& prices, const CostOptions& options,
                      const CostEstimate& estimate);
std::string cost_json(const Design& design, const Prices& prices, const CostOptions& options,
                      const CostEstimate& estimate);

// The costs that a document claims for a design at several scales (designs/claims), to compare with the computed ones.
struct ClaimedScale {
  std::string name;
  std::vector<std::pair<std::string, Rate>> rates;
  double read = -1, write = -1, storage = -1;  // dollars a month; -1: not stated
  double others = 0;                           // other services
  std::vector<std::pair<double, double>> totals;
};
struct CostClaims {
  std::string summary;  // `says` in the file
  std::vector<double> alerts;
  std::vector<ClaimedScale> scales;
};
std::optional<CostClaims> read_cost_claims(std::string_view text, std::string& wrong);
std::string claims_text(const Design& design, const Prices& prices, const CostOptions& options,
                        const CostClaims& claims);

}  // namespace trestle::design
