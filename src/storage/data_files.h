// The file system of the store: counts failed reads of data files, and reads them without waiting for the disk where a
// thread must not wait (storage/cached_reads.h).
//
// Failed reads are counted because RocksDB's iterators forget some of them. When an iterator of RocksDB 7.8.3 cannot
// open or read the next file of a level, it goes on without that level, and its status stays OK
// (facebook/rocksdb#11782, #11786; fixed in 8.6). A scan would miss items, or return items that were overwritten or
// deleted. So a cursor compares failed_reads() before and after each of its steps. Compactions of that version notice
// the error, and so do reads of single keys.
//
// A block whose checksum is wrong is not noticed here.
//
// Thread-safe.
#pragma once

#include <rocksdb/file_system.h>

#include <cstdint>
#include <memory>
#include <string>

namespace trestle {

// How many times a read or an open of a data file has failed on this thread.
uint64_t failed_reads();

class DataFiles final : public rocksdb::FileSystemWrapper {
 public:
  // `is_real`: files are the operating system's, so that it can tell what it has cached.
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
