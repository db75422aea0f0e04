// Imports and bulk puts, step by step: the state after an interruption, and what is read again.
#include "engine/bulk/loads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "base/scratch_folder.h"
#include "bucket/bucket.h"
#include "engine/bulk/load_descriptions.h"
#include "engine/bulk/load_source.h"
#include "engine/engine.h"
#include "engine/quiet_engine.h"
#include "storage/disk/failing_disk_for_test.h"
#include "storage/slow_disk_for_test.h"

namespace trestle {
namespace {

std::string import_line(int n, int version = 0) {
  return R"({"Item":{"pk":{"S":"k)" + std::to_string(n) + R"("},"v":{"N":")" + std::to_string(version) + "\"}}}\n";
}

struct LoadsFixture : QuietEngine {
  ScratchFolder scratch;
  ScratchFolder data;
  std::shared_ptr<Buckets> buckets;  // null: a folder
  std::shared_ptr<FailingDisk> disk = std::make_shared<FailingDisk>();
  std::shared_ptr<SlowDisk> slow_disk;  // instead of `disk`, unless it is null

  LoadsFixture() : QuietEngine({}) {
    folder = data.path();
    std::filesystem::create_directories(scratch.path() + "/bucket");
    open();
  }
  ~LoadsFixture() { engine.reset(); }  // before the folders are removed
  void open() {
    EngineOptions result = options();
    result.loads.interval_ms = 0;
    result.loads.page_items_max = 4;
    result.exports.interval_ms = 0;
    result.buckets = buckets ? buckets : folder_buckets(scratch.path());
    result.store.file_system = slow_disk ? std::shared_ptr<rocksdb::FileSystem>(slow_disk) : disk;
    QuietEngine::open(std::move(result));
  }
  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(scratch.path() + "/bucket/" + name) << bytes;
  }
  Result<ImportResponse> import(const std::string& table, const std::string& token = "token") const {
    ImportTableRequest request{.client_token = token, .source = {.owner = {}, .bucket = "bucket", .prefix = {}}};
    request.table.table_name = table;
    request.table.attribute_definitions = {{"pk", ValueType::kString}};
    request.table.key_schema = {{.attribute_name = "pk"}};
    request.table.billing_mode = BillingMode::kPayPerRequest;
    return engine->import_table(request);
  }
  ImportDescription describe(const std::string& arn) const {
    return engine->describe_import({.import_arn = arn})->import;
  }
  int64_t count(const std::string& table) const {
    ScanRequest request;
    request.table_name = table;
    const auto page = engine->scan(request);
    return page.has_value() ? page->count : -1;
  }
};

TEST(Loads, an_import_resumes_where_it_stopped) {
  LoadsFixture db;
  std::string lines;
  for (int n = 0; n < 10; ++n) lines += import_line(n);
  db.put("a", lines);
  db.put("b", import_line(10) + import_line(0, 7));
  const auto begun = db.import("table");
  ASSERT_TRUE(begun.has_value()) << begun.error().message;
  const std::string arn = begun->import.summary.arn;
  EXPECT_EQ(-1, db.count("table"));
  db.open();
  EXPECT_EQ(ImportStatus::kInProgress, db.describe(arn).summary.status);
  db->loads().finish_jobs();
  const ImportDescription done = db.describe(arn);
  EXPECT_EQ(ImportStatus::kCompleted, done.summary.status);
  EXPECT_EQ(12, done.imported_items);
  EXPECT_EQ(11, db.count("table"));
  EXPECT_EQ(static_cast<int64_t>(lines.size() + import_line(10).size() + import_line(0, 7).size()),
            done.processed_bytes);
}

TEST(Loads, a_token_identifies_its_import_for_eight_hours) {
  LoadsFixture db;
  const auto first = db.import("one-table");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->import.summary.arn, db.import("one-table")->import.summary.arn);
  EXPECT_EQ(ErrorCode::kImportConflict, db.import("another").error().code);
  db->loads().finish_jobs();
  EXPECT_EQ(ErrorCode::kResourceInUse, db.import("one-table").error().code);
  db.clock->advance_ms(kLoadTokenMs);
  EXPECT_TRUE(db.import("another").has_value());
}

TEST(Loads, an_import_without_its_table_is_removed) {
  LoadsFixture db;
  const auto begun = db.import("table");
  ASSERT_TRUE(begun.has_value());
  Load lost = *db->loads().catalog().find(begun->import.summary.arn);
  lost.arn += "0";
  lost.table_id = "another";
  ASSERT_TRUE(db->loads().catalog().save(lost).has_value());
  db.open();
  EXPECT_EQ(nullptr, db->loads().catalog().find(lost.arn));
  EXPECT_NE(nullptr, db->loads().catalog().find(begun->import.summary.arn));
}

// A client repeats a request that failed with 503, with the same token.
TEST(Loads, an_import_that_failed_to_begin_can_be_repeated_with_its_token) {
  for (const bool fails_writes : {true, false}) {
    LoadsFixture db;
    db.put("a", import_line(1) + import_line(2));
    (fails_writes ? db.disk->fail_writes : db.disk->fail_syncs) = true;
    const auto failed = db.import("table");
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code, ErrorCode::kServiceUnavailable) << failed.error().message;
    db.disk->fail_writes = db.disk->fail_syncs = false;
    auto repeated = db.import("table");
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!repeated.has_value() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      repeated = db.import("table");
    }
    ASSERT_TRUE(repeated.has_value()) << repeated.error().message;
    db->loads().finish_jobs();
    EXPECT_EQ(db.describe(repeated->import.summary.arn).summary.status, ImportStatus::kCompleted) << fails_writes;
    EXPECT_EQ(db.count("table"), 2) << fails_writes;
    EXPECT_EQ(db->list_imports({})->imports.size(), 1u) << fails_writes;
  }
}

TEST(Loads, only_fifty_imports_at_a_time) {
  LoadsFixture db;
  for (size_t i = 0; i < kLoadsMax; ++i) {
    ASSERT_TRUE(db.import("table-" + std::to_string(i), "token-" + std::to_string(i)).has_value());
  }
  EXPECT_EQ(ErrorCode::kLimitExceeded, db.import("one-more", "more").error().code);
  db->loads().finish_jobs();
  EXPECT_TRUE(db.import("one-more", "more").has_value());
}

TEST(Loads, finished_loads_are_listed_for_ninety_days) {
  for (const bool restarts : {true, false}) {
    LoadsFixture db;
    const auto begun = db.import("table");
    db->loads().finish_jobs();
    const auto check = [&] { restarts ? db.open() : db->loads().finish_jobs(); };
    db.clock->advance_ms(kLoadRetentionMs);
    check();
    EXPECT_NE(nullptr, db->loads().catalog().find(begun->import.summary.arn));
    db.clock->advance_ms(60'000);
    check();
    EXPECT_EQ(nullptr, db->loads().catalog().find(begun->import.summary.arn)) << restarts;
  }
}

TEST(Loads, a_cancelled_bulk_put_puts_no_more_items) {
  LoadsFixture db;
  ASSERT_TRUE(db.import("table").has_value());
  db->loads().finish_jobs();
  db.put("a", import_line(1) + import_line(2));
  StartBulkPutItemsRequest request{.client_token = {}, .source = {.owner = {}, .bucket = "bucket", .prefix = {}}};
  request.table_name = "table";
  request.output.bucket = "bucket";
  request.output.output_types = {BulkOutput::kError};
  const auto begun = db->start_bulk_put_items(request);
  ASSERT_TRUE(begun.has_value()) << begun.error().message;
  const std::string arn = begun->operation.summary.arn;
  ASSERT_TRUE(db->cancel_bulk_operation({.arn = arn}).has_value());
  db.open();
  EXPECT_EQ(BulkOperationStatus::kCancelling, db->describe_bulk_operation({.arn = arn})->operation.summary.status);
  db->loads().finish_jobs();
  EXPECT_EQ(BulkOperationStatus::kCancelled, db->describe_bulk_operation({.arn = arn})->operation.summary.status);
  EXPECT_EQ(0, db.count("table"));
  EXPECT_FALSE(db->cancel_bulk_operation({.arn = arn}).has_value());
}

// Buckets whose writes of objects wait on demand.
class SlowBuckets final : public Buckets {
 public:
  explicit SlowBuckets(const std::string& root) : inner_(folder_buckets(root)) {}
  BucketResult<std::unique_ptr<Bucket>> open(std::string_view name) override {
    TRY_INTO(auto inner, inner_->open(name));
    return std::make_unique<Slow>(*this, std::move(inner));
  }
  BucketResult<void> make(std::string_view name) override { return inner_->make(name); }

  std::promise<void> begun;                                 // a write waits
  std::promise<void> release;                               // lets it continue
  std::shared_future<void> released{release.get_future()};  // later writes do not wait
  std::atomic<int> writes = 0;

 private:
  class Slow final : public Bucket {
   public:
    Slow(SlowBuckets& all, std::unique_ptr<Bucket> inner) : all_(all), inner_(std::move(inner)) {}
    BucketResult<BucketPage> list(std::string_view prefix, std::string_view after) const override {
      return inner_->list(prefix, after);
    }
    BucketResult<std::string> read(std::string_view name, uint64_t offset, size_t length_max) const override {
      return inner_->read(name, offset, length_max);
    }
    BucketResult<std::unique_ptr<ObjectSink>> write(std::string_view name) override {
      if (all_.writes++ == 0) {
        all_.begun.set_value();
        all_.released.wait();
      }
      return inner_->write(name);
    }
    BucketResult<void> erase(std::string_view name) override { return inner_->erase(name); }

   private:
    SlowBuckets& all_;
    std::unique_ptr<Bucket> inner_;
  };
  std::unique_ptr<Buckets> inner_;
};

TEST(Loads, a_slow_bucket_of_errors_delays_no_change_of_the_table) {
  LoadsFixture db;
  ASSERT_TRUE(db.import("table").has_value());
  ASSERT_TRUE(db.import("other", "other").has_value());
  db->loads().finish_jobs();
  const auto buckets = std::make_shared<SlowBuckets>(db.scratch.path());
  db.buckets = buckets;
  db.open();
  db.put("a", import_line(1) +
                  R"({"Item":{"pk":{"N":"1"}}})"
                  "\n" +
                  import_line(2));
  StartBulkPutItemsRequest request{.client_token = {}, .source = {.owner = {}, .bucket = "bucket", .prefix = {}}};
  request.table_name = "table";
  request.output.bucket = "bucket";
  request.output.prefix = "errors";
  request.output.output_types = {BulkOutput::kError};
  const auto begun = db->start_bulk_put_items(request);
  ASSERT_TRUE(begun.has_value()) << begun.error().message;

  std::thread loads([&] { db->loads().finish_jobs(); });
  buckets->begun.get_future().wait();
  auto changes = std::async(std::launch::async, [&] {
    const bool first = db->update_table({.table_name = "table", .deletion_protection = true}).has_value();
    return first && db->update_table({.table_name = "other", .deletion_protection = true}).has_value();
  });
  EXPECT_EQ(changes.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  buckets->release.set_value();
  EXPECT_TRUE(changes.get());
  loads.join();
  const auto done = db->describe_bulk_operation({.arn = begun->operation.summary.arn})->operation;
  EXPECT_EQ(BulkOperationStatus::kCompletedWithErrors, done.summary.status);
  EXPECT_EQ(3, done.processed_items);
  EXPECT_EQ(1, done.failed_items);
  EXPECT_EQ(2, db.count("table"));
  // The table changed after its version was checked, so the page was put again, and its error object replaced.
  EXPECT_EQ(2, buckets->writes);
  const std::filesystem::recursive_directory_iterator errors(db.scratch.path() + "/bucket/errors");
  EXPECT_EQ(1, std::count_if(begin(errors), end(errors), [](const auto& entry) { return entry.is_regular_file(); }));
}

// A load that is under way commits its page, and releases its table, although a cancellation waits for the disk.
TEST(Loads, a_load_does_not_wait_for_the_sync_of_its_cancellation) {
  LoadsFixture db;
  ASSERT_TRUE(db.import("table").has_value());
  db->loads().finish_jobs();
  const auto buckets = std::make_shared<SlowBuckets>(db.scratch.path());
  db.buckets = buckets;
  db.slow_disk = std::make_shared<SlowDisk>();
  db.open();
  std::string lines = R"({"Item":{"pk":{"N":"1"}}})"
                      "\n";
  for (int n = 0; n < 10; ++n) lines += import_line(n);
  db.put("a", lines);
  StartBulkPutItemsRequest request{.client_token = {}, .source = {.owner = {}, .bucket = "bucket", .prefix = {}}};
  request.table_name = "table";
  request.output.bucket = "bucket";
  request.output.output_types = {BulkOutput::kError};
  const auto begun = db->start_bulk_put_items(request);
  ASSERT_TRUE(begun.has_value()) << begun.error().message;
  const std::string arn = begun->operation.summary.arn;

  std::thread loads([&] { db->loads().finish_jobs(); });
  buckets->begun.get_future().wait();
  db.slow_disk->hold_syncs();
  std::thread cancellation([&] { EXPECT_TRUE(db->cancel_bulk_operation({.arn = arn}).has_value()); });
  db.slow_disk->wait_for_sync();
  buckets->release.set_value();
  const auto is_put = [&] { return db->loads().catalog().find(arn)->processed_items == 4; };
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_put() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_TRUE(is_put());
  db.slow_disk->release_syncs();
  cancellation.join();
  loads.join();
  EXPECT_EQ(BulkOperationStatus::kCancelled, db->describe_bulk_operation({.arn = arn})->operation.summary.status);
  EXPECT_EQ(3, db.count("table"));
}

// Pages end at the same places whichever cursor reading starts from, including cursors in the middle of an object.
TEST(LoadSource, a_new_source_resumes_at_a_cursor) {
  LoadsFixture db;
  for (const char* name : {"a", "ab", "abc", "b", "c"}) db.put(name, import_line(1) + import_line(2) + import_line(3));
  const auto buckets = folder_buckets(db.scratch.path());
  Load load;
  load.source.bucket = "bucket";
  size_t pages = 0;
  int64_t records = 0;
  while (true) {
    LoadSource source(std::move(*buckets->open("bucket")), load, {});
    const auto page = source.page({.items_max = 2, .bytes_max = 1 << 20});
    ASSERT_TRUE(page.has_value());
    EXPECT_EQ(*page, *source.page({.items_max = 2, .bytes_max = 1 << 20})) << "it is kept until it is done";
    records += (*page)->records;
    load.cursor = (*page)->cursor;
    ++pages;
    if ((*page)->is_last) break;
  }
  EXPECT_EQ(15, records);
  EXPECT_EQ(8u, pages);
}

TEST(LoadSource, a_missing_object_is_an_error) {
  LoadsFixture db;
  db.put("a", import_line(1) + import_line(2) + import_line(3));
  db.put("b", import_line(4));
  const auto buckets = folder_buckets(db.scratch.path());
  Load load;
  LoadSource source(std::move(*buckets->open("bucket")), load, {});
  load.cursor = (*source.page({.items_max = 2, .bytes_max = 1 << 20}))->cursor;
  std::filesystem::remove(db.scratch.path() + "/bucket/a");
  LoadSource next(std::move(*buckets->open("bucket")), load, {});
  const auto page = next.page({.items_max = 2, .bytes_max = 1 << 20});
  ASSERT_FALSE(page.has_value());
  EXPECT_EQ(BucketFault::Kind::kNoSuchObject, page.error().kind);
}

TEST(LoadDescriptions, tokens_have_the_form_that_dynamodb_accepts) {
  Load load;
  load.arn = "arn:aws:dynamodb:us-east-1:000000000000:table/table/import/01791526119669-fd87be64";
  load.started_ms = 1'791'526'119'669;
  const std::string token = load_token(load);
  EXPECT_EQ(0u, token.size() % 16);
  EXPECT_LE(112u, token.size());
  const auto place = read_load_token(token);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(load.arn, place->arn);
  EXPECT_FALSE(comes_after(load, *place));
  load.started_ms -= 1;
  EXPECT_TRUE(comes_after(load, *place));
  EXPECT_FALSE(read_load_token(std::string(112, '0')).has_value());
}

}  // namespace
}  // namespace trestle
