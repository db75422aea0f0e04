#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "runtime/items/blob_store.h"

namespace trestle::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".unfinished";

std::unexpected<Refused> machine_fault(std::string_view what, std::string_view name) {
  return std::unexpected(
      Refused{.status = 503,
              .message = fmt::format("The blob {} could not be {}: {}.", name, what, std::strerror(errno)),
              .retry_after_s = 1,
              .retryable = true});
}

// Letters and digits, '.', '_', '-' in parts between slashes; no part is empty or begins with a dot.
bool is_name(std::string_view name) {
  if (name.empty() || name.size() > 1000) return false;
  char before = '/';
  for (const char c : name) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                         c == '-' || ((c == '.' || c == '/') && before != '/');
    if (!allowed) return false;
    before = c;
  }
  return before != '/';
}

class FolderBlobs final : public BlobStore {
 public:
  explicit FolderBlobs(std::string folder) : folder_(std::move(folder)) {}

  Outcome<void> put(std::string_view name, std::string_view bytes) override {
    if (!is_name(name)) return refuse(500, "A blob has a name that is not allowed.");
    const std::string path = path_of(name);
    TRY(make_folders(name));
    const std::string temporary = fmt::format("{}.{}{}", path, next_.fetch_add(1), kUnfinished);
    {
      const File file(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
      if (!file.write(bytes) || !file.sync()) {
        auto fault = machine_fault("written", name);
        ::unlink(temporary.c_str());
        return fault;
      }
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0 || !sync_folder(fs::path(path).parent_path().string()))
      return machine_fault("written", name);
    return {};
  }

  Outcome<std::string> get(std::string_view name) override {
    if (!is_name(name)) return refuse(500, "A blob has a name that is not allowed.");
    const File file(path_of(name), O_RDONLY);
    struct stat status{};
    if (!file.is_open() || ::fstat(file.number(), &status) != 0) return machine_fault("read", name);
    std::string bytes(static_cast<size_t>(status.st_size), '\0');
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t count = ::read(file.number(), bytes.data() + at, bytes.size() - at);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return machine_fault("read", name);
      at += static_cast<size_t>(count);
    }
    return bytes;
  }

  Outcome<void> erase(std::string_view name) override {
    if (!is_name(name)) return refuse(500, "A blob has a name that is not allowed.");
    if (::unlink(path_of(name).c_str()) != 0 && errno != ENOENT) return machine_fault("erased", name);
    return {};
  }

  Outcome<void> each(std::string_view prefix,
                     const std::function<void(std::string_view name, int64_t age_ms)>& visit) override {
    std::error_code error;
    // The folder that contains all these names.
    const size_t slash = prefix.rfind('/');
    const std::string_view part = slash == std::string_view::npos ? std::string_view() : prefix.substr(0, slash);
    if (!part.empty() && !is_name(part)) return refuse(500, "A blob has a name that is not allowed.");
    const fs::path start = part.empty() ? fs::path(folder_) : fs::path(path_of(part));
    auto at = fs::recursive_directory_iterator(start, fs::directory_options::skip_permission_denied, error);
    if (error) return {};  // no blob has been written yet
    for (; at != fs::recursive_directory_iterator(); at.increment(error)) {
      if (error) return refuse(503, "The folder of blobs could not be read.");
      const std::string path = at->path().string();
      if (!at->is_regular_file(error) || path.ends_with(kUnfinished)) continue;
      const std::string_view name = std::string_view(path).substr(folder_.size() + 1);
      struct stat status{};
      if (!name.starts_with(prefix) || ::stat(path.c_str(), &status) != 0) continue;
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      const int64_t written_ms = int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000;
      visit(name, std::chrono::duration_cast<std::chrono::milliseconds>(now).count() - written_ms);
    }
    return {};
  }

 private:
  std::string path_of(std::string_view name) const { return fmt::format("{}/{}", folder_, name); }

  // A new folder survives a power loss only if its parent folder is synced.
  Outcome<void> make_folders(std::string_view name) {
    for (size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
      const std::string folder = path_of(name.substr(0, slash));
      if (::mkdir(folder.c_str(), 0700) == 0) {
        if (!sync_folder(fs::path(folder).parent_path().string())) return machine_fault("written", name);
      } else if (errno != EEXIST) {
        return machine_fault("written", name);
      }
    }
    return {};
  }

  const std::string folder_;
  std::atomic<uint64_t> next_ = 0;
};

}  // namespace

Outcome<std::unique_ptr<BlobStore>> folder_blobs(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder, error))
    return refuse(500, fmt::format("The folder {} for blobs cannot be created.", folder));
  return std::unique_ptr<BlobStore>(std::make_unique<FolderBlobs>(std::move(folder)));
}

}  // namespace trestle::runtime
