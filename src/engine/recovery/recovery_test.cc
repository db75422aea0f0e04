// End-to-end tests of backups, restores and point in time recovery.
#include "engine/recovery/recovery.h"
#include "engine/durations_for_test.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "base/scratch_folder.h"
#include "engine/engine.h"
#include "engine/quiet_engine.h"

namespace trestle {
namespace {

using ScannedItems = std::map<std::string, std::string>;  // key -> item, as text

struct RecoveryFixture : QuietEngine {
  TableAt::Limits page{.keys_max = 16, .bytes_max = size_t{1} << 20};

  explicit RecoveryFixture(std::string in = {}) : QuietEngine(std::move(in)) { open(); }
  void open() {
    EngineOptions engine_options = options();
    engine_options.recovery.page = page;
    QuietEngine::open(std::move(engine_options));
  }

  // Creates a table with a local and a global index, a stream, time to live, tags and deletion protection.
  void create(const std::string& name = "table", bool recovery = false) const {
    CreateTableRequest request{.table_name = name};
    request.attribute_definitions = {
        {"pk", ValueType::kString}, {"sk", ValueType::kNumber}, {"g", ValueType::kString}, {"l", ValueType::kNumber}};
    request.key_schema = {{.attribute_name = "pk"}, {.attribute_name = "sk", .is_range = true}};
    request.local_indexes = std::vector<IndexDefinition>{
        {.index_name = "by-l",
         .key_schema = {{.attribute_name = "pk"}, {.attribute_name = "l", .is_range = true}},
         .projection_type = ProjectionType::kAll}};
    request.global_indexes = std::vector<IndexDefinition>{{.index_name = "by-g",
                                                           .key_schema = {{.attribute_name = "g"}},
                                                           .projection_type = ProjectionType::kInclude,
                                                           .non_key_attributes = std::vector<std::string>{"v"},
                                                           .throughput = Throughput{3, 4}}};
    request.throughput = Throughput{1000, 1000};
    request.stream = StreamSpecification{.enabled = true, .view_type = StreamViewType::kNewImage};
    request.tags = std::vector<Tag>{{.key = "team", .value = "blue"}};
    const auto created = engine->create_table(request);
    ASSERT_TRUE(created.has_value()) << created.error().message;
    ASSERT_TRUE(
        engine->update_time_to_live({.table_name = name, .attribute_name = "ttl", .enabled = true}).has_value());
    if (recovery) enable(name);
  }
  void enable(const std::string& name = "table", bool enabled = true) const {
    const auto answer = engine->update_continuous_backups({.table_name = name, .enabled = enabled});
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
  }
  static Item item(int64_t n, int64_t v) {
    std::vector<std::pair<std::string, Value>> attributes{
        {"pk", Value::string("p" + std::to_string(n % 7))}, {"sk", Value::number(n)}, {"v", Value::number(v)}};
    const Value g = Value::string("g" + std::to_string(v % 5));
    const Value l = Value::number(v % 3);
    std::vector<Field> fields;
    for (const auto& [name, value] : attributes) fields.push_back({name, value});
    if (v % 2 == 0) fields.push_back({"g", g});
    if (v % 3 != 0) fields.push_back({"l", l});
    return Item(std::move(fields));
  }
  void put(int64_t n, int64_t v, const std::string& table = "table") const {
    const auto answer = engine->put_item({.table_name = table, .item = item(n, v)});
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
  }
  void erase(int64_t n, const std::string& table = "table") const {
    const Item key{{"pk", Value::string("p" + std::to_string(n % 7))}, {"sk", Value::number(n)}};
    ASSERT_TRUE(engine->delete_item({.table_name = table, .key = key}).has_value());
  }
  // The items that a Scan of the table or index returns.
  ScannedItems scan(const std::string& table, const std::string& index = {}) const {
    ScannedItems content;
    ScanRequest request;
    request.table_name = table;
    if (!index.empty()) request.index_name = index;
    for (;;) {
      const auto page_read = engine->scan(request);
      EXPECT_TRUE(page_read.has_value()) << page_read.error().message;
      if (!page_read.has_value()) return content;
      for (size_t i = 0; i < page_read->items.size(); ++i) {
        const ItemView found = page_read->items[i];
        content[std::string(found.find("sk")->scalar())] = std::string(found.bytes());
      }
      if (!page_read->last_evaluated_key) return content;
      request.exclusive_start_key = page_read->last_evaluated_key;
    }
  }
  void expect_equal(const std::string& table, const std::map<int64_t, int64_t>& expected) const {
    ScannedItems items;
    for (const auto& [n, v] : expected) items[std::to_string(n)] = item(n, v).bytes();
    EXPECT_EQ(scan(table), items) << table;
    // The indexes must equal those of a table into which the same items were put one by one.
    const std::string twin = table + "-twin";
    create(twin);
    for (const auto& [n, v] : expected) put(n, v, twin);
    for (const char* index : {"by-l", "by-g"}) EXPECT_EQ(scan(table, index), scan(twin, index)) << index;
    const TableDescription restored = engine->describe_table({.table_name = table})->table;
    const TableDescription written = engine->describe_table({.table_name = twin})->table;
    EXPECT_EQ(restored.item_count, written.item_count);
    EXPECT_EQ(restored.size_bytes, written.size_bytes);
    for (const IndexDescription& index : written.indexes) {
      ASSERT_NE(restored.index(index.name), nullptr);
      EXPECT_EQ(restored.index(index.name)->item_count, index.item_count) << index.name;
      EXPECT_EQ(restored.index(index.name)->size_bytes, index.size_bytes) << index.name;
    }
    ASSERT_TRUE(engine->delete_table({.table_name = twin}).has_value());
  }
  std::string backup(const std::string& table = "table") const {
    const auto created = engine->create_backup({.table_name = table, .backup_name = "nightly"});
    EXPECT_TRUE(created.has_value());
    return created.has_value() ? created->backup.arn : std::string();
  }
  Result<TableResponse> restore(const std::string& arn, const std::string& target,
                                RestoreOverrides overrides = {}) const {
    return engine->restore_table_from_backup(
        {.target_table_name = target, .backup_arn = arn, .overrides = std::move(overrides)});
  }
  Result<TableResponse> restore_at(int64_t time_ms, const std::string& target) const {
    RestoreTableToPointInTimeRequest request;
    request.source_table_name = "table";
    request.target_table_name = target;
    request.restore_ms = time_ms;
    return engine->restore_table_to_point_in_time(request);
  }
  void finish() const { engine->recovery().finish_jobs(); }
};

void expect_rejected(const auto& result, ErrorCode code, std::string_view message) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, code) << result.error().message;
  EXPECT_EQ(result.error().message, message);
}

TEST(Recovery, a_restore_that_is_starting_is_not_removed_as_orphaned) {
  const ScratchFolder folder;  // on disk, so that it takes a while until the job's table is created
  RecoveryFixture db(folder.path());
  db.create();
  db.put(1, 1);
  const std::string arn = db.backup();
  db.finish();
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    while (!stop) db.finish();
  });
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto is_filled = [&](const std::string& target) {
    while (db->describe_table({.table_name = target})->table.status != Status::kActive) {
      if (std::chrono::steady_clock::now() > give_up_at) return false;
      std::this_thread::yield();
    }
    return true;
  };
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    const std::string target = "restored-" + std::to_string(i);
    const auto restored = db.restore(arn, target);
    EXPECT_TRUE(restored.has_value() && is_filled(target)) << target;
  }
  stop = true;
  worker.join();
}

TEST(Recovery, a_backup_is_of_the_moment_of_the_call) {
  RecoveryFixture db;
  db.create();
  std::map<int64_t, int64_t> expected;
  for (int64_t n = 0; n < 100; ++n) {
    db.put(n, n);
    expected[n] = n;
  }
  const std::string arn = db.backup();
  auto described = db->describe_backup({.backup_arn = arn});
  ASSERT_TRUE(described.has_value());
  EXPECT_EQ(described->backup.details.status, BackupStatus::kCreating);
  for (int64_t n = 0; n < 100; n += 3) db.erase(n);
  for (int64_t n = 50; n < 150; ++n) db.put(n, -n);
  db.finish();
  described = db->describe_backup({.backup_arn = arn});
  EXPECT_EQ(described->backup.details.status, BackupStatus::kAvailable);
  EXPECT_EQ(described->backup.table.item_count, 100);
  EXPECT_GT(described->backup.details.size_bytes, 0);
  EXPECT_EQ(db->catalog().find("table")->description.history_keyspace, 0u) << "recording is over with the last job";

  ASSERT_TRUE(db.restore(arn, "restored").has_value());
  db.finish();
  db.expect_equal("restored", expected);
  const TableDescription table = db->describe_table({.table_name = "restored"})->table;
  EXPECT_EQ(table.status, Status::kActive);
  EXPECT_FALSE(table.restore.has_value());
  EXPECT_FALSE(table.stream.has_value());
  EXPECT_FALSE(table.ttl_attribute.has_value());
  EXPECT_TRUE(table.tags.empty());
  EXPECT_FALSE(table.recovery.has_value());
  EXPECT_EQ(table.throughput, (Throughput{1000, 1000}));
  EXPECT_EQ(table.index("by-g")->throughput, (Throughput{3, 4}));
}

TEST(Recovery, a_table_being_restored_is_visible_to_few_operations) {
  RecoveryFixture db;
  db.create();
  for (int64_t n = 0; n < 100; ++n) db.put(n, n);
  const std::string arn = db.backup();
  expect_rejected(db.restore(arn, "new-table"), ErrorCode::kBackupInUse, "Backup is being created: " + arn);
  expect_rejected(db->delete_backup({.backup_arn = arn}), ErrorCode::kBackupInUse, "Backup is being created: " + arn);
  db.finish();
  const auto restoring = db.restore(arn, "new-table");
  ASSERT_TRUE(restoring.has_value());
  EXPECT_EQ(restoring->table.status, Status::kCreating);
  ASSERT_TRUE(restoring->table.restore.has_value());
  EXPECT_EQ(restoring->table.restore->source_backup_arn, arn);

  EXPECT_EQ(db->describe_table({.table_name = "new-table"})->table.status, Status::kCreating);
  expect_rejected(db->put_item({.table_name = "new-table", .item = RecoveryFixture::item(1, 1)}),
                  ErrorCode::kResourceNotFound, "Requested resource not found");
  expect_rejected(db->describe_time_to_live({.table_name = "new-table"}), ErrorCode::kResourceNotFound,
                  "Requested resource not found: Table: new-table not found");
  expect_rejected(db->describe_continuous_backups({.table_name = "new-table"}), ErrorCode::kTableNotFound,
                  "Table not found: new-table");
  expect_rejected(db->create_backup({.table_name = "new-table", .backup_name = "nightly"}), ErrorCode::kTableNotFound,
                  "Table not found: new-table");
  EXPECT_EQ(db->delete_table({.table_name = "new-table"}).error().code, ErrorCode::kResourceInUse);
  expect_rejected(db.restore(arn, "new-table"), ErrorCode::kTableInUse,
                  "Table: new-table is already being restored from backup: " + arn);
  expect_rejected(db.restore(arn, "other-table"), ErrorCode::kBackupInUse,
                  "Backup is being used to restore another table: " + arn);
  expect_rejected(db->delete_backup({.backup_arn = arn}), ErrorCode::kBackupInUse,
                  "Backup is being used to restore table: " + arn);
  expect_rejected(db.restore(arn, "table"), ErrorCode::kTableAlreadyExists, "Table already exists: table");
  db.finish();
  EXPECT_EQ(db->describe_table({.table_name = "new-table"})->table.status, Status::kActive);
  ASSERT_TRUE(db->put_item({.table_name = "new-table", .item = RecoveryFixture::item(1, 1)}).has_value());
  ASSERT_TRUE(db->delete_backup({.backup_arn = arn}).has_value());
  expect_rejected(db->describe_backup({.backup_arn = arn}), ErrorCode::kBackupNotFound, "Backup not found: " + arn);
}

TEST(Recovery, random_times_of_a_random_history_are_restored_exactly) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  RecoveryFixture db;
  db.create("table", true);
  std::map<int64_t, std::map<int64_t, int64_t>> states;
  std::map<int64_t, int64_t> now;
  for (int i = 0; i < 1500; ++i) {
    if (random() % 2 == 0) db.clock->advance_ms(static_cast<int64_t>(random() % 700));
    const auto n = static_cast<int64_t>(random() % 90);
    if (random() % 4 == 0) {
      db.erase(n);
      now.erase(n);
    } else {
      const auto v = static_cast<int64_t>(random() % 1000);
      db.put(n, v);
      now[n] = v;
    }
    states[db.clock->now_ms()] = now;
  }
  db.clock->advance_ms(1);
  const int64_t first = states.begin()->first;
  const int64_t last = states.rbegin()->first;
  for (int round = 0; round < 6; ++round) {
    const int64_t at_ms = first + static_cast<int64_t>(random() % static_cast<uint64_t>(last - first + 1));
    const std::string target = "restored-" + std::to_string(round);
    const auto restored = db.restore_at(at_ms, target);
    ASSERT_TRUE(restored.has_value()) << restored.error().message;
    db.put(1000 + round, round);  // concurrent writes, which no restored table contains
    db.finish();
    db.expect_equal(target, std::prev(states.upper_bound(at_ms))->second);
  }
}

TEST(Recovery, times_outside_of_the_period_are_rejected) {
  RecoveryFixture db;
  db.create();
  expect_rejected(db.restore_at(db.clock->now_ms(), "restored"), ErrorCode::kPointInTimeRecoveryUnavailable,
                  "Point in time recovery is not enabled for table 'table'");
  const auto off = db->describe_continuous_backups({.table_name = "table"});
  EXPECT_FALSE(off->enabled);
  db.enable();
  const int64_t enabled_ms = db.clock->now_ms();
  db.clock->advance_ms(10'000);
  expect_rejected(db.restore_at(enabled_ms - 1000, "restored"), ErrorCode::kInvalidRestoreTime,
                  "RestoreDateTime '2027-01-15T07:59:59Z' must be within EarliestRestorableDateTime "
                  "'2027-01-15T08:00:00Z' and LatestRestorableDateTime '2027-01-15T08:00:10Z'");
  EXPECT_EQ(db.restore_at(db.clock->now_ms() + 1000, "restored").error().code, ErrorCode::kInvalidRestoreTime);
  EXPECT_TRUE(db.restore_at(enabled_ms, "restored").has_value());
  db.finish();
  expect_rejected(db.restore_at(enabled_ms, "restored"), ErrorCode::kTableAlreadyExists,
                  "Table already exists: restored");
  auto on = db->describe_continuous_backups({.table_name = "table"});
  EXPECT_TRUE(on->enabled);
  EXPECT_EQ(on->recovery_period_days, 35);
  EXPECT_EQ(on->earliest_restorable_ms, enabled_ms);
  EXPECT_EQ(on->latest_restorable_ms, enabled_ms + 10'000);
  // Once recovery has been enabled for longer than the period, the earliest time moves with the clock.
  ASSERT_TRUE(
      db->update_continuous_backups({.table_name = "table", .enabled = true, .recovery_period_days = 2}).has_value());
  db.clock->advance_ms(5 * kDayMs);
  on = db->describe_continuous_backups({.table_name = "table"});
  EXPECT_EQ(on->earliest_restorable_ms, db.clock->now_ms() - 2 * kDayMs);
  EXPECT_EQ(db.restore_at(db.clock->now_ms() - 2 * kDayMs - 1000, "late").error().code, ErrorCode::kInvalidRestoreTime);
  expect_rejected(db->update_continuous_backups({.table_name = "table", .enabled = false, .recovery_period_days = 2}),
                  ErrorCode::kValidation,
                  "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.");
  db.enable("table", false);
  EXPECT_EQ(db->catalog().find("table")->description.history_keyspace, 0u);
}

TEST(Recovery, history_that_is_too_old_is_trimmed_and_the_rest_still_restores) {
  RecoveryFixture db;
  db.create();
  ASSERT_TRUE(
      db->update_continuous_backups({.table_name = "table", .enabled = true, .recovery_period_days = 1}).has_value());
  std::map<int64_t, int64_t> expected;
  for (int64_t day = 0; day < 4; ++day) {
    for (int64_t n = 0; n < 20; ++n) {
      db.put(n, day * 100 + n);
      expected[n] = day * 100 + n;
    }
    if (day < 3) db.clock->advance_ms(kDayMs);
  }
  const int64_t third_ms = db.clock->now_ms();
  db.clock->advance_ms(kDayMs / 2);
  for (int64_t n = 0; n < 20; ++n) db.put(n, -1);
  const uint32_t history = db->catalog().find("table")->description.history_keyspace;
  const auto records = [&] {
    size_t count = 0;
    const auto cursor = db->store().cursor(Space::kHistory, {.range = keyspace_range(history)}, nullptr);
    for (; cursor->valid(); cursor->next()) ++count;
    return count;
  };
  EXPECT_EQ(records(), 100u);
  db->recovery().run_due_work();
  ASSERT_TRUE(const_cast<Store&>(db->store()).compact(Space::kHistory, keyspace_range(history)).has_value());
  EXPECT_EQ(records(), 40u) << "those of the last day and a half";
  ASSERT_TRUE(db.restore_at(third_ms, "restored").has_value());
  db.finish();
  db.expect_equal("restored", expected);
}

TEST(Recovery, jobs_resume_after_a_restart) {
  const ScratchFolder folder;
  RecoveryFixture db(folder.path());
  db.create("table", true);
  std::map<int64_t, int64_t> expected;
  for (int64_t n = 0; n < 200; ++n) {
    db.put(n, n);
    expected[n] = n;
  }
  const int64_t then_ms = db.clock->now_ms();
  db.clock->advance_ms(1000);
  const std::string arn = db.backup();
  ASSERT_TRUE(db.restore_at(then_ms, "restored").has_value());
  for (int64_t n = 0; n < 200; n += 2) db.erase(n);
  db.open();  // nothing has been copied yet
  for (int64_t n = 1; n < 200; n += 2) db.put(n, -n);
  EXPECT_EQ(db->describe_backup({.backup_arn = arn})->backup.details.status, BackupStatus::kCreating);
  EXPECT_EQ(db->describe_table({.table_name = "restored"})->table.status, Status::kCreating);
  db.finish();
  db.expect_equal("restored", expected);
  ASSERT_TRUE(db.restore(arn, "from-backup").has_value());
  db.open();
  db.finish();
  db.expect_equal("from-backup", expected);
  EXPECT_TRUE(db->catalog().recovery().holds().empty());
  EXPECT_TRUE(db->catalog().recovery().restores().empty());
}

TEST(Recovery, remains_of_a_job_that_had_not_begun_are_removed_after_a_crash) {
  const ScratchFolder folder;
  RecoveryFixture db(folder.path());
  db.create();
  const auto lost = db->hold_history("table", "backup arn:of-none", std::nullopt);
  const auto others = db->hold_history("table", "of-someone", std::nullopt);
  ASSERT_TRUE(lost.has_value() && others.has_value());
  db.open();
  EXPECT_EQ(db->catalog().recovery().hold(lost->id), nullptr);
  EXPECT_NE(db->catalog().recovery().hold(others->id), nullptr) << "whose owner may still want it";
  ASSERT_TRUE(db->release_history(others->id).has_value());
  db->wait_idle();
  EXPECT_EQ(db->catalog().find("table")->description.history_keyspace, 0u);
  EXPECT_TRUE(db->catalog().dropped().empty());
}

TEST(Recovery, times_of_a_history_do_not_go_back_with_the_clock) {
  const ScratchFolder folder;
  RecoveryFixture db(folder.path());
  db.create("table", true);
  db.clock->advance_ms(10'000);
  db.put(1, 1);
  const int64_t then_ms = db.clock->now_ms();
  db->recovery().run_due_work();
  db.clock = std::make_shared<ManualClock>(then_ms - 5'000);
  db.open();
  db.put(1, 2);  // later than the first put, although the clock was set back
  db.put(2, 2);
  db.clock->advance_ms(20'000);
  ASSERT_TRUE(db.restore_at(then_ms, "restored").has_value());
  db.finish();
  db.expect_equal("restored", {{1, 1}});
}

TEST(Recovery, a_backup_and_a_restore_survive_the_deletion_of_their_table) {
  RecoveryFixture db;
  db.create("table", true);
  std::map<int64_t, int64_t> expected;
  for (int64_t n = 0; n < 100; ++n) {
    db.put(n, n);
    expected[n] = n;
  }
  const int64_t then_ms = db.clock->now_ms();
  db.clock->advance_ms(1000);
  db.put(5, 500);
  auto later = expected;
  later[5] = 500;
  const std::string arn = db.backup();
  ASSERT_TRUE(db.restore_at(then_ms, "restored").has_value());
  db.erase(7);
  later.erase(7);
  ASSERT_TRUE(db->delete_table({.table_name = "table"}).has_value());
  db->wait_idle();
  db.finish();
  db->wait_idle();
  db.expect_equal("restored", expected);

  // Deleting a table with point in time recovery creates a system backup.
  ListBackupsRequest list{.table_name = "table"};
  list.type = BackupTypeFilter::kSystem;
  const auto listed = db->list_backups(list);
  ASSERT_EQ(listed->backups.size(), 1u);
  const BackupDetails& details = listed->backups[0].details;
  EXPECT_EQ(details.name, "table$DeletedTableBackup");
  EXPECT_EQ(details.type, BackupType::kSystem);
  EXPECT_EQ(details.status, BackupStatus::kAvailable);
  EXPECT_TRUE(details.arn.ends_with("-00000000")) << details.arn;
  EXPECT_EQ(details.expires_ms, details.created_ms + 35 * kDayMs);
  EXPECT_EQ(db->delete_backup({.backup_arn = details.arn}).error().code, ErrorCode::kValidation);
  ASSERT_TRUE(db.restore(details.arn, "undeleted").has_value());
  ASSERT_TRUE(db.restore(arn, "from-backup").has_value());
  db.finish();
  db.expect_equal("undeleted", later);
  later[7] = 7;
  db.expect_equal("from-backup", later);

  db.clock->advance_ms(35 * kDayMs);
  db->recovery().run_due_work();
  EXPECT_TRUE(db->list_backups(list)->backups.empty());
  db->wait_idle();
  EXPECT_TRUE(db->catalog().dropped().empty());
}

TEST(Recovery, overrides_are_applied_and_invalid_ones_rejected) {
  RecoveryFixture db;
  db.create();
  db.put(1, 2);
  const std::string arn = db.backup();
  db.finish();
  const auto refused = [&](RestoreOverrides overrides, std::string_view message) {
    expect_rejected(db.restore(arn, "restored", std::move(overrides)), ErrorCode::kValidation, message);
  };
  refused({.billing_mode = BillingMode::kPayPerRequest, .throughput = Throughput{1, 1}},
          "Invalid Request: Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST");
  refused({.on_demand = ThroughputLimits{.read_units = 5, .write_units = 5}},
          "Invalid Request: Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is "
          "PAY_PER_REQUEST");
  const IndexDefinition by_g{.index_name = "renamed",
                             .key_schema = {{.attribute_name = "g"}},
                             .projection_type = ProjectionType::kInclude,
                             .non_key_attributes = std::vector<std::string>{"v"},
                             .throughput = Throughput{8, 9}};
  IndexDefinition other = by_g;
  other.projection_type = ProjectionType::kAll;
  other.non_key_attributes.reset();
  refused({.global_indexes = std::vector{other}},
          "Invalid Request: Index renamed does not match a secondary index that existed in the source table and cannot "
          "be created during the restore operation");
  IndexDefinition without = by_g;
  without.throughput.reset();
  refused({.global_indexes = std::vector{without}},
          "Invalid Request: Must specify provisioned throughput for index renamed");

  ASSERT_TRUE(db.restore(arn, "renamed-index",
                         {.global_indexes = std::vector{by_g}, .local_indexes = std::vector<IndexDefinition>{}})
                  .has_value());
  db.finish();
  TableDescription table = db->describe_table({.table_name = "renamed-index"})->table;
  ASSERT_EQ(table.indexes.size(), 1u);
  EXPECT_EQ(table.indexes[0].name, "renamed");
  EXPECT_EQ(table.indexes[0].throughput, (Throughput{8, 9}));
  EXPECT_EQ(table.attributes.size(), 3u) << "the local index took its attribute along";
  EXPECT_EQ(db.scan("renamed-index", "renamed").size(), 1u);

  ASSERT_TRUE(
      db.restore(arn, "on-demand",
                 {.billing_mode = BillingMode::kPayPerRequest, .global_indexes = std::vector<IndexDefinition>{}})
          .has_value());
  db.finish();
  table = db->describe_table({.table_name = "on-demand"})->table;
  EXPECT_EQ(table.billing, BillingMode::kPayPerRequest);
  EXPECT_EQ(table.throughput, Throughput{});
  ASSERT_EQ(table.indexes.size(), 1u);
  EXPECT_EQ(table.indexes[0].name, "by-l");

  const std::string second = db.backup("on-demand");
  db.finish();
  expect_rejected(db.restore(second, "restored", {.throughput = Throughput{1, 1}}), ErrorCode::kValidation,
                  "Invalid Request: Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED");
  expect_rejected(db.restore(second, "restored", {.billing_mode = BillingMode::kProvisioned}), ErrorCode::kValidation,
                  "Invalid Request: Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED");
}

TEST(Recovery, backups_are_listed_by_table_time_and_type) {
  RecoveryFixture db;
  db.create("table-a");
  db.create("table-b");
  std::vector<std::string> arns;
  for (int i = 0; i < 3; ++i) {
    arns.push_back(db.backup("table-a"));
    db.clock->advance_ms(1000);
  }
  const std::string b = db.backup("table-b");
  db.finish();
  const auto listed = [&](ListBackupsRequest request) {
    std::vector<std::string> found;
    const auto answer = db->list_backups(request);
    EXPECT_TRUE(answer.has_value());
    for (const auto& backup : answer->backups) found.push_back(backup.details.arn);
    return found;
  };
  EXPECT_EQ(listed({}), (std::vector<std::string>{arns[0], arns[1], arns[2], b}));
  EXPECT_EQ(listed({.table_name = "table-b"}), std::vector<std::string>{b});
  EXPECT_TRUE(listed({.table_name = "none"}).empty());
  const int64_t second_ms = 1'800'000'001'000;
  EXPECT_EQ(listed({.table_name = "table-a", .lower_bound_ms = second_ms, .upper_bound_ms = second_ms + 1000}),
            std::vector<std::string>{arns[1]});
  const auto page = db->list_backups({.limit = 2});
  EXPECT_EQ(page->last_evaluated_backup_arn, arns[1]);
  EXPECT_EQ(listed({.exclusive_start_backup_arn = arns[1]}), (std::vector<std::string>{arns[2], b}));
  EXPECT_FALSE(db->list_backups({.limit = 4})->last_evaluated_backup_arn.has_value());
  expect_rejected(
      db->list_backups({.lower_bound_ms = 2, .upper_bound_ms = 1}), ErrorCode::kValidation,
      "One or more parameter values were invalid: Time range lower bound must be less than or equal to upper "
      "bound");
  expect_rejected(db->describe_backup({.backup_arn = "arn:aws:dynamodb:us-east-1:000000000000:table/table-a"}),
                  ErrorCode::kValidation, "Invalid Backup ARN");
}

}  // namespace
}  // namespace trestle
