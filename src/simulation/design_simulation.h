// The course of a schedule with a served design, and its background work beside the calls.
#pragma once

#include <memory>
#include <string>

#include "design/language/design.h"
#include "runtime/background/background_work.h"
#include "runtime/items/memory_blobs.h"
#include "runtime/runtime.h"
#include "runtime/values/key_ring.h"
#include "simulation/design_work.h"
#include "simulation/simulation.h"
#include "simulation/world.h"

namespace trestle {

// By Outcome.
inline constexpr const char* kCallOutcomes[] = {"succeeds", "is refused", "has an unknown outcome", "may be repeated"};

class DesignSimulation : public Simulation {
 protected:
  // The design must outlive it.
  DesignSimulation(const ScheduleOptions& options, const design::Design& design, int64_t start_ms);
  ~DesignSimulation() override = default;

  // The tables are new: the first calls, on a disk that works.
  virtual void set_up() = 0;

  struct Answer {
    Outcome outcome = Outcome::kSuccess;  // kConflict: it may be repeated
    int status = 200;
    std::string message;
    runtime::Plain body;
  };
  Answer call(const design::Operation& operation, const runtime::Plain& inputs, const runtime::CallContext& context);

  const design::Plan& plan_of(const design::Operation& operation) const { return runtime_->plan(operation); }
  // Ends all background work and verifies the items. Until start_background() there is none.
  void finish_and_verify(const std::string& when);
  void start_background();
  void stop_background() { background_.reset(); }

  const design::Design& design_;

 private:
  void opened() override;
  void closing() override;

  const runtime::KeyRing keys_;
  runtime::MemoryBlobs blobs_;  // not on the disk that fails
  std::unique_ptr<runtime::DesignRuntime> runtime_;
  std::unique_ptr<runtime::BackgroundWork> background_;  // uses the runtime
};

}  // namespace trestle
