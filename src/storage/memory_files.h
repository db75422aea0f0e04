// Files in memory, for a store that is not persisted. As RocksDB's own, but for its OPTIONS files: writing one and
// reading it back, once for every column family, would be most of the time that a store takes to open.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <memory>
#include <string>

namespace trestle {

class MemoryFiles final : public rocksdb::FileSystemWrapper {
 public:
  MemoryFiles()
      : FileSystemWrapper(std::unique_ptr<rocksdb::Env>(rocksdb::NewMemEnv(rocksdb::Env::Default()))->GetFileSystem()) {
  }
  const char* Name() const override { return "trestle.MemoryFiles"; }

  // With DBOptions::fail_if_options_file_error unset, RocksDB goes on without the file.
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (name.find("/OPTIONS-") != std::string::npos) return rocksdb::IOStatus::NotSupported("no OPTIONS files");
    return FileSystemWrapper::NewWritableFile(name, options, file, debug);
  }
};

}  // namespace trestle
