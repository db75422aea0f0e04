// Exports in the client's direction.
#include "protocol/client_input.h"
#include "protocol/client_json.h"
#include "protocol/client_output.h"
#include "protocol/export_enumerations.h"

namespace trestle {
namespace {

Result<void> take_period(JsonElement json, ExportPeriod& period) {
  return take_members(json, into_timestamp("ExportFromTime", period.from_ms),
                      into_timestamp("ExportToTime", period.to_ms),
                      into("ExportViewType", period.view, kExportViewTypes));
}

Result<void> take_filter(JsonElement json, ExportFilter& filter) {
  return take_members(json, into("FilterExpression", filter.filter_expression),
                      into("ProjectionExpression", filter.projection_expression),
                      into("KeyConditionExpression", filter.key_condition_expression),
                      into("ExpressionAttributeNames", filter.placeholders.names),
                      into("ExpressionAttributeValues", filter.placeholders.values));
}

Result<void> take_description(JsonElement json, ExportDescription& export_) {
  return take_members(
      json, into("ExportArn", export_.arn), into("ExportStatus", export_.status, kExportStatuses),
      into("ExportType", export_.type, kExportTypes), into("TableArn", export_.table_arn),
      into("TableId", export_.table_id), into_timestamp("StartTime", export_.start_ms),
      into_timestamp("EndTime", export_.end_ms), into_timestamp("ExportTime", export_.export_ms),
      into("ExportManifest", export_.manifest), into("ClientToken", export_.client_token),
      into("S3Bucket", export_.s3_bucket), into("S3BucketOwner", export_.s3_bucket_owner),
      into("S3Prefix", export_.s3_prefix), into("S3SseAlgorithm", export_.sse_algorithm, kS3SseAlgorithms),
      into("S3SseKmsKeyId", export_.sse_kms_key_id), into("FailureCode", export_.failure_code),
      into("FailureMessage", export_.failure_message), into("ExportFormat", export_.format, kExportFormats),
      into("BilledSizeBytes", export_.billed_size_bytes), into("ItemCount", export_.item_count),
      into("IncrementalExportSpecification",
           [&](JsonElement period) { return take_period(period, export_.period.emplace()); }),
      into("FilterSpecification", [&](JsonElement filter) { return take_filter(filter, export_.filter.emplace()); }));
}

}  // namespace

Result<void> take(JsonElement json, ExportSummary& summary) {
  return take_members(json, into("ExportArn", summary.arn), into("ExportStatus", summary.status, kExportStatuses),
                      into("ExportType", summary.type, kExportTypes));
}

void write_request_json(const ExportTableToPointInTimeRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableArn", request.table_arn);
  put(json, "S3Bucket", request.s3_bucket);
  put_timestamp(json, "ExportTime", request.export_ms);
  put(json, "ClientToken", request.client_token);
  put(json, "S3BucketOwner", request.s3_bucket_owner);
  put(json, "S3Prefix", request.s3_prefix);
  put_choice(json, "S3SseAlgorithm", request.sse_algorithm, kS3SseAlgorithms);
  put(json, "S3SseKmsKeyId", request.sse_kms_key_id);
  put_choice(json, "ExportFormat", request.format, kExportFormats);
  put_choice(json, "ExportType", request.type, kExportTypes);
  if (request.period) {
    json.key("IncrementalExportSpecification").begin_object();
    put_timestamp(json, "ExportFromTime", request.period->from_ms);
    put_timestamp(json, "ExportToTime", request.period->to_ms);
    put_choice(json, "ExportViewType", request.period->view, kExportViewTypes);
    json.end_object();
  }
  if (request.filter) {
    json.key("FilterSpecification").begin_object();
    put(json, "FilterExpression", request.filter->filter_expression);
    put(json, "ProjectionExpression", request.filter->projection_expression);
    put(json, "KeyConditionExpression", request.filter->key_condition_expression);
    put_placeholders(json, request.filter->placeholders);
    json.end_object();
  }
  json.end_object();
}

void write_request_json(const DescribeExportRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ExportArn", request.export_arn);
  json.end_object();
}

void write_request_json(const ListExportsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableArn", request.table_arn);
  put(json, "MaxResults", request.max_results);
  put(json, "NextToken", request.next_token);
  json.end_object();
}

Result<void> read_response_json(JsonInput input, ExportResponse& response) {
  return take_members(
      input, into("ExportDescription", [&](JsonElement json) { return take_description(json, response.description); }));
}

Result<void> read_response_json(JsonInput input, ListExportsResponse& response) {
  return take_members(input, into("ExportSummaries", response.exports), into("NextToken", response.next_token));
}

}  // namespace trestle
