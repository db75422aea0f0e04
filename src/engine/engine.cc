#include "engine/engine.h"

#include <algorithm>

#include "engine/tables/account_limits.h"

namespace trestle {

Result<std::unique_ptr<Engine>> Engine::open(EngineOptions options) {
  std::unique_ptr<Engine> engine(new Engine(std::move(options)));
  TRY_INTO(engine->store_, Store::open(engine->options_.store));
  TRY_INTO(engine->catalog_, Catalog::load(*engine->store_, engine->options_.clock));
  engine->transactions_ = std::make_unique<TransactionRegistry>(*engine->store_);
  TRY_INTO(const int64_t history_ms, engine->catalog_->load_history_time_ms());
  engine->history_clock_.pass(history_ms);
  engine->sweeper_ = std::make_unique<ExpirySweeper>(*engine, engine->options_.expiry);
  engine->stream_upkeep_ = std::make_unique<StreamUpkeep>(*engine, engine->options_.streams);
  engine->vectors_ = std::make_unique<VectorIndexes>(*engine, engine->options_.vectors);
  engine->recovery_ = std::make_unique<Recovery>(*engine, engine->options_.recovery);
  // Before anything changes: the counts of before need a snapshot to be counted from.
  if (!engine->catalog_->counts_are_right()) engine->recount();
  engine->recovery_->resume();
  TRY_INTO(engine->loads_, Loads::open(*engine, engine->options_.loads));
  TRY_INTO(engine->exports_, Exports::open(*engine, engine->options_.exports));
  engine->resume_background_work();
  engine->jobs_.start();
  return engine;
}

Engine::~Engine() {
  jobs_.stop();
  // If the counts are not saved, the next start recounts.
  if (catalog_ && recounts_left_ == 0) (void)catalog_->save_counts();
}

void Engine::resume_background_work() {
  for (const auto& table : catalog_->tables()) {
    start_backfill(*table);
    start_expiry_fill(*table);
  }
  start_freeing();
}

Result<void> Engine::wait_durable(const Call& call) { return store_->wait_durable(call.commit); }

void Engine::when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) {
  store_->when_durable(call.commit, std::move(then));
}

Result<std::shared_ptr<const TableVersion>> Engine::find_table(std::string_view name_or_arn) const {
  const auto name = table_name_of(name_or_arn);
  if (name) TRY(catalog_->check_certain(*name));
  auto table = name ? catalog_->find(*name) : nullptr;
  if (!table || table->description.status == Status::kCreating) {
    return failure(ErrorCode::kResourceNotFound, "Requested resource not found");
  }
  return table;
}

void Engine::note_table(const std::vector<std::string_view>& names, Call& call) const {
  if (names.empty()) return;
  const auto bare = [](std::string_view name) { return table_name_of(name).value_or(name); };
  const std::string_view first = bare(names.front());
  if (!std::ranges::all_of(names, [&](std::string_view name) { return bare(name) == first; })) return;
  if (catalog_->find(first)) call.table_name = first;
}

Result<WritableTable> Engine::open_table(std::string_view name_or_arn) const {
  const auto name = table_name_of(name_or_arn);
  if (name) TRY(catalog_->check_certain(*name));
  auto table = name ? catalog_->open_for_write(*name) : std::nullopt;
  if (!table || (*table)->description.status == Status::kCreating) {
    return failure(ErrorCode::kResourceNotFound, "Requested resource not found");
  }
  return std::move(*table);
}

Result<std::shared_ptr<const TableVersion>> Engine::find_described_table(std::string_view name_or_arn) const {
  TRY_INTO(auto table, find_any_table(name_or_arn));
  if (table->description.status == Status::kCreating) return std::unexpected(table_not_found(table->description.name));
  return table;
}

Result<std::shared_ptr<const TableVersion>> Engine::find_any_table(std::string_view name_or_arn) const {
  const std::string_view name = table_name_of(name_or_arn).value_or(name_or_arn);
  TRY(catalog_->check_certain(name));
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
  while (catalog_->streams().find(table.arn + "/stream/" + table.stream_label))
    start_stream(table, *table.stream, ++ms);
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
  // Decreases of an earlier day (UTC) do not count.
  const int64_t now_ms = options_.clock->now_ms();
  const auto tell_today = [now_ms](auto& of) {
    if (!is_same_day(of.throughput_decreased_ms, now_ms)) of.throughput_decreases_today = 0;
  };
  tell_today(description);
  for (auto& index : description.indexes) tell_today(index);
  description.item_count = shown(table.counts->items);
  description.size_bytes = shown(table.counts->bytes);
  for (size_t i = 0; i < description.indexes.size(); ++i) {
    description.indexes[i].item_count = shown(table.index_counts[i]->items);
    description.indexes[i].size_bytes = shown(table.index_counts[i]->bytes);
  }
  for (size_t i = 0; i < description.vector_indexes.size(); ++i) {
    description.vector_indexes[i].item_count = shown(table.vector_counts[i]->items);
    description.vector_indexes[i].size_bytes = shown(table.vector_counts[i]->bytes);
  }
  return description;
}

}  // namespace trestle
