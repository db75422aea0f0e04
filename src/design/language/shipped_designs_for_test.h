// Test helpers: the designs that ship with Trestle, and files of the source tree.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace trestle::design {

inline const std::filesystem::path kRoot = TRESTLE_SOURCE_FOLDER;
inline const std::filesystem::path kDesigns = kRoot / "designs";
// Each design is designs/<name>.yaml. Its transcription from the original document is designs/as-written/<name>.yaml.
inline constexpr const char* kDesignNames[] = {"authz", "form-bridge", "parental-control", "plugin-auth",
                                               "site-catalog"};

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace trestle::design
