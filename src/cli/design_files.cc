#include "cli/design_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace trestle {

BasicResult<std::vector<std::string>, std::string> design_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    std::filesystem::directory_iterator entries(path, error);
    if (error) return std::unexpected(fmt::format("the folder {} cannot be read: {}", path, error.message()));
    for (; entries != std::filesystem::directory_iterator(); entries.increment(error)) {
      const auto& entry = *entries;
      if (entry.is_regular_file(error) && entry.path().extension() == ".yaml") inside.push_back(entry.path().string());
    }
    if (inside.empty()) return std::unexpected(fmt::format("there is no *.yaml in the folder {}", path));
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

}  // namespace trestle
