#include "cli/development_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "api/jwt.h"
#include "base/read_file.h"
#include "base/scratch_folder.h"

namespace trestle {
namespace {

unsigned mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777;
}

TEST(DevelopmentKey, is_created_once_and_only_its_owner_can_read_it) {
  const ScratchFolder folder;
  const std::string data = folder.path() + "/data";
  const auto file = development_key_file(data);
  ASSERT_TRUE(file.has_value()) << file.error();
  EXPECT_EQ(*file, data + "/development-key.json");
  EXPECT_EQ(mode_of(*file), 0600u);
  const std::string text = read_file(*file).value_or("");
  const auto keys = api::Jwks::parse(text);
  ASSERT_TRUE(keys.has_value()) << keys.error();
  EXPECT_EQ(keys->keys().size(), 1u);
  EXPECT_EQ(development_key_file(data).value_or(""), *file);
  EXPECT_EQ(read_file(*file).value_or(""), text);
}

TEST(DevelopmentKey, differs_between_servers) {
  const ScratchFolder a, b;
  EXPECT_NE(read_file(*development_key_file(a.path())).value_or(""),
            read_file(*development_key_file(b.path())).value_or(""));
}

TEST(DevelopmentKey, a_folder_that_cannot_be_written_is_reported) {
  EXPECT_EQ(development_key_file("/proc/no").error(), "/proc/no/development-key.json cannot be written");
}

TEST(DevelopmentKey, a_private_file_is_not_replaced) {
  const ScratchFolder folder;
  const std::string file = folder.path() + "/file";
  EXPECT_TRUE(write_private(file, "first"));
  EXPECT_FALSE(write_private(file, "second"));
  EXPECT_EQ(read_file(file).value_or(""), "first");
  EXPECT_EQ(mode_of(file), 0600u);
}

TEST(DevelopmentKey, a_temporary_folder_is_private_and_removed_with_its_files) {
  std::string path;
  {
    const auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder.has_value()) << folder.error();
    path = (*folder)->path();
    EXPECT_EQ(mode_of(path), 0700u);
    EXPECT_TRUE(write_private(path + "/file", "x"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace trestle
