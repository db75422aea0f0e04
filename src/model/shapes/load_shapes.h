// The shapes of imports and bulk operations.
#pragma once

#include "model/load_requests.h"
#include "model/shapes/bucket_name.h"
#include "model/shapes/load_enumerations.h"
#include "model/shapes/table_shapes.h"

namespace trestle {

struct LoadRules : BucketRules {
  static constexpr rules::Pattern import_token{[](std::string_view text) {
                                                 return !text.empty() && text.size() % 16 == 0 &&
                                                        text.find_first_not_of("0123456789abcdef") == text.npos;
                                               },
                                               "([0-9a-f]{16})+", "0123456789abcdef"};
  static constexpr rules::Pattern csv_delimiter{
      [](std::string_view text) { return text.size() == 1 && std::string_view(",;:|\t ").contains(text[0]); },
      "[,;:|\\t ]", "|"};
  // Printable ASCII except quotation marks and commas.
  static constexpr rules::Pattern csv_header{
      [](std::string_view text) {
        return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7E && c != '"' && c != ','; });
      },
      "[\\x20-\\x21\\x23-\\x2B\\x2D-\\x7E]*", "header"};
};

template <>
struct Shape<BucketSource> : LoadRules {
  static constexpr std::string_view kType = "S3BucketSource";
  static void members(auto& of) {
    of.member("S3Bucket", &BucketSource::bucket, required, length_at_most(255), bucket_name);
    of.member("S3BucketOwner", &BucketSource::owner, account);
    of.member("S3KeyPrefix", &BucketSource::prefix, length_at_most(1024));
  }
};

// ---- Imports.

template <>
struct Shape<ImportSummary> : ShapeRules {
  static void members(auto& of) {
    using Of = ImportSummary;
    of.member("ImportArn", &Of::arn);
    of.member("ImportStatus", &Of::status, one_of(kImportStatuses));
    of.member("TableArn", &Of::table_arn);
    of.member("S3BucketSource", &Of::source);
    of.member("CloudWatchLogGroupArn", &Of::log_group_arn, omit_default);
    of.member("InputFormat", &Of::format, one_of(kInputFormats));
    of.member("StartTime", &Of::started_ms, timestamp);
    of.member("EndTime", &Of::ended_ms, timestamp, omit_default);
  }
};

template <>
struct Shape<CsvOptions> : LoadRules {
  static constexpr std::string_view kType = "CsvOptions";
  static void members(auto& of) {
    of.member("Delimiter", &CsvOptions::delimiter, length(1, 1), csv_delimiter);
    of.member("HeaderList", &CsvOptions::header_list, count(1, 255), each(length(1, 65536), csv_header));
  }
};
template <>
struct Shape<ImportTableRequest> : LoadRules {
  static void members(auto& of) {
    using Of = ImportTableRequest;
    of.member("ClientToken", &Of::client_token, required, client_token);
    of.member("S3BucketSource", &Of::source, required);
    of.member("InputFormat", &Of::format, required, one_of(kInputFormats));
    of.structure("InputFormatOptions", [](auto& in) { in.member("Csv", &Of::csv); }, omit_default);
    of.member("InputCompressionType", &Of::compression, one_of(kInputCompressions));
    of.member("TableCreationParameters", &Of::table, required, as<TableCreationShape>);
  }
};
template <>
struct Shape<ImportDescription> : ShapeRules {
  static void members(auto& of) {
    using Of = ImportDescription;
    of.inlined(&Of::summary);
    of.member("TableId", &Of::table_id);
    of.member("ClientToken", &Of::client_token);
    of.member("ErrorCount", &Of::errors);
    of.structure("InputFormatOptions", [](auto& in) { in.member("Csv", &Of::csv); }, omit_default);
    of.member("InputCompressionType", &Of::compression, one_of(kInputCompressions));
    of.member("TableCreationParameters", &Of::table, as<TableCreationShape>);
    of.member("ProcessedSizeBytes", &Of::processed_bytes);
    of.member("ProcessedItemCount", &Of::processed_items);
    of.member("ImportedItemCount", &Of::imported_items);
    of.member("FailureCode", &Of::failure_code, omit_default);
    of.member("FailureMessage", &Of::failure_message, omit_default);
  }
};
template <>
struct Shape<ImportResponse> : ShapeRules {
  static void members(auto& of) { of.member("ImportTableDescription", &ImportResponse::import); }
};

template <>
struct Shape<DescribeImportRequest> : LoadRules {
  static void members(auto& of) { of.member("ImportArn", &DescribeImportRequest::import_arn, required, arn_length); }
};

template <>
struct Shape<ListImportsRequest> : LoadRules {
  static void members(auto& of) {
    using Of = ListImportsRequest;
    of.member("TableArn", &Of::table_arn, length(1, kArnLengthMax));
    of.member("PageSize", &Of::page_size, integer, range(1, kImportsPerPage));
    of.member("NextToken", &Of::next_token, import_token, length(112, 1024));
  }
};
template <>
struct Shape<ListImportsResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("ImportSummaryList", &ListImportsResponse::imports);
    of.member("NextToken", &ListImportsResponse::next_token);
  }
};

// ---- Bulk operations.

template <>
struct Shape<BulkOutputConfiguration> : LoadRules {
  static constexpr std::string_view kType = "OutputS3Configuration";
  static void members(auto& of) {
    using Of = BulkOutputConfiguration;
    of.member("S3Bucket", &Of::bucket, required, length_at_most(255), bucket_name);
    of.member("S3BucketOwner", &Of::owner, account);
    of.member("S3KeyPrefix", &Of::prefix, length_at_most(1024));
    of.member("S3SseAlgorithm", &Of::sse_algorithm, one_of(kBulkSseAlgorithms));
    of.member("S3SseKmsKeyId", &Of::sse_key_id, length(1, kKmsKeyIdLengthMax));
    of.member("OutputType", &Of::output_types, required, count(1), one_of(kBulkOutputs));
  }
};

template <>
struct Shape<StartBulkPutItemsRequest> : LoadRules {
  static void members(auto& of) {
    using Of = StartBulkPutItemsRequest;
    of.member("ClientToken", &Of::client_token, client_token);
    of.structure(
        "InputS3Configuration",
        [](auto& in) {
          in.inlined(&Of::source);
          in.member("InputFormat", &Of::format, required, one_of(kBulkInputFormats));
          in.member("InputCompressionType", &Of::compression, one_of(kInputCompressions));
        },
        required);
    of.member("OutputS3Configuration", &Of::output, required);
    of.member("TableName", &Of::table_name, required, table_name_or_arn);
    of.member("MaxWriteRequestUnits", &Of::write_units_max, at_least(1024));
    of.member("PerformanceTier", &Of::tier, one_of(kPerformanceTiers));
  }
};

template <>
struct Shape<BulkOperationSummary> : ShapeRules {
  static void members(auto& of) {
    using Of = BulkOperationSummary;
    of.member("BulkOperationArn", &Of::arn);
    of.member("BulkOperationStatus", &Of::status, one_of(kBulkOperationStatuses));
    of.member("StartTime", &Of::started_ms, timestamp);
    of.member("EndTime", &Of::ended_ms, timestamp, omit_default);
  }
};
template <>
struct Shape<IndexPutBytes> : ShapeRules {
  static void members(auto& of) { of.member("BulkPutBytes", &IndexPutBytes::bytes); }
};
template <>
struct Shape<BulkUsage> : ShapeRules {
  static void members(auto& of) {
    using Of = BulkUsage;
    of.member("TableName", &Of::table_name);
    of.member("BulkPutBytes", &Of::bytes);
    of.structure("Table", [](auto& in) { in.member("BulkPutBytes", &Of::table_bytes); });
    of.member("LocalSecondaryIndexes", &Of::local_indexes, keyed_by(&IndexPutBytes::index_name), omit_default);
    of.member("GlobalSecondaryIndexes", &Of::global_indexes, keyed_by(&IndexPutBytes::index_name), omit_default);
  }
};
template <>
struct Shape<BulkOperationDescription> : ShapeRules {
  static void members(auto& of) {
    using Of = BulkOperationDescription;
    of.inlined(&Of::summary);
    of.structure(
        "TableDetails",
        [](auto& in) {
          in.member("TableName", &Of::table_name);
          in.member("TableId", &Of::table_id);
        },
        in_list);
    of.member("ClientToken", &Of::client_token);
    of.structure("InputS3Configuration", [](auto& in) {
      in.inlined(&Of::source);
      in.member("InputFormat", &Of::format, one_of(kInputFormats));
      in.member("InputCompressionType", &Of::compression, one_of(kInputCompressions));
    });
    of.member("OutputS3Configuration", &Of::output);
    of.member("ProcessedItemCount", &Of::processed_items);
    of.member("ProcessedInputBytes", &Of::processed_bytes);
    of.member("TotalInputBytes", &Of::total_bytes);
    of.structure("BulkOperationUsage", [](auto& in) { in.inlined(&Of::usage); }, in_list);
    of.member("FailedItemCount", &Of::failed_items);
    of.member("FailureCode", &Of::failure_code, omit_default);
    of.member("FailureMessage", &Of::failure_message, omit_default);
    of.member("MaxWriteRequestUnits", &Of::write_units_max);
    of.member("PerformanceTier", &Of::tier, one_of(kPerformanceTiers));
  }
};
template <>
struct Shape<BulkOperationResponse> : ShapeRules {
  static void members(auto& of) { of.member("BulkOperationDescription", &BulkOperationResponse::operation); }
};

template <>
struct Shape<DescribeBulkOperationRequest> : LoadRules {
  static void members(auto& of) {
    of.member("BulkOperationArn", &DescribeBulkOperationRequest::arn, required, arn_length);
  }
};
template <>
struct Shape<ListBulkOperationsRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("MaxResults", &ListBulkOperationsRequest::limit, integer, range(1, 100));
    of.member("NextToken", &ListBulkOperationsRequest::next_token);
  }
};
template <>
struct Shape<ListBulkOperationsResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("BulkOperationsSummaryList", &ListBulkOperationsResponse::operations);
    of.member("NextToken", &ListBulkOperationsResponse::next_token);
  }
};
template <>
struct Shape<CancelBulkOperationRequest> : LoadRules {
  static void members(auto& of) {
    of.member("BulkOperationArn", &CancelBulkOperationRequest::arn, required, arn_length);
  }
};
template <>
struct Shape<CancelBulkOperationResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("BulkOperationArn", &CancelBulkOperationResponse::arn);
    of.member("BulkOperationStatus", &CancelBulkOperationResponse::status, one_of(kBulkOperationStatuses));
  }
};

}  // namespace trestle
