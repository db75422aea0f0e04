// A design served on a database in memory that never fails: a possible world of a schedule of that design's calls.
//
// It executes the calls that took effect, in their order, at their times and under their idempotency keys. Ids and
// secrets that operations generate differ from those of the simulated database, so lines() replaces them, and times, by
// placeholders; inputs that come from earlier answers come from its own answers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/engine.h"
#include "rehearsal/sampled_design.h"
#include "runtime/items/memory_blobs.h"
#include "runtime/runtime.h"
#include "simulation/design_work.h"

namespace trestle {

struct SampledCall {
  const design::Operation* operation = nullptr;
  uint64_t choice = 0;  // decides which of the sampled inputs
  int64_t at_ms = 0;
  std::string key;                  // idempotency key; empty: none
  std::optional<size_t> repeat_of;  // the number of an earlier call, whose inputs it has
};

// The inputs of calls, on one side: of the simulated database, or of one world. Every side must ask for every call.
class SampledInputs {
 public:
  explicit SampledInputs(const rehearsal::SampledDesign& sampled) : maker_(sampled.design(), sampled.drafts()) {}
  runtime::Plain next(const SampledCall& call);
  void remember(const runtime::Plain& reply) { rehearsal::remember(reply, remembered_); }

 private:
  rehearsal::CallMaker maker_;
  rehearsal::Remembered remembered_;
  std::vector<runtime::Plain> inputs_;  // by the number of the call
};

// Words of a text that may be generated: ids, tokens, digests.
std::set<std::string> generated_words(std::string_view text);
// The items of the design's tables as lines, sorted, without those that count calls for a limit or are written beside a
// refusal: of these a failing disk may leave more or less. Words that may be generated, except the known ones, and
// times are replaced.
Result<std::vector<std::string>> design_lines(Engine& engine, const design::Design& design,
                                              const std::set<std::string>& known);

class ReferenceDesign {
 public:
  // Has the sample items. `sampled` and `keys` must outlive it.
  ReferenceDesign(const rehearsal::SampledDesign& sampled, const runtime::KeyRing& keys);
  // A world in which the same has happened.
  std::unique_ptr<ReferenceDesign> copy() const;

  // Executes a call; its status. `is_answered`: later calls may use its answer.
  int apply(const SampledCall& call, bool is_answered);
  // The call had no effect.
  void skip(const SampledCall& call);

  const runtime::Plain& last_inputs() const { return last_inputs_; }
  const std::string& last_refusal() const { return last_refusal_; }
  // With all background work done. Fails if that does not end.
  Result<std::vector<std::string>> lines(const std::set<std::string>& known);
  Engine& engine() { return *engine_; }

 private:
  struct Noted {
    SampledCall call;
    bool has_effect = false;
    bool is_answered = false;
  };

  const rehearsal::SampledDesign& sampled_;
  const runtime::KeyRing& keys_;
  const runtime::Plain caller_;
  ManualClock clock_;
  runtime::MemoryBlobs blobs_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<runtime::DesignRuntime> runtime_;
  SampledInputs inputs_;
  runtime::Plain last_inputs_;
  std::string last_refusal_;
  std::vector<Noted> history_;
};

}  // namespace trestle
