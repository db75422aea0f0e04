// Imports and bulk operations in the client's direction.
#include "protocol/client_input.h"
#include "protocol/client_json.h"
#include "protocol/client_output.h"
#include "protocol/client_table_members.h"
#include "protocol/load_enumerations.h"
#include "protocol/load_members.h"

namespace trestle {
namespace {

// S3BucketSource, or what more holds beside it.
template <class... More>
Result<void> take_source(JsonElement json, BucketSource& source, More... more) {
  return take_members(json, into("S3BucketOwner", source.owner), into("S3Bucket", source.bucket),
                      into("S3KeyPrefix", source.prefix), more...);
}

// What ImportSummary and ImportTableDescription share.
template <class... More>
Result<void> take_import(JsonElement json, ImportSummary& import, More... more) {
  return take_members(json, into("ImportArn", import.arn), into("ImportStatus", import.status, kImportStatuses),
                      into("TableArn", import.table_arn),
                      into("S3BucketSource", [&](JsonElement source) { return take_source(source, import.source); }),
                      into("CloudWatchLogGroupArn", import.log_group_arn),
                      into("InputFormat", import.format, kInputFormats), into_timestamp("StartTime", import.started_ms),
                      into_timestamp("EndTime", import.ended_ms), more...);
}

template <class... More>
Result<void> take_operation(JsonElement json, BulkOperationSummary& operation, More... more) {
  return take_members(json, into("BulkOperationArn", operation.arn),
                      into("BulkOperationStatus", operation.status, kBulkOperationStatuses),
                      into_timestamp("StartTime", operation.started_ms), into_timestamp("EndTime", operation.ended_ms),
                      more...);
}

Result<void> take_csv(JsonElement json, std::optional<CsvOptions>& csv) {
  TRY_INTO(const auto given, read_input_format_options(json));
  Constraints ignored;
  if (given) constrain_csv_options(*given, "csv", ignored, csv.emplace());
  return {};
}

Result<void> take_table(JsonElement json, CreateTableRequest& table) {
  TRY_INTO(const auto given, read_creation_parameters(json));
  Constraints ignored;
  constrain_creation_parameters(given, "table", ignored, table);
  return {};
}

Result<void> take_output(JsonElement json, BulkOutputConfiguration& output) {
  const auto take_types = [&](JsonElement types) -> Result<void> {
    TRY_INTO(const auto names, json_string_list(types));
    for (const std::string_view name : names) {
      if (const auto type = find_choice(kBulkOutputs, name)) output.output_types.push_back(*type);
    }
    return {};
  };
  return take_members(json, into("S3BucketOwner", output.owner), into("S3Bucket", output.bucket),
                      into("S3KeyPrefix", output.prefix), into("S3SseAlgorithm", output.sse_algorithm),
                      into("S3SseKmsKeyId", output.sse_key_id), into("OutputType", take_types));
}

struct PutBytes {
  int64_t count = 0;
};
Result<void> take_put_bytes(JsonElement json, PutBytes& bytes) {
  return take_members(json, into("BulkPutBytes", bytes.count));
}

auto into_bytes(std::string_view name, std::vector<std::pair<std::string, int64_t>>& out) {
  return into(name, [&out](JsonElement json) -> Result<void> {
    TRY_INTO(const JsonInput map, json_map(json, "java.lang.Object"));
    for (const JsonMember member : map) {
      PutBytes bytes;
      TRY(take_put_bytes(member.value, bytes));
      out.emplace_back(member.name, bytes.count);
    }
    return {};
  });
}

// The list has one element: there is one table.
Result<void> take_usage(JsonElement json, BulkUsage& usage) {
  TRY_INTO(const JsonArray array, json_list(json));
  for (const JsonElement element : array) {
    PutBytes table;
    TRY(take_members(element, into("TableName", usage.table_name),
                     into("Table", [&](JsonElement bytes) { return take_put_bytes(bytes, table); }),
                     into_bytes("LocalSecondaryIndexes", usage.local_indexes),
                     into_bytes("GlobalSecondaryIndexes", usage.global_indexes)));
    usage.table_bytes = table.count;
  }
  return {};
}

Result<void> take_table_details(JsonElement json, BulkOperationDescription& operation) {
  TRY_INTO(const JsonArray array, json_list(json));
  for (const JsonElement element : array) {
    TRY(take_members(element, into("TableName", operation.table_name), into("TableId", operation.table_id)));
  }
  return {};
}

void write_arn(std::string_view name, const std::string& arn, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, name, arn);
  json.end_object();
}

}  // namespace

Result<void> take(JsonElement json, ImportSummary& import) { return take_import(json, import); }
Result<void> take(JsonElement json, BulkOperationSummary& operation) { return take_operation(json, operation); }

void write_request_json(const ImportTableRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ClientToken", request.client_token);
  json.key("S3BucketSource").begin_object();
  write_bucket_members(request.source, json);
  json.end_object();
  put_choice(json, "InputFormat", request.format, kInputFormats);
  if (request.csv) {
    json.key("InputFormatOptions");
    write_input_format_options(*request.csv, json);
  }
  put_choice(json, "InputCompressionType", request.compression, kInputCompressions);
  json.key("TableCreationParameters").begin_object();
  put_members(json, request.table);
  json.end_object();
  json.end_object();
}

void write_request_json(const DescribeImportRequest& request, std::string& out) {
  write_arn("ImportArn", request.import_arn, out);
}

void write_request_json(const ListImportsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableArn", request.table_arn);
  put(json, "PageSize", request.page_size);
  put(json, "NextToken", request.next_token);
  json.end_object();
}

void write_request_json(const StartBulkPutItemsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ClientToken", request.client_token);
  json.key("InputS3Configuration").begin_object();
  write_bucket_members(request.source, json);
  put_choice(json, "InputFormat", request.format, kInputFormats);
  put_choice(json, "InputCompressionType", request.compression, kInputCompressions);
  json.end_object();
  json.key("OutputS3Configuration");
  write_output_configuration(request.output, json);
  put(json, "TableName", request.table_name);
  put(json, "MaxWriteRequestUnits", request.write_units_max);
  put_choice(json, "PerformanceTier", request.tier, kPerformanceTiers);
  json.end_object();
}

void write_request_json(const DescribeBulkOperationRequest& request, std::string& out) {
  write_arn("BulkOperationArn", request.arn, out);
}

void write_request_json(const CancelBulkOperationRequest& request, std::string& out) {
  write_arn("BulkOperationArn", request.arn, out);
}

void write_request_json(const ListBulkOperationsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "MaxResults", request.limit);
  put(json, "NextToken", request.next_token);
  json.end_object();
}

Result<void> read_response_json(JsonInput input, ImportResponse& response) {
  ImportDescription& import = response.import;
  return take_members(
      input, into("ImportTableDescription", [&](JsonElement json) {
        return take_import(
            json, import.summary, into("TableId", import.table_id), into("ClientToken", import.client_token),
            into("ErrorCount", import.errors),
            into("InputFormatOptions", [&](JsonElement options) { return take_csv(options, import.csv); }),
            into("InputCompressionType", import.compression, kInputCompressions),
            into("TableCreationParameters", [&](JsonElement table) { return take_table(table, import.table); }),
            into("ProcessedSizeBytes", import.processed_bytes), into("ProcessedItemCount", import.processed_items),
            into("ImportedItemCount", import.imported_items), into("FailureCode", import.failure_code),
            into("FailureMessage", import.failure_message));
      }));
}

Result<void> read_response_json(JsonInput input, ListImportsResponse& response) {
  return take_members(input, into("ImportSummaryList", response.imports), into("NextToken", response.next_token));
}

Result<void> read_response_json(JsonInput input, BulkOperationResponse& response) {
  BulkOperationDescription& operation = response.operation;
  const auto take_input = [&](JsonElement json) {
    return take_source(json, operation.source, into("InputFormat", operation.format, kInputFormats),
                       into("InputCompressionType", operation.compression, kInputCompressions));
  };
  return take_members(
      input, into("BulkOperationDescription", [&](JsonElement json) {
        return take_operation(
            json, operation.summary,
            into("TableDetails", [&](JsonElement tables) { return take_table_details(tables, operation); }),
            into("ClientToken", operation.client_token), into("InputS3Configuration", take_input),
            into("OutputS3Configuration", [&](JsonElement output) { return take_output(output, operation.output); }),
            into("ProcessedItemCount", operation.processed_items),
            into("ProcessedInputBytes", operation.processed_bytes), into("TotalInputBytes", operation.total_bytes),
            into("BulkOperationUsage", [&](JsonElement usage) { return take_usage(usage, operation.usage); }),
            into("FailedItemCount", operation.failed_items), into("FailureCode", operation.failure_code),
            into("FailureMessage", operation.failure_message), into("MaxWriteRequestUnits", operation.write_units_max),
            into("PerformanceTier", operation.tier, kPerformanceTiers));
      }));
}

Result<void> read_response_json(JsonInput input, ListBulkOperationsResponse& response) {
  return take_members(input, into("BulkOperationsSummaryList", response.operations),
                      into("NextToken", response.next_token));
}

Result<void> read_response_json(JsonInput input, CancelBulkOperationResponse& response) {
  return take_members(input, into("BulkOperationArn", response.arn),
                      into("BulkOperationStatus", response.status, kBulkOperationStatuses));
}

}  // namespace trestle
