#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/scratch_folder.h"
#include "bucket/bucket.h"
#include "bucket/object_name.h"

namespace trestle {
namespace {

using Kind = BucketFault::Kind;

class FolderBucketTest : public testing::Test {
 protected:
  FolderBucketTest() : buckets_(folder_buckets(folder_.path())) {
    EXPECT_TRUE(buckets_->make("a-bucket").has_value());
    bucket_ = std::move(*buckets_->open("a-bucket"));
  }
  std::string put(const std::string& name, const std::string& bytes) {
    auto sink = bucket_->write(name);
    EXPECT_TRUE(sink.has_value()) << name;
    EXPECT_TRUE((*sink)->append(bytes).has_value());
    EXPECT_TRUE((*sink)->commit().has_value());
    return (*sink)->etag();
  }
  std::string read(std::string_view name, uint64_t offset, size_t length_max) {
    return bucket_->read(name, offset, length_max).value_or("it cannot be read");
  }
  std::vector<std::string> names(std::string_view prefix, std::string_view after = {}) {
    std::vector<std::string> out;
    const auto page = bucket_->list(prefix, after);
    EXPECT_TRUE(page.has_value());
    for (const BucketObject& object : page->objects) out.push_back(object.name);
    return out;
  }
  ScratchFolder folder_;
  std::unique_ptr<Buckets> buckets_;
  std::unique_ptr<Bucket> bucket_;
};

TEST_F(FolderBucketTest, objects_are_read_back_and_listed_in_order) {
  EXPECT_EQ("900150983cd24fb0d6963f7d28e17f72", put("b/c", "abc"));
  put("b-1", "");
  put("a", "xyz");
  EXPECT_EQ((std::vector<std::string>{"a", "b-1", "b/c"}), names(""));
  EXPECT_EQ((std::vector<std::string>{"b/c"}), names("b/"));
  EXPECT_EQ((std::vector<std::string>{"b/c"}), names("b", "b-1"));
  EXPECT_EQ("bc", read("b/c", 1, 10));
  EXPECT_EQ("b", read("b/c", 1, 1));
  EXPECT_EQ("", read("b/c", 3, 1));
  EXPECT_EQ(Kind::kNoSuchObject, bucket_->read("none", 0, 1).error().kind);
  EXPECT_TRUE(bucket_->erase("a").has_value());
  EXPECT_TRUE(bucket_->erase("a").has_value());
  EXPECT_EQ((std::vector<std::string>{"b-1", "b/c"}), names(""));
}

TEST_F(FolderBucketTest, an_object_that_is_not_committed_does_not_exist) {
  put("kept", "old");
  {
    auto sink = bucket_->write("kept");
    ASSERT_TRUE((*sink)->append("new").has_value());
    EXPECT_EQ((std::vector<std::string>{"kept"}), names(""));
    EXPECT_EQ("old", read("kept", 0, 10));
  }
  EXPECT_EQ("old", read("kept", 0, 10));
  size_t files = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path()))
    files += file.is_regular_file();
  EXPECT_EQ(1u, files);
}

TEST_F(FolderBucketTest, pages_go_on_behind_the_last_name) {
  for (int i = 0; i < 1500; ++i) {
    std::ofstream(std::filesystem::path(folder_.path()) / "a-bucket" / (std::to_string(1000 + i))) << i;
  }
  const auto first = bucket_->list("", "");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(1000u, first->objects.size());
  EXPECT_FALSE(first->is_last);
  const auto second = bucket_->list("", first->objects.back().name);
  EXPECT_EQ(500u, second->objects.size());
  EXPECT_TRUE(second->is_last);
  EXPECT_EQ("2499", second->objects.back().name);
}

TEST_F(FolderBucketTest, unfinished_files_of_dead_processes_are_removed) {
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ASSERT_EQ(dead, ::waitpid(dead, nullptr, 0));
  const auto folder = std::filesystem::path(folder_.path()) / "a-bucket";
  const auto unfinished = [&](pid_t process) { return folder / (".unfinished-" + std::to_string(process) + "-7"); };
  for (const pid_t process : {dead, ::getpid()}) std::ofstream(unfinished(process)) << "half";
  ASSERT_TRUE(bucket_->write("whole").has_value());
  EXPECT_FALSE(std::filesystem::exists(unfinished(dead)));
  EXPECT_TRUE(std::filesystem::exists(unfinished(::getpid())));
}

TEST_F(FolderBucketTest, no_name_leads_out_of_the_folder) {
  std::ofstream(std::filesystem::path(folder_.path()) / "secret") << "secret";
  std::filesystem::create_symlink(std::filesystem::path(folder_.path()) / "secret",
                                  std::filesystem::path(folder_.path()) / "a-bucket" / "link");
  for (const char* name : {"..", "../secret", "a/../../secret", "/secret", "a//b", "a/", "./a", "a/.", "", "a\nb"}) {
    EXPECT_FALSE(bucket_->read(name, 0, 1).has_value()) << name;
    EXPECT_FALSE(bucket_->write(name).has_value()) << name;
    EXPECT_FALSE(bucket_->erase(name).has_value()) << name;
  }
  EXPECT_FALSE(bucket_->read("link", 0, 1).has_value());
  EXPECT_EQ(std::vector<std::string>{}, names(""));
  for (const char* name : {"..", ".", "", "a", "../a-bucket", "a-bucket/b", "missing", "-ab", "a..b"}) {
    const auto opened = buckets_->open(name);
    ASSERT_FALSE(opened.has_value()) << name;
    EXPECT_EQ(Kind::kNoSuchBucket, opened.error().kind) << name;
  }
}

TEST(ObjectName, as_s3_has_them) {
  EXPECT_TRUE(is_object_name("AWSDynamoDB/01791526119669-fd87be64/data/x.json.gz"));
  EXPECT_TRUE(is_object_name("a b/é=1&2"));
  EXPECT_FALSE(is_object_name(std::string(1025, 'a')));
  EXPECT_TRUE(is_bucket_name("my.bucket-1"));
  EXPECT_FALSE(is_bucket_name("my bucket"));
}

}  // namespace
}  // namespace trestle
