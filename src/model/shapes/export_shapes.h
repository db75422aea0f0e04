// The shapes of exports.
#pragma once

#include "model/export_requests.h"
#include "model/shapes/bucket_name.h"
#include "model/shapes/export_enumerations.h"
#include "model/shapes/item_shapes.h"
#include "model/shapes/shape.h"

namespace trestle {

template <>
struct Shape<ExportPeriod> : ShapeRules {
  static constexpr std::string_view kType = "IncrementalExportSpecification";
  static void members(auto& of) {
    of.member("ExportFromTime", &ExportPeriod::from_ms, timestamp);
    of.member("ExportToTime", &ExportPeriod::to_ms, timestamp);
    of.member("ExportViewType", &ExportPeriod::view, one_of(kExportViewTypes));
  }
};

template <>
struct Shape<ExportFilter> : ShapeRules {
  static constexpr std::string_view kType = "FilterSpecification";
  static void members(auto& of) {
    of.member("FilterExpression", &ExportFilter::filter_expression);
    of.member("ProjectionExpression", &ExportFilter::projection_expression);
    of.member("KeyConditionExpression", &ExportFilter::key_condition_expression);
    of.inlined(&ExportFilter::placeholders);
  }
};

template <>
struct Shape<ExportTableToPointInTimeRequest> : BucketRules {
  static void members(auto& of) {
    using Of = ExportTableToPointInTimeRequest;
    of.member("TableArn", &Of::table_arn, required, length_at_most(kArnLengthMax));
    of.member("ExportTime", &Of::export_ms, timestamp);
    of.member("ClientToken", &Of::client_token, client_token);
    of.member("S3Bucket", &Of::s3_bucket, required, length_at_most(255), bucket_name);
    of.member("S3BucketOwner", &Of::s3_bucket_owner, account);
    of.member("S3Prefix", &Of::s3_prefix, length(1, 1024));
    of.member("S3SseAlgorithm", &Of::sse_algorithm, one_of(kS3SseAlgorithms));
    of.member("S3SseKmsKeyId", &Of::sse_kms_key_id, length(1, kKmsKeyIdLengthMax));
    of.member("ExportFormat", &Of::format, one_of(kExportFormats));
    of.member("ExportType", &Of::type, one_of(kExportTypes));
    of.member("IncrementalExportSpecification", &Of::period);
    of.member("FilterSpecification", &Of::filter);
  }
};

template <>
struct Shape<ExportDescription> : ShapeRules {
  static void members(auto& of) {
    using Of = ExportDescription;
    of.member("ExportArn", &Of::arn);
    of.member("ExportStatus", &Of::status, one_of(kExportStatuses));
    of.member("StartTime", &Of::start_ms, timestamp);
    of.member("EndTime", &Of::end_ms, timestamp);
    of.member("ExportManifest", &Of::manifest);
    of.member("TableArn", &Of::table_arn);
    of.member("TableId", &Of::table_id);
    of.member("ExportTime", &Of::export_ms, timestamp);
    of.member("ClientToken", &Of::client_token);
    of.constant("DestinationType", "S3");
    of.member("S3Bucket", &Of::s3_bucket);
    of.member("S3BucketOwner", &Of::s3_bucket_owner);
    of.member("S3Prefix", &Of::s3_prefix);
    of.member("S3SseAlgorithm", &Of::sse_algorithm, one_of(kS3SseAlgorithms));
    of.member("S3SseKmsKeyId", &Of::sse_kms_key_id);
    of.member("FailureCode", &Of::failure_code);
    of.member("FailureMessage", &Of::failure_message);
    of.member("ExportFormat", &Of::format, one_of(kExportFormats));
    of.member("BilledSizeBytes", &Of::billed_size_bytes);
    of.member("ItemCount", &Of::item_count);
    // DynamoDB omits the type of a full export here.
    of.member("ExportType", &Of::type, one_of(kExportTypes), omit_default);
    of.member("IncrementalExportSpecification", &Of::period);
    of.member("FilterSpecification", &Of::filter);
  }
};
template <>
struct Shape<ExportResponse> : ShapeRules {
  static void members(auto& of) { of.member("ExportDescription", &ExportResponse::description); }
};

template <>
struct Shape<DescribeExportRequest> : ShapeRules {
  static void members(auto& of) { of.member("ExportArn", &DescribeExportRequest::export_arn, required, arn_length); }
};

template <>
struct Shape<ExportSummary> : ShapeRules {
  static void members(auto& of) {
    of.member("ExportArn", &ExportSummary::arn);
    of.member("ExportStatus", &ExportSummary::status, one_of(kExportStatuses));
    of.member("ExportType", &ExportSummary::type, one_of(kExportTypes));
  }
};
template <>
struct Shape<ListExportsRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("TableArn", &ListExportsRequest::table_arn, length(1, kArnLengthMax));
    of.member("MaxResults", &ListExportsRequest::max_results, integer, range(1, kExportsPerPage));
    of.member("NextToken", &ListExportsRequest::next_token);
  }
};
template <>
struct Shape<ListExportsResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("ExportSummaries", &ListExportsResponse::exports);
    of.member("NextToken", &ListExportsResponse::next_token);
  }
};

}  // namespace trestle
