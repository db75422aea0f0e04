#include "storage/format_version.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/file.h"

namespace trestle {
namespace {

constexpr std::string_view kMagic = "trestle ";

std::unexpected<Error> unavailable(std::string message) {
  return failure(ErrorCode::kServiceUnavailable, std::move(message));
}

Result<void> sync_path(const std::string& path, int flags) {
  const File file(path, flags);
  if (file.is_open() && file.sync()) return {};
  return unavailable(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

Result<void> write_version(const std::string& folder) {
  const std::string path = folder + "/FORMAT";
  const std::string draft = path + ".new";
  {
    std::ofstream out(draft, std::ios::trunc);
    out << kMagic << kFormatVersion << '\n';
    if (!out.flush()) return unavailable(fmt::format("cannot write {}", draft));
  }
  TRY(sync_path(draft, O_RDONLY));
  std::error_code error;
  std::filesystem::rename(draft, path, error);
  if (error) return unavailable(fmt::format("cannot write {}: {}", path, error.message()));
  return sync_path(folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace

Result<void> claim_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return unavailable(fmt::format("cannot create the data folder {}: {}", folder, error.message()));
  std::ifstream in(folder + "/FORMAT");
  if (!in) {
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
  std::string line;
  std::getline(in, line);
  int version = 0;
  if (line.starts_with(kMagic)) std::from_chars(line.data() + kMagic.size(), line.data() + line.size(), version);
  if (version < 1) return unavailable(fmt::format("{}/FORMAT is not a Trestle format file", folder));
  if (version > kFormatVersion) {
    return unavailable(
        fmt::format("the data in {} has format {}, and this program knows formats up to {}: use a newer Trestle",
                    folder, version, kFormatVersion));
  }
  return {};
}

}  // namespace trestle
