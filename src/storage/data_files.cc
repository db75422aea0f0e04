#include "storage/data_files.h"

namespace trestle {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

thread_local uint64_t failed = 0;

IOStatus counted(IOStatus status) {
  if (!status.ok() && !status.IsNotSupported()) ++failed;
  return status;
}

class DataFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  using rocksdb::FSRandomAccessFileOwnerWrapper::FSRandomAccessFileOwnerWrapper;
  IOStatus Read(uint64_t offset, size_t size, const IOOptions& options, rocksdb::Slice* result, char* scratch,
                IODebugContext* debug) const override {
    return counted(target()->Read(offset, size, options, result, scratch, debug));
  }
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* debug) override {
    IOStatus status = counted(target()->MultiRead(requests, count, options, debug));
    for (size_t i = 0; i < count; ++i) {
      if (!requests[i].status.ok()) ++failed;
    }
    return status;
  }
  IOStatus Prefetch(uint64_t offset, size_t size, const IOOptions& options, IODebugContext* debug) override {
    return counted(target()->Prefetch(offset, size, options, debug));
  }
};

}  // namespace

uint64_t failed_reads() { return failed; }

IOStatus DataFiles::NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file, IODebugContext* debug) {
  IOStatus status = counted(target()->NewRandomAccessFile(path, options, file, debug));
  if (status.ok()) *file = std::make_unique<DataFile>(std::move(*file));
  return status;
}

}  // namespace trestle
