// Copies of a table while disk reads fail: a copy is either complete and consistent with its point in time, or not
// made.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "base/scratch_folder.h"
#include "bucket/bucket.h"
#include "engine/engine.h"
#include "engine/quiet_engine.h"
#include "engine/recovery/table_at.h"
#include "simulation/faulty_disk.h"
#include "simulation/observation.h"
#include "simulation/world.h"

namespace trestle {
namespace {

constexpr int kItems = 40;
constexpr int kReadsMax = 40;  // the last read for which a failure is injected

using Contents = std::map<std::string, std::string>;  // by key; key and item as text

struct ReadFailureFixture : QuietEngine {
  FaultyDisk disk;
  int64_t version = 0;

  explicit ReadFailureFixture(std::string in) : QuietEngine(std::move(in)) { open(); }
  ~ReadFailureFixture() { engine.reset(); }

  // Opens the database again, with every item in a file and an empty cache.
  void open() { QuietEngine::open(disk_options()); }
  EngineOptions disk_options() {
    EngineOptions result = options();
    result.store.file_system = disk.mount();
    result.recovery.page = {.keys_max = 9, .bytes_max = size_t{1} << 20};
    result.exports = {.interval_ms = 0, .file_bytes_max = 2'000};
    result.buckets = folder_buckets(folder + "/../buckets");
    return result;
  }
  void create(const std::string& table) const {
    CreateTableRequest request{.table_name = table};
    request.attribute_definitions = {{"p", ValueType::kString}, {"s", ValueType::kNumber}};
    request.key_schema = {{.attribute_name = "p"}, {.attribute_name = "s", .is_range = true}};
    request.billing_mode = BillingMode::kPayPerRequest;
    ASSERT_TRUE(engine->create_table(request).has_value());
  }
  // Changes about one item in three, adds some and deletes some.
  void write(const std::string& table) {
    for (int i = 0; i < kItems; ++i) {
      ++version;
      if (version % 3 == 0) continue;
      const Item key{{"p", Value::string(fmt::format("p{}", i % 5))}, {"s", Value::number(int64_t{i})}};
      if (version % 7 == 0) {
        ASSERT_TRUE(engine->delete_item({.table_name = table, .key = key}).has_value());
        continue;
      }
      const Value n = Value::number(version);
      const Value filler = Value::string(std::string(300, 'f'));
      ItemEditor item(key);
      item.set("n", n);
      item.set("f", filler);
      ASSERT_TRUE(engine->put_item({.table_name = table, .item = item.build()}).has_value());
    }
  }
  Contents contents(uint32_t keyspace) const {
    Contents found;
    const TableAt table(engine->store(), keyspace, 0, HistoryMoment{});
    const auto step = table.read({}, {.keys_max = 100'000},
                                 [&](std::string_view, ItemView item) { found[key_text(item)] = item_text(item); });
    EXPECT_TRUE(step.has_value() && step->done);
    return found;
  }
  Contents contents(const std::string& table) const {
    return contents(engine->catalog().find(table)->description.keyspace);
  }
  // Runs `work` with the k-th read of a data file failing, then repeats it without faults until it is done. Returns
  // false if there were fewer than k reads.
  template <class Work, class IsDone>
  bool with_failing_read(int k, const Work& work, const IsDone& is_done) {
    const uint64_t before = disk.faults();
    disk.inject(
        {.operation = DiskOperation::kRead, .file = FileKind::kTable, .skip = k, .error = DiskError::kInputOutput});
    work();
    disk.heal();
    repeat_until(work, is_done);
    return disk.faults() > before;
  }
  // The failure may have hit a flush. The store then refuses writes until it has recovered.
  template <class Work, class IsDone>
  static void repeat_until(const Work& work, const IsDone& is_done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (work(); !is_done() && std::chrono::steady_clock::now() < deadline; work()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(is_done());
  }
  bool is_available(const std::string& backup_arn) const {
    const auto backup = engine->catalog().recovery().backup(backup_arn);
    return backup && backup->status == BackupStatus::kAvailable;
  }
};

TEST(ReadFailure, a_backup_is_of_its_moment_whichever_read_fails) {
  const ScratchFolder folder;
  ReadFailureFixture db(folder.path() + "/data");
  db.create("table");
  db.write("table");
  bool has_failed = true;
  for (int k = 0; has_failed && k < kReadsMax; k += 3) {
    const auto created = db->create_backup({.table_name = "table", .backup_name = "nightly"});
    ASSERT_TRUE(created.has_value()) << created.error().message;
    const Contents expected = db.contents("table");
    db.write("table");
    db.open();
    has_failed = db.with_failing_read(
        k, [&] { db->recovery().finish_jobs(); }, [&] { return db.is_available(created->backup.arn); });
    const auto backup = db->catalog().recovery().backup(created->backup.arn);
    ASSERT_TRUE(backup);
    ASSERT_EQ(db.contents(backup->keyspace), expected) << "read " << k;
    db.open();
  }
}

TEST(ReadFailure, a_restore_is_of_its_moment_whichever_read_fails) {
  const ScratchFolder folder;
  ReadFailureFixture db(folder.path() + "/data");
  db.create("table");
  ASSERT_TRUE(db->update_continuous_backups({.table_name = "table", .enabled = true}).has_value());
  bool has_failed = true;
  for (int k = 0; has_failed && k < kReadsMax; k += 3) {
    db.write("table");
    db.clock->advance_ms(1000);
    const int64_t moment_ms = db.clock->now_ms();
    db.clock->advance_ms(1000);
    const Contents expected = db.contents("table");
    db.write("table");
    const std::string target = fmt::format("restored-{}", k);
    const auto begun = db->restore_table_to_point_in_time(
        {.source_table_name = "table", .target_table_name = target, .restore_ms = moment_ms});
    ASSERT_TRUE(begun.has_value()) << begun.error().message;
    db.open();
    has_failed = db.with_failing_read(
        k, [&] { db->recovery().finish_jobs(); },
        [&] {
          const auto table = db->catalog().find(target);
          return table && table->description.status == Status::kActive;
        });
    ASSERT_EQ(db.contents(target), expected) << "read " << k;
    db.open();
  }
}

TEST(ReadFailure, an_export_is_of_its_moment_whichever_read_fails) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() + "/buckets/bucket");
  ReadFailureFixture db(folder.path() + "/data");
  db.create("table");
  ASSERT_TRUE(db->update_continuous_backups({.table_name = "table", .enabled = true}).has_value());
  bool has_failed = true;
  for (int k = 0; has_failed && k < kReadsMax; k += 3) {
    db.write("table");
    db.clock->advance_ms(1000);
    std::set<std::string> expected;
    for (const auto& [key, text] : db.contents("table")) expected.insert(text);
    ExportTableToPointInTimeRequest request;
    request.table_arn = db->catalog().find("table")->description.arn;
    request.s3_bucket = "bucket";
    request.s3_prefix = fmt::format("export-{}", k);
    const auto begun = db->export_table_to_point_in_time(request);
    ASSERT_TRUE(begun.has_value()) << begun.error().message;
    db.clock->advance_ms(1000);
    db.write("table");
    db.open();
    has_failed = db.with_failing_read(
        k, [&] { db->exports().finish_jobs(); },
        [&] {
          const auto described = db->describe_export({.export_arn = begun->description.arn});
          return described.has_value() && described->description.status == ExportStatus::kCompleted;
        });
    ASSERT_EQ(exported_items(folder.path() + "/buckets/bucket/" + *request.s3_prefix), expected) << "read " << k;
    db.open();
  }
}

TEST(ReadFailure, a_backfill_is_complete_whichever_read_fails) {
  const ScratchFolder folder;
  ReadFailureFixture db(folder.path() + "/data");
  db.create("table");
  db.write("table");
  bool has_failed = true;
  for (int k = 0; has_failed && k < kReadsMax; k += 3) {
    db.open();
    const uint64_t before = db.disk.faults();
    db.disk.inject(
        {.operation = DiskOperation::kRead, .file = FileKind::kTable, .skip = k, .error = DiskError::kInputOutput});
    UpdateTableRequest request{.table_name = "table"};
    request.attribute_definitions = {{{"p", ValueType::kString}, {"s", ValueType::kNumber}, {"n", ValueType::kNumber}}};
    request.index_updates = std::vector<IndexUpdate>{
        {.kind = IndexUpdate::Kind::kCreate,
         .index = {
             .index_name = "by-n", .key_schema = {{.attribute_name = "n"}}, .projection_type = ProjectionType::kAll}}};
    const auto index = [&] { return db->catalog().find("table")->description.index("by-n"); };
    ReadFailureFixture::repeat_until([&] { (void)db->update_table(request); }, [&] { return index() != nullptr; });
    const auto is_active = [&] { return index()->status == Status::kActive; };
    ReadFailureFixture::repeat_until([] {}, is_active);
    has_failed = db.disk.faults() > before;
    db.disk.heal();
    ASSERT_TRUE(is_active()) << "read " << k;
    ScanRequest scan;
    scan.table_name = "table";
    scan.index_name = "by-n";
    const auto page = db->scan(scan);
    ASSERT_TRUE(page.has_value()) << page.error().message;
    Contents found;
    for (size_t i = 0; i < page->items.size(); ++i) found[key_text(page->items[i])] = item_text(page->items[i]);
    ASSERT_EQ(found, db.contents("table")) << "read " << k;
    db.open();
    UpdateTableRequest removal{.table_name = "table"};
    removal.index_updates =
        std::vector<IndexUpdate>{{.kind = IndexUpdate::Kind::kDelete, .index = {.index_name = "by-n"}}};
    ASSERT_TRUE(db->update_table(removal).has_value());
  }
}

// A write reads the old item for the recovery history, so the failure may hit the write as well as the copy.
TEST(ReadFailure, acknowledged_writes_during_a_copy_happen_and_the_copy_is_of_its_moment) {
  const ScratchFolder folder;
  ReadFailureFixture db(folder.path() + "/data");
  db.create("table");
  db.write("table");
  int refused = 0;
  for (int k = 0; k < kReadsMax; k += 4) {
    const auto created = db->create_backup({.table_name = "table", .backup_name = "nightly"});
    ASSERT_TRUE(created.has_value()) << created.error().message;
    const Contents expected = db.contents("table");
    Contents current = expected;
    Contents unknown;  // unacknowledged writes, which may still become durable after a failed flush
    db.open();
    db.disk.inject({.operation = DiskOperation::kRead,
                    .file = FileKind::kTable,
                    .skip = k,
                    .times = 3,
                    .error = DiskError::kInputOutput});
    std::thread copier([&] { db->recovery().finish_jobs(); });
    for (int i = 0; i < kItems; ++i) {
      const Item item{{"p", Value::string(fmt::format("p{}", i % 5))},
                      {"s", Value::number(int64_t{i})},
                      {"n", Value::number(++db.version)}};
      const auto put = db->put_item({.table_name = "table", .item = item});
      if (put.has_value()) {
        current[key_text(item)] = item_text(item);
      } else {
        ++refused;
        unknown[key_text(item)] = item_text(item);
        EXPECT_EQ(put.error().code, ErrorCode::kServiceUnavailable) << put.error().message;
      }
    }
    copier.join();
    db.disk.heal();
    ReadFailureFixture::repeat_until([&] { db->recovery().finish_jobs(); },
                                     [&] { return db.is_available(created->backup.arn); });
    const auto backup = db->catalog().recovery().backup(created->backup.arn);
    ASSERT_TRUE(backup);
    ASSERT_EQ(db.contents(backup->keyspace), expected) << "read " << k;
    const Contents found = db.contents("table");
    for (const auto& [key, text] : unknown) {
      if (const auto at = found.find(key); at != found.end() && at->second == text) current[key] = text;
    }
    ASSERT_EQ(found, current) << "read " << k;
    db.open();
  }
  EXPECT_GT(refused, 0);
}

// An open that fails must not save anything that only a complete open knows.
TEST(ReadFailure, counts_are_exact_after_a_kill_whichever_read_of_the_next_start_fails) {
  const ScratchFolder folder;
  ReadFailureFixture db(folder.path() + "/data");
  db.create("table");
  db.write("table");
  const size_t items = db.contents("table").size();
  // Every record of the catalog that a start reads must be in a block of its own, so that its read can fail.
  db.engine.reset();
  {
    auto store = std::move(*Store::open(db.disk_options().store));
    Batch batch(*store);
    batch.put(Space::kCatalog, "T", std::string(7, '\0') + '\1');  // the history's time
    for (const char* prefix : {"S-", "T-", "c-", "k-"}) {
      for (int i = 0; i < 20; ++i) batch.put(Space::kCatalog, fmt::format("{}{}", prefix, i), std::string(4'000, 'f'));
    }
    ASSERT_TRUE(store->commit(batch).has_value());
  }
  db.open();
  int refused = 0;
  bool has_failed = true;
  for (int k = 0; has_failed && k < kReadsMax; ++k) {
    db.disk.kill();
    db.engine.reset();
    const uint64_t before = db.disk.faults();
    EngineOptions options = db.disk_options();
    db.disk.inject(
        {.operation = DiskOperation::kRead, .file = FileKind::kTable, .skip = k, .error = DiskError::kInputOutput});
    auto opened = Engine::open(std::move(options));
    if (opened.has_value()) {
      db.engine = std::move(*opened);
    } else {
      ++refused;
    }
    has_failed = db.disk.faults() > before;
    db.disk.heal();
    if (!db.engine) db.open();
    db->wait_idle();
    ASSERT_EQ(db->describe_table({.table_name = "table"})->table.item_count, static_cast<int64_t>(items))
        << "read " << k;
  }
  EXPECT_GT(refused, 2);
}

// In the last level the keys of the range are spread over several files.
TEST(ReadFailure, a_cursor_reads_all_or_reports_an_error) {
  FaultyDisk disk;
  const ScratchFolder folder;
  const auto open = [&] {
    auto opened =
        Store::open({.folder = folder.path() + "/data", .cache_bytes = size_t{8} << 20, .file_system = disk.mount()});
    EXPECT_TRUE(opened.has_value());
    return std::move(*opened);
  };
  constexpr int kFiles = 4;
  constexpr int kKeysInFile = 30;
  const auto key_of = [](int file, int i) { return fmt::format("k{}{:03}", file, i); };
  auto store = open();
  for (int file = 0; file < kFiles; ++file) {
    Batch batch(*store);
    for (int i = 0; i < kKeysInFile; ++i) batch.put(Space::kItems, key_of(file, i), std::string(1'000, 'v'));
    ASSERT_TRUE(store->commit(batch).has_value());
    ASSERT_TRUE(store->compact(Space::kItems, {key_of(file, 0), key_of(file, 999)}).has_value());
  }
  for (const bool backward : {false, true}) {
    int errors = 0;
    bool has_failed = true;
    for (int k = 0; has_failed && k < kReadsMax; ++k) {
      store.reset();
      store = open();
      const uint64_t before = disk.faults();
      disk.inject(
          {.operation = DiskOperation::kRead, .file = FileKind::kTable, .skip = k, .error = DiskError::kInputOutput});
      const auto cursor = store->cursor(Space::kItems, {.range = {"k", "l"}, .backward = backward}, nullptr);
      int found = 0;
      for (; cursor->valid(); cursor->next()) ++found;
      has_failed = disk.faults() > before;
      disk.heal();
      EXPECT_EQ(cursor->status().has_value(), found == kFiles * kKeysInFile) << "read " << k;
      if (!cursor->status().has_value()) ++errors;
    }
    EXPECT_FALSE(has_failed);
    EXPECT_GT(errors, 2 * kFiles);
  }
}

}  // namespace
}  // namespace trestle
