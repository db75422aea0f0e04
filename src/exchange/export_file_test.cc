#include "exchange/export_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/scratch_folder.h"
#include "bucket/md5.h"
#include "exchange/inflated_for_test.h"

namespace trestle {
namespace {

struct Fixture {
  ScratchFolder folder;
  std::unique_ptr<Buckets> buckets = folder_buckets(folder.path());
  std::unique_ptr<Bucket> bucket;
  Fixture() {
    std::filesystem::create_directory(folder.path() + "/bucket");
    bucket = std::move(*buckets->open("bucket"));
  }
  std::string read(std::string_view name) const { return *bucket->read(name, 0, size_t{64} << 20); }
};

TEST(ExportFile, appended_data_is_read_back) {
  Fixture fixture;
  std::string expected;
  ExportFileWriter file(std::move(*fixture.bucket->write("data/a.json.gz")));
  for (int i = 0; i < 20'000; ++i) {
    const std::string line = "{\"Item\":{\"n\":{\"N\":\"" + std::to_string(i * 7919 % 10007) + "\"}}}\n";
    ASSERT_TRUE(file.append(line).has_value());
    expected += line;
  }
  EXPECT_EQ(file.bytes(), expected.size());
  const auto etag = file.finish();
  ASSERT_TRUE(etag.has_value());
  const std::string stored = fixture.read("data/a.json.gz");
  EXPECT_EQ(inflated(stored), expected);
  EXPECT_LT(stored.size(), expected.size() / 4);
  Md5 md5;
  md5.append(stored);
  EXPECT_EQ(*etag, md5.finish());
}

TEST(ExportFile, an_empty_one_is_a_file) {
  Fixture fixture;
  ExportFileWriter file(std::move(*fixture.bucket->write("e.json.gz")));
  ASSERT_TRUE(file.finish().has_value());
  EXPECT_EQ(inflated(fixture.read("e.json.gz")), "");
}

TEST(ExportFile, one_that_is_not_finished_never_was) {
  Fixture fixture;
  {
    ExportFileWriter file(std::move(*fixture.bucket->write("half.json.gz")));
    ASSERT_TRUE(file.append("line\n").has_value());
  }
  EXPECT_FALSE(fixture.bucket->read("half.json.gz", 0, 1).has_value());
  EXPECT_TRUE(fixture.bucket->list("", "")->objects.empty());
}

}  // namespace
}  // namespace trestle
