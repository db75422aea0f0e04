// For tests: whole designs generated from a seed: a parent with counts, a main entity with a random choice of features,
// and a second entity that has only key fields. Small by construction, so that the design of a failing seed is
// readable.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace trestle::runtime {

struct GeneratedDesign {
  explicit GeneratedDesign(uint64_t seed);

  std::string yaml;
  // The features that the model must know.
  bool parent_required = false;        // the parent has a field that no tally can set
  bool counts_in_transaction = false;  // Main is counted in the writer's transaction
  bool counts_only_x = false;          // ... only while s = x
  bool unique_one = false;             // u is unique
  bool unique_two = false;             // s and u together are unique
  bool has_flow = false;               // s goes x -> y -> z
  bool has_expiry = false;             // Main expires at e, which is optional
  bool has_children = false;           // Main has a child for each member of l
  bool children_expire = false;        // ... with their owner
  bool has_stream = false;
  bool has_shards = false;  // an index spread over partitions
  bool has_scrap = false;   // `scrap` deletes a device with its readings and figures
  bool has_last = false;    // the parent has the greatest n, by which Main's key is ordered
  // The updates `mix0`, `mix1`, ... of Main: the fields that each sets, with their values, in random order. The values
  // name other fields that are set.
  std::vector<std::vector<std::pair<std::string, std::string>>> mixes;

 private:
  void make_mixes(std::mt19937_64& random);
};

}  // namespace trestle::runtime
