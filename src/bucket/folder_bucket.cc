// Buckets as folders.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "bucket/bucket.h"
#include "bucket/md5.h"
#include "bucket/object_name.h"

namespace trestle {
namespace {

namespace fs = std::filesystem;
using Kind = BucketFault::Kind;

constexpr size_t kPageObjects = 1000;

std::unexpected<BucketFault> machine_fault(std::string_view name, std::string_view what, int error) {
  const Kind kind = error == ENOENT ? Kind::kNoSuchObject : error == EACCES ? Kind::kAccessDenied : Kind::kUnavailable;
  return bucket_fault(kind, fmt::format("{} could not be {}: {}", name, what, std::strerror(error)));
}

std::unexpected<BucketFault> invalid_name(std::string_view name) {
  return bucket_fault(Kind::kInvalidName, fmt::format("{} cannot be the name of an object", name));
}

// Links are not followed, because they may lead out of the bucket.
bool sync_own_folder(const fs::path& path) { return sync_folder(path.string(), O_NOFOLLOW); }

// Creates the folders between `root` and a file beneath it. A new folder survives a power loss only if its parent
// folder is synced.
bool make_folders(const fs::path& root, std::string_view name) {
  for (size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
    const fs::path folder = root / name.substr(0, slash);
    if (::mkdir(folder.c_str(), 0755) == 0) {
      if (!sync_own_folder(folder.parent_path())) return false;
    } else if (errno != EEXIST) {
      return false;
    }
  }
  return true;
}

// Removes unfinished files of dead processes from the folder.
void sweep_unfinished(const fs::path& folder) {
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kUnfinishedMark)) continue;
    pid_t process = 0;
    std::from_chars(name.data() + kUnfinishedMark.size(), name.data() + name.size(), process);
    if (process > 0 && ::kill(process, 0) != 0 && errno == ESRCH) ::unlink(at->path().c_str());
  }
}

class FolderSink final : public ObjectSink {
 public:
  FolderSink(std::string name, fs::path path, fs::path temporary)
      : name_(std::move(name)),
        path_(std::move(path)),
        temporary_(std::move(temporary)),
        file_(temporary_.string(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW) {}
  ~FolderSink() override {
    if (!committed_) ::unlink(temporary_.c_str());
  }
  bool is_open() const { return file_.is_open(); }

  BucketResult<void> append(std::string_view bytes) override {
    md5_.append(bytes);
    if (!file_.write(bytes)) return machine_fault(name_, "written", errno);
    return {};
  }

  BucketResult<void> commit() override {
    etag_ = md5_.finish();
    if (!file_.sync() || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
      return machine_fault(name_, "written", errno);
    }
    committed_ = true;
    if (!sync_own_folder(path_.parent_path())) return machine_fault(name_, "written", errno);
    return {};
  }

  std::string etag() const override { return etag_; }

 private:
  const std::string name_;
  const fs::path path_;
  const fs::path temporary_;
  const File file_;
  Md5 md5_;
  std::string etag_;
  bool committed_ = false;
};

class FolderBucket final : public Bucket {
 public:
  explicit FolderBucket(fs::path folder) : folder_(std::move(folder)) {}

  // Walks the whole bucket for every page: such a bucket has few files, and no state between pages is needed.
  BucketResult<BucketPage> list(std::string_view prefix, std::string_view after) const override {
    std::vector<BucketObject> found;
    std::error_code error;
    auto at = fs::recursive_directory_iterator(folder_, fs::directory_options::skip_permission_denied, error);
    if (error) return machine_fault(folder_.filename().string(), "listed", error.value());
    const size_t skipped = folder_.string().size() + 1;
    for (; at != fs::recursive_directory_iterator(); at.increment(error)) {
      if (error) return machine_fault(folder_.filename().string(), "listed", error.value());
      const std::string path = at->path().string();
      const std::string_view name = std::string_view(path).substr(skipped);
      std::error_code gone;
      if (at->is_symlink(gone) || !at->is_regular_file(gone)) continue;
      if (!name.starts_with(prefix) || name <= after || !is_object_name(name)) continue;
      const uint64_t bytes = at->file_size(gone);
      if (gone) continue;
      found.push_back({.name = std::string(name), .bytes = bytes});
    }
    BucketPage page;
    page.is_last = found.size() <= kPageObjects;
    const auto by_name = [](const BucketObject& a, const BucketObject& b) { return a.name < b.name; };
    if (!page.is_last) {
      std::ranges::nth_element(found, found.begin() + kPageObjects, by_name);
      found.resize(kPageObjects);
    }
    std::ranges::sort(found, by_name);
    page.objects = std::move(found);
    return page;
  }

  BucketResult<std::string> read(std::string_view name, uint64_t offset, size_t length_max) const override {
    if (!is_object_name(name)) return invalid_name(name);
    const File file((folder_ / name).string(), O_RDONLY | O_NOFOLLOW);
    if (!file.is_open()) return machine_fault(name, "read", errno);
    std::string bytes(length_max, '\0');
    size_t filled = 0;
    while (filled < bytes.size()) {
      const ssize_t count =
          ::pread(file.number(), bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(offset + filled));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return machine_fault(name, "read", errno);
      if (count == 0) break;
      filled += static_cast<size_t>(count);
    }
    bytes.resize(filled);
    return bytes;
  }

  BucketResult<std::unique_ptr<ObjectSink>> write(std::string_view name) override {
    if (!is_object_name(name)) return invalid_name(name);
    if (!make_folders(folder_, name)) return machine_fault(name, "written", errno);
    static std::atomic<uint64_t> next{0};
    const fs::path path = folder_ / name;
    if (swept_ != path.parent_path()) sweep_unfinished(swept_ = path.parent_path());
    const fs::path temporary =
        path.parent_path() / fmt::format("{}{}-{}", kUnfinishedMark, ::getpid(), next.fetch_add(1));
    auto sink = std::make_unique<FolderSink>(std::string(name), path, temporary);
    if (!sink->is_open()) return machine_fault(name, "written", errno);
    return sink;
  }

  BucketResult<void> erase(std::string_view name) override {
    if (!is_object_name(name)) return invalid_name(name);
    if (::unlink((folder_ / name).c_str()) != 0 && errno != ENOENT) return machine_fault(name, "erased", errno);
    return {};
  }

 private:
  const fs::path folder_;
  fs::path swept_;  // the folder that was last swept for unfinished files
};

class FolderBuckets final : public Buckets {
 public:
  explicit FolderBuckets(std::string root) : root_(std::move(root)) {}

  BucketResult<std::unique_ptr<Bucket>> open(std::string_view name) override {
    std::error_code error;
    if (!is_bucket_name(name) || !fs::is_directory(root_ / name, error)) {
      return bucket_fault(Kind::kNoSuchBucket, fmt::format("The specified bucket does not exist: {}", name));
    }
    return std::make_unique<FolderBucket>(root_ / name);
  }

  BucketResult<void> make(std::string_view name) override {
    if (!is_bucket_name(name)) {
      return bucket_fault(Kind::kInvalidName, fmt::format("{} cannot be the name of a bucket", name));
    }
    std::error_code error;
    fs::create_directories(root_ / name, error);
    if (error) return machine_fault(name, "created", error.value());
    if (!sync_own_folder(root_)) return machine_fault(name, "created", errno);
    return {};
  }

 private:
  const fs::path root_;
};

}  // namespace

std::unique_ptr<Buckets> folder_buckets(std::string root) {
  while (root.size() > 1 && root.back() == '/') root.pop_back();
  return std::make_unique<FolderBuckets>(std::move(root));
}

}  // namespace trestle
