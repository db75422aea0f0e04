#include "simulation/design_simulation.h"

#include <fmt/format.h>

#include "runtime/tables.h"
#include "runtime/verify/verify.h"

namespace trestle {

DesignSimulation::DesignSimulation(const ScheduleOptions& options, const design::Design& design, int64_t start_ms)
    : Simulation(options, start_ms),
      design_(design),
      keys_(std::move(*runtime::KeyRing::parse(runtime::KeyRing::make_text()))) {}

void DesignSimulation::opened() {
  const auto created = runtime::create_tables(design_, *engine_);
  if (!created) return violate("the tables cannot be created: " + created.error().message);
  auto opened_runtime =
      runtime::DesignRuntime::open(design_, *engine_, {.keys = &keys_, .blobs = &blobs_, .clock = clock_.get()});
  if (!opened_runtime) return violate("the design cannot be served: " + opened_runtime.error().message);
  runtime_ = std::move(*opened_runtime);
  if (!created->empty()) set_up();
  start_background();
}

void DesignSimulation::closing() {
  background_.reset();
  runtime_.reset();
}

void DesignSimulation::start_background() {
  background_ = std::make_unique<runtime::BackgroundWork>(*runtime_, *engine_, *clock_,
                                                          runtime::BackgroundOptions{.keys = &keys_,
                                                                                     .blobs = &blobs_,
                                                                                     .call = simulated_endpoint,
                                                                                     .poll_ms = 5,
                                                                                     .resume_ms = 3'000,
                                                                                     .backoff = kSimulatedBackoff});
  background_->start();
}

DesignSimulation::Answer DesignSimulation::call(const design::Operation& operation, const runtime::Plain& inputs,
                                                const runtime::CallContext& context) {
  Call call;
  const auto reply = runtime_->call(operation, inputs, {}, context, call);
  Answer answer;
  if (reply) {
    answer.body = reply->body;
  } else {
    const bool is_conflict = reply.error().retryable && reply.error().status == 409;
    answer = {.outcome = is_conflict ? Outcome::kConflict : Outcome::kRefusal,
              .status = reply.error().status,
              .message = fmt::format("{} {}", reply.error().status, reply.error().message),
              .body = {}};
    if (answer.status >= 500) answer.outcome = Outcome::kUnknown;
  }
  // As the API does: neither an answer nor a refusal is sent before what it depends on is durable.
  if (!engine_->wait_durable(call).has_value()) answer.outcome = Outcome::kUnknown;
  if (disk_.has_ended()) answer.outcome = Outcome::kUnknown;  // the client received no response
  return answer;
}

void DesignSimulation::finish_and_verify(const std::string& when) {
  background_.reset();
  std::string what;
  const ServedDesign served{
      .runtime = runtime_.get(), .engine = engine_.get(), .clock = clock_.get(), .keys = &keys_, .blobs = &blobs_};
  if (!finish_design_work(served, what)) return violate(when + ": background work does not end: " + what);
  const runtime::ItemCodec codec(design_, &keys_, &blobs_);
  const auto verified = runtime::verify_design(
      design_, *engine_, codec, *clock_, {.recheck_delay_ms = 0}, [&](const runtime::Fault& fault) {
        violate(fmt::format("{}: {} {}: {}", when, fault.kind, fault.item, fault.words));
      });
  if (!verified) violate(when + ": verification fails: " + verified.error().message);
}

}  // namespace trestle
