// Records of backups, restores in progress, and holds on the history of tables.
//
// A hold keeps a table's items and history readable as of one moment (engine/recovery/table_at.h) until it is released.
// As long as a hold exists, the table records its history, history after the moment is not trimmed, and the keyspaces
// are not freed even if the table is deleted.
//
//   kCatalog keys: 'b' backup ARN -> backup     'R' table name, 00, table id -> restore     'h' hold u32 big endian ->
//   hold
//                  'R' table name -> restore, by older versions
//   backup  := 01 (format), sized name, type u8 (00 USER, 01 SYSTEM), status u8 (00 CREATING, 01 AVAILABLE),
//              varint created ms, varint expires ms (0: never), u32 keyspace, u32 hold (0: none), varint items,
//              varint bytes, sized cursor, sized table (storage/catalog/table_encoding.h), varint items, varint bytes
//              (of the table), [01 if the counts are still to be corrected]
//   restore := 02 (format; 01 under the older key), sized table id, u32 source keyspace, u32 hold (0: none), sized
//   backup ARN (empty: none),
//              sized cursor, varint items
//   hold    := 01 (format), sized owner, sized table name, sized table id, u32 keyspace, u32 history keyspace,
//              u64 commit, u64 time ms, u64 trimmed ms                    all u32 and u64 big endian
//
// A restore is identified by the id of the table that it fills: the name may belong to another table by the time its
// record is removed. Programs that only know the older key would take all of the newer one for a table's name and
// abandon the restore. They refuse format 02 instead, and the folder with it, until the restore has ended.
//
// Backups in progress and restores are jobs: the cursor is the last key copied, committed in the same batch as the
// copied items. Reads are thread-safe. The caller must serialize edits (storage/catalog/catalog.h does). These bytes
// are on disk: never change a code, only add one. Vectors: docs/formats.md, recovery_catalog_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "model/backup_requests.h"
#include "model/table.h"
#include "storage/history_record.h"
#include "storage/lock_ranks.h"
#include "storage/store.h"

namespace trestle {

struct HistoryHold {
  uint32_t id = 0;
  std::string owner;  // "backup <ARN>"; the first word identifies the kind of owner
  std::string table_name;
  std::string table_id;
  uint32_t keyspace = 0;
  uint32_t history_keyspace = 0;
  HistoryMoment moment;
  int64_t trimmed_ms = 0;  // records up to this time are not needed
  friend bool operator==(const HistoryHold&, const HistoryHold&) = default;
};

struct Backup {
  std::string arn;
  std::string name;
  BackupType type = BackupType::kUser;
  BackupStatus status = BackupStatus::kCreating;
  int64_t created_ms = 0;
  int64_t expires_ms = 0;  // 0: never
  TableDescription table;  // as of the backup, with its counts
  uint32_t keyspace = 0;   // of its items
  uint32_t hold = 0;       // while the backup is in progress
  std::string cursor;
  int64_t items = 0;
  int64_t bytes = 0;
  // Of a deleted table whose counts were not exact yet: the backup's items are still to be counted.
  bool counts_pending = false;
};

struct Restore {
  std::string table_name;
  std::string table_id;
  uint32_t source_keyspace = 0;
  uint32_t hold = 0;       // of a restore to a point in time
  std::string backup_arn;  // of a restore from a backup
  std::string cursor;
  int64_t items = 0;
  bool is_keyed_by_name = false;  // written by an older version, under a key without the table's id
};

std::string encode_hold(const HistoryHold& hold);
Result<HistoryHold> decode_hold(uint32_t id, std::string_view bytes);
std::string encode_backup(const Backup& backup);
Result<Backup> decode_backup(std::string_view arn, std::string_view bytes);
std::string encode_restore(const Restore& restore);
Result<Restore> decode_restore(std::string_view table_name, std::string_view bytes);

class RecoveryCatalog {
 public:
  explicit RecoveryCatalog(Store& store) : store_(store) {}
  Result<void> load();

  // These return null if there is no such record.
  std::shared_ptr<const Backup> backup(std::string_view arn) const;
  std::shared_ptr<const Restore> restore(std::string_view table_id) const;
  std::shared_ptr<const HistoryHold> hold(uint32_t id) const;
  std::vector<std::shared_ptr<const Backup>> backups() const;  // in order of ARN: by table, then by time
  std::vector<std::shared_ptr<const Restore>> restores() const;
  std::vector<std::shared_ptr<const HistoryHold>> holds() const;
  // The restore that reads this backup, or null.
  std::shared_ptr<const Restore> restore_from(std::string_view backup_arn) const;
  // Whether a hold or a restore may still read a keyspace.
  bool is_read(uint32_t keyspace) const;
  bool has_hold(std::string_view table_id) const;

  // ---- Edits: put() or erase() in a batch, then publish() or forget() after its commit.

  static void put(const Backup& backup, Batch& batch);
  static void put(const Restore& restore, Batch& batch);
  static void put(const HistoryHold& hold, Batch& batch);
  static void erase(const Backup& backup, Batch& batch);
  static void erase(const Restore& restore, Batch& batch);
  static void erase(const HistoryHold& hold, Batch& batch);
  void publish(Backup backup);
  void publish(Restore restore);
  void publish(HistoryHold hold);
  void forget(const Backup& backup);
  void forget(const Restore& restore);
  void forget(const HistoryHold& hold);

 private:
  Store& store_;
  mutable SharedMutex mutex_{kShortRank};  // guards the rest
  std::map<std::string, std::shared_ptr<const Backup>, std::less<>> backups_;
  std::map<std::string, std::shared_ptr<const Restore>, std::less<>> restores_;  // by table id
  std::map<uint32_t, std::shared_ptr<const HistoryHold>> holds_;
};

}  // namespace trestle
