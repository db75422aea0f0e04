// The catalog of loads, in progress and finished: imports of tables from a bucket, and bulk puts into existing tables.
//
//   kCatalog keys: 'L' ARN -> load
//   load := 01 (format), kind u8, status u8, sized token, source, format u8, compression u8, csv, output,
//           sized table name, sized table id, sized table ARN, sized table (storage/catalog/table_encoding.h; empty: a
//           bulk put), varint started ms, ended ms, processed items, written items, failed items, processed bytes,
//           total bytes + 1 (0: unknown), table bytes, varint count and (sized index, varint bytes)*,
//           varint write units (0: no maximum), tier u8, sized failure code, sized failure message,
//           sized object, varint offset, u8 object done, varint records of the object, varint error objects
//   source := text? owner, sized bucket, text? prefix
//   csv    := 00 | 01 text? delimiter, 00 | 01 varint count, sized header*
//   output := text? owner, text? bucket, text? prefix, text? algorithm, text? key, varint count, u8 type*
//   text?  := 00 | 01 sized
//   kind 00 import 01 bulk put; status 00 IN_PROGRESS 01 COMPLETED 02 COMPLETED_WITH_ERRORS 03 CANCELLING 04 CANCELLED
//   05 FAILED; format 00 DYNAMODB_JSON 01 ION 02 CSV; compression 00 NONE 01 GZIP 02 ZSTD; tier 00 STANDARD
//   01 ACCELERATED; type 00 ERROR 01 CONDITION_CHECK_FAILURE
//
// A load is a job: its cursor is committed in the same batch as the items that it put. Thread-safe, but the caller must
// serialize the edits of one load (engine/bulk/loads.h). These bytes are on disk: never change a code, only add one.
// Vectors: docs/formats.md, load_catalog_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "model/load_requests.h"
#include "storage/lock_ranks.h"
#include "storage/store.h"

namespace trestle {

enum class LoadKind { kImport, kBulkPut };

struct LoadCursor {
  std::string object;   // current or last object; empty: none yet
  uint64_t offset = 0;  // end of the processed part, in decompressed bytes
  bool object_done = false;
  int64_t records = 0;  // processed records of the object
  friend bool operator==(const LoadCursor&, const LoadCursor&) = default;
};

struct Load {
  std::string arn;
  LoadKind kind = LoadKind::kImport;
  BulkOperationStatus status = BulkOperationStatus::kInProgress;  // an import is never kCompletedWithErrors
  std::string token;
  BucketSource source;
  InputFormat format = InputFormat::kDynamoDbJson;
  InputCompression compression = InputCompression::kNone;
  std::optional<CsvOptions> csv;
  BulkOutputConfiguration output;
  std::string table_name;
  std::string table_id;
  std::string table_arn;
  std::optional<TableDescription> table;  // imports: the requested table
  int64_t started_ms = 0;
  int64_t ended_ms = 0;  // 0: not ended
  int64_t processed_items = 0;
  int64_t written_items = 0;
  int64_t failed_items = 0;
  int64_t processed_bytes = 0;
  std::optional<int64_t> total_bytes;
  int64_t table_bytes = 0;
  std::vector<std::pair<std::string, int64_t>> index_bytes;  // by "L" or "G" (local or global) and the index's name
  int64_t write_units_max = 0;                               // 0: no maximum
  PerformanceTier tier = PerformanceTier::kStandard;
  std::string failure_code;
  std::string failure_message;
  LoadCursor cursor;
  int64_t logs = 0;  // error objects written

  bool is_under_way() const {
    return status == BulkOperationStatus::kInProgress || status == BulkOperationStatus::kCancelling;
  }
};

std::string encode_load(const Load& load);
Result<Load> decode_load(std::string_view arn, std::string_view bytes);

class LoadCatalog {
 public:
  static Result<std::unique_ptr<LoadCatalog>> load(Store& store);

  // Returns null if there is no such load.
  std::shared_ptr<const Load> find(std::string_view arn) const;
  std::vector<std::shared_ptr<const Load>> loads(LoadKind kind) const;  // newest first
  std::vector<std::shared_ptr<const Load>> under_way() const;
  // The newest load of the kind with this token, or null.
  std::shared_ptr<const Load> find_token(LoadKind kind, std::string_view token) const;

  // Durable when it returns.
  Result<void> save(Load load);
  // Returns the commit, which may not be durable yet.
  Result<uint64_t> write(Load load);
  Result<void> forget(const Load& load);
  // To save a load in the same batch as other changes, put() it into the batch and publish() it after the commit.
  static void put(const Load& load, Batch& batch);
  void publish(Load load);

 private:
  explicit LoadCatalog(Store& store) : store_(store) {}

  Store& store_;
  mutable SharedMutex mutex_{kShortRank};  // guards the rest
  std::map<std::string, std::shared_ptr<const Load>, std::less<>> loads_;
};

}  // namespace trestle
