// Whole exports: the contents of the files, with concurrent changes.
#include <chrono>
#include <thread>

#include "engine/bulk/exports_for_test.h"

namespace trestle {
namespace {

TEST(Exports, a_full_export_is_the_table_at_the_export_time) {
  ExportFixture fixture;
  std::multiset<std::string> expected;
  for (int64_t n = 0; n < 1200; ++n) {
    fixture.put(n, 1);
    expected.insert(line(ExportFixture::text(n, 1)));
  }
  const int64_t time_ms = fixture.clock->now_ms();
  fixture.clock->advance_ms(5'000);
  for (int64_t n = 100; n < 1400; ++n) fixture.put(n, 2);
  for (int64_t n = 0; n < 50; ++n) fixture.erase(n);
  auto request = ExportFixture::full();
  request.export_ms = time_ms;
  request.s3_prefix = "some/where";
  const std::string arn = fixture.begin(request);
  for (int64_t n = 0; n < 60; ++n) fixture.put(n, 3);  // after the call, before the files are written
  EXPECT_EQ(fixture.describe(arn).status, ExportStatus::kInProgress);
  EXPECT_EQ(fixture.holds(), 1u);
  fixture->exports().finish_jobs();
  EXPECT_EQ(fixture.lines(), expected);
  EXPECT_EQ(fixture.holds(), 0u);
  EXPECT_GT(fixture.data_objects().size(), 3u);
  const ExportDescription description = fixture.describe(arn);
  EXPECT_EQ(description.status, ExportStatus::kCompleted);
  EXPECT_EQ(description.item_count, 1200);
  EXPECT_EQ(description.export_ms, time_ms);
  EXPECT_TRUE(description.end_ms.has_value());
  const std::string id = arn.substr(arn.rfind('/') + 1);
  EXPECT_EQ(description.manifest, "some/where/AWSDynamoDB/" + id + "/manifest-summary.json");
  const std::string manifest = fixture.read("some/where/AWSDynamoDB/" + id + "/manifest-files.json");
  EXPECT_EQ(static_cast<size_t>(std::ranges::count(manifest, '\n')), fixture.data_objects().size());
  EXPECT_EQ(fixture.objects().size(), fixture.data_objects().size() + 5);
}

TEST(Exports, without_an_export_time_the_current_table_is_exported) {
  ExportFixture fixture;
  fixture.put(1, 1);
  const std::string arn = fixture.begin(ExportFixture::full());
  fixture.put(1, 2);
  fixture.put(2, 2);
  fixture->exports().finish_jobs();
  EXPECT_EQ(fixture.lines(), (std::multiset{line(ExportFixture::text(1, 1))}));
  EXPECT_EQ(fixture.describe(arn).export_ms, fixture.describe(arn).start_ms);
}

TEST(Exports, an_empty_table_has_an_empty_file) {
  ExportFixture fixture;
  EXPECT_TRUE(fixture.run(ExportFixture::full()).empty());
  EXPECT_EQ(fixture.data_objects().size(), 1u);
}

TEST(Exports, ion_has_the_same_items) {
  ExportFixture fixture;
  fixture.put(600, 5);
  auto request = ExportFixture::full();
  request.format = ExportFormat::kIon;
  EXPECT_EQ(fixture.run(request), (std::multiset<std::string>{R"($ion_1_0 {Item:{pk:"p5",sk:6d2,v:5.}})"}));
  EXPECT_TRUE(fixture.data_objects().front().ends_with(".ion.gz"));
}

TEST(Exports, an_incremental_export_contains_the_changes) {
  ExportFixture fixture;
  for (int64_t n = 0; n < 5; ++n) fixture.put(n, 1);
  fixture.clock->advance_ms(1'000);
  const int64_t from_ms = fixture.clock->now_ms();
  fixture.put(1, 2);  // at the start of the period, which is included
  fixture.clock->advance_ms(kMinuteMs);
  fixture.put(1, 3);
  fixture.erase(2);
  fixture.put(7, 1);
  fixture.put(8, 1);  // created and deleted within the period
  fixture.erase(8);
  const int64_t written_ms = fixture.clock->now_ms();
  fixture.clock->advance_ms(20 * kMinuteMs);
  const int64_t to_ms = fixture.clock->now_ms();
  fixture.put(3, 9);  // at the end of the period, which is excluded
  fixture.clock->advance_ms(1'000);
  fixture.put(1, 9);

  const std::string head =
      R"({"Metadata":{"WriteTimestampMicros":{"N":")" + std::to_string(written_ms * 1000) + R"("}},"Keys":)";
  const auto both = fixture.run(ExportFixture::changes(from_ms, to_ms));
  EXPECT_EQ(both, (std::multiset{head + ExportFixture::keys(1) + R"(,"OldImage":)" + ExportFixture::text(1, 1) +
                                     R"(,"NewImage":)" + ExportFixture::text(1, 3) + "}",
                                 head + ExportFixture::keys(2) + R"(,"OldImage":)" + ExportFixture::text(2, 1) + "}",
                                 head + ExportFixture::keys(7) + R"(,"NewImage":)" + ExportFixture::text(7, 1) + "}"}));
  EXPECT_EQ(fixture.holds(), 0u);
  EXPECT_TRUE(fixture.data_objects().front().starts_with("AWSDynamoDB/data/"));
  fixture.clear();
  auto request = ExportFixture::changes(from_ms, to_ms);
  request.period->view = ExportViewType::kNewImage;
  EXPECT_EQ(fixture.run(request),
            (std::multiset{head + ExportFixture::keys(1) + R"(,"NewImage":)" + ExportFixture::text(1, 3) + "}",
                           head + ExportFixture::keys(2) + "}",
                           head + ExportFixture::keys(7) + R"(,"NewImage":)" + ExportFixture::text(7, 1) + "}"}));
}

TEST(Exports, a_full_export_plus_the_changes_since_equals_the_table) {
  ExportFixture fixture;
  for (int64_t n = 0; n < 100; ++n) fixture.put(n, 1);
  const int64_t from_ms = fixture.clock->now_ms() + 1;
  fixture.clock->advance_ms(10);
  for (int64_t n = 50; n < 150; ++n) fixture.put(n, 2);
  for (int64_t n = 0; n < 10; ++n) fixture.erase(n);
  fixture.clock->advance_ms(16 * kMinuteMs);
  const int64_t to_ms = fixture.clock->now_ms();
  const auto found = fixture.run(ExportFixture::changes(from_ms, to_ms));
  EXPECT_EQ(found.size(), 110u);
}

TEST(Exports, a_filter_selects_items_and_attributes) {
  ExportFixture fixture;
  for (int64_t n = 0; n < 50; ++n) fixture.put(n, n % 3);
  auto request = ExportFixture::full();
  request.filter.emplace();
  request.filter->filter_expression = "#v = :two";
  request.filter->key_condition_expression = "pk = :p AND sk < :most";
  request.filter->projection_expression = "sk";
  request.filter->placeholders.names = NameMap{{"#v", "v"}};
  request.filter->placeholders.values =
      ValueMap{{":two", Value::number(2)}, {":p", Value::string("p3")}, {":most", Value::number(40)}};
  std::multiset<std::string> expected;
  for (int64_t n = 3; n < 40; n += 7) {
    if (n % 3 == 2) expected.insert(R"({"Item":{"sk":{"N":")" + std::to_string(n) + R"("}}})");
  }
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(fixture.run(request), expected);
  request.filter->filter_expression = "pk = :two AND #v = :two";
  EXPECT_EQ(refusal(fixture->export_table_to_point_in_time(request), ErrorCode::kValidation),
            "Invalid Request: Invalid FilterSpecification: Filter Expression can only contain non-primary key "
            "attributes: Primary key attribute: pk");
}

TEST(Exports, a_restart_continues_after_the_last_completed_file) {
  for (const int writes : {1, 4, 7, 10}) {
    ExportFixture fixture;
    std::multiset<std::string> expected;
    for (int64_t n = 0; n < 1300; ++n) {
      fixture.put(n, 1);
      expected.insert(line(ExportFixture::text(n, 1)));
    }
    fixture.buckets = std::make_shared<FailingBuckets>(fixture.root, writes);
    fixture.open();
    const std::string arn = fixture.begin(ExportFixture::full());
    fixture->exports().finish_jobs();
    ASSERT_EQ(fixture.describe(arn).status, ExportStatus::kInProgress) << writes;
    for (int64_t n = 0; n < 1300; ++n) fixture.put(n, 2);
    fixture.buckets = folder_buckets(fixture.root);
    fixture.open();
    fixture->exports().finish_jobs();
    const ExportDescription description = fixture.describe(arn);
    EXPECT_EQ(description.status, ExportStatus::kCompleted) << writes;
    EXPECT_EQ(description.item_count, 1300) << writes;
    EXPECT_EQ(fixture.lines(), expected) << writes;
    EXPECT_EQ(fixture.objects().size(), fixture.data_objects().size() + 5) << writes;
    EXPECT_EQ(fixture.holds(), 0u);
  }
}

TEST(Exports, a_bucket_that_stays_unavailable_fails_the_export) {
  ExportFixture fixture;
  for (int64_t n = 0; n < 1300; ++n) fixture.put(n, 1);
  fixture.options.retries_ms = 0;
  fixture.buckets = std::make_shared<FailingBuckets>(fixture.root, 4);
  fixture.open();
  const std::string arn = fixture.begin(ExportFixture::full());
  fixture->exports().finish_jobs();
  const ExportDescription description = fixture.describe(arn);
  EXPECT_EQ(description.status, ExportStatus::kFailed);
  EXPECT_EQ(description.failure_message, "not now");
  EXPECT_TRUE(description.end_ms.has_value());
  EXPECT_FALSE(description.manifest.has_value());
  EXPECT_FALSE(description.item_count.has_value());
  EXPECT_TRUE(fixture.data_objects().empty());
  EXPECT_EQ(fixture.holds(), 0u);
}

// The disk fails while the failure of the export is to be recorded.
struct FailingExport {
  ExportFixture fixture{Durability::kSync};
  std::shared_ptr<FailingBuckets> buckets;
  std::multiset<std::string> expected;
  std::string arn;

  explicit FailingExport(int writes) : buckets(std::make_shared<FailingBuckets>(fixture.root, writes)) {
    for (int64_t n = 0; n < 300; ++n) {
      fixture.put(n, 1);
      expected.insert(line(ExportFixture::text(n, 1)));
    }
    fixture.options.retries_ms = 0;
    fixture.buckets = buckets;
    fixture.open();
    arn = fixture.begin(ExportFixture::full());
    buckets->when_unavailable = [this] { fixture.disk->fail_writes = true; };
  }
  // The export has ended, and nothing of it is left to do.
  bool has_ended() const {
    fixture->exports().finish_jobs();
    return fixture.describe(arn).status != ExportStatus::kInProgress && fixture.holds() == 0;
  }
  void wait_for_end() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!has_ended() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(has_ended());
  }
};

TEST(Exports, a_failure_that_cannot_be_recorded_is_retried_with_pauses) {
  FailingExport failing(0);
  failing.buckets->when_unavailable = [&] {
    // Without pauses, the job would not return before the disk works.
    failing.fixture.disk->fail_writes = failing.buckets->calls < 1'000;
  };
  const auto began = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(500))
    failing.fixture->exports().finish_jobs();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  EXPECT_EQ(failing.fixture.describe(failing.arn).status, ExportStatus::kInProgress);
  // An attempt opens the bucket and writes an object.
  EXPECT_LE(failing.buckets->calls, 2 * (took.count() / 50 + 2));
  failing.buckets->when_unavailable = {};
  failing.fixture.disk->fail_writes = false;
  failing.wait_for_end();
  EXPECT_EQ(failing.fixture.describe(failing.arn).status, ExportStatus::kFailed);
}

// Until the failure is recorded, the export may still be completed, so its files are needed.
TEST(Exports, a_failure_that_cannot_be_recorded_erases_nothing) {
  FailingExport failing(4);
  failing.fixture->exports().finish_jobs();
  EXPECT_EQ(failing.fixture.describe(failing.arn).status, ExportStatus::kInProgress);
  failing.buckets->when_unavailable = {};
  failing.buckets->writes_left = 1'000;
  failing.fixture.disk->fail_writes = false;
  failing.wait_for_end();
  if (failing.fixture.describe(failing.arn).status == ExportStatus::kCompleted) {
    EXPECT_EQ(failing.fixture.lines(), failing.expected);
  } else {
    EXPECT_TRUE(failing.fixture.data_objects().empty());
  }
}

// The export has ended, but it is not known whether that is durable: the rest must be done once it is.
TEST(Exports, an_end_whose_sync_failed_is_completed_later) {
  FailingExport failing(4);
  failing.buckets->when_unavailable = [&] { failing.fixture.disk->fail_syncs = true; };
  failing.fixture->exports().finish_jobs();
  failing.buckets->when_unavailable = {};
  failing.fixture.disk->fail_syncs = false;
  failing.wait_for_end();
  EXPECT_EQ(failing.fixture.describe(failing.arn).status, ExportStatus::kFailed);
  EXPECT_TRUE(failing.fixture.data_objects().empty());
}

}  // namespace
}  // namespace trestle
