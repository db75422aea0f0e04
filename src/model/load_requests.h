// Loads: items read from the objects of a bucket. ImportTable creates a table from them (DescribeImport, ListImports);
// StartBulkPutItems writes them to an existing table (DescribeBulkOperation, ListBulkOperations, CancelBulkOperation).
// A parameter that the client omitted is absent.
#pragma once

#include "model/table_requests.h"

namespace trestle {

enum class InputFormat { kDynamoDbJson, kIon, kCsv };
enum class InputCompression { kNone, kGzip, kZstd };

struct CsvOptions {
  std::optional<std::string> delimiter;                 // absent: a comma
  std::optional<std::vector<std::string>> header_list;  // absent: the first line of each object
  friend bool operator==(const CsvOptions&, const CsvOptions&) = default;
};

// The objects whose names start with the prefix.
struct BucketSource {
  std::optional<std::string> owner;  // the account that owns the bucket
  std::string bucket;
  std::optional<std::string> prefix;
  friend bool operator==(const BucketSource&, const BucketSource&) = default;
};

// ---- Imports.

enum class ImportStatus { kInProgress, kCompleted, kCancelling, kCancelled, kFailed };

struct ImportTableRequest {
  std::string client_token;
  BucketSource source;
  InputFormat format = InputFormat::kDynamoDbJson;
  std::optional<CsvOptions> csv;
  InputCompression compression = InputCompression::kNone;
  CreateTableRequest table;  // TableCreationParameters
};

// An element of ListImports.
struct ImportSummary {
  std::string arn;
  ImportStatus status = ImportStatus::kInProgress;
  std::string table_arn;
  BucketSource source;
  std::string log_group_arn;  // where errors are logged
  InputFormat format = InputFormat::kDynamoDbJson;
  int64_t started_ms = 0;
  int64_t ended_ms = 0;  // 0: not ended
};

struct ImportDescription {
  ImportSummary summary;
  std::string table_id;
  std::string client_token;
  std::optional<CsvOptions> csv;
  InputCompression compression = InputCompression::kNone;
  CreateTableRequest table;
  std::optional<int64_t> processed_bytes;  // before compression; absent until something has been read
  int64_t processed_items = 0;             // imported items plus errors
  int64_t imported_items = 0;
  int64_t errors = 0;
  std::string failure_code;  // empty: none
  std::string failure_message;
};

struct DescribeImportRequest {
  std::string import_arn;
};
// Response of ImportTable and DescribeImport.
struct ImportResponse {
  ImportDescription import;
};
using ImportTableResponse = ImportResponse;
using DescribeImportResponse = ImportResponse;

struct ListImportsRequest {
  std::optional<std::string> table_arn;
  std::optional<int64_t> page_size;
  std::optional<std::string> next_token;
};
struct ListImportsResponse {
  std::vector<ImportSummary> imports;
  std::optional<std::string> next_token;
};

// ---- Bulk operations.

enum class BulkOperationStatus { kInProgress, kCompleted, kCompletedWithErrors, kCancelling, kCancelled, kFailed };
enum class PerformanceTier { kStandard, kAccelerated };
enum class BulkOutput { kError, kConditionCheckFailure };

// Where a bulk operation reports records that it could not write.
struct BulkOutputConfiguration {
  std::optional<std::string> owner;
  std::optional<std::string> bucket;
  std::optional<std::string> prefix;
  std::optional<std::string> sse_algorithm;
  std::optional<std::string> sse_key_id;
  std::vector<BulkOutput> output_types;
  friend bool operator==(const BulkOutputConfiguration&, const BulkOutputConfiguration&) = default;
};

struct StartBulkPutItemsRequest {
  std::optional<std::string> client_token;
  BucketSource source;
  InputFormat format = InputFormat::kDynamoDbJson;
  std::optional<InputCompression> compression;
  BulkOutputConfiguration output;
  std::string table_name;
  std::optional<int64_t> write_units_max;
  std::optional<PerformanceTier> tier;
};

struct IndexPutBytes {
  std::string index_name;
  int64_t bytes = 0;
};
// The bytes written to the table and to each index.
struct BulkUsage {
  std::string table_name;
  int64_t bytes = 0;  // the sum
  int64_t table_bytes = 0;
  std::vector<IndexPutBytes> local_indexes;
  std::vector<IndexPutBytes> global_indexes;
};

// An element of ListBulkOperations.
struct BulkOperationSummary {
  std::string arn;
  BulkOperationStatus status = BulkOperationStatus::kInProgress;
  int64_t started_ms = 0;
  int64_t ended_ms = 0;  // 0: not ended
};

struct BulkOperationDescription {
  BulkOperationSummary summary;
  std::string table_name;
  std::string table_id;
  std::optional<std::string> client_token;
  BucketSource source;
  InputFormat format = InputFormat::kDynamoDbJson;
  InputCompression compression = InputCompression::kNone;
  BulkOutputConfiguration output;
  int64_t processed_items = 0;
  int64_t failed_items = 0;
  int64_t processed_bytes = 0;
  std::optional<int64_t> total_bytes;  // absent while unknown
  BulkUsage usage;
  std::string failure_code;  // empty: none
  std::string failure_message;
  std::optional<int64_t> write_units_max;
  PerformanceTier tier = PerformanceTier::kStandard;
};

struct DescribeBulkOperationRequest {
  std::string arn;
};
// Response of StartBulkPutItems and DescribeBulkOperation.
struct BulkOperationResponse {
  BulkOperationDescription operation;
};
using StartBulkPutItemsResponse = BulkOperationResponse;
using DescribeBulkOperationResponse = BulkOperationResponse;

struct ListBulkOperationsRequest {
  std::optional<int64_t> limit;  // MaxResults
  std::optional<std::string> next_token;
};
struct ListBulkOperationsResponse {
  std::vector<BulkOperationSummary> operations;
  std::optional<std::string> next_token;
};

struct CancelBulkOperationRequest {
  std::string arn;
};
struct CancelBulkOperationResponse {
  std::string arn;
  BulkOperationStatus status = BulkOperationStatus::kCancelling;
};

}  // namespace trestle
