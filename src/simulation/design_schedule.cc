// A schedule of calls of the operations of any design, on its sample items.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <thread>

#include "design/language/reader.h"
#include "design/plan/plan.h"
#include "runtime/values/plain_json.h"
#include "simulation/agreeing_worlds.h"
#include "simulation/design_simulation.h"
#include "simulation/reference_design.h"

namespace trestle {
namespace {

constexpr size_t kReferencesMax = 6;
// After this time the runtime regards an unanswered call as abandoned.
constexpr int64_t kAbandonedMs = 120'000;
constexpr int kRepeatsMax = 40;

using References = std::vector<std::shared_ptr<ReferenceDesign>>;  // shared only during a comparison

// The number of separate writes that an operation makes.
int writes_of(const std::vector<design::PlanStep>& steps) {
  int count = 0;
  for (const design::PlanStep& step : steps) {
    using Kind = design::PlanStep::Kind;
    if (step.kind == Kind::kWrite) ++count;
    if (step.kind == Kind::kLimit) ++count;
    if (step.kind == Kind::kCascade || step.kind == Kind::kFor) count += 2;
  }
  return count;
}

bool has_limit(const std::vector<design::PlanStep>& steps) {
  return std::ranges::any_of(steps,
                             [](const design::PlanStep& step) { return step.kind == design::PlanStep::Kind::kLimit; });
}

class DesignSchedule final : public DesignSimulation {
 public:
  DesignSchedule(const ScheduleOptions& options, const rehearsal::SampledDesign& sampled)
      : DesignSimulation(options, sampled.design(), sampled.now_ms()),
        sampled_(sampled),
        reference_keys_(std::move(*runtime::KeyRing::parse(runtime::KeyRing::make_text()))),
        inputs_(sampled) {
    for (const design::Operation& operation : design_.operations) {
      if (operation.name.starts_with("load ")) continue;
      (operation.is_write ? writes_ : reads_).push_back(&operation);
    }
    caller_.caller = sampled.caller();
  }

 private:
  bool is_too_uncertain() const override { return worlds_.size() >= kReferencesMax; }

  void set_up() override {
    for (const rehearsal::SampledDesign::Load& load : sampled_.loads()) {
      for (const runtime::Plain& fields : load.items) {
        const Answer answer = call(*load.operation, fields, caller_);
        if (answer.outcome == Outcome::kUnknown) return violate(load.operation->name + " fails on a working disk");
      }
    }
    worlds_.push_back(std::make_shared<ReferenceDesign>(sampled_, reference_keys_));
    // Words that two independent loads have in common are not generated.
    note_known(words_of(*engine_), words_of(worlds_.front()->engine()));
  }

  std::set<std::string> words_of(Engine& engine) const {
    std::set<std::string> words;
    for (const design::Table& table : design_.tables) {
      ScanRequest scan;
      scan.table_name = table.name;
      const auto page = engine.scan(scan);
      if (!page) continue;
      for (size_t i = 0; i < page->items.size(); ++i) words.merge(generated_words(item_text(page->items[i])));
    }
    return words;
  }
  void note_known(const std::set<std::string>& ours, const std::set<std::string>& theirs) {
    std::ranges::set_intersection(ours, theirs, std::inserter(known_, known_.end()));
  }

  // ---- Calls

  void step() override {
    clock_->advance_ms(1000);
    if (below(10) == 0) engine_->maintain_streams();  // rolls shards
    if (is_over_) return;
    if (is_half_done_) {
      // Another call could meet the steps of the half-done call, and the order of their effects would be unknown.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return;
    }
    const bool reads = !reads_.empty() && below(8) == 0;
    const auto& operations = reads ? reads_ : writes_;
    SampledCall sampled_call{
        .operation = operations[below(operations.size())], .choice = below(1 << 20), .at_ms = clock_->now_ms()};
    const design::Plan& plan = plan_of(*sampled_call.operation);
    const bool is_long = writes_of(plan.steps) > 1;
    if (!reads && (is_long || below(2) == 0)) sampled_call.key = fmt::format("key-{}", numbers_);
    const Answer answer = send(sampled_call);
    if (answer.outcome == Outcome::kUnknown) {
      if (certain_ && !armed_) return violate("an unknown outcome on a working disk: " + answer.message);
      ++report_.unknown;
      certain_ = false;
      is_half_done_ = is_long;
      is_count_uncertain_ = is_count_uncertain_ || has_limit(plan.steps);
      if (!sampled_call.key.empty()) to_repeat_.push_back({sampled_call, numbers_ - 1});
    }
    note(sampled_call, answer);
  }

  Answer send(const SampledCall& sampled_call) {
    const runtime::Plain inputs = inputs_.next(sampled_call);
    runtime::CallContext context = caller_;
    if (!sampled_call.key.empty()) context.idempotency_key = sampled_call.key;
    Answer answer = call(*sampled_call.operation, inputs, context);
    if (is_remembered(sampled_call, answer)) inputs_.remember(answer.body);
    text_ = fmt::format("{} {} {} {} {}", sampled_call.operation->name, runtime::plain_json(inputs).substr(0, 300),
                        sampled_call.key, kCallOutcomes[static_cast<int>(answer.outcome)], answer.message);
    last_words_ = generated_words(runtime::plain_json(inputs));
    trace(text_);
    ++report_.requests;
    ++numbers_;
    return answer;
  }

  // Replies of reads are not used: the order of a list may depend on generated ids, and its contents on background
  // work.
  static bool is_remembered(const SampledCall& sampled_call, const Answer& answer) {
    return sampled_call.operation->is_write && answer.outcome == Outcome::kSuccess;
  }

  // Executes the call in every world and keeps the worlds that agree with the answer.
  void note(const SampledCall& sampled_call, const Answer& answer) {
    References next;
    bool agrees = false;
    std::string refusals;
    for (auto& world : worlds_) {
      if (answer.outcome == Outcome::kConflict) {
        world->skip(sampled_call);
        next.push_back(std::move(world));
        agrees = true;
        continue;
      }
      const bool may_be_without =
          answer.outcome == Outcome::kUnknown || (answer.outcome == Outcome::kRefusal && !certain_);
      std::shared_ptr<ReferenceDesign> without = may_be_without ? world->copy() : nullptr;
      if (without) without->skip(sampled_call);
      const int status = world->apply(sampled_call, is_remembered(sampled_call, answer));
      const std::string refusal = world->last_refusal();
      const std::string inputs_text = runtime::plain_json(world->last_inputs());
      note_known(last_words_, generated_words(inputs_text));
      switch (answer.outcome) {
        case Outcome::kUnknown:
          agrees = true;
          next.push_back(std::move(without));
          if (status == 200) next.push_back(std::move(world));
          break;
        case Outcome::kRefusal:
          // While an earlier call may still take effect, a refusal tells nothing about later states.
          agrees = agrees || status == answer.status;
          if (status == answer.status) {
            next.push_back(std::move(world));
          } else if (without) {
            next.push_back(std::move(without));
          }
          break;
        default:
          agrees = agrees || status == 200;
          if (status == 200) next.push_back(std::move(world));
      }
      refusals += fmt::format("\n  in a world, with {}: {} {}", inputs_text, status, refusal);
    }
    worlds_ = std::move(next);
    if (!agrees && answer.status == 429 && is_count_uncertain_) {
      trace("(how many calls were counted is unknown: no further calls)");
      is_over_ = true;
      return;
    }
    if (!agrees) violate(fmt::format("{}, in none of the possible worlds:{}", text_, refusals));
  }

  // ---- Observations

  void observe(const std::string& when) override {
    stop_background();
    repeat_calls();
    if (holds()) finish_and_verify(when);
    if (!holds()) return;
    if (is_over_) return start_background();
    const auto lines = design_lines(*engine_, design_, known_);
    if (!lines) return violate("a read fails on a working disk: " + lines.error().message);
    std::vector<Expectation> expected;
    for (auto& world : worlds_) {
      auto world_lines = world->lines(known_);
      if (!world_lines) return violate("background work of the reference does not end: " + world_lines.error().message);
      expected.push_back({.world = std::move(world), .expected = std::move(*world_lines)});
    }
    const size_t count = expected.size();
    std::string difference;
    if (!keep_agreeing(expected, *lines, difference)) return violate(when + ": " + difference);
    // The remaining worlds are equal, so one is enough.
    worlds_.clear();
    worlds_.push_back(std::move(expected.front().world));
    trace(fmt::format("checked {}: {} lines, {} worlds", when, lines->size(), count));
    is_half_done_ = false;
    start_background();
  }

  // Repeats each unanswered call under its key until it is answered, as clients do.
  void repeat_calls() {
    const auto calls = std::move(to_repeat_);
    to_repeat_.clear();
    if (!calls.empty()) clock_->advance_ms(kAbandonedMs);
    for (const auto& [first, number] : calls) {
      Answer answer;
      SampledCall again = first;
      again.repeat_of = number;
      for (int i = 0; i < kRepeatsMax && holds(); ++i) {
        clock_->advance_ms(1000);
        again.at_ms = clock_->now_ms();
        answer = send(again);
        if (answer.outcome == Outcome::kUnknown) return violate(text_ + " on a working disk");
        note(again, answer);
        if (answer.outcome != Outcome::kConflict) break;
      }
      if (answer.outcome == Outcome::kConflict) return violate(text_ + " after every repetition");
    }
  }

  struct Expectation {
    std::shared_ptr<ReferenceDesign> world;
    std::vector<std::string> expected;
    const std::vector<std::string>& lines() const { return expected; }
  };

  const rehearsal::SampledDesign& sampled_;
  const runtime::KeyRing reference_keys_;
  runtime::CallContext caller_;
  std::vector<const design::Operation*> writes_, reads_;
  SampledInputs inputs_;
  References worlds_;
  std::set<std::string> known_;
  std::set<std::string> last_words_;  // of the inputs of the last call
  std::string text_;                  // of the last call
  size_t numbers_ = 0;                // number of calls so far
  bool is_half_done_ = false;         // a call with several writes has an unknown outcome
  bool is_count_uncertain_ = false;   // a call counted by a limit has had an unknown outcome
  bool is_over_ = false;              // the expected state is unknown from here on
  std::vector<std::pair<SampledCall, size_t>> to_repeat_;
};

}  // namespace

ScheduleReport run_design_schedule(const ScheduleOptions& options, const std::string& design_yaml) {
  const design::Reading reading = design::read_design(design_yaml);
  if (!reading.mistakes.empty()) {
    ScheduleReport report;
    report.violation = "the design has a mistake: " + reading.mistakes[0].message;
    return report;
  }
  const rehearsal::SampledDesign sampled(reading.design);
  return DesignSchedule(options, sampled).run();
}

}  // namespace trestle
