// A disk for tests: it holds a database's files in memory, injects faults, and can simulate a power loss.
//
//   FaultyDisk disk;
//   options.store.file_system = disk.mount();      // one mount per simulated process
//   disk.inject({.operation = DiskOperation::kSync, .file = FileKind::kLog, .skip = 3});
//   ...
//   disk.heal();
//
// What is simulated. After a power loss, a file has its bytes up to the last successful sync, and possibly a random
// prefix of the bytes written after it. The creation, removal or renaming of a file survives only if its folder was
// synced afterwards; without that sync either all such changes survive or none. When power is lost or the process is
// killed, all operations of earlier mounts fail from then on, so that the objects of the dead process can be destroyed
// without effect.
//
// A fault makes one kind of operation on one kind of file fail, after `skip` such operations have succeeded. A failed
// write may leave a prefix of its bytes in the file. A failed sync makes nothing durable, but loses nothing either: the
// written bytes stay readable, as in a page cache that keeps its pages. Writes and syncs of a compaction's output do
// not fail, because RocksDB 7.8.3 stops with a failed assertion if a compaction fails before its output contains a key.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace rocksdb {
class FileSystem;
}

namespace trestle {

enum class DiskOperation { kWrite, kSync, kCreate, kRename, kSyncFolder, kRemove, kOpenToRead, kRead };
inline constexpr int kDiskOperations = 8;

// Determined by the file's name: the write-ahead log, sorted tables, the manifest, and all others (CURRENT, OPTIONS,
// temporary versions of both).
enum class FileKind { kLog, kTable, kManifest, kOther };
inline constexpr int kFileKinds = 4;

// kKill ends the process and kPowerLoss the machine, in the middle of the operation: see kill() and cut_power().
enum class DiskError { kNoSpace, kInputOutput, kKill, kPowerLoss };

struct DiskFault {
  DiskOperation operation = DiskOperation::kWrite;
  std::optional<FileKind> file;  // nothing: any file; not used for kSyncFolder
  int skip = 0;                  // how many such operations succeed first
  int times = 1;                 // how many fail after that, unless heal() is called first
  DiskError error = DiskError::kNoSpace;
  // The fraction of a failed write's bytes that is written, from 0 to 1.
  double share_written = 0;
  uint64_t seed = 0;  // for the random choices of a power loss
};
std::string to_text(const DiskFault& fault);

class FaultyDisk {
 public:
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  std::shared_ptr<rocksdb::FileSystem> mount();

  // Adds a fault to those that are waiting or active.
  void inject(const DiskFault& fault);
  // Removes all faults.
  void heal();
  // The number of operations that have failed because of a fault.
  uint64_t faults() const;

  // Whether the process of the newest mount has ended.
  bool has_ended() const;
  // Ends the process without closing anything. All that it has written remains.
  void kill();
  // Stops the machine; see above for what remains. `seed` determines the random choices.
  void cut_power(uint64_t seed);

  struct State;

 private:
  std::shared_ptr<State> state_;  // shared with the mounts, which RocksDB may hold longer
};

}  // namespace trestle
