// Requests for exports: validation and responses.
#include "engine/bulk/exports_for_test.h"

namespace trestle {
namespace {

TEST(Exports, a_missing_or_foreign_bucket_fails_the_export) {
  ExportFixture fixture;
  auto request = ExportFixture::full();
  request.s3_bucket = "absent";
  std::string arn = fixture.begin(request);
  fixture->exports().finish_jobs();
  EXPECT_EQ(fixture.describe(arn).failure_code, "S3NoSuchBucket");
  request = ExportFixture::full();
  request.s3_bucket_owner = "123456789012";
  arn = fixture.begin(request);
  fixture->exports().finish_jobs();
  EXPECT_EQ(fixture.describe(arn).failure_code, "S3AccessDenied");
  fixture.buckets = nullptr;
  fixture.open();
  arn = fixture.begin(ExportFixture::full());
  fixture->exports().finish_jobs();
  EXPECT_EQ(fixture.describe(arn).failure_code, "S3NoSuchBucket");
  EXPECT_EQ(fixture.holds(), 0u);
}

TEST(Exports, a_table_deleted_during_the_export_is_exported) {
  ExportFixture fixture;
  std::multiset<std::string> expected;
  for (int64_t n = 0; n < 100; ++n) {
    fixture.put(n, 1);
    expected.insert(line(ExportFixture::text(n, 1)));
  }
  const std::string arn = fixture.begin(ExportFixture::full());
  ASSERT_TRUE(fixture->delete_table({.table_name = "table"}).has_value());
  fixture->wait_idle();
  fixture.open();
  fixture->exports().finish_jobs();
  EXPECT_EQ(fixture.describe(arn).status, ExportStatus::kCompleted);
  EXPECT_EQ(fixture.lines(), expected);
  ListExportsRequest of_table;
  of_table.table_arn = kTableArn;
  EXPECT_TRUE(fixture->list_exports(of_table)->exports.empty());
  EXPECT_EQ(fixture->list_exports({})->exports.size(), 1u);
}

TEST(Exports, a_token_starts_only_one_export_within_eight_hours) {
  ExportFixture fixture;
  auto request = ExportFixture::full();
  request.client_token = "token";
  const std::string arn = fixture.begin(request);
  fixture.clock->advance_ms(7 * kHourMs);
  EXPECT_EQ(fixture.begin(request), arn);
  fixture->exports().finish_jobs();
  EXPECT_EQ(fixture.begin(request), arn);
  auto other = request;
  other.s3_prefix = "elsewhere";
  EXPECT_EQ(refusal(fixture->export_table_to_point_in_time(other), ErrorCode::kExportConflict),
            "Export conflict: Duplicate request detected with conflicting parameters");
  fixture.clock->advance_ms(kHourMs);
  EXPECT_NE(fixture.begin(request), arn);
}

TEST(Exports, times_outside_of_the_history_are_rejected) {
  ExportFixture fixture;
  const int64_t begun_ms = fixture.clock->now_ms();
  fixture.clock->advance_ms(2 * kHourMs);
  const int64_t now_ms = fixture.clock->now_ms();
  const auto at = [&](int64_t ms) {
    auto request = ExportFixture::full();
    request.export_ms = ms;
    return refusal(fixture->export_table_to_point_in_time(request), ErrorCode::kInvalidExportTime);
  };
  EXPECT_EQ(at(now_ms + 5'000), "Export Time is invalid");
  EXPECT_EQ(at(begun_ms - kHourMs), "Export Time is invalid");
  const auto between = [&](int64_t from_ms, int64_t to_ms) {
    return refusal(fixture->export_table_to_point_in_time(ExportFixture::changes(from_ms, to_ms)),
                   ErrorCode::kInvalidExportTime);
  };
  EXPECT_EQ(between(begun_ms, now_ms + 1'000),
            "Incremental export period to time cannot be greater than the current time : 2027-01-15T10:00:01Z");
  EXPECT_EQ(between(begun_ms - 1'000, now_ms),
            "Incremental export period from time cannot be less than the table creation time : 2027-01-15T07:59:59Z");
  const std::string too_short =
      "Difference between export period from time and export period to time is less than 15 minutes";
  EXPECT_EQ(between(now_ms - 15 * kMinuteMs + 1, now_ms), too_short);
  EXPECT_EQ(between(now_ms, begun_ms), too_short);
  EXPECT_EQ(between(now_ms - 15 * kMinuteMs, now_ms), "accepted");
  fixture.clock->advance_ms(30 * kHourMs);
  EXPECT_EQ(between(begun_ms, begun_ms + 24 * kHourMs), "accepted");
  EXPECT_EQ(between(begun_ms, begun_ms + 24 * kHourMs + 1),
            "Difference between export period from time and export period to time is more than 24 hours");
  ASSERT_TRUE(fixture->update_continuous_backups({.table_name = "table", .enabled = false}).has_value());
  EXPECT_EQ(refusal(fixture->export_table_to_point_in_time(ExportFixture::full()),
                    ErrorCode::kPointInTimeRecoveryUnavailable),
            "Point in time recovery is not enabled for table 'table'");
}

TEST(Exports, exports_are_listed_newest_first_in_pages) {
  ExportFixture fixture;
  std::vector<std::string> arns;
  for (int i = 0; i < 7; ++i) {
    arns.insert(arns.begin(), fixture.begin(ExportFixture::full()));
    fixture.clock->advance_ms(1'000);
  }
  std::vector<std::string> found;
  ListExportsRequest request;
  request.table_arn = kTableArn;
  request.max_results = 3;
  for (int pages = 1;; ++pages) {
    const auto page = fixture->list_exports(request);
    ASSERT_TRUE(page.has_value());
    for (const ExportSummary& summary : page->exports) found.push_back(summary.arn);
    request.next_token = page->next_token;
    if (page->next_token) continue;
    EXPECT_EQ(pages, 3);
    break;
  }
  EXPECT_EQ(found, arns);
  request.next_token = "bm90IG9uZQ";
  const auto refused = fixture->list_exports(request);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "Invalid Request: Provided nextToken is invalid: bm90IG9uZQ");
}

TEST(Exports, exports_are_removed_after_90_days) {
  ExportFixture fixture;
  const std::string arn = fixture.begin(ExportFixture::full());
  fixture->exports().finish_jobs();
  fixture.clock->advance_ms(89 * 24 * kHourMs);
  fixture.open();
  EXPECT_EQ(fixture->list_exports({})->exports.size(), 1u);
  fixture.clock->advance_ms(24 * kHourMs);
  fixture.open();
  EXPECT_EQ(fixture->list_exports({})->exports.size(), 0u);
  EXPECT_EQ(fixture->describe_export({.export_arn = arn}).error().message,
            "Export not found: Export not found: " + arn);
}

TEST(Exports, an_orphaned_hold_is_released_at_the_next_start) {
  ExportFixture fixture;
  ASSERT_TRUE(fixture->hold_history("table", "export lost", fixture.clock->now_ms()).has_value());
  ASSERT_EQ(fixture.holds(), 1u);
  fixture.open();
  EXPECT_EQ(fixture.holds(), 0u);
}

}  // namespace
}  // namespace trestle
