// A schedule of calls of a design's operations, with the design's background work.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "design/language/reader.h"
#include "runtime/background/background_work.h"
#include "runtime/background/stream_tallies.h"
#include "runtime/runtime.h"
#include "runtime/tables.h"
#include "runtime/values/plain_json.h"
#include "runtime/verify/verify.h"
#include "simulation/depot_world.h"
#include "simulation/simulation.h"

namespace trestle {
namespace {

using runtime::BackgroundWork;
using runtime::DesignRuntime;

constexpr Backoff kBackoff = {.base_ms = 1, .cap_ms = 20};

std::string attribute_text(ItemView item, std::string_view name) {
  const auto value = item.find(name);
  return value ? std::string(value->scalar()) : std::string();
}

class DesignSchedule final : public Simulation {
 public:
  DesignSchedule(const ScheduleOptions& options, const std::string& design_yaml)
      : Simulation(options), reading_(design::read_design(design_yaml)), calls_(options.seed + 1) {
    for (const auto& mistake : reading_.mistakes) violate("the design has a mistake: " + mistake.message);
  }

 private:
  bool is_too_uncertain() const override { return worlds_.size() >= 500; }

  // ---- The process

  void opened() override {
    const auto created = runtime::create_tables(reading_.design, *engine_);
    if (!created) return violate("the tables cannot be created: " + created.error().message);
    auto opened_runtime = DesignRuntime::open(reading_.design, *engine_, {.clock = clock_.get()});
    if (!opened_runtime) return violate("the design cannot be served: " + opened_runtime.error().message);
    runtime_ = std::move(*opened_runtime);
    if (!created->empty()) {
      for (const DepotCall& call : DepotCalls::setup()) {
        if (send(call) != Outcome::kSuccess) return violate(call.operation + " fails on a disk that works");
      }
    }
    start_background();
  }
  void closing() override {
    background_.reset();
    runtime_.reset();
  }
  void start_background() {
    background_ = std::make_unique<BackgroundWork>(
        *runtime_, *engine_, *clock_,
        runtime::BackgroundOptions{.call = {}, .poll_ms = 5, .resume_ms = 3'000, .backoff = kBackoff});
    background_->start();
  }

  // ---- Calls

  Outcome send(const DepotCall& call) {
    const auto inputs = runtime::parse_plain_json(call.inputs);
    runtime::CallContext context;
    if (!call.key.empty()) context.idempotency_key = call.key;
    Call one;
    const auto reply = runtime_->call(*reading_.design.operation(call.operation), *inputs, {}, context, one);
    // As the API does: neither an answer nor a refusal is sent before what it saw is durable.
    if (!engine_->wait_durable(one).has_value()) return Outcome::kUnknown;
    if (reply) return Outcome::kSuccess;
    refusal_ = fmt::format("{} {}", reply.error().status, reply.error().message);
    if (reply.error().status >= 500) return Outcome::kUnknown;
    return reply.error().retryable ? Outcome::kConflict : Outcome::kRefusal;
  }

  void step() override {
    clock_->advance_ms(1000);
    DepotCall call;
    const bool repeats = !unanswered_.empty() && below(4) == 0;
    if (repeats) {
      call = unanswered_.back();
      unanswered_.pop_back();
    } else {
      call = calls_.next();
    }
    if (half_done_.contains(call.subject)) return;
    refusal_.clear();
    Outcome outcome = send(call);
    if (disk_.has_ended()) outcome = Outcome::kUnknown;  // the client got no answer
    static constexpr const char* kOutcomes[] = {"succeeds", "is refused", "has an unknown outcome", "may be repeated"};
    const std::string text = fmt::format("{} {} {} {} {}", call.operation, call.inputs, call.key,
                                         kOutcomes[static_cast<int>(outcome)], refusal_);
    trace(text);
    ++report_.requests;
    if (outcome == Outcome::kUnknown) {
      if (certain_ && !armed_) violate(text + " on a disk that works");
      ++report_.unknown;
      certain_ = false;
      if (!call.subject.empty()) half_done_.insert(call.subject);
      if (!call.key.empty()) to_repeat_.push_back(call);
    }
    // For some time it is not known whether the first call still runs.
    if (outcome == Outcome::kConflict && repeats) {
      unanswered_.push_back(call);
      return;
    }
    if (!worlds_.note(call.effect, outcome, certain_)) {
      violate(fmt::format("{}, in none of {} possible worlds", text, worlds_.size()));
    }
  }

  // ---- Looking

  void observe(const std::string& when) override {
    background_.reset();
    std::string what;
    if (!finish_background_work(what)) return violate(when + ": background work does not end: " + what);
    const runtime::ItemCodec codec(reading_.design, nullptr, nullptr);
    const auto verified = runtime::verify_design(
        reading_.design, *engine_, codec, *clock_, {.recheck_delay_ms = 0}, [&](const runtime::Fault& fault) {
          violate(fmt::format("{}: {} {}: {}", when, fault.kind, fault.item, fault.words));
        });
    if (!verified) return violate(when + ": verification fails: " + verified.error().message);
    const auto lines = observed_lines();
    if (!lines) return violate("a read fails on a disk that works: " + lines.error().message);
    std::string difference;
    if (!worlds_.keep(*lines, difference)) violate(when + ": " + difference);
    trace(fmt::format("looked {}: {} lines, {} worlds", when, lines->size(), worlds_.size()));
    half_done_.clear();
    unanswered_.insert(unanswered_.end(), to_repeat_.begin(), to_repeat_.end());
    to_repeat_.clear();
    start_background();
  }

  // Unfinished calls, reactions, dead letters and tallies through the stream.
  bool finish_background_work(std::string& what) {
    const runtime::ItemCodec codec(reading_.design, nullptr, nullptr);
    runtime::ItemForm form(reading_.design, *engine_, codec);
    runtime::StreamTallies tallies(reading_.design, *engine_, codec, form);
    runtime::Reactions reactions(*runtime_, *engine_, codec, *clock_, {.call = {}, .backoff = kBackoff, .threads = 1});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (;;) {
      const auto left = work_left(reactions, tallies);
      if (left && *left == 0) break;
      what = left ? fmt::format("{} left", *left) : left.error().message;
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const auto stored = reactions.store_progress();
    if (!stored) what = stored.error().message;
    reactions.stop();
    return stored.has_value();
  }
  runtime::Outcome<size_t> work_left(runtime::Reactions& reactions, runtime::StreamTallies& tallies) {
    TRY_INTO(const int64_t resumed, runtime_->resume());
    TRY_INTO(const size_t asked, runtime::retry_dead_letters(*engine_, reading_.design.name, {}));
    TRY(reactions.take_up_dead_letters());
    TRY_INTO(const size_t read, reactions.poll());
    const size_t under_way = reactions.counts().under_way;
    TRY(tallies.drain(clock_->now_ms()));
    TRY_INTO(const int64_t jobs, runtime::journal_count(*engine_, "JOB", reading_.design.name));
    TRY_INTO(const int64_t letters, runtime::journal_count(*engine_, "DEAD", reading_.design.name));
    return static_cast<size_t>(resumed + jobs + letters) + asked + read + under_way;
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
  // Guards, children and figures have none: verification compares them with the items.
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

  const design::Reading reading_;
  DepotCalls calls_;
  DepotWorlds worlds_;
  std::set<std::string> half_done_;    // subjects of calls of unknown outcome
  std::vector<DepotCall> to_repeat_;   // calls of unknown outcome with a key, since the last look
  std::vector<DepotCall> unanswered_;  // those of before it, which may be repeated
  std::string refusal_;                // of the last call
  std::unique_ptr<DesignRuntime> runtime_;
  std::unique_ptr<BackgroundWork> background_;  // uses the runtime
};

}  // namespace

ScheduleReport run_design_schedule(const ScheduleOptions& options, const std::string& design_yaml) {
  return DesignSchedule(options, design_yaml).run();
}

}  // namespace trestle
