#include "simulation/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "simulation/concurrent_clients.h"
#include "simulation/observation.h"
#include "simulation/request_parts.h"
#include "simulation/requests.h"
#include "simulation/simulation.h"
#include "simulation/world.h"

namespace trestle {
namespace {

constexpr const char* kOutcomes[] = {"succeeds", "is refused", "has an unknown outcome", "meets a transaction"};
constexpr size_t kWorldsForClientsMax = 64;

// Sends requests of every kind to three tables.
class Schedule final : public Simulation {
 public:
  explicit Schedule(const ScheduleOptions& options) : Simulation(options), source_(options.seed + 1, bucket_folder()) {}

 private:
  bool is_too_uncertain() const override { return worlds_.size() >= 2000; }

  void step() override {
    clock_->advance_ms(1000);
    switch (below(24)) {
      case 0:
        return sweep();
      case 1:
        trace("(loads continue)");
        return engine_->loads().finish_jobs();
      case 2:
        trace("(backups and restores continue)");
        return engine_->recovery().finish_jobs();
      case 3:
        trace("(exports continue)");
        return engine_->exports().finish_jobs();
      case 4:
        trace("(background work continues)");
        // The work retries as long as the disk fails.
        for (int i = 0; i < 20 && engine_->background_jobs() > 0; ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return;
      case 5:
        return engine_->recovery().run_due_work();
      case 6:
        return maintain_streams();
      default:
        break;
    }
    if (options_.clients > 1 && worlds_.size() <= kWorldsForClientsMax && below(2) == 0) return send_from_clients();
    SimulatedRequest request = source_.next(*engine_, worlds_, clock_->now_ms());
    if (request.text.empty()) return;
    Outcome outcome = request.send(*engine_);
    if (disk_.has_ended()) outcome = Outcome::kUnknown;  // the client received no response
    trace(fmt::format("{} {}", request.text, kOutcomes[static_cast<int>(outcome)]));
    ++report_.requests;
    report_.unknown += outcome == Outcome::kUnknown ? 1 : 0;
    if (outcome == Outcome::kUnknown) certain_ = false;
    if (!worlds_.note(request.effect, outcome, {.certain = certain_, .is_read = request.is_read})) {
      violate(fmt::format("{} {}, in none of {} possible worlds", request.text, kOutcomes[static_cast<int>(outcome)],
                          worlds_.size()));
    }
  }

  void send_from_clients() {
    const uint64_t count = 2 + below(static_cast<uint64_t>(options_.clients - 1));
    std::vector<ClientRequests> clients(count);
    std::set<std::string> deletions;
    for (ClientRequests& requests : clients) {
      for (uint64_t i = 0, length = 1 + below(count == 2 ? 5 : count == 3 ? 3 : 2); i < length; ++i) {
        SimulatedRequest request = source_.next_concurrent(*engine_, worlds_, clock_->now_ms());
        // The backup that a deleted table leaves is named after the table and the time, which does not advance here.
        if (request.text.starts_with("DeleteTable") && !deletions.insert(request.text).second) continue;
        requests.push_back({.request = std::move(request)});
      }
    }
    const uint64_t job = below(8);
    const bool may_trim = worlds_.any([](const World& world) {
      return std::ranges::any_of(world.tables, [](const auto& entry) { return !entry.second->old_records.empty(); });
    });
    send_concurrently(*engine_, disk_, clients, [&] {
      if (job == 0) engine_->loads().finish_jobs();
      if (job == 1) engine_->recovery().finish_jobs();
      if (job == 2) engine_->exports().finish_jobs();
      if (job == 3) engine_->recovery().run_due_work();
      if (job == 4 && !may_trim) engine_->maintain_streams();
    });
    std::vector<std::vector<Worlds::Concurrent>> noted(count);
    std::string texts;
    for (size_t client = 0; client < count; ++client) {
      for (const ClientRequest& client_request : clients[client]) {
        if (client_request.began == 0) continue;
        texts += fmt::format("\n  client {}, {} to {}: {} {}", client + 1, client_request.began, client_request.ended,
                             client_request.request.text, kOutcomes[static_cast<int>(client_request.outcome)]);
        ++report_.requests;
        report_.unknown += client_request.outcome == Outcome::kUnknown ? 1 : 0;
        if (client_request.outcome == Outcome::kUnknown) certain_ = false;
        noted[client].push_back({.effect = &client_request.request.effect,
                                 .outcome = client_request.outcome,
                                 .is_read = client_request.request.is_read,
                                 .began = client_request.began,
                                 .ended = client_request.ended});
      }
    }
    trace(fmt::format("{} clients at once, with background job {}:{}", count, job, texts));
    if (!worlds_.note_concurrent(noted, certain_)) {
      violate(fmt::format("no order of concurrent requests agrees with their outcomes, in {} possible worlds:{}",
                          worlds_.size(), texts));
    }
  }

  void sweep() {
    trace("(expired items are deleted)");
    engine_->sweep_expired();
    note_upkeep(expiry_effects(clock_->now_ms()));
  }

  // Rolls shards that are half a minute old. Sometimes a day passes before, so that every record is trimmed. The
  // records of a bulk put have the times of its pages, which the model does not know.
  void maintain_streams() {
    if (below(4) == 0 && !is_bulk_pending(worlds_)) {
      trace("(a day passes)");
      clock_->advance_ms(int64_t{25} * 60 * 60 * 1000);
      worlds_.note(day_effect(), Outcome::kSuccess, {.certain = true});
    }
    trace("(streams are rolled and trimmed)");
    engine_->maintain_streams();
    note_upkeep(trim_effects());
  }

  // Nothing waits for these commits: a power loss may undo them until a later write is durable.
  void note_upkeep(const std::vector<Effect>& effects) {
    Call call;
    call.commit = engine_->store().commit_seen();
    const bool is_durable = engine_->wait_durable(call).has_value() && !armed_;
    for (const Effect& effect : effects) {
      worlds_.note(effect, is_durable ? Outcome::kSuccess : Outcome::kUnknown, {.certain = certain_});
    }
  }

  void observe(const std::string& when) override {
    std::string what;
    if (!finish_background_work(*engine_, what)) return violate("background work does not end: " + what);
    const auto seen = trestle::observe(*engine_, bucket_folder());
    if (!seen.has_value()) return violate("a read fails on a working disk: " + seen.error().message);
    for (const std::string& contradiction : seen->contradictions) violate(when + ": " + contradiction);
    std::string difference;
    if (!worlds_.keep(seen->lines, difference)) violate(when + ": " + difference);
    trace(fmt::format("checked {}: {} lines, {} worlds", when, seen->lines.size(), worlds_.size()));
  }

  RequestSource source_;
  Worlds worlds_;
};

}  // namespace

ScheduleReport run_schedule(const ScheduleOptions& options) { return Schedule(options).run(); }

}  // namespace trestle
