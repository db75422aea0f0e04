// The embedded database: DynamoDB's operations on the store. One source file per operation, named after it.
//
//   TRY_INTO(auto engine, Engine::open({.store = {.folder = "data"}}));
//   TRY_INTO(auto reply, engine->get_item({.table_name = "music", .key = key}));
//
// A request goes through the same steps in every operation: what is wrong with it whatever the tables are (expressions
// among that), then its table, then its fit with the table's schema, and only then its effect.
// Threads may share an Engine. Destroying it waits for background work and closes the store; nobody may be inside.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/clock.h"
#include "engine/background.h"
#include "engine/item_lock.h"
#include "engine/table_definition.h"
#include "model/database.h"
#include "storage/catalog.h"
#include "storage/store.h"

namespace trestle {

struct EngineOptions {
  StoreOptions store;
  std::string region = "us-east-1";
  std::string account = "000000000000";
  std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>();  // shared: the caller may hold it still
};

class Engine final : public Database {
 public:
  static Result<std::unique_ptr<Engine>> open(EngineOptions options);
  ~Engine() override;

  Result<void> wait_durable(const Call& call) override;
  void when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) override;

#define TRESTLE_DECLARE(Name, name)                                                     \
  Result<Name##Response> name(const Name##Request& request, Call& call) override; \
  using Database::name;
  TRESTLE_OPERATIONS(TRESTLE_DECLARE)
#undef TRESTLE_DECLARE

  const Store& store() const { return *store_; }
  const Catalog& catalog() const { return *catalog_; }
  // Waits until no background work is left; for tests and tools.
  void wait_idle() { background_.wait_idle(); }

 private:
  friend class ItemChanges;
  friend class ItemWriter;
  friend class PageReader;
  explicit Engine(EngineOptions options) : options_(std::move(options)) {}
  void resume_background_work();

  // The table of an operation on items; "Requested resource not found" if there is none.
  Result<std::shared_ptr<const TableVersion>> find_table(std::string_view name_or_arn) const;
  Result<WritableTable> open_table(std::string_view name_or_arn) const;
  // The table of an operation on tables, in its words.
  Result<std::shared_ptr<const TableVersion>> find_described_table(std::string_view name_or_arn) const;
  Result<std::shared_ptr<const TableVersion>> find_tagged_table(std::string_view arn,
                                                                std::string_view operation) const;
  TableContext table_context() const;
  // A description with the counts of now.
  TableDescription described(const TableVersion& table) const;

  void start_backfill(const TableVersion& table);
  void backfill(const std::string& table_name, const std::string& table_id, const std::string& index_name);
  bool backfill_item(const std::string& table_name, const std::string& table_id, const std::string& index_name,
                     const std::string& key);
  void finish_backfill(const std::string& table_name, const std::string& table_id, const std::string& index_name);
  void free_dropped_keyspaces();
  void recount();

  EngineOptions options_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Catalog> catalog_;
  ItemLocks locks_;
  std::atomic<int> recounts_left_{0};  // tables whose counts are not right yet
  Background background_;  // last: its work uses all of the above
};

}  // namespace trestle
