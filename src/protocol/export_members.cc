#include "protocol/export_members.h"

#include "protocol/client_output.h"
#include "protocol/export_enumerations.h"

namespace trestle {
namespace {

void write_period(const ExportPeriod& period, JsonOutput& json) {
  json.key("IncrementalExportSpecification").begin_object();
  put_timestamp(json, "ExportFromTime", period.from_ms);
  put_timestamp(json, "ExportToTime", period.to_ms);
  put_choice(json, "ExportViewType", period.view, kExportViewTypes);
  json.end_object();
}

void write_filter(const ExportFilter& filter, JsonOutput& json) {
  json.key("FilterSpecification").begin_object();
  put(json, "FilterExpression", filter.filter_expression);
  put(json, "ProjectionExpression", filter.projection_expression);
  put(json, "KeyConditionExpression", filter.key_condition_expression);
  put_placeholders(json, filter.placeholders);
  json.end_object();
}

}  // namespace

void write_export_response(const ExportDescription& description, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("ExportDescription").begin_object();
  json.member("ExportArn", description.arn);
  put_choice(json, "ExportStatus", description.status, kExportStatuses);
  json.key("StartTime").timestamp_ms(description.start_ms);
  put_timestamp(json, "EndTime", description.end_ms);
  put(json, "ExportManifest", description.manifest);
  json.member("TableArn", description.table_arn);
  json.member("TableId", description.table_id);
  put_timestamp(json, "ExportTime", description.export_ms);
  put(json, "ClientToken", description.client_token);
  json.member("DestinationType", "S3");
  json.member("S3Bucket", description.s3_bucket);
  put(json, "S3BucketOwner", description.s3_bucket_owner);
  put(json, "S3Prefix", description.s3_prefix);
  put_choice(json, "S3SseAlgorithm", description.sse_algorithm, kS3SseAlgorithms);
  put(json, "S3SseKmsKeyId", description.sse_kms_key_id);
  put(json, "FailureCode", description.failure_code);
  put(json, "FailureMessage", description.failure_message);
  put_choice(json, "ExportFormat", description.format, kExportFormats);
  put(json, "BilledSizeBytes", description.billed_size_bytes);
  put(json, "ItemCount", description.item_count);
  // DynamoDB does not tell the type of a full export here.
  if (description.type != ExportType::kFull) put_choice(json, "ExportType", description.type, kExportTypes);
  if (description.period) write_period(*description.period, json);
  if (description.filter) write_filter(*description.filter, json);
  json.end_object();
  json.end_object();
}

}  // namespace trestle
