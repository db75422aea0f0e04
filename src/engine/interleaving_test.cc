// Changes of tables at every point of the background work that they may interleave with. A test point
// (base/test_point.h) runs the change on the job's thread, while the job holds no locks. Afterwards all counts and
// indexes must be consistent with the items.
#include "base/test_point.h"

#ifdef TRESTLE_HAS_TEST_POINTS

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <thread>

#include "base/bytes.h"
#include "base/scratch_folder.h"
#include "bucket/bucket.h"
#include "engine/engine.h"
#include "engine/quiet_engine.h"
#include "engine/vectors/vector_entry.h"

namespace trestle {
namespace {

constexpr int kInterleavedItems = 300;

struct InterleavedEngine : QuietEngine {
  std::string backup_arn;
  ScratchFolder buckets;
  std::atomic<bool> is_open{false};  // `engine` is set; its threads may run before

  explicit InterleavedEngine(std::string in) : QuietEngine(std::move(in)) {
    write_objects();
    open();
    create();
    put(0, kInterleavedItems);
  }
  void open() {
    is_open = false;
    QuietEngine::open(interleaved_options());
    is_open = true;
  }
  // Opens it as after a kill: the counts are not saved.
  void open_after_kill() { open_after_kill(interleaved_options()); }
  void open_after_kill(EngineOptions with) {
    is_open = false;
    engine.reset();
    {
      auto store = std::move(*Store::open({.folder = folder}));
      Batch batch(*store);
      batch.erase(Space::kCatalog, "C");
      ASSERT_TRUE(store->commit(batch).has_value());
    }
    QuietEngine::open(std::move(with));
    is_open = true;
  }
  EngineOptions interleaved_options() const {
    EngineOptions result = options();
    result.store.durability = Durability::kRelaxed;  // many engines, and nothing here is about syncs
    result.loads = {.interval_ms = 0, .page_items_max = 10};
    result.exports = {.interval_ms = 0, .file_bytes_max = 1000};
    result.vectors.threaded = false;
    result.buckets = folder_buckets(buckets.path());
    return result;
  }
  ~InterleavedEngine() { engine.reset(); }  // before the folders are removed
  InterleavedEngine(const InterleavedEngine&) = delete;
  InterleavedEngine& operator=(const InterleavedEngine&) = delete;

  // Writes the input of imports and bulk puts: two objects with items, some of which are in the table already.
  void write_objects() const {
    std::filesystem::create_directories(buckets.path() + "/bucket/in");
    for (int object = 0; object < 2; ++object) {
      std::ofstream out(buckets.path() + "/bucket/in/" + std::to_string(object) + ".json");
      for (int n = 0; n < 30; ++n) {
        out << R"({"Item":{"pk":{"S":"k)" << object * 1000 + n << R"("},"g":{"S":"bulk"}}})" << "\n";
      }
    }
  }
  // Imports into the name that other scenarios use for the restored table.
  void import() const {
    EXPECT_TRUE(begin_import("restored"));
    engine->loads().finish_jobs();
  }
  bool begin_import(const std::string& table) const {
    ImportTableRequest request{.client_token = "import " + table};
    request.source.bucket = "bucket";
    request.source.prefix = "in/";
    request.table.table_name = table;
    request.table.attribute_definitions = {{"pk", ValueType::kString}, {"g", ValueType::kString}};
    request.table.key_schema = {{.attribute_name = "pk"}};
    request.table.billing_mode = BillingMode::kPayPerRequest;
    request.table.global_indexes = std::vector<IndexDefinition>{index("first")};
    return engine->import_table(request).has_value();
  }
  bool begin_restore(const std::string& table) const {
    return engine->restore_table_from_backup({.target_table_name = table, .backup_arn = backup_arn}).has_value();
  }
  void put_in_bulk() const {
    StartBulkPutItemsRequest request;
    request.source.bucket = "bucket";
    request.source.prefix = "in/";
    request.output.bucket = "bucket";
    request.output.prefix = "errors";
    request.table_name = "table";
    EXPECT_TRUE(engine->start_bulk_put_items(request).has_value());
    engine->loads().finish_jobs();
  }
  void export_all() const {
    ExportTableToPointInTimeRequest request;
    request.table_arn = table_arn("us-east-1", "000000000000", "table");
    request.s3_bucket = "bucket";
    request.s3_prefix = "out";
    EXPECT_TRUE(engine->export_table_to_point_in_time(request).has_value());
    engine->exports().finish_jobs();
  }
  bool update_vector_index(bool adds) const {
    UpdateTableRequest request{.table_name = "table"};
    VectorIndexUpdate update{.is_delete = !adds, .index = {}};
    if (adds) {
      update.index = {.vector_attribute = "v",
                      .dimensions = 2,
                      .distance = DistanceFunction::kEuclidean,
                      .projection_type = ProjectionType::kKeysOnly};
    }
    update.index.index_name = "near";
    request.vector_index_updates = std::vector<VectorIndexUpdate>{update};
    return engine->update_table(request).has_value();
  }
  static IndexDefinition index(const std::string& name) {
    return {.index_name = name, .key_schema = {{.attribute_name = "g"}}, .projection_type = ProjectionType::kAll};
  }
  void create() const {
    CreateTableRequest request{.table_name = "table"};
    request.attribute_definitions = {{"pk", ValueType::kString}, {"g", ValueType::kString}};
    request.key_schema = {{.attribute_name = "pk"}};
    request.billing_mode = BillingMode::kPayPerRequest;
    request.global_indexes = std::vector<IndexDefinition>{index("first")};
    request.stream = StreamSpecification{.enabled = true, .view_type = StreamViewType::kKeysOnly};
    EXPECT_TRUE(engine->create_table(request).has_value());
    EXPECT_TRUE(engine->update_continuous_backups({.table_name = "table", .enabled = true}).has_value());
  }
  // Two of three items have entries in the indexes. Every second item is expired if time to live is enabled. With a
  // `shift` the keys get the attributes of other items.
  void put(int from, int to, int shift = 0) const {
    for (int key = from; key < to; ++key) {
      const Value pk = Value::string("k" + std::to_string(key));
      const int n = key + shift;
      const Value g = Value::string("g" + std::to_string(n % 7));
      const Value ttl = Value::number(clock->now_ms() / 1000 + (n % 2 == 0 ? -100 : 100'000));
      const Value x = Value::number(n);
      const std::vector<ValueView> elements{x, x};
      const Value vector = Value::list(elements);
      std::vector<Field> fields{{"pk", pk}, {"ttl", ttl}};
      if (n % 3 != 0) fields.push_back({"g", g});
      if (n % 2 != 0) fields.push_back({"v", vector});
      EXPECT_TRUE(engine->put_item({.table_name = "table", .item = Item(std::move(fields))}).has_value());
    }
  }
  bool update_index(IndexUpdate::Kind kind, const std::string& name) const {
    UpdateTableRequest request{.table_name = "table"};
    request.attribute_definitions = std::vector<KeyAttribute>{{"pk", ValueType::kString}, {"g", ValueType::kString}};
    IndexUpdate update{.kind = kind, .index = {.index_name = name}};
    if (kind == IndexUpdate::Kind::kCreate) update.index = index(name);
    request.index_updates = std::vector<IndexUpdate>{update};
    return engine->update_table(request).has_value();
  }
  bool set_time_to_live(bool enabled) const {
    return engine->update_time_to_live({.table_name = "table", .attribute_name = "ttl", .enabled = enabled})
        .has_value();
  }
  void back_up() {
    const auto backup = engine->create_backup({.table_name = "table", .backup_name = "nightly"});
    if (backup.has_value()) backup_arn = backup->backup.arn;
  }
  void finish_background_work() const {
    engine->loads().finish_jobs();
    engine->exports().finish_jobs();
    engine->recovery().finish_jobs();
    engine->wait_idle();
    engine->vectors().wait_idle();
    engine->recovery().run_due_work();
    engine->wait_idle();
  }

  struct Content {
    size_t items = 0;
    size_t with_g = 0;
    size_t with_v = 0;
    int64_t bytes = 0;  // as the table counts them
  };
  Content scan(const std::string& table, const std::string& index) const {
    Content content;
    ScanRequest request;
    request.table_name = table;
    if (!index.empty()) request.index_name = index;
    for (;;) {
      const auto page = engine->scan(request);
      EXPECT_TRUE(page.has_value()) << table << " " << index << ": " << page.error().message;
      if (!page.has_value()) return content;
      for (size_t i = 0; i < page->items.size(); ++i) {
        ++content.items;
        if (page->items[i].find("g")) ++content.with_g;
        if (page->items[i].find("v")) ++content.with_v;
        const auto described = engine->catalog().find(table);
        if (described) content.bytes += static_cast<int64_t>(billed_bytes(described->description, page->items[i]));
      }
      if (!page->last_evaluated_key) return content;
      request.exclusive_start_key = page->last_evaluated_key;
    }
  }
  // Checks that counts and indexes are consistent with the items, and that there are no orphaned entries.
  void expect_consistent() const {
    std::set<uint32_t> keyspaces;
    for (const auto& table : engine->catalog().tables()) {
      const TableDescription described = engine->describe_table({.table_name = table->description.name})->table;
      EXPECT_EQ(described.status, Status::kActive) << described.name;
      const Content content = scan(described.name, {});
      EXPECT_EQ(static_cast<size_t>(described.item_count), content.items) << described.name;
      EXPECT_EQ(described.size_bytes, content.bytes) << described.name;
      for (const VectorIndexDescription& index : described.vector_indexes) {
        EXPECT_EQ(index.status, Status::kActive) << index.name;
        EXPECT_EQ(static_cast<size_t>(index.item_count), content.with_v) << index.name;
        SearchVectorsRequest search{.table_name = described.name, .index_name = index.name};
        search.search_vector = {Value::number(1), Value::number(1)};
        search.top_k = 50;
        const auto found = engine->search_vectors(search);
        EXPECT_TRUE(found.has_value());
        if (found.has_value()) EXPECT_EQ(found->results.size(), std::min<size_t>(50, content.with_v)) << index.name;
        keyspaces.insert(index.keyspace);
      }
      keyspaces.insert(described.keyspace);
      for (const IndexDescription& index : described.indexes) {
        EXPECT_EQ(index.status, Status::kActive) << index.name;
        EXPECT_EQ(scan(described.name, index.name).items, content.with_g) << described.name << " " << index.name;
        EXPECT_EQ(static_cast<size_t>(index.item_count), content.with_g) << described.name << " " << index.name;
        keyspaces.insert(index.keyspace);
      }
    }
    for (const auto& backup : engine->catalog().recovery().backups()) {
      EXPECT_EQ(backup->status, BackupStatus::kAvailable) << backup->arn;
      const auto cursor = engine->store().cursor(Space::kItems, {.range = keyspace_range(backup->keyspace)}, nullptr);
      int64_t items = 0;
      for (; cursor->valid(); cursor->next()) ++items;
      EXPECT_EQ(items, backup->items) << backup->arn;
      keyspaces.insert(backup->keyspace);
    }
    EXPECT_TRUE(engine->catalog().dropped().empty());
    EXPECT_TRUE(engine->catalog().recovery().restores().empty());
    EXPECT_TRUE(engine->catalog().recovery().holds().empty());
    const auto cursor =
        engine->store().cursor(Space::kItems, {.range = {std::string(), std::string(5, '\xFF')}}, nullptr);
    for (; cursor->valid(); cursor->next()) {
      ASSERT_TRUE(keyspaces.contains(load_u32_be(cursor->key().data())))
          << "an orphaned entry, whose keyspace belongs to no table or index";
    }
  }
};

struct Interleaved {
  const char* point;
  int occurrence;                               // run the change when the point is reached for this time
  std::function<void(InterleavedEngine&)> run;  // makes the job reach it
  bool needs_disk = false;
};

std::vector<Interleaved> all_points() {
  const auto fill_index = [](InterleavedEngine& db) {
    db.update_index(IndexUpdate::Kind::kCreate, "second");
    db->wait_idle();
  };
  const auto back_up = [](InterleavedEngine& db) {
    db.back_up();
    db->recovery().finish_jobs();
  };
  const auto restore = [](InterleavedEngine& db) {
    (void)db.begin_restore("restored");
    db->recovery().finish_jobs();
  };
  const auto free = [](InterleavedEngine& db) {
    db.update_index(IndexUpdate::Kind::kDelete, "first");
    db->wait_idle();
  };
  const auto fill_expiry = [](InterleavedEngine& db) {
    db.set_time_to_live(true);
    db->wait_idle();
  };
  const auto sweep = [](InterleavedEngine& db) {
    db.set_time_to_live(true);
    db->wait_idle();
    db->sweep_expired();
  };
  const auto maintain_streams = [](InterleavedEngine& db) {
    db.clock->advance_ms(int64_t{5} * 60 * 60 * 1000);
    db->maintain_streams();
  };
  const auto import = [](InterleavedEngine& db) { db.import(); };
  const auto put_in_bulk = [](InterleavedEngine& db) { db.put_in_bulk(); };
  const auto export_all = [](InterleavedEngine& db) { db.export_all(); };
  const auto load_vectors = [](InterleavedEngine& db) {
    db.update_vector_index(true);
    db->wait_idle();
    db->vectors().wait_idle();
  };
  const auto recount = [](InterleavedEngine& db) {
    db.open_after_kill();
    db->wait_idle();
  };
  return {{"loads.page", 1, import},
          {"loads.page", 3, import},
          {"loads.page", 1, put_in_bulk},
          {"loads.page", 4, put_in_bulk},
          {"exports.page", 1, export_all},
          {"exports.page", 2, export_all},
          {"exports.manifest", 1, export_all},
          {"loads.end", 1, import},
          {"loads.end", 1, put_in_bulk},
          {"vectors.load", 1, load_vectors},
          {"vectors.load_entry", 1, load_vectors},
          {"vectors.load_entry", 70, load_vectors},
          {"resize.add", 1, load_vectors},
          {"recount.add", 1, recount, true},
          {"recount.add", 2, recount, true},
          {"restore.finish", 1, restore},
          {"backfill.commit", 1, fill_index},
          {"backfill.commit", 5, fill_index},
          {"backfill.finish", 1, fill_index},
          {"recovery.page", 1, back_up},
          {"recovery.page", 1, restore},
          {"recovery.page", 2, restore},
          {"free.keyspace", 1, free},
          {"expiry_fill.commit", 1, fill_expiry},
          {"expiry_fill.commit", 9, fill_expiry},
          {"expiry.commit", 2, sweep},
          {"streams.stream", 1, maintain_streams}};
}

struct InterleavedChange {
  const char* name;
  std::function<void(InterleavedEngine&)> run;  // may fail
};

std::vector<InterleavedChange> all_interleaved_changes() {
  using Kind = IndexUpdate::Kind;
  const auto delete_indexes = [](InterleavedEngine& db) {
    db.update_index(Kind::kDelete, "second");
    db.update_index(Kind::kDelete, "first");
    db.update_vector_index(false);
  };
  return {
      {"delete indexes", delete_indexes},
      {"re-create indexes",
       [=](InterleavedEngine& db) {
         delete_indexes(db);
         db.put(kInterleavedItems, kInterleavedItems + 10);
         db.update_index(Kind::kCreate, "second");
         db.update_vector_index(true);
       }},
      {"delete table", [](InterleavedEngine& db) { (void)db->delete_table({.table_name = "table"}); }},
      {"re-create table",
       [](InterleavedEngine& db) {
         if (!db->delete_table({.table_name = "table"}).has_value()) return;
         db.create();
         db.put(100, 150);
       }},
      {"disable time to live", [](InterleavedEngine& db) { db.set_time_to_live(false); }},
      {"re-enable time to live",
       [](InterleavedEngine& db) {
         db.set_time_to_live(false);
         db.set_time_to_live(true);
       }},
      {"disable stream",
       [](InterleavedEngine& db) {
         UpdateTableRequest request{.table_name = "table"};
         request.stream = StreamSpecification{.enabled = false};
         (void)db->update_table(request);
       }},
      {"re-enable stream",
       [](InterleavedEngine& db) {
         UpdateTableRequest request{.table_name = "table"};
         request.stream = StreamSpecification{.enabled = false};
         (void)db->update_table(request);
         request.stream = StreamSpecification{.enabled = true, .view_type = StreamViewType::kNewImage};
         (void)db->update_table(request);
         db.put(0, 10, 2);
       }},
      {"re-enable recovery",
       [](InterleavedEngine& db) {
         (void)db->update_continuous_backups({.table_name = "table", .enabled = false});
         (void)db->update_continuous_backups({.table_name = "table", .enabled = true});
         db.put(0, 10, 2);
       }},
      {"restore", [](InterleavedEngine& db) { (void)db.begin_restore("another"); }},
      {"delete and restore again",
       [](InterleavedEngine& db) {
         (void)db->delete_table({.table_name = "restored"});
         (void)db.begin_restore("restored");
       }},
      {"import", [](InterleavedEngine& db) { (void)db.begin_import("imported"); }},
      {"tag",
       [](InterleavedEngine& db) {
         (void)db->tag_resource({.resource_arn = table_arn("us-east-1", "000000000000", "table"),
                                 .tags = {{.key = "color", .value = "blue"}}});
       }},
      {"limit throughput",
       [](InterleavedEngine& db) {
         UpdateTableRequest request{.table_name = "table"};
         request.on_demand = ThroughputLimits{.read_units = 10'000, .write_units = 10'000};
         (void)db->update_table(request);
       }},
      {"disable recovery",
       [](InterleavedEngine& db) { (void)db->update_continuous_backups({.table_name = "table", .enabled = false}); }},
      {"delete backup", [](InterleavedEngine& db) { (void)db->delete_backup({.backup_arn = db.backup_arn}); }},
      {"back up", [](InterleavedEngine& db) { db.back_up(); }},
      {"delete the restored table", [](InterleavedEngine& db) { (void)db->delete_table({.table_name = "restored"}); }},
      {"overwrite", [](InterleavedEngine& db) { db.put(0, kInterleavedItems / 2, 1); }},
      {"put and delete", [](InterleavedEngine& db) {
         db.put(kInterleavedItems, kInterleavedItems + 20);
         for (int n = 0; n < kInterleavedItems; n += 5) {
           const Item key{{"pk", Value::string("k" + std::to_string(n))}};
           EXPECT_TRUE(db->delete_item({.table_name = "table", .key = key}).has_value());
         }
       }}};
}

TEST(Interleaving, any_change_at_any_point_leaves_a_consistent_table) {
  int combination = 0;
  for (const Interleaved& point : all_points()) {
    for (const InterleavedChange& change : all_interleaved_changes()) {
      SCOPED_TRACE(std::string(change.name) + " at " + point.point + " " + std::to_string(point.occurrence));
      // Most engines are in memory, because syncs take most of the time. Every fifth is on disk, and is reopened.
      const bool restarts = combination++ % 5 == 0 || point.needs_disk;
      ScratchFolder folder;
      InterleavedEngine db(restarts ? folder.path() : std::string());
      db.back_up();
      db.finish_background_work();
      std::atomic<int> reached = 0;
      {
        TestPoints::Hook hook([&](std::string_view at) {
          if (at != point.point || ++reached != point.occurrence) return;
          while (!db.is_open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          change.run(db);
        });
        point.run(db);
      }
      EXPECT_GE(reached, point.occurrence) << "the change did not happen";
      db.finish_background_work();
      db.expect_consistent();
      if (testing::Test::HasFailure()) return;
      if (!restarts) continue;
      db.open();
      db.finish_background_work();
      db.expect_consistent();
      if (testing::Test::HasFailure()) return;
    }
  }
}

// After a kill with expired items in a table. If a job ran before the recount had taken its snapshot, or before the
// vector indexes existed, counts would be wrong, or the program would crash.
TEST(Interleaving, no_job_runs_before_everything_is_constructed) {
  ScratchFolder folder;
  InterleavedEngine db(folder.path());
  ASSERT_TRUE(db.update_vector_index(true));
  ASSERT_TRUE(db.set_time_to_live(true));
  db.finish_background_work();
  db.clock->advance_ms(1'000);
  EngineOptions options = db.interleaved_options();
  options.expiry.interval_ms = options.streams.interval_ms = options.recovery.interval_ms = 1;
  options.loads.interval_ms = options.exports.interval_ms = 1;
  std::atomic<bool> is_constructed{false};
  std::atomic<int> early_steps{0};
  std::atomic<int> steps{0};
  int constructions = 0;
  {
    TestPoints::Hook hook([&](std::string_view at) {
      if (at == "engine.construct") {
        ++constructions;
        std::this_thread::sleep_for(std::chrono::milliseconds(3));  // enough for a thread that runs already
      } else if (at == "engine.start") {
        is_constructed = true;
      } else if (at == "job.step") {
        ++(is_constructed ? steps : early_steps);
      }
    });
    db.open_after_kill(std::move(options));
    EXPECT_GE(constructions, 9);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto is_done = [&] {
      return steps > 10 && db->background_jobs() == 0 && db.scan("table", {}).items == kInterleavedItems / 2;
    };
    while (!is_done() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(is_done());
  }
  EXPECT_EQ(early_steps, 0);
  db->vectors().wait_idle();
  db.expect_consistent();
}

TEST(Interleaving, a_search_does_not_scan_an_index_that_was_dropped_during_the_search) {
  InterleavedEngine db{std::string()};
  ASSERT_TRUE(db.update_vector_index(true));
  db.finish_background_work();
  SearchVectorsRequest search{.table_name = "table", .index_name = "near"};
  search.search_vector = {Value::number(1), Value::number(1)};
  search.top_k = 5;
  ASSERT_TRUE(db->search_vectors(search).has_value());
  TestPoints::Hook hook([&](std::string_view at) {
    if (at == "search.begin") EXPECT_TRUE(db.update_vector_index(false));
  });
  const auto found = db->search_vectors(search);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().message, "The table does not have the specified index: near");
}

}  // namespace
}  // namespace trestle

#endif
