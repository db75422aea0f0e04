#include "storage/format_version.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/read_file.h"

namespace trestle {
namespace {

constexpr std::string_view kMagic = "trestle ";

std::unexpected<Error> unavailable(std::string message) {
  return failure(ErrorCode::kServiceUnavailable, std::move(message));
}

std::unexpected<Error> unwritable(const std::string& path) {
  return unavailable(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

Result<void> write_version(const std::string& folder) {
  const std::string path = folder + "/FORMAT";
  const std::string draft = path + ".new";
  {
    const File file(draft, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file.write(fmt::format("{}{}\n", kMagic, kFormatVersion)) || !file.sync()) return unwritable(draft);
  }
  if (std::rename(draft.c_str(), path.c_str()) != 0) return unwritable(path);
  if (!sync_folder(folder)) return unwritable(folder);
  return {};
}

}  // namespace

Result<void> claim_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return unavailable(fmt::format("cannot create the data folder {}: {}", folder, error.message()));
  const auto text = read_file(folder + "/FORMAT");
  if (!text) {
    if (std::filesystem::exists(folder + "/CURRENT", error)) {
      return unavailable(
          fmt::format("{} holds a database that Trestle did not write: choose another data folder", folder));
    }
    // Files that may be there before the first start, such as buckets to import from and keys of designs.
    static const std::set<std::string, std::less<>> kOwn = {
        "FORMAT.new", "LOCK", "buckets", "blobs", "keys", "development-key.json", "lost+found"};
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (!kOwn.contains(name))
        return unavailable(fmt::format(
            "the folder {} holds files that are not Trestle's ({}): choose an empty data folder or a new one", folder,
            name));
    }
    if (error) return unavailable(fmt::format("cannot read the data folder {}: {}", folder, error.message()));
    return write_version(folder);
  }
  int version = 0;
  if (text->starts_with(kMagic)) std::from_chars(text->data() + kMagic.size(), text->data() + text->size(), version);
  if (version < 1) return unavailable(fmt::format("{}/FORMAT is not a Trestle format file", folder));
  if (version > kFormatVersion) {
    return unavailable(
        fmt::format("the data in {} has format {}, and this program knows formats up to {}: use a newer Trestle",
                    folder, version, kFormatVersion));
  }
  return {};
}

}  // namespace trestle
