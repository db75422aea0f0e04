// Exports: ExportTableToPointInTime, DescribeExport, ListExports. A parameter that the client omitted is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/parameters.h"

namespace trestle {

enum class ExportFormat { kDynamoDbJson, kIon };
enum class ExportType { kFull, kIncremental };
enum class ExportViewType { kNewAndOldImages, kNewImage };
enum class ExportStatus { kInProgress, kCompleted, kFailed };
enum class S3SseAlgorithm { kAes256, kKms };

// The changes from `from_ms` (inclusive) to `to_ms` (exclusive).
struct ExportPeriod {
  std::optional<int64_t> from_ms;
  std::optional<int64_t> to_ms;
  std::optional<ExportViewType> view;
};

// Which items are exported, and which of their attributes. An incremental export filters by the new item.
struct ExportFilter {
  std::optional<std::string> filter_expression;
  std::optional<std::string> projection_expression;
  std::optional<std::string> key_condition_expression;
  Placeholders placeholders;
};

struct ExportTableToPointInTimeRequest {
  std::string table_arn;
  std::string s3_bucket;
  std::optional<int64_t> export_ms;
  std::optional<std::string> client_token;
  std::optional<std::string> s3_bucket_owner;
  std::optional<std::string> s3_prefix;
  std::optional<S3SseAlgorithm> sse_algorithm;
  std::optional<std::string> sse_kms_key_id;
  std::optional<ExportFormat> format;
  std::optional<ExportType> type;
  std::optional<ExportPeriod> period;  // IncrementalExportSpecification
  std::optional<ExportFilter> filter;
};

struct ExportDescription {
  std::string arn;
  ExportStatus status = ExportStatus::kInProgress;
  ExportType type = ExportType::kFull;
  std::string table_arn;
  std::string table_id;
  int64_t start_ms = 0;
  std::optional<int64_t> end_ms;
  std::optional<int64_t> export_ms;    // full exports only
  std::optional<ExportPeriod> period;  // incremental exports only
  std::optional<std::string> manifest;
  std::optional<std::string> client_token;
  std::string s3_bucket;
  std::optional<std::string> s3_bucket_owner;
  std::optional<std::string> s3_prefix;
  S3SseAlgorithm sse_algorithm = S3SseAlgorithm::kAes256;
  std::optional<std::string> sse_kms_key_id;
  std::optional<std::string> failure_code;
  std::optional<std::string> failure_message;
  ExportFormat format = ExportFormat::kDynamoDbJson;
  std::optional<int64_t> billed_size_bytes;
  std::optional<int64_t> item_count;
  std::optional<ExportFilter> filter;
};

// Response of ExportTableToPointInTime and DescribeExport.
struct ExportResponse {
  ExportDescription description;
};
using ExportTableToPointInTimeResponse = ExportResponse;

struct DescribeExportRequest {
  std::string export_arn;
};
using DescribeExportResponse = ExportResponse;

struct ExportSummary {
  std::string arn;
  ExportStatus status = ExportStatus::kInProgress;
  ExportType type = ExportType::kFull;
};
struct ListExportsRequest {
  std::optional<std::string> table_arn;
  std::optional<int64_t> max_results;
  std::optional<std::string> next_token;
};
struct ListExportsResponse {
  std::vector<ExportSummary> exports;
  std::optional<std::string> next_token;
};

}  // namespace trestle
