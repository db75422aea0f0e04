// Changes of tables when the disk rejects them, or accepts them and then fails to sync.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <sstream>
#include <thread>

#include "base/scratch_folder.h"
#include "engine/engine.h"
#include "engine/quiet_engine.h"
#include "storage/catalog/table_encoding.h"
#include "storage/disk/failing_disk_for_test.h"

namespace trestle {
namespace {

constexpr int kItems = 40;

struct FailingEngine : QuietEngine {
  std::shared_ptr<FailingDisk> disk = std::make_shared<FailingDisk>();
  std::string backup_arn;
  std::string stream_arn;

  explicit FailingEngine(std::string in) : QuietEngine(std::move(in)) { open(); }
  void open() {
    EngineOptions engine_options = options();
    engine_options.store.file_system = disk;
    QuietEngine::open(std::move(engine_options));
  }

  void create(const std::string& name) const {
    CreateTableRequest request{.table_name = name};
    request.attribute_definitions = {{"pk", ValueType::kString}, {"g", ValueType::kString}};
    request.key_schema = {{.attribute_name = "pk"}};
    request.billing_mode = BillingMode::kPayPerRequest;
    request.global_indexes = std::vector<IndexDefinition>{index("by-g")};
    request.stream = StreamSpecification{.enabled = true, .view_type = StreamViewType::kKeysOnly};
    ASSERT_TRUE(engine->create_table(request).has_value());
    ASSERT_TRUE(engine->update_continuous_backups({.table_name = name, .enabled = true}).has_value());
  }
  static IndexDefinition index(const std::string& name) {
    return {.index_name = name, .key_schema = {{.attribute_name = "g"}}, .projection_type = ProjectionType::kAll};
  }
  static Item item(int n) {
    return Item{{"pk", Value::string("k" + std::to_string(n))}, {"g", Value::string("g" + std::to_string(n % 3))}};
  }
  // Creates a table with everything that a change may add or remove.
  void fill() {
    for (const char* name : {"table", "other"}) {
      create(name);
      for (int n = 0; n < kItems; ++n) {
        ASSERT_TRUE(engine->put_item({.table_name = name, .item = item(n)}).has_value());
      }
    }
    const auto backup = engine->create_backup({.table_name = "table", .backup_name = "nightly"});
    ASSERT_TRUE(backup.has_value());
    backup_arn = backup->backup.arn;
    engine->recovery().finish_jobs();
    engine->wait_idle();
  }

  // Everything that a client can see, as text. Waits for background work first.
  std::string visible_state() const {
    engine->recovery().finish_jobs();
    engine->wait_idle();
    std::ostringstream text;
    const auto tables = engine->list_tables({});
    for (const std::string& name : tables->table_names) {
      const TableDescription table = engine->describe_table({.table_name = name})->table;
      text << name << " items " << table.item_count << " bytes " << table.size_bytes << " description "
           << std::hash<std::string>{}(encode_table(table)) << " scan " << scan(name, {});
      for (const IndexDescription& index : table.indexes) {
        text << " index " << index.name << " items " << index.item_count << " status " << static_cast<int>(index.status)
             << " scan " << scan(name, index.name);
      }
      text << " ttl " << engine->describe_time_to_live({.table_name = name})->attribute_name.value_or("") << "\n";
    }
    for (const auto& stream : engine->catalog().streams().streams()) {
      text << stream->arn() << (stream->enabled() ? " enabled" : " disabled") << " last " << stream->last_commit
           << "\n";
    }
    for (const auto& backup : engine->catalog().recovery().backups()) {
      text << backup->arn << " items " << backup->items << " status " << static_cast<int>(backup->status) << "\n";
    }
    text << engine->catalog().recovery().restores().size() << " restores, " << engine->catalog().dropped().size()
         << " dropped";
    return text.str();
  }
  size_t scan(const std::string& table, const std::string& index) const {
    ScanRequest request;
    request.table_name = table;
    if (!index.empty()) request.index_name = index;
    const auto page = engine->scan(request);
    EXPECT_TRUE(page.has_value()) << table << " " << index << ": " << page.error().message;
    return page.has_value() ? page->items.size() : 0;
  }
  void heal() const {
    disk->fail_writes = false;
    disk->fail_syncs = false;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!engine->tag_resource({.resource_arn = arn("other"), .tags = {{.key = "healed", .value = "yes"}}})) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "the store does not recover";
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  static std::string arn(const std::string& table) { return table_arn("us-east-1", "000000000000", table); }
};

struct TableChange {
  const char* name;
  std::function<Result<void>(FailingEngine&)> run;
};

Result<void> outcome_of(const auto& result) {
  if (result.has_value()) return {};
  return std::unexpected(result.error());
}

std::vector<TableChange> all_changes() {
  return {
      {"create_table",
       [](FailingEngine& db) {
         return outcome_of(db->create_table({.table_name = "new",
                                             .attribute_definitions = {{"pk", ValueType::kString}},
                                             .key_schema = {{.attribute_name = "pk"}},
                                             .billing_mode = BillingMode::kPayPerRequest}));
       }},
      {"delete_table", [](FailingEngine& db) { return outcome_of(db->delete_table({.table_name = "table"})); }},
      {"delete_index",
       [](FailingEngine& db) {
         UpdateTableRequest request{.table_name = "table"};
         request.index_updates =
             std::vector<IndexUpdate>{{.kind = IndexUpdate::Kind::kDelete, .index = {.index_name = "by-g"}}};
         return outcome_of(db->update_table(request));
       }},
      {"create_index",
       [](FailingEngine& db) {
         UpdateTableRequest request{.table_name = "table"};
         request.attribute_definitions =
             std::vector<KeyAttribute>{{"pk", ValueType::kString}, {"g", ValueType::kString}};
         request.index_updates =
             std::vector<IndexUpdate>{{.kind = IndexUpdate::Kind::kCreate, .index = FailingEngine::index("second")}};
         return outcome_of(db->update_table(request));
       }},
      {"disable_stream",
       [](FailingEngine& db) {
         UpdateTableRequest request{.table_name = "table"};
         request.stream = StreamSpecification{.enabled = false};
         return outcome_of(db->update_table(request));
       }},
      {"enable_time_to_live",
       [](FailingEngine& db) {
         return outcome_of(db->update_time_to_live({.table_name = "table", .attribute_name = "ttl", .enabled = true}));
       }},
      {"disable_recovery",
       [](FailingEngine& db) {
         return outcome_of(db->update_continuous_backups({.table_name = "table", .enabled = false}));
       }},
      {"create_backup",
       [](FailingEngine& db) {
         return outcome_of(db->create_backup({.table_name = "table", .backup_name = "second"}));
       }},
      {"delete_backup", [](FailingEngine& db) { return outcome_of(db->delete_backup({.backup_arn = db.backup_arn})); }},
      {"restore_backup",
       [](FailingEngine& db) {
         return outcome_of(
             db->restore_table_from_backup({.target_table_name = "restored", .backup_arn = db.backup_arn}));
       }},
      {"restore_point_in_time",
       [](FailingEngine& db) {
         RestoreTableToPointInTimeRequest request;
         request.source_table_name = "table";
         request.target_table_name = "restored";
         request.use_latest_restorable_time = true;
         return outcome_of(db->restore_table_to_point_in_time(request));
       }},
      {"tag",
       [](FailingEngine& db) {
         return outcome_of(db->tag_resource(
             {.resource_arn = FailingEngine::arn("table"), .tags = {{.key = "color", .value = "blue"}}}));
       }},
      {"policy",
       [](FailingEngine& db) {
         return outcome_of(db->put_resource_policy({.resource_arn = FailingEngine::arn("table"), .policy = "{}"}));
       }},
  };
}

// RocksDB takes seconds to recover from a full disk, so every change has its own engine, and all run concurrently.
void for_each_change(const std::function<void(const TableChange&, FailingEngine&)>& check) {
  std::vector<std::jthread> threads;
  for (const TableChange& change : all_changes()) {
    threads.emplace_back([change, &check] {
      SCOPED_TRACE(change.name);
      ScratchFolder folder;
      FailingEngine db(folder.path());
      db.fill();
      db.heal();
      check(change, db);
    });
  }
}

TEST(DiskFailure, a_change_rejected_by_the_disk_never_has_an_effect) {
  for_each_change([](const TableChange& change, FailingEngine& db) {
    const std::string before = db.visible_state();
    db.disk->fail_writes = true;
    const auto rejected = change.run(db);
    ASSERT_FALSE(rejected.has_value());
    EXPECT_EQ(rejected.error().code, ErrorCode::kServiceUnavailable) << rejected.error().message;
    db.heal();
    EXPECT_EQ(db.visible_state(), before);
    // Creates work for the task that frees dropped keyspaces.
    db.create("scratch");
    ASSERT_TRUE(db->delete_table({.table_name = "scratch"}).has_value());
    db->wait_idle();
    EXPECT_EQ(db.scan("table", {}), size_t{kItems});
    EXPECT_EQ(db.scan("table", "by-g"), size_t{kItems});
    const std::string after = db.visible_state();
    db.open();
    EXPECT_EQ(db.visible_state(), after);
  });
}

TEST(DiskFailure, a_change_whose_sync_failed_is_the_same_before_and_after_a_restart) {
  for_each_change([](const TableChange& change, FailingEngine& db) {
    db.disk->fail_syncs = true;
    const auto unknown = change.run(db);
    ASSERT_FALSE(unknown.has_value());
    EXPECT_EQ(unknown.error().code, ErrorCode::kServiceUnavailable) << unknown.error().message;
    db.heal();
    // Writes that are acknowledged now must survive.
    bool acknowledged = true;
    for (int n = kItems; n < 2 * kItems; ++n) {
      const auto put = db->put_item({.table_name = "table", .item = FailingEngine::item(n)});
      EXPECT_TRUE(put.has_value() || put.error().code == ErrorCode::kResourceNotFound) << put.error().message;
      acknowledged = acknowledged && put.has_value();
    }
    const std::string after = db.visible_state();
    const size_t items = acknowledged ? db.scan("table", {}) : 0;
    EXPECT_EQ(items, acknowledged ? size_t{2 * kItems} : 0);
    db.open();
    EXPECT_EQ(db.visible_state(), after);
  });
}

TEST(DiskFailure, a_table_is_unavailable_until_the_outcome_of_its_change_is_known) {
  ScratchFolder folder;
  FailingEngine db(folder.path());
  db.fill();
  db.disk->fail_syncs = true;
  ASSERT_FALSE(db->delete_table({.table_name = "table"}).has_value());
  const Item key{{"pk", Value::string("k1")}};
  ExecuteTransactionRequest transaction;
  transaction.statements = {{.text = R"(DELETE FROM "table" WHERE pk = 'k1')"}};
  for (const auto code : {db->get_item({.table_name = "table", .key = key}).error().code,
                          db->execute_transaction(transaction).error().code,
                          db->describe_table({.table_name = "table"}).error().code, db->list_tables({}).error().code}) {
    EXPECT_EQ(code, ErrorCode::kServiceUnavailable);
  }
  EXPECT_TRUE(db->get_item({.table_name = "other", .key = key}).has_value()) << "the change was not of this one";
  db.heal();
  EXPECT_EQ(db->get_item({.table_name = "table", .key = key}).error().code, ErrorCode::kResourceNotFound);
}

TEST(DiskFailure, a_hold_whose_release_failed_is_released_once_the_disk_works) {
  const ScratchFolder folder;
  FailingEngine db(folder.path());
  db.fill();
  const auto hold = db.engine->hold_history("table", "restore test", std::nullopt);
  ASSERT_TRUE(hold.has_value());
  db.disk->fail_writes = true;
  EXPECT_FALSE(db.engine->release_history(hold->id).has_value());
  db.engine->recovery().run_due_work();
  EXPECT_EQ(db.engine->catalog().recovery().holds().size(), 1u);
  db.heal();
  db.engine->recovery().run_due_work();
  EXPECT_TRUE(db.engine->catalog().recovery().holds().empty());
}

}  // namespace
}  // namespace trestle
