#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/scratch_folder.h"
#include "runtime/items/blob_store.h"

namespace trestle::runtime {
namespace {

TEST(FolderBlobs, blobs_are_stored_listed_and_erased) {
  const ScratchFolder folder;
  auto blobs = folder_blobs(folder.path() + "/blobs/");
  ASSERT_TRUE(blobs.has_value()) << blobs.error().message;
  const std::string bytes("a\0b\xff", 4);
  ASSERT_TRUE((*blobs)->put("d/t/one", bytes).has_value());
  ASSERT_TRUE((*blobs)->put("d/t/two", "").has_value());
  ASSERT_TRUE((*blobs)->put("d/u/three", std::string(300000, 'x')).has_value());
  EXPECT_EQ((*blobs)->get("d/t/one").value_or("no"), bytes);
  EXPECT_EQ((*blobs)->get("d/t/two").value_or("no"), "");
  EXPECT_EQ((*blobs)->get("d/u/three").value_or("no").size(), 300000u);

  const auto names = [&](std::string_view prefix) {
    std::set<std::string> found;
    EXPECT_TRUE((*blobs)
                    ->each(prefix,
                           [&](std::string_view name, int64_t age_ms) {
                             EXPECT_LT(age_ms, 600000);
                             found.emplace(name);
                           })
                    .has_value());
    return found;
  };
  EXPECT_EQ(names(""), (std::set<std::string>{"d/t/one", "d/t/two", "d/u/three"}));
  EXPECT_EQ(names("d/t/t"), (std::set<std::string>{"d/t/two"}));
  EXPECT_TRUE(names("nothing/").empty());

  ASSERT_TRUE((*blobs)->erase("d/t/one").has_value());
  ASSERT_TRUE((*blobs)->erase("d/t/one").has_value()) << "a second time";
  EXPECT_EQ((*blobs)->get("d/t/one").error().status, 503);
}

TEST(FolderBlobs, no_name_leads_out_of_the_folder) {
  const ScratchFolder folder;
  auto blobs = folder_blobs(folder.path());
  ASSERT_TRUE(blobs.has_value());
  for (const char* name : {"", "../x", "a/../x", "/etc/passwd", "a//b", "a/", ".hidden", "a b", "a\nb", "a/.b"}) {
    EXPECT_FALSE((*blobs)->put(name, "x").has_value()) << name;
    EXPECT_FALSE((*blobs)->get(name).has_value()) << name;
    EXPECT_FALSE((*blobs)->erase(name).has_value()) << name;
  }
  EXPECT_FALSE(folder_blobs("/proc/no/such").has_value());
}

}  // namespace
}  // namespace trestle::runtime
