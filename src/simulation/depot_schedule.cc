// A schedule of calls of the operations of tests/faults/depot.yaml, checked against a handwritten model.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "design/language/reader.h"
#include "runtime/values/plain_json.h"
#include "simulation/depot_world.h"
#include "simulation/design_simulation.h"

namespace trestle {
namespace {

std::string attribute_text(ItemView item, std::string_view name) {
  const auto value = item.find(name);
  return value ? std::string(value->scalar()) : std::string();
}

class DepotSchedule final : public DesignSimulation {
 public:
  DepotSchedule(const ScheduleOptions& options, const design::Design& design)
      : DesignSimulation(options, design, 1'800'000'000'000), calls_(options.seed + 1) {}

 private:
  bool is_too_uncertain() const override { return worlds_.size() >= 500; }

  void set_up() override {
    for (const DepotCall& depot_call : DepotCalls::setup()) {
      if (send(depot_call).outcome != Outcome::kSuccess)
        return violate(depot_call.operation + " fails on a working disk");
    }
  }

  Answer send(const DepotCall& depot_call) {
    runtime::CallContext context;
    if (!depot_call.key.empty()) context.idempotency_key = depot_call.key;
    return call(*design_.operation(depot_call.operation), *runtime::parse_plain_json(depot_call.inputs), context);
  }

  void step() override {
    clock_->advance_ms(1000);
    if (below(10) == 0) engine_->maintain_streams();  // rolls shards
    DepotCall depot_call;
    const bool repeats = !unanswered_.empty() && below(4) == 0;
    if (repeats) {
      depot_call = unanswered_.back();
      unanswered_.pop_back();
    } else {
      depot_call = calls_.next();
    }
    if (half_done_.contains(depot_call.subject)) return;
    const Answer answer = send(depot_call);
    const std::string text = fmt::format("{} {} {} {} {}", depot_call.operation, depot_call.inputs, depot_call.key,
                                         kCallOutcomes[static_cast<int>(answer.outcome)], answer.message);
    trace(text);
    ++report_.requests;
    if (answer.outcome == Outcome::kUnknown) {
      if (certain_ && !armed_) violate(text + " on a working disk");
      ++report_.unknown;
      certain_ = false;
      if (!depot_call.subject.empty()) half_done_.insert(depot_call.subject);
      if (!depot_call.key.empty()) to_repeat_.push_back(depot_call);
    }
    // The first call may still be running, which stays unknown for some time.
    if (answer.outcome == Outcome::kConflict && repeats) {
      unanswered_.push_back(depot_call);
      return;
    }
    if (!worlds_.note(depot_call.effect, answer.outcome, certain_)) {
      violate(fmt::format("{}, in none of {} possible worlds", text, worlds_.size()));
    }
  }

  void observe(const std::string& when) override {
    finish_and_verify(when);
    if (!holds()) return;
    const auto lines = observed_lines();
    if (!lines) return violate("a read fails on a working disk: " + lines.error().message);
    std::string difference;
    if (!worlds_.keep(*lines, difference)) violate(when + ": " + difference);
    trace(fmt::format("checked {}: {} lines, {} worlds", when, lines->size(), worlds_.size()));
    half_done_.clear();
    unanswered_.insert(unanswered_.end(), to_repeat_.begin(), to_repeat_.end());
    to_repeat_.clear();
    start_background();
  }

  Result<std::vector<std::string>> observed_lines() {
    std::vector<std::string> lines;
    ScanRequest scan;
    scan.table_name = "depot";
    do {
      TRY_INTO(const auto page, engine_->scan(scan));
      for (size_t i = 0; i < page.items.size(); ++i) add_line_of(page.items[i], lines);
      scan.exclusive_start_key = page.last_evaluated_key;
    } while (scan.exclusive_start_key);
    std::ranges::sort(lines);
    return lines;
  }
  // Guards, children and figures produce no lines: verification compares them with the items.
  static void add_line_of(ItemView item, std::vector<std::string>& lines) {
    const std::string type = attribute_text(item, "Type");
    const auto text = [&](std::string_view name) { return attribute_text(item, name); };
    if (type == "Order") {
      std::set<std::string> tags;
      if (const auto list = item.find("tags")) {
        for (const ValueView tag : list->list()) tags.emplace(tag.scalar());
      }
      lines.push_back(order_line(text("order"), text("number"), text("day"), tags));
    } else if (type == "Line") {
      lines.push_back(order_part_line(text("order"), text("product"), text("pieces")));
    } else if (type == "Shipment") {
      lines.push_back(shipment_line(text("shipment"), text("product") + " " + text("carrier")));
    } else if (type == "Product") {
      lines.push_back(figure_line("stock", text("product"), text("stock")));
    } else if (type == "Carrier") {
      lines.push_back(figure_line("places", text("carrier"), text("places")));
    } else if (type == "Ledger") {
      lines.push_back(figure_line("closed", text("ledger"), text("closed")));
    }
  }

  DepotCalls calls_;
  DepotWorlds worlds_;
  std::set<std::string> half_done_;    // subjects of calls with unknown outcomes
  std::vector<DepotCall> to_repeat_;   // calls with a key and an unknown outcome, since the last observation
  std::vector<DepotCall> unanswered_;  // such calls from before it, which may now be repeated
};

}  // namespace

ScheduleReport run_depot_schedule(const ScheduleOptions& options, const std::string& design_yaml) {
  const design::Reading reading = design::read_design(design_yaml);
  if (!reading.mistakes.empty()) {
    ScheduleReport report;
    report.violation = "the design has a mistake: " + reading.mistakes[0].message;
    return report;
  }
  return DepotSchedule(options, reading.design).run();
}

}  // namespace trestle
