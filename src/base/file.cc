#include "base/file.h"

#include <cerrno>

namespace trestle {

bool File::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::write(number_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

bool sync_folder(const std::string& path, int flags) {
  const File folder(path, O_RDONLY | O_DIRECTORY | flags);
  return folder.is_open() && folder.sync();
}

}  // namespace trestle
