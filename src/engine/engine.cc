#include "engine/engine.h"

#include <algorithm>

#include "engine/account_limits.h"

namespace trestle {

Result<std::unique_ptr<Engine>> Engine::open(EngineOptions options) {
  std::unique_ptr<Engine> engine(new Engine(std::move(options)));
  TRY_INTO(engine->store_, Store::open(engine->options_.store));
  TRY_INTO(engine->catalog_, Catalog::load(*engine->store_, engine->options_.clock));
  engine->transactions_ = std::make_unique<TransactionRegistry>(*engine->store_);
  engine->sweeper_ = std::make_unique<ExpirySweeper>(*engine, engine->options_.expiry);
  engine->stream_upkeep_ = std::make_unique<StreamUpkeep>(*engine, engine->options_.streams);
  engine->resume_background_work();
  return engine;
}

Engine::~Engine() {
  if (sweeper_) sweeper_->stop();
  if (stream_upkeep_) stream_upkeep_->stop();
  background_.stop();
  // Where the counts are not saved, the next start counts anew.
  if (catalog_ && recounts_left_ == 0) (void)catalog_->save_counts();
}

void Engine::resume_background_work() {
  if (!catalog_->counts_are_right()) recount();
  for (const auto& table : catalog_->tables()) {
    start_backfill(*table);
    start_expiry_fill(*table);
  }
  if (!catalog_->dropped().empty()) background_.add([this] { free_dropped_keyspaces(); });
}

Result<void> Engine::wait_durable(const Call& call) { return store_->wait_durable(call.commit); }

void Engine::when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) {
  store_->when_durable(call.commit, std::move(then));
}

Result<std::shared_ptr<const TableVersion>> Engine::find_table(std::string_view name_or_arn) const {
  const auto name = table_name_of(name_or_arn);
  auto table = name ? catalog_->find(*name) : nullptr;
  if (!table) return failure(ErrorCode::kResourceNotFound, "Requested resource not found");
  return table;
}

Result<WritableTable> Engine::open_table(std::string_view name_or_arn) const {
  const auto name = table_name_of(name_or_arn);
  auto table = name ? catalog_->open_for_write(*name) : std::nullopt;
  if (!table) return failure(ErrorCode::kResourceNotFound, "Requested resource not found");
  return std::move(*table);
}

Result<std::shared_ptr<const TableVersion>> Engine::find_described_table(std::string_view name_or_arn) const {
  const std::string_view name = table_name_of(name_or_arn).value_or(name_or_arn);
  auto table = catalog_->find(name);
  if (!table) return std::unexpected(table_not_found(name));
  return table;
}

TableContext Engine::table_context() const {
  return {.region = options_.region, .account = options_.account, .now_ms = options_.clock->now_ms(), .table_id = {}};
}

void Engine::distinguish_stream(TableDescription& table, std::string_view label_before) const {
  if (!table.stream || table.stream_label == label_before) return;
  int64_t ms = options_.clock->now_ms();
  while (catalog_->streams().find(table.arn + "/stream/" + table.stream_label)) start_stream(table, *table.stream, ++ms);
}

Throughput Engine::reserved_by_account() const {
  Throughput sum;
  for (const auto& table : catalog_->tables()) {
    const Throughput units = reserved_units(table->description);
    sum.read_units += units.read_units;
    sum.write_units += units.write_units;
  }
  return sum;
}

TableDescription Engine::described(const TableVersion& table) const {
  const auto shown = [](const std::atomic<int64_t>& count) { return std::max<int64_t>(0, count.load()); };
  TableDescription description = table.description;
  description.item_count = shown(table.counts->items);
  description.size_bytes = shown(table.counts->bytes);
  for (size_t i = 0; i < description.indexes.size(); ++i) {
    description.indexes[i].item_count = shown(table.index_counts[i]->items);
    description.indexes[i].size_bytes = shown(table.index_counts[i]->bytes);
  }
  return description;
}

}  // namespace trestle
