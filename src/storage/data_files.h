// The file system of the store. It counts failed reads of data files, and it reads without waiting for the disk on
// threads that must not wait (storage/cached_reads.h).
//
// Failed reads are counted because RocksDB's iterators drop some of them. When an iterator of RocksDB 7.8.3 cannot open
// or read the next file of a level, it continues without that level, and its status stays OK (facebook/rocksdb#11782,
// #11786; fixed in 8.6). A scan would miss items, or return items that were overwritten or deleted. Therefore a cursor
// compares failed_reads() before and after each of its steps. Compactions and reads of single keys do report the error.
//
// Blocks with a wrong checksum are not counted here.
//
// Thread-safe.
#pragma once

#include <rocksdb/file_system.h>

#include <cstdint>
#include <memory>
#include <string>

namespace trestle {

// The number of failed reads and opens of data files on this thread.
uint64_t failed_reads();

class DataFiles final : public rocksdb::FileSystemWrapper {
 public:
  // `is_real`: the files are the operating system's, so that RWF_NOWAIT reads can tell what is in the page cache.
  DataFiles(const std::shared_ptr<rocksdb::FileSystem>& target, bool is_real)
      : rocksdb::FileSystemWrapper(target), is_real_(is_real) {}
  const char* Name() const override { return "DataFiles"; }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override;

 private:
  const bool is_real_;
};

}  // namespace trestle
