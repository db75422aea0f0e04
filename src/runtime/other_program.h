// For tests: changes items to what another program might have written: without type and index attributes, with
// attributes of its own. Operations read and change them, and verification gives them what they lack.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/design_world.h"

namespace trestle::runtime {

class OtherProgram {
 public:
  // Both must outlive it.
  OtherProgram(DesignWorld& world, std::mt19937_64& random) : world_(world), random_(random) {}

  void write();
  // The attributes of its own are still there.
  void expect_extras() const;

 private:
  DesignWorld& world_;
  std::mt19937_64& random_;
  std::vector<std::pair<std::string, Item>> changed_;
};

}  // namespace trestle::runtime
