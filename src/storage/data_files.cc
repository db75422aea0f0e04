#include "storage/data_files.h"

#include <sys/uio.h>

#include <cerrno>

#include "base/file.h"
#include "storage/cached_reads.h"

namespace trestle {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

thread_local uint64_t failed = 0;

IOStatus count_failure(IOStatus status) {
  if (!status.ok() && !status.IsNotSupported()) ++failed;
  return status;
}

// A second descriptor of a file, for reads that do not wait. RocksDB's file class does not expose its own.
class CachedFile {
 public:
  // With an empty path there is no descriptor, and read() returns kUnknown.
  explicit CachedFile(const std::string& path) : file_(path, O_RDONLY) {}

  enum class Outcome {
    kRead,
    kMissed,
    kUnknown,  // there is no descriptor, or the file system cannot tell
  };
  Outcome read(uint64_t offset, size_t size, char* out) const {
    if (!file_.is_open()) return Outcome::kUnknown;
    const iovec part{.iov_base = out, .iov_len = size};
    const ssize_t read = preadv2(file_.number(), &part, 1, static_cast<off_t>(offset), RWF_NOWAIT);
    if (read == static_cast<ssize_t>(size)) return Outcome::kRead;
    // A short read ends at the end of the cached pages, or of the file.
    return read >= 0 || errno == EAGAIN ? Outcome::kMissed : Outcome::kUnknown;
  }

 private:
  const File file_;
};

class DataFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  DataFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, const std::string& path)
      : rocksdb::FSRandomAccessFileOwnerWrapper(std::move(file)), cached_(path) {}
  IOStatus Read(uint64_t offset, size_t size, const IOOptions& options, rocksdb::Slice* result, char* scratch,
                IODebugContext* debug) const override {
    if (CachedReads::must_not_wait()) {
      const auto outcome = cached_.read(offset, size, scratch);
      if (outcome == CachedFile::Outcome::kRead) {
        *result = rocksdb::Slice(scratch, size);
        return IOStatus::OK();
      }
      if (outcome == CachedFile::Outcome::kMissed) CachedReads::note_miss();
    }
    if (CachedReads::missed()) return count_failure(IOStatus::IOError("not in the page cache"));
    return count_failure(target()->Read(offset, size, options, result, scratch, debug));
  }
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* debug) override {
    IOStatus status = count_failure(target()->MultiRead(requests, count, options, debug));
    for (size_t i = 0; i < count; ++i) {
      if (!requests[i].status.ok()) ++failed;
    }
    return status;
  }
  IOStatus Prefetch(uint64_t offset, size_t size, const IOOptions& options, IODebugContext* debug) override {
    // A prefetch may wait too, so it is skipped; a miss is found by the reads that follow.
    if (CachedReads::must_not_wait() || CachedReads::missed()) return IOStatus::OK();
    return count_failure(target()->Prefetch(offset, size, options, debug));
  }

 private:
  const CachedFile cached_;
};

}  // namespace

uint64_t failed_reads() { return failed; }

IOStatus DataFiles::NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file, IODebugContext* debug) {
  IOStatus status = count_failure(target()->NewRandomAccessFile(path, options, file, debug));
  if (status.ok()) *file = std::make_unique<DataFile>(std::move(*file), is_real_ ? path : std::string());
  return status;
}

}  // namespace trestle
