// For tests: an engine with a table that has point in time recovery, and a bucket for exports, with functions to read
// the exported files.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>

#include "base/scratch_folder.h"
#include "bucket/bucket.h"
#include "engine/bulk/exports.h"
#include "engine/durations_for_test.h"
#include "engine/engine.h"
#include "exchange/inflated_for_test.h"
#include "storage/disk/failing_disk_for_test.h"

namespace trestle {

inline constexpr std::string_view kTableArn = "arn:aws:dynamodb:us-east-1:000000000000:table/table";

// Buckets that become unavailable for writes after a number of objects.
class FailingBuckets final : public Buckets {
 public:
  FailingBuckets(std::string root, int writes) : inner_(folder_buckets(std::move(root))), writes_left(writes) {}
  BucketResult<std::unique_ptr<Bucket>> open(std::string_view name) override {
    ++calls;
    TRY_INTO(auto inner, inner_->open(name));
    return std::make_unique<Failing>(*this, std::move(inner));
  }

 private:
  class Failing final : public Bucket {
   public:
    Failing(FailingBuckets& all, std::unique_ptr<Bucket> inner) : all_(all), inner_(std::move(inner)) {}
    BucketResult<BucketPage> list(std::string_view prefix, std::string_view after) const override {
      return inner_->list(prefix, after);
    }
    BucketResult<std::string> read(std::string_view name, uint64_t offset, size_t length_max) const override {
      return inner_->read(name, offset, length_max);
    }
    BucketResult<std::unique_ptr<ObjectSink>> write(std::string_view name) override {
      ++all_.calls;
      if (all_.writes_left-- <= 0) {
        if (all_.when_unavailable) all_.when_unavailable();
        return bucket_fault(BucketFault::Kind::kUnavailable, "not now");
      }
      return inner_->write(name);
    }
    BucketResult<void> erase(std::string_view name) override {
      ++all_.calls;
      return inner_->erase(name);
    }

   private:
    FailingBuckets& all_;
    std::unique_ptr<Bucket> inner_;
  };

  std::unique_ptr<Buckets> inner_;

 public:
  int writes_left;
  int calls = 0;                           // opens, writes and removals
  std::function<void()> when_unavailable;  // called for each refused write
};

struct ExportFixture {
  ScratchFolder scratch;
  std::string data = scratch.path() + "/data";
  std::string root = scratch.path() + "/buckets";
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(1'800'000'000'000);
  std::shared_ptr<Buckets> buckets = folder_buckets(root);
  ExportOptions options{.interval_ms = 0, .file_bytes_max = 2'000, .retries_ms = 60'000};
  Durability durability;
  std::shared_ptr<FailingDisk> disk = std::make_shared<FailingDisk>();
  std::unique_ptr<Engine> engine;

  explicit ExportFixture(Durability initial_durability = Durability::kRelaxed) : durability(initial_durability) {
    std::filesystem::create_directories(root + "/bucket");
    open();
    CreateTableRequest request{.table_name = "table"};
    request.attribute_definitions = {{"pk", ValueType::kString}, {"sk", ValueType::kNumber}};
    request.key_schema = {{.attribute_name = "pk"}, {.attribute_name = "sk", .is_range = true}};
    request.billing_mode = BillingMode::kPayPerRequest;
    EXPECT_TRUE(engine->create_table(request).has_value());
    EXPECT_TRUE(engine->update_continuous_backups({.table_name = "table", .enabled = true}).has_value());
  }
  void open() {
    engine.reset();
    EngineOptions result;
    result.store.folder = data;
    result.store.cache_bytes = size_t{8} << 20;
    result.store.durability = durability;
    result.store.file_system = disk;
    result.clock = clock;
    result.expiry.interval_ms = 0;
    result.streams.interval_ms = 0;
    result.recovery.interval_ms = 0;
    result.buckets = buckets;
    result.exports = options;
    auto opened = Engine::open(std::move(result));
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    engine = std::move(*opened);
  }
  Engine* operator->() const { return engine.get(); }

  static Item item(int64_t n, int64_t v) {
    return Item{{"pk", Value::string("p" + std::to_string(n % 7))}, {"sk", Value::number(n)}, {"v", Value::number(v)}};
  }
  static std::string text(int64_t n, int64_t v) {
    return R"({"pk":{"S":"p)" + std::to_string(n % 7) + R"("},"sk":{"N":")" + std::to_string(n) + R"("},"v":{"N":")" +
           std::to_string(v) + R"("}})";
  }
  static std::string keys(int64_t n) {
    return R"({"pk":{"S":"p)" + std::to_string(n % 7) + R"("},"sk":{"N":")" + std::to_string(n) + R"("}})";
  }
  void put(int64_t n, int64_t v) const {
    ASSERT_TRUE(engine->put_item({.table_name = "table", .item = item(n, v)}).has_value());
  }
  void erase(int64_t n) const {
    const Item key{{"pk", Value::string("p" + std::to_string(n % 7))}, {"sk", Value::number(n)}};
    ASSERT_TRUE(engine->delete_item({.table_name = "table", .key = key}).has_value());
  }

  static ExportTableToPointInTimeRequest full() {
    ExportTableToPointInTimeRequest request;
    request.table_arn = kTableArn;
    request.s3_bucket = "bucket";
    return request;
  }
  static ExportTableToPointInTimeRequest changes(int64_t from_ms, int64_t to_ms) {
    ExportTableToPointInTimeRequest request = full();
    request.type = ExportType::kIncremental;
    request.period = {.from_ms = from_ms, .to_ms = to_ms, .view = std::nullopt};
    return request;
  }
  std::string begin(const ExportTableToPointInTimeRequest& request) const {
    const auto begun = engine->export_table_to_point_in_time(request);
    EXPECT_TRUE(begun.has_value()) << begun.error().message;
    return begun.has_value() ? begun->description.arn : "";
  }
  ExportDescription describe(const std::string& arn) const {
    const auto answer = engine->describe_export({.export_arn = arn});
    EXPECT_TRUE(answer.has_value());
    return answer.has_value() ? answer->description : ExportDescription{};
  }
  // Runs an export and returns the lines of its data files, in no particular order.
  std::multiset<std::string> run(const ExportTableToPointInTimeRequest& request) const {
    const std::string arn = begin(request);
    engine->exports().finish_jobs();
    const ExportDescription description = describe(arn);
    EXPECT_EQ(description.status, ExportStatus::kCompleted) << description.failure_message.value_or("");
    return lines();
  }
  std::vector<std::string> objects() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/bucket")) {
      if (entry.is_regular_file()) names.push_back(entry.path().string().substr(root.size() + 8));
    }
    return names;
  }
  std::vector<std::string> data_objects() const {
    std::vector<std::string> names;
    for (const std::string& name : objects()) {
      if (name.find("/data/") != name.npos) names.push_back(name);
    }
    return names;
  }
  std::string read(const std::string& name) const {
    const auto bytes = (*folder_buckets(root)->open("bucket"))->read(name, 0, size_t{64} << 20);
    EXPECT_TRUE(bytes.has_value()) << name;
    return bytes.has_value() ? *bytes : "";
  }
  std::multiset<std::string> lines() const {
    std::multiset<std::string> found;
    for (const std::string& name : data_objects()) {
      const std::string content = inflated(read(name));
      for (size_t at = 0; at < content.size();) {
        const size_t end = content.find('\n', at);
        found.insert(content.substr(at, end - at));
        at = end + 1;
      }
    }
    return found;
  }
  void clear() const {
    std::filesystem::remove_all(root + "/bucket");
    std::filesystem::create_directories(root + "/bucket");
  }
  size_t holds() const { return engine->catalog().recovery().holds().size(); }
};

inline std::string line(const std::string& item) { return R"({"Item":)" + item + "}"; }

inline std::string refusal(const Result<ExportTableToPointInTimeResponse>& answer, ErrorCode code) {
  if (answer.has_value()) return "accepted";
  return answer.error().code == code ? answer.error().message : "another code: " + answer.error().message;
}

}  // namespace trestle
