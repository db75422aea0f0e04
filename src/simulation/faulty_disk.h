// A disk for tests: it holds a database's files in memory, injects faults, and can simulate a power loss.
//
//   FaultyDisk disk;
//   options.store.file_system = disk.mount();      // one mount per simulated process
//   disk.inject({.operation = DiskOperation::kSync, .file = FileKind::kLog, .skip = 3});
//   ...
//   disk.heal();
//
// What is simulated. A file's bytes survive a power loss up to its last successful sync; of the bytes behind it, a
// random prefix may survive. A file's name, its removal or its new name after a rename survives only if its folder was
// synced afterwards; without that sync, either all such changes survive or none. When power is lost or the process is
// killed, every earlier mount fails all its operations from then on, so that the objects of the dead process can be
// destroyed without effect.
//
// A fault makes one kind of operation on one kind of file fail, after `skip` such operations that succeed. A failed
// write may leave a prefix of its bytes in the file. A failed sync makes nothing durable, but loses nothing either:
// what was written stays readable, as with a page cache that keeps its pages. Writes and syncs of a compaction's output
// do not fail: RocksDB 7.8.3 stops the program, by an assertion, when a compaction fails whose output holds no key.
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

// By the file's name: the write-ahead log, sorted tables, the manifest, and the rest (CURRENT, OPTIONS, drafts of
// both).
enum class FileKind { kLog, kTable, kManifest, kOther };
inline constexpr int kFileKinds = 4;

// The last two end the process, or the machine, in the middle of the operation: see kill() and cut_power().
enum class DiskError { kNoSpace, kInputOutput, kKill, kPowerLoss };

struct DiskFault {
  DiskOperation operation = DiskOperation::kWrite;
  std::optional<FileKind> file;  // nothing: any; not used for kSyncFolder
  int skip = 0;                  // how many such operations succeed first
  int times = 1;                 // how many then fail, unless heal() comes before
  DiskError error = DiskError::kNoSpace;
  // The fraction of a failed write's bytes that is written: 0 none, 1 all of them.
  double share_written = 0;
  uint64_t seed = 0;  // of the random choices of a power loss
};
std::string to_text(const DiskFault& fault);

class FaultyDisk {
 public:
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  std::shared_ptr<rocksdb::FileSystem> mount();

  // Adds a fault to those that wait or are active.
  void inject(const DiskFault& fault);
  // Removes all faults.
  void heal();
  // How many operations have failed by a fault so far.
  uint64_t faults() const;

  // Whether the process of the newest mount has ended.
  bool has_ended() const;
  // Ends the process without closing anything: what it wrote remains.
  void kill();
  // Stops the machine: see above for what remains. `seed` decides the random choices.
  void cut_power(uint64_t seed);

  struct State;

 private:
  std::shared_ptr<State> state_;  // shared with the mounts, which RocksDB may hold longer
};

}  // namespace trestle
