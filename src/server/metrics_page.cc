#include "server/metrics_page.h"

#include <algorithm>

#include "server/metrics_text.h"

namespace trestle {
namespace {

constexpr size_t kTablesShownMax = 200;

void write_connections(const ListenerCounts& counts, MetricsText& text) {
  text.gauge("trestle_connections_open", "Connections now", static_cast<double>(counts.open));
  text.counter("trestle_connections_accepted_total", "Connections taken", static_cast<double>(counts.accepted));
  text.counter("trestle_connections_refused_total", "Connections over --connections-max, or without a descriptor",
               static_cast<double>(counts.refused));
  text.counter("trestle_http_requests_total", "Requests of any kind", static_cast<double>(counts.requests));
}

void write_store(const Store& store, MetricsText& text) {
  store.each_figure([&](std::string_view name, uint64_t value) {
    text.gauge("trestle_store_" + std::string(name), "A figure of the store", static_cast<double>(value));
  });
  const uint64_t seen = store.commit_seen();
  const uint64_t durable = store.durable_commit();
  text.gauge("trestle_commits_not_durable", "Commits that are visible and not yet synced to the disk",
             seen > durable ? static_cast<double>(seen - durable) : 0);
}

void write_engine(const Engine& engine, MetricsText& text) {
  text.gauge("trestle_background_jobs", "Backfills, dropped tables and recounts under way or waiting",
             static_cast<double>(engine.background_jobs()));
  const ExpirySweeper& sweeper = engine.expiry_sweeper();
  text.counter("trestle_ttl_deleted_items_total", "Items deleted because their time to live was over",
               static_cast<double>(sweeper.deleted_count()));
  text.gauge("trestle_ttl_lag_seconds", "How long ago the oldest item expired that is still there",
             static_cast<double>(sweeper.lag_seconds()));
  text.counter("trestle_throttled_requests_total", "Times that a table or index had no capacity left",
               static_cast<double>(engine.throughput().throttled_count()));
}

void write_tables(const Engine& engine, MetricsText& text) {
  const auto tables = engine.catalog().tables();
  text.gauge("trestle_tables", "Tables", static_cast<double>(tables.size()));
  const auto shown = std::min(tables.size(), kTablesShownMax);
  const auto each = [&](std::string_view name, std::string_view help, std::atomic<int64_t> KeyspaceCounts::*figure) {
    text.family(name, "gauge", help);
    for (size_t i = 0; i < shown; ++i) {
      const int64_t value = ((*tables[i]->counts).*figure).load();
      text.sample(name, {{"table", tables[i]->description.name}}, static_cast<double>(std::max<int64_t>(0, value)));
    }
  };
  each("trestle_table_items", "Items of a table", &KeyspaceCounts::items);
  each("trestle_table_bytes", "Size of a table's items, as DynamoDB counts it", &KeyspaceCounts::bytes);
}

}  // namespace

std::string metrics_page(const RequestMetrics& requests, const Engine& engine, const ListenerCounts& connections) {
  MetricsText text;
  requests.write(text);
  write_connections(connections, text);
  write_store(engine.store(), text);
  write_engine(engine, text);
  write_tables(engine, text);
  return text.take();
}

}  // namespace trestle
