// A design prepared for calls without callers and clients of its own: a copy without `allow`, with operations that load
// items, and sample items for them. Used by the rehearsal and by simulations.
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
  SampledDesign(const SampledDesign&) = delete;  // the samples refer to its entities
  SampledDesign& operator=(const SampledDesign&) = delete;

  const design::Design& design() const { return design_; }
  const Drafts& drafts() const { return drafts_; }

  struct Load {
    const design::Operation* operation = nullptr;
    std::vector<runtime::Plain> items;  // its inputs
  };
  // In an order such that the targets of tallies exist before the items they count.
  std::vector<Load> loads() const;
  std::vector<runtime::Plain> items_of(const design::Entity& entity) const;
  // Claims of a caller: what operations use of them has the type of the field it becomes.
  runtime::Plain caller() const;
  // A time after every sample.
  int64_t now_ms() const;

 private:
  design::Design design_;
  Drafts drafts_;
  std::vector<std::string> loaded_;  // entities
};

}  // namespace trestle::rehearsal
