// For tests: a file system that never has anything in the page cache. A thread that must not wait for the disk misses
// everything that RocksDB has not cached itself.
//
//   StoreOptions{.folder = folder, .file_system = std::make_shared<ColdDisk>()}
#pragma once

#include <rocksdb/file_system.h>

#include <memory>
#include <string>

#include "storage/cached_reads.h"

namespace trestle {

class ColdDisk final : public rocksdb::FileSystemWrapper {
 public:
  ColdDisk() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "ColdDisk"; }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override {
    auto status = rocksdb::FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
    if (status.ok()) *file = std::make_unique<File>(std::move(*file));
    return status;
  }

 private:
  class File final : public rocksdb::FSRandomAccessFileOwnerWrapper {
   public:
    using rocksdb::FSRandomAccessFileOwnerWrapper::FSRandomAccessFileOwnerWrapper;
    rocksdb::IOStatus Read(uint64_t offset, size_t size, const rocksdb::IOOptions& options, rocksdb::Slice* result,
                           char* scratch, rocksdb::IODebugContext* debug) const override {
      if (CachedReads::must_not_wait()) {
        CachedReads::note_miss();
        return rocksdb::IOStatus::IOError("not in the page cache");
      }
      return rocksdb::FSRandomAccessFileOwnerWrapper::Read(offset, size, options, result, scratch, debug);
    }
  };
};

}  // namespace trestle
