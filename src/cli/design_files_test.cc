#include "cli/design_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/scratch_folder.h"

namespace trestle {
namespace {

TEST(DesignFiles, a_folder_stands_for_its_designs_in_the_order_of_their_names) {
  const ScratchFolder folder;
  for (const char* name : {"b.yaml", "a.yaml", "notes.txt"}) std::ofstream(folder.path() + "/" + name) << "x";
  std::filesystem::create_directory(folder.path() + "/c.yaml");
  EXPECT_THAT(*design_files({"shop.yaml", folder.path()}),
              testing::ElementsAre("shop.yaml", folder.path() + "/a.yaml", folder.path() + "/b.yaml"));
  EXPECT_THAT(*design_files({}), testing::IsEmpty());
}

TEST(DesignFiles, a_folder_without_designs_is_refused) {
  const ScratchFolder folder;
  EXPECT_EQ(design_files({folder.path()}).error(), "there is no *.yaml in the folder " + folder.path());
}

}  // namespace
}  // namespace trestle
