// For tests: rewrites items as another program might have written them: without type and index attributes, and with
// attributes unknown to the design. Operations must read and change such items, and verification adds what is missing.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {

class OtherProgram {
 public:
  // The arguments must outlive this object.
  OtherProgram(DesignWorld& world, std::mt19937_64& random) : world_(world), random_(random) {}

  void write();
  // Expects that the unknown attributes are still there.
  void expect_extras() const;

 private:
  DesignWorld& world_;
  std::mt19937_64& random_;
  std::vector<std::pair<std::string, Item>> changed_;
};

}  // namespace trestle::runtime
