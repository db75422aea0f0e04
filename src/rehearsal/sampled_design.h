// A design prepared for calls without real callers: a copy without `allow`, with load operations and sample items to
// load. Used by rehearsals and simulations.
#pragma once

#include <string>
#include <vector>

#include "design/language/design.h"
#include "rehearsal/calls.h"
#include "runtime/values/plain.h"

namespace trestle::rehearsal {

class SampledDesign {
 public:
  // The design must have been read without mistakes.
  explicit SampledDesign(const design::Design& design);
  SampledDesign(const SampledDesign&) = delete;  // the samples point to its entities
  SampledDesign& operator=(const SampledDesign&) = delete;

  const design::Design& design() const { return design_; }
  const Drafts& drafts() const { return drafts_; }

  struct Load {
    const design::Operation* operation = nullptr;
    std::vector<runtime::Plain> items;  // the inputs of each call
  };
  // Ordered so that the targets of tallies are loaded before the items they count.
  std::vector<Load> loads() const;
  std::vector<runtime::Plain> items_of(const design::Entity& entity) const;
  // Claims of a caller, typed like the fields that operations copy them to.
  runtime::Plain caller() const;
  // A time later than every sample.
  int64_t now_ms() const;

 private:
  design::Design design_;
  Drafts drafts_;
  std::vector<std::string> loaded_;  // names of the entities that are loaded
};

}  // namespace trestle::rehearsal
