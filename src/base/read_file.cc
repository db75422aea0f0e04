#include "base/read_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/file.h"

namespace trestle {
namespace {

constexpr size_t kReadPieceBytes = size_t{256} << 10;

std::unexpected<std::string> unreadable(const std::string& path, const std::string& why) {
  return std::unexpected(fmt::format("{} cannot be read: {}", path, why));
}
std::unexpected<std::string> unreadable(const std::string& path, int error) {
  return unreadable(path, std::generic_category().message(error));
}

}  // namespace

BasicResult<std::string, std::string> read_file(const std::string& path, size_t bytes_max) {
  const File file(path, O_RDONLY);
  if (!file.is_open()) return unreadable(path, errno);
  struct stat is{};
  if (::fstat(file.number(), &is) == 0 && S_ISDIR(is.st_mode)) return unreadable(path, "it is a folder");
  std::string text;
  while (true) {
    const size_t before = text.size();
    const size_t wanted = std::min(kReadPieceBytes, bytes_max + 1 - before);
    text.resize(before + wanted);
    const ssize_t got = ::read(file.number(), text.data() + before, wanted);
    if (got < 0 && errno != EINTR) return unreadable(path, errno);
    text.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return text;
    if (text.size() > bytes_max) return unreadable(path, fmt::format("it is larger than {} bytes", bytes_max));
  }
}

}  // namespace trestle
