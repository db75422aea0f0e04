// The model of the design tests/faults/depot.yaml, with random calls of its operations and their effects on a world. As
// in simulation/world.h, the expected contents are a set of possible worlds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "simulation/world.h"

namespace trestle {

struct DepotOrder {
  std::optional<std::string> number;  // unique among orders
  std::string day;
  std::set<std::string> tags;
  std::map<std::string, int> lines;  // pieces by product
  friend bool operator==(const DepotOrder&, const DepotOrder&) = default;
};

struct DepotWorld {
  std::map<std::string, DepotOrder> orders;
  std::map<std::string, std::string> shipments;  // product and carrier, by shipment
  std::map<std::string, int64_t> stock;          // by product
  std::map<std::string, int64_t> places;         // by carrier
  int64_t closed = 0;                            // removed orders, as counted by the reaction
  std::set<std::string> keys;                    // idempotency keys of the calls that took effect

  bool has_number(const std::optional<std::string>& number, const std::string& except_order) const;
  // What a client can see once all background work has ended, as lines in a canonical order.
  std::vector<std::string> lines() const;
  friend bool operator==(const DepotWorld&, const DepotWorld&) = default;
};

// The formats of lines, used by DepotWorld::lines() and by observations.
std::string order_line(const std::string& id, const std::string& number, const std::string& day,
                       const std::set<std::string>& tags);
std::string order_part_line(const std::string& order, const std::string& product, const std::string& pieces);
std::string figure_line(std::string_view what, const std::string& name, const std::string& figure);
std::string shipment_line(const std::string& id, const std::string& product_and_carrier);

using DepotEffect = std::function<Expected(DepotWorld&)>;

struct DepotCall {
  std::string operation;
  std::string inputs;  // JSON
  std::string key;     // idempotency key; empty: none
  // The item that a call with an unknown outcome may have left half done. No other call uses it until background work
  // has completed or undone the call.
  std::string subject;
  DepotEffect effect;
};

class DepotWorlds {
 public:
  DepotWorlds();
  // Returns false if no world agrees. `certain` as in Worlds::note().
  bool note(const DepotEffect& effect, Outcome outcome, bool certain);
  bool keep(const std::vector<std::string>& lines, std::string& difference);
  size_t size() const { return worlds_.size(); }

 private:
  void remove_duplicates();
  std::vector<DepotWorld> worlds_;
};

class DepotCalls {
 public:
  explicit DepotCalls(uint64_t seed) : random_(seed) {}
  DepotCall next();
  // Calls that create the items that the other calls use.
  static std::vector<DepotCall> setup();

 private:
  uint64_t below(uint64_t limit) { return random_() % limit; }
  DepotCall create_order();
  DepotCall change_order();
  DepotCall add_line();
  DepotCall remove_order();
  DepotCall ship();
  DepotCall restock();

  std::mt19937_64 random_;
  int names_ = 0;
};

}  // namespace trestle
