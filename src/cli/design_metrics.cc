// The part of GET /metrics about designs.
#include "cli/serve_designs.h"
#include "server/observe/metrics_text.h"

namespace trestle {

std::string ServedDesigns::metrics_text() const {
  MetricsText text;
  write_background_metrics(text);
  api_->metrics().write(text);
  write_consumed_units(text);
  text.gauge("trestle_design_calls_waiting", "Calls of designs' operations that wait for a thread",
             static_cast<double>(api_->queued()));
  return text.take();
}

void ServedDesigns::write_consumed_units(MetricsText& text) const {
  const auto each = [&](const auto& visit) {
    for (const auto& runtime : runtimes_) {
      runtime->units().each([&](const runtime::OperationUnits::Figure& figure) {
        visit(MetricsText::Labels{{"design", runtime->design().name},
                                  {"operation", figure.operation},
                                  {"table", figure.table},
                                  {"index", figure.index}},
              figure);
      });
    }
  };
  constexpr std::string_view kUnits = "trestle_design_consumed_units_total";
  text.family(kUnits, "counter", "Capacity units consumed by calls of designs' operations, by table and index");
  each([&](MetricsText::Labels labels, const runtime::OperationUnits::Figure& figure) {
    labels.emplace_back("kind", "read");
    if (figure.read > 0) text.sample(kUnits, labels, figure.read);
    labels.back().second = "write";
    if (figure.write > 0) text.sample(kUnits, labels, figure.write);
  });
  if (!prices_) return;
  constexpr std::string_view kCost = "trestle_design_request_cost_total";
  text.family(kCost, "counter", "On-demand cost of those units, in the currency of the region's prices");
  each([&](MetricsText::Labels labels, const runtime::OperationUnits::Figure& figure) {
    labels.emplace_back("currency", prices_->currency);
    text.sample(kCost, labels, (figure.read * prices_->read_million + figure.write * prices_->write_million) / 1e6);
  });
}

void ServedDesigns::write_background_metrics(MetricsText& text) const {
  using Status = runtime::BackgroundStatus;
  std::vector<Status> all;
  for (const auto& work : background_) all.push_back(work->status());
  const auto family = [&](std::string_view name, std::string_view type, std::string_view help, const auto& value) {
    text.family(name, type, help);
    for (const Status& status : all) text.sample(name, {{"design", status.design}}, static_cast<double>(value(status)));
  };
  family("trestle_design_background_working", "gauge", "Whether this process does the design's background work",
         [](const Status& s) { return s.working ? 1 : 0; });
  family("trestle_design_stream_records_total", "counter", "Stream records that were applied",
         [](const Status& s) { return s.records; });
  family("trestle_design_tally_lag_seconds", "gauge", "Age of the oldest change that tallies have just read",
         [](const Status& s) { return static_cast<double>(s.tally_lag_ms) / 1000; });
  family("trestle_design_reaction_lag_seconds", "gauge", "Age of the oldest change that reactions have just read",
         [](const Status& s) { return static_cast<double>(s.reaction_lag_ms) / 1000; });
  family("trestle_design_stream_gaps_total", "counter", "Number of times a stream lost records before they were read",
         [](const Status& s) { return s.gaps; });
  family("trestle_design_reactions_total", "counter", "Events that an endpoint accepted",
         [](const Status& s) { return s.reactions.sent; });
  family("trestle_design_reaction_retries_total", "counter", "Retries of events",
         [](const Status& s) { return s.reactions.retries; });
  family("trestle_design_reactions_under_way", "gauge", "Events in progress",
         [](const Status& s) { return s.reactions.under_way; });
  family("trestle_design_endpoints_waited_for", "gauge", "Endpoints that reactions call but that are not configured",
         [](const Status& s) { return s.waits_for.size(); });
  family("trestle_design_dead_letters", "gauge", "Events given up after retries",
         [](const Status& s) { return s.dead_letters; });
  family("trestle_design_open_cascades", "gauge", "Unfinished cascades",
         [](const Status& s) { return s.open_cascades; });
  family("trestle_design_blobs_swept_total", "counter", "Blobs deleted because no item referred to them",
         [](const Status& s) { return s.blobs_swept; });
  family("trestle_design_background_failures_total", "counter", "Rounds of background work that failed",
         [](const Status& s) { return s.failures; });
}

}  // namespace trestle
