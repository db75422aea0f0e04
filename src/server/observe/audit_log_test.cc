#include "server/observe/audit_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/scratch_folder.h"

namespace trestle {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

size_t lines_of(const std::filesystem::path& path) {
  const std::string text = text_of(path);
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

const std::vector<std::string> kActions{"dynamodb:GetItem"};
const std::vector<std::string> kResources{"arn:aws:dynamodb:us-east-1:000000000000:table/a\"b"};

AuditedRequest request() {
  return {.now_ms = 1'769'860'800'123,
          .request_id = "R1",
          .user = "alice",
          .access_key = "AKID",
          .source_ip = "127.0.0.1",
          .operation = "GetItem",
          .actions = &kActions,
          .resources = &kResources,
          .outcome = "denied",
          .error = "AccessDeniedException"};
}

TEST(AuditLog, a_line_has_the_caller_and_the_actions) {
  ScratchFolder folder;
  const std::string file = folder.path() + "/audit.log";
  {
    auto log = AuditLog::open({.file = file});
    ASSERT_TRUE(log.has_value()) << log.error();
    (*log)->write(request());
  }
  EXPECT_EQ(text_of(file), R"({"time":"2026-01-31T12:00:00.123Z","request_id":"R1","user":"alice","access_key":"AKID",)"
                           R"("source_ip":"127.0.0.1","operation":"GetItem","actions":["dynamodb:GetItem"],)"
                           R"("resources":["arn:aws:dynamodb:us-east-1:000000000000:table/a\"b"],"outcome":"denied",)"
                           R"("error":"AccessDeniedException"})"
                           "\n");
}

TEST(AuditLog, files_are_renamed_at_their_size_and_the_oldest_goes) {
  ScratchFolder folder;
  const std::string file = folder.path() + "/audit.log";
  uint64_t written = 0;
  {
    auto log = AuditLog::open({.file = file, .bytes_max = 1000, .rotated_files = 2});
    ASSERT_TRUE(log.has_value());
    for (int i = 0; i < 50; ++i) (*log)->write(request());
    while ((written = (*log)->written()) < 50) std::this_thread::yield();
    EXPECT_EQ((*log)->lost(), 0u);
  }
  EXPECT_EQ(lines_of(file + ".2"), 3u);
  EXPECT_EQ(lines_of(file + ".1"), 3u);
  EXPECT_EQ(lines_of(file), 50u % 3u);
  EXPECT_FALSE(std::filesystem::exists(file + ".3"));
  EXPECT_LE(std::filesystem::file_size(file + ".1"), 1000u);
}

TEST(AuditLog, it_appends_after_a_restart_and_closes_what_a_crash_left) {
  ScratchFolder folder;
  const std::string file = folder.path() + "/audit.log";
  std::ofstream(file) << "{\"half\":";
  {
    (*AuditLog::open({.file = file}))->write(request());
  }
  {
    (*AuditLog::open({.file = file}))->write(request());
  }
  EXPECT_TRUE(text_of(file).starts_with("{\"half\":\n{\"time\""));
  EXPECT_EQ(lines_of(file), 3u);
}

TEST(AuditLog, a_full_disk_loses_lines_and_counts_them) {
  auto log = AuditLog::open({.file = "/dev/full"});
  ASSERT_TRUE(log.has_value()) << log.error();
  for (int i = 0; i < 10; ++i) (*log)->write(request());
  while ((*log)->lost() < 10) std::this_thread::yield();
  EXPECT_EQ((*log)->written(), 0u);
  EXPECT_NE((*log)->metrics_text().find("trestle_audit_lost_lines_total 10"), std::string::npos);
}

TEST(AuditLog, a_full_queue_does_not_block_requests) {
  ScratchFolder folder;
  const std::string file = folder.path() + "/audit.log";
  uint64_t lost = 0;
  {
    auto log = AuditLog::open({.file = file, .queue_bytes_max = 100});  // less than a line
    ASSERT_TRUE(log.has_value());
    for (int i = 0; i < 5; ++i) (*log)->write(request());
    lost = (*log)->lost();
  }
  EXPECT_EQ(lost, 5u);
  EXPECT_EQ(text_of(file), "");
}

TEST(AuditLog, a_file_that_cannot_be_opened_is_an_error) {
  const auto log = AuditLog::open({.file = "/nowhere/at/all/audit.log"});
  ASSERT_FALSE(log.has_value());
  EXPECT_NE(log.error().find("/nowhere/at/all/audit.log"), std::string::npos);
}

}  // namespace
}  // namespace trestle
