// A design served on an in-memory database that never fails: one possible world of a schedule of that design's calls.
//
// It executes the calls that took effect, in their order, at their times and with their idempotency keys. Ids and
// secrets that operations generate differ from those of the simulated database, so lines() replaces them, and times, by
// placeholders. Inputs that come from earlier replies come from its own replies.
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
  uint64_t choice = 0;  // selects one of the sampled inputs
  int64_t at_ms = 0;
  std::string key;                  // idempotency key; empty: none
  std::optional<size_t> repeat_of;  // the number of an earlier call, whose inputs are used again
};

// The inputs of calls for one side: the simulated database or one world. next() must be called once for every call.
class SampledInputs {
 public:
  explicit SampledInputs(const rehearsal::SampledDesign& sampled) : maker_(sampled.design(), sampled.drafts()) {}
  runtime::Plain next(const SampledCall& call);
  void remember(const runtime::Plain& reply) { rehearsal::remember(reply, remembered_); }

 private:
  rehearsal::CallMaker maker_;
  rehearsal::Remembered remembered_;
  std::vector<runtime::Plain> inputs_;  // by call number
};

// The words of a text that may be generated: ids, tokens, digests.
std::set<std::string> generated_words(std::string_view text);
// The items of the design's tables as sorted lines. Omitted are items that count calls for a limit or are written by
// the `also` steps of a failure, and fields with what a limit still allows, because faults may change them. Times, and
// words that may be generated and are not in `known`, are replaced by placeholders.
Result<std::vector<std::string>> design_lines(Engine& engine, const design::Design& design,
                                              const std::set<std::string>& known);

class ReferenceDesign {
 public:
  // Loads the sample items. `sampled` and `keys` must outlive it.
  ReferenceDesign(const rehearsal::SampledDesign& sampled, const runtime::KeyRing& keys);
  // A new reference with the same history.
  std::unique_ptr<ReferenceDesign> copy() const;

  // Executes a call and returns its status. With `is_answered`, later calls may use its reply.
  int apply(const SampledCall& call, bool is_answered);
  // Records a call that had no effect.
  void skip(const SampledCall& call);

  const runtime::Plain& last_inputs() const { return last_inputs_; }
  const std::string& last_refusal() const { return last_refusal_; }
  // The lines once all background work has ended. Fails if it does not end.
  Result<std::vector<std::string>> lines(const std::set<std::string>& known);
  Engine& engine() { return *engine_; }

 private:
  struct PastCall {
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
  std::vector<PastCall> history_;
};

}  // namespace trestle
