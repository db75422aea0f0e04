#include "server/observe/metrics_page.h"

#include <algorithm>

#include "engine/streams/stream_figures.h"
#include "server/observe/metrics_text.h"

namespace trestle {
namespace {

constexpr size_t kTablesShownMax = 200;  // the first ones by name, so that a page stays bounded
constexpr size_t kStreamsShownMax = 100;
constexpr uint64_t kDueCountedMax = 10'000;  // over all tables

using Tables = std::vector<std::shared_ptr<const TableVersion>>;

void write_connections(const ListenerCounts& counts, MetricsText& text) {
  text.gauge("trestle_connections_open", "Connections now", static_cast<double>(counts.open));
  text.counter("trestle_connections_accepted_total", "Connections taken", static_cast<double>(counts.accepted));
  text.counter("trestle_connections_refused_total", "Connections over --connections-max, or without a descriptor",
               static_cast<double>(counts.refused));
  text.counter("trestle_http_requests_total", "Requests of any kind", static_cast<double>(counts.requests));
}

void write_store(const Store& store, MetricsText& text) {
  store.each_figure([&](const Store::Figure& figure) {
    const std::string name = "trestle_store_" + std::string(figure.name);
    figure.only_grows ? text.counter(name, figure.help, figure.value) : text.gauge(name, figure.help, figure.value);
  });
  const uint64_t seen = store.commit_seen();
  const uint64_t durable = store.durable_commit();
  text.gauge("trestle_commits_not_durable", "Commits that are visible and not yet synced to the disk",
             seen > durable ? static_cast<double>(seen - durable) : 0);
}

void write_engine(const Engine& engine, MetricsText& text) {
  text.gauge("trestle_background_jobs", "Backfills, table drops and recounts that are running or waiting",
             static_cast<double>(engine.background_jobs()));
}

void write_tables(const Tables& tables, MetricsText& text) {
  const auto each = [&](std::string_view name, std::string_view help, std::atomic<int64_t> KeyspaceCounts::* figure) {
    text.family(name, "gauge", help);
    for (const auto& table : tables) {
      const int64_t value = ((*table->counts).*figure).load();
      text.sample(name, {{"table", table->description.name}}, static_cast<double>(std::max<int64_t>(0, value)));
    }
  };
  each("trestle_table_items", "Items of a table", &KeyspaceCounts::items);
  each("trestle_table_bytes", "Size of a table's items, as DynamoDB counts it", &KeyspaceCounts::bytes);
}

// Only tables and indexes that consumed something have a sample.
void write_consumed(const Tables& tables, const std::optional<UnitPrices>& prices, MetricsText& text) {
  const auto each = [&](const auto& visit) {
    for (const auto& table : tables) {
      visit(table->description.name, std::string_view(), table->counts->consumed);
      for (size_t i = 0; i < table->index_counts.size(); ++i) {
        visit(table->description.name, table->description.indexes[i].name, table->index_counts[i]->consumed);
      }
    }
  };
  constexpr std::string_view kUnits = "trestle_consumed_units_total";
  text.family(kUnits, "counter", "Capacity units that requests consumed, by table and index (empty: the table itself)");
  each([&](std::string_view table, std::string_view index, const ConsumedUnits& consumed) {
    const double read = consumed.read();
    const double write = consumed.write();
    if (read > 0) text.sample(kUnits, {{"table", table}, {"index", index}, {"kind", "read"}}, read);
    if (write > 0) text.sample(kUnits, {{"table", table}, {"index", index}, {"kind", "write"}}, write);
  });
  if (!prices) return;
  constexpr std::string_view kCost = "trestle_request_cost_total";
  text.family(kCost, "counter", "On-demand cost of those units, in the currency of the region's prices");
  each([&](std::string_view table, std::string_view index, const ConsumedUnits& consumed) {
    const double cost = (consumed.read() * prices->read_million + consumed.write() * prices->write_million) / 1e6;
    if (cost > 0) text.sample(kCost, {{"table", table}, {"index", index}, {"currency", prices->currency}}, cost);
  });
}

// Only tables and indexes that were throttled have a sample.
void write_throttled(const Engine& engine, const Tables& tables, MetricsText& text) {
  constexpr std::string_view kName = "trestle_throttled_requests_total";
  text.counter(kName, "Number of times a table or index had no capacity left",
               static_cast<double>(engine.throughput().throttled_count()));
  constexpr std::string_view kBy = "trestle_throttled_by_total";
  text.family(kBy, "counter", "The same, by table, global index (empty: the table itself) and kind of unit");
  const auto write_throttled = [&](const TableDescription& table, std::string_view index, uint32_t keyspace) {
    for (const UnitKind kind : {UnitKind::kRead, UnitKind::kWrite}) {
      const uint64_t count = engine.throughput().throttled_count(keyspace, kind);
      if (count == 0) continue;
      text.sample(kBy, {{"table", table.name}, {"index", index}, {"kind", kind == UnitKind::kRead ? "read" : "write"}},
                  static_cast<double>(count));
    }
  };
  for (const auto& table : tables) {
    write_throttled(table->description, "", table->description.keyspace);
    for (const IndexDescription& index : table->description.indexes) {
      if (index.global) write_throttled(table->description, index.name, index.keyspace);
    }
  }
}

void write_time_to_live(const Engine& engine, const Tables& tables, MetricsText& text) {
  const ExpirySweeper& sweeper = engine.expiry_sweeper();
  text.counter("trestle_ttl_deleted_items_total", "Items deleted because they had expired",
               static_cast<double>(sweeper.deleted_count()));
  text.gauge("trestle_ttl_lag_seconds", "Time since the oldest expired item that still exists expired",
             static_cast<double>(sweeper.lag_seconds()));
  std::vector<std::pair<std::string_view, ExpirySweeper::Backlog>> backlogs;
  uint64_t due = 0;
  for (const auto& table : tables) {
    if (!table->description.ttl_attribute) continue;
    backlogs.emplace_back(table->description.name, sweeper.backlog(*table, kDueCountedMax - due));
    due += backlogs.back().second.due;
  }
  text.family("trestle_ttl_due_items", "gauge", "Expired items that are not deleted yet; counted up to 10000");
  for (const auto& [table, backlog] : backlogs) {
    text.sample("trestle_ttl_due_items", {{"table", table}}, static_cast<double>(backlog.due));
  }
  text.family("trestle_ttl_next_due_seconds", "gauge",
              "Seconds until the table's next item expires; negative if it has expired");
  for (const auto& [table, backlog] : backlogs) {
    if (!backlog.next_due_seconds) continue;
    text.sample("trestle_ttl_next_due_seconds", {{"table", table}}, static_cast<double>(*backlog.next_due_seconds));
  }
}

void write_vectors(Engine& engine, MetricsText& text) {
  const VectorFigures figures = engine.vectors().figures();
  const auto gauge = [&](std::string_view name, std::string_view help, size_t value) {
    text.gauge(name, help, static_cast<double>(value));
  };
  gauge("trestle_vector_indexes", "Vector indexes that can be searched", figures.indexes);
  gauge("trestle_vector_indexes_in_memory", "Vector indexes that are in memory", figures.indexes_in_memory);
  gauge("trestle_vector_indexes_too_large", "Vector indexes that do not fit in memory", figures.indexes_too_large);
  gauge("trestle_vector_memory_bytes", "Memory used by vectors", figures.memory_bytes);
  gauge("trestle_vectors", "Vectors in memory", figures.vectors);
  gauge("trestle_vectors_in_graphs", "Vectors in memory that are in graphs", figures.vectors_in_graphs);
}

void write_streams(const Engine& engine, const Tables& tables, MetricsText& text) {
  const auto all = engine.catalog().streams().streams();
  text.gauge("trestle_streams", "Streams, including disabled ones", static_cast<double>(all.size()));
  std::vector<StreamFigures> shown;
  for (const auto& table : tables) {
    const auto stream = table->stream_id != 0 ? engine.catalog().streams().find(table->stream_id) : nullptr;
    if (!stream || shown.size() == kStreamsShownMax) continue;
    shown.push_back(stream_figures(engine.store(), *stream, engine.clock().now_ms()));
  }
  const auto each = [&](std::string_view name, std::string_view type, std::string_view help, auto figure) {
    text.family(name, type, help);
    for (const StreamFigures& stream : shown) {
      const std::optional<double> value = figure(stream);
      if (value) text.sample(name, {{"table", stream.table_name}}, *value);
    }
  };
  const auto number = [](uint64_t StreamFigures::* member) {
    return [member](const StreamFigures& of) { return std::optional(static_cast<double>(of.*member)); };
  };
  const auto seconds = [](std::optional<int64_t> StreamFigures::* member) {
    return [member](const StreamFigures& of) {
      return of.*member ? std::optional(static_cast<double>(*(of.*member)) / 1e3) : std::nullopt;
    };
  };
  each("trestle_stream_records_written_total", "counter", "Records written to a table's stream",
       number(&StreamFigures::written));
  each("trestle_stream_records_trimmed_total", "counter", "Approximate number of records trimmed because of their age",
       number(&StreamFigures::trimmed));
  each("trestle_stream_reads_total", "counter", "Calls of GetRecords", number(&StreamFigures::reads));
  each("trestle_stream_records_read_total", "counter", "Records that GetRecords returned",
       number(&StreamFigures::read));
  each("trestle_stream_records", "gauge", "Records in a table's stream; an estimate once there are many",
       number(&StreamFigures::records));
  each("trestle_stream_oldest_record_age_seconds", "gauge", "Age of the oldest record",
       seconds(&StreamFigures::oldest_age_ms));
  each("trestle_stream_iterator_age_seconds", "gauge",
       "How far the latest reader is behind: the age of the oldest record it has yet to read, 0 if there is none",
       seconds(&StreamFigures::iterator_age_ms));
}

}  // namespace

std::string metrics_page(RequestMetrics& requests, Engine& engine, const ListenerCounts& connections,
                         const std::optional<UnitPrices>& prices) {
  MetricsText text;
  requests.keep_tables([&](std::string_view name) { return engine.catalog().find(name) != nullptr; });
  requests.write(text);
  write_connections(connections, text);
  write_store(engine.store(), text);
  write_engine(engine, text);
  Tables tables = engine.catalog().tables();
  text.gauge("trestle_tables", "Tables", static_cast<double>(tables.size()));
  if (tables.size() > kTablesShownMax) tables.resize(kTablesShownMax);
  write_tables(tables, text);
  write_consumed(tables, prices, text);
  write_throttled(engine, tables, text);
  write_time_to_live(engine, tables, text);
  write_streams(engine, tables, text);
  write_vectors(engine, text);
  return text.take();
}

}  // namespace trestle
