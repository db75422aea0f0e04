// For tests: whole designs generated from a seed: a counted parent, a main entity with a random choice of features, and
// a second entity that consists of its key. Small by construction, so that a failing seed can be read.
#pragma once

#include <cstdint>
#include <string>

namespace trestle::runtime {

struct GeneratedDesign {
  explicit GeneratedDesign(uint64_t seed);

  std::string yaml;
  // What the model needs to know.
  bool parent_required = false;        // the parent has a field that no tally can set
  bool counts_in_transaction = false;  // Main is counted in the writer's transaction
  bool counts_only_x = false;          // ... only while s = x
  bool unique_one = false;             // u
  bool unique_two = false;             // s and u
  bool has_flow = false;               // s goes x -> y -> z
  bool has_expiry = false;             // e, optional
  bool has_children = false;           // l
  bool children_expire = false;        // ... with their owner
  bool has_stream = false;
  bool has_shards = false;  // an index spread over partitions
  bool has_last = false;    // the greatest n, which the key of Main orders
};

}  // namespace trestle::runtime
