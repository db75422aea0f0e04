// An in-memory file system, for a store that is not persisted. It is RocksDB's own, except that it rejects OPTIONS
// files: writing one and reading it back, once for every column family, would take most of the time to open a store.
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

  // Requires DBOptions::fail_if_options_file_error = false, so that RocksDB continues without the file.
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (name.find("/OPTIONS-") != std::string::npos) return rocksdb::IOStatus::NotSupported("no OPTIONS files");
    return FileSystemWrapper::NewWritableFile(name, options, file, debug);
  }
};

}  // namespace trestle
