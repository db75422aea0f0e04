#include "protocol/load_members.h"

#include <algorithm>

#include "protocol/bucket_name.h"
#include "protocol/client_table_members.h"
#include "protocol/load_enumerations.h"
#include "protocol/table_enumerations.h"

namespace trestle {
namespace {

// Printable ASCII but quotation marks and commas.
bool is_header_character(char c) { return c >= 0x20 && c <= 0x7E && c != '"' && c != ','; }

void pattern(std::optional<std::string_view> text, const MemberPath& member, bool matches, std::string_view expression,
             Constraints& constraints) {
  if (!text || matches) return;
  constraints.violated(member, text, "Member must satisfy regular expression pattern: " + std::string(expression));
}

}  // namespace

Result<bool> read_bucket_member(const JsonMember& member, GivenBucket& given) {
  if (member.name == "S3BucketOwner") {
    TRY_INTO(given.owner, json_string(member.value));
  } else if (member.name == "S3Bucket") {
    TRY_INTO(given.bucket, json_string(member.value));
  } else if (member.name == "S3KeyPrefix") {
    TRY_INTO(given.prefix, json_string(member.value));
  } else {
    return false;
  }
  return true;
}

void constrain_bucket(const GivenBucket& given, const MemberPath& member, Constraints& constraints) {
  constraints.not_null(given.bucket.has_value(), {&member, "s3Bucket"});
  constraints.length_at_most(given.bucket, {&member, "s3Bucket"}, 255);
  pattern(given.bucket, {&member, "s3Bucket"}, matches_bucket_pattern(given.bucket.value_or("")),
          "^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$", constraints);
  pattern(given.owner, {&member, "s3BucketOwner"}, matches_account_pattern(given.owner.value_or("")), "[0-9]{12}",
          constraints);
  constraints.length_at_most(given.prefix, {&member, "s3KeyPrefix"}, 1024);
}

BucketSource bucket_source(const GivenBucket& given) {
  BucketSource source;
  if (given.owner) source.owner = *given.owner;
  source.bucket = given.bucket.value_or("");
  if (given.prefix) source.prefix = *given.prefix;
  return source;
}

Result<std::optional<GivenCsvOptions>> read_input_format_options(JsonElement json) {
  std::optional<GivenCsvOptions> given;
  TRY_INTO(const JsonInput input, json_structure(json, "InputFormatOptions", JsonPlace::kMember));
  for (const JsonMember member : input) {
    if (member.name != "Csv") continue;
    given.emplace();
    TRY_INTO(const JsonInput csv, json_structure(member.value, "CsvOptions", JsonPlace::kMember));
    for (const JsonMember option : csv) {
      if (option.name == "Delimiter") {
        TRY_INTO(given->delimiter, json_string(option.value));
      } else if (option.name == "HeaderList") {
        TRY_INTO(given->header_list, json_string_list(option.value));
      }
    }
  }
  return given;
}

void constrain_csv_options(const GivenCsvOptions& given, const MemberPath& member, Constraints& constraints,
                           CsvOptions& out) {
  const MemberPath csv{&member, "csv"};
  constraints.length_at_least(given.delimiter, {&csv, "delimiter"}, 1);
  constraints.length_at_most(given.delimiter, {&csv, "delimiter"}, 1);
  const std::string_view delimiter = given.delimiter.value_or("");
  pattern(given.delimiter, {&csv, "delimiter"},
          delimiter.size() == 1 && std::string_view(",;:|\t ").find(delimiter[0]) != std::string_view::npos,
          "[,;:|\\t ]", constraints);
  if (given.delimiter) out.delimiter = *given.delimiter;
  if (!given.header_list) return;
  const auto shown = [&] { return shown_list(*given.header_list); };
  const MemberPath list{&csv, "headerList"};
  constraints.count_at_least(given.header_list->size(), list, 1, shown);
  constraints.count_at_most(given.header_list->size(), list, 255, shown);
  out.header_list.emplace();
  for (size_t i = 0; i < given.header_list->size(); ++i) {
    const std::string_view header = (*given.header_list)[i];
    const MemberPath element{&list, "member", i + 1};
    constraints.length_at_least(header, element, 1);
    constraints.length_at_most(header, element, 65536);
    pattern(header, element, std::ranges::all_of(header, is_header_character), "[\\x20-\\x21\\x23-\\x2B\\x2D-\\x7E]*",
            constraints);
    out.header_list->emplace_back(header);
  }
}

Result<GivenCreationParameters> read_creation_parameters(JsonElement json) {
  GivenCreationParameters given;
  TRY_INTO(const JsonInput input, json_structure(json, "TableCreationParameters", JsonPlace::kMember));
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(given.table_name, json_string(member.value));
    } else if (member.name == "AttributeDefinitions") {
      TRY_INTO(given.attribute_definitions, read_attribute_definitions(member.value));
    } else if (member.name == "KeySchema") {
      TRY_INTO(given.key_schema, read_key_schema(member.value));
    } else if (member.name == "BillingMode") {
      TRY_INTO(given.billing_mode, json_string(member.value));
    } else if (member.name == "ProvisionedThroughput") {
      TRY_INTO(given.throughput, read_throughput(member.value));
    } else if (member.name == "OnDemandThroughput") {
      TRY_INTO(given.on_demand, read_on_demand(member.value));
    } else if (member.name == "SSESpecification") {
      TRY_INTO(given.sse, read_sse(member.value));
    } else if (member.name == "GlobalSecondaryIndexes") {
      TRY_INTO(given.global_indexes, read_indexes(member.value, "GlobalSecondaryIndex"));
    } else if (member.name == "VectorIndexes") {
      TRY_INTO(given.vector_indexes, read_vector_indexes(member.value));
    }
  }
  return given;
}

void constrain_creation_parameters(const GivenCreationParameters& given, const MemberPath& member,
                                   Constraints& constraints, CreateTableRequest& out) {
  const MemberPath name{&member, "tableName"};
  constraints.not_null(given.table_name.has_value(), name);
  constraints.name_pattern(given.table_name, name);
  constraints.length_at_least(given.table_name, name, 3);
  constraints.length_at_most(given.table_name, name, 255);
  out.table_name = given.table_name.value_or("");
  const MemberPath attributes{&member, "attributeDefinitions"};
  constraints.not_null(given.attribute_definitions.has_value(), attributes);
  if (given.attribute_definitions) {
    constrain_attribute_definitions(*given.attribute_definitions, attributes, constraints, out.attribute_definitions);
  }
  const MemberPath key{&member, "keySchema"};
  constraints.not_null(given.key_schema.has_value(), key);
  if (given.key_schema) constrain_key_schema(*given.key_schema, key, 2, constraints, out.key_schema);
  constraints.one_of(given.billing_mode, {&member, "billingMode"}, kBillingModes, out.billing_mode);
  constrain_throughput(given.throughput, {&member, "provisionedThroughput"}, constraints, out.throughput);
  out.on_demand = given.on_demand;
  if (given.sse) {
    const MemberPath sse{&member, "sSESpecification"};
    auto& specification = out.sse.emplace();
    specification.enabled = given.sse->enabled;
    constraints.one_of(given.sse->type, {&sse, "sSEType"}, kSseTypes, specification.type);
    constraints.length_at_least(given.sse->key_id, {&sse, "kMSMasterKeyId"}, 1);
    specification.key_id = given.sse->key_id.value_or("");
  }
  constrain_vector_indexes(given.vector_indexes, MemberPath(&member, "vectorIndexes").text(), constraints,
                           out.vector_indexes);
  if (!given.global_indexes) return;
  out.global_indexes.emplace();
  const MemberPath list{&member, "globalSecondaryIndexes"};
  for (size_t i = 0; i < given.global_indexes->size(); ++i) {
    constrain_index((*given.global_indexes)[i], {&list, "member", i + 1}, true, constraints,
                    out.global_indexes->emplace_back());
  }
}

void constrain_client_token(std::optional<std::string_view> given, Constraints& constraints) {
  const bool matches = given && !given->empty() && given->find('$') == std::string_view::npos;
  pattern(given, "clientToken", matches, "^[^\\$]+$", constraints);
}

Result<std::string> read_arn(JsonInput input, std::string_view name, std::string_view member) {
  std::optional<std::string_view> arn;
  for (const JsonMember given : input) {
    if (given.name == name) {
      TRY_INTO(arn, json_string(given.value));
    }
  }
  Constraints constraints;
  constraints.not_null(arn.has_value(), member);
  constraints.length_at_least(arn, member, 37);
  constraints.length_at_most(arn, member, 1024);
  TRY(constraints.check());
  return std::string(*arn);
}

// ---- Writing

void write_bucket_members(const BucketSource& source, JsonOutput& json) {
  if (source.owner) json.member("S3BucketOwner", *source.owner);
  json.member("S3Bucket", source.bucket);
  if (source.prefix) json.member("S3KeyPrefix", *source.prefix);
}

void write_input_format_options(const CsvOptions& csv, JsonOutput& json) {
  json.begin_object();
  json.key("Csv").begin_object();
  if (csv.delimiter) json.member("Delimiter", *csv.delimiter);
  if (csv.header_list) {
    json.key("HeaderList").begin_array();
    for (const std::string& header : *csv.header_list) json.string(header);
    json.end_array();
  }
  json.end_object();
  json.end_object();
}

void write_output_configuration(const BulkOutputConfiguration& output, JsonOutput& json) {
  const auto member = [&](std::string_view name, const std::optional<std::string>& text) {
    if (text) json.member(name, *text);
  };
  json.begin_object();
  member("S3BucketOwner", output.owner);
  member("S3Bucket", output.bucket);
  member("S3KeyPrefix", output.prefix);
  member("S3SseAlgorithm", output.sse_algorithm);
  member("S3SseKmsKeyId", output.sse_key_id);
  json.key("OutputType").begin_array();
  for (const BulkOutput type : output.output_types) json.string(choice_name(kBulkOutputs, type));
  json.end_array();
  json.end_object();
}

void write_import_summary_members(const ImportSummary& import, JsonOutput& json) {
  json.member("ImportArn", import.arn);
  json.member("ImportStatus", choice_name(kImportStatuses, import.status));
  json.member("TableArn", import.table_arn);
  json.key("S3BucketSource").begin_object();
  write_bucket_members(import.source, json);
  json.end_object();
  if (!import.log_group_arn.empty()) json.member("CloudWatchLogGroupArn", import.log_group_arn);
  json.member("InputFormat", choice_name(kInputFormats, import.format));
  json.key("StartTime").timestamp_ms(import.started_ms);
  if (import.ended_ms != 0) json.key("EndTime").timestamp_ms(import.ended_ms);
}

void write_bulk_summary_members(const BulkOperationSummary& operation, JsonOutput& json) {
  json.member("BulkOperationArn", operation.arn);
  json.member("BulkOperationStatus", choice_name(kBulkOperationStatuses, operation.status));
  json.key("StartTime").timestamp_ms(operation.started_ms);
  if (operation.ended_ms != 0) json.key("EndTime").timestamp_ms(operation.ended_ms);
}

namespace {

void write_failure(const std::string& code, const std::string& message, JsonOutput& json) {
  if (code.empty()) return;
  json.member("FailureCode", code);
  json.member("FailureMessage", message);
}

void write_bytes(std::string_view name, const std::vector<std::pair<std::string, int64_t>>& indexes, JsonOutput& json) {
  if (indexes.empty()) return;
  json.key(name).begin_object();
  for (const auto& [index, bytes] : indexes) {
    json.key_escaped(index).begin_object();
    json.member("BulkPutBytes", bytes);
    json.end_object();
  }
  json.end_object();
}

void write_usage(const BulkUsage& usage, JsonOutput& json) {
  int64_t total = usage.table_bytes;
  for (const auto* indexes : {&usage.local_indexes, &usage.global_indexes}) {
    for (const auto& [index, bytes] : *indexes) total += bytes;
  }
  json.key("BulkOperationUsage").begin_array();
  json.begin_object();
  json.member("TableName", usage.table_name);
  json.member("BulkPutBytes", total);
  json.key("Table").begin_object();
  json.member("BulkPutBytes", usage.table_bytes);
  json.end_object();
  write_bytes("LocalSecondaryIndexes", usage.local_indexes, json);
  write_bytes("GlobalSecondaryIndexes", usage.global_indexes, json);
  json.end_object();
  json.end_array();
}

}  // namespace

void write_import_response(const ImportDescription& import, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("ImportTableDescription").begin_object();
  write_import_summary_members(import.summary, json);
  json.member("TableId", import.table_id);
  json.member("ClientToken", import.client_token);
  json.member("ErrorCount", import.errors);
  if (import.csv) {
    json.key("InputFormatOptions");
    write_input_format_options(*import.csv, json);
  }
  json.member("InputCompressionType", choice_name(kInputCompressions, import.compression));
  json.key("TableCreationParameters").begin_object();
  put_members(json, import.table);
  json.end_object();
  if (import.processed_bytes) json.member("ProcessedSizeBytes", *import.processed_bytes);
  json.member("ProcessedItemCount", import.processed_items);
  json.member("ImportedItemCount", import.imported_items);
  write_failure(import.failure_code, import.failure_message, json);
  json.end_object();
  json.end_object();
}

void write_bulk_operation_response(const BulkOperationDescription& operation, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("BulkOperationDescription").begin_object();
  write_bulk_summary_members(operation.summary, json);
  json.key("TableDetails").begin_array();
  json.begin_object();
  json.member("TableName", operation.table_name);
  json.member("TableId", operation.table_id);
  json.end_object();
  json.end_array();
  if (operation.client_token) json.member("ClientToken", *operation.client_token);
  json.key("InputS3Configuration").begin_object();
  write_bucket_members(operation.source, json);
  json.member("InputFormat", choice_name(kInputFormats, operation.format));
  json.member("InputCompressionType", choice_name(kInputCompressions, operation.compression));
  json.end_object();
  json.key("OutputS3Configuration");
  write_output_configuration(operation.output, json);
  json.member("ProcessedItemCount", operation.processed_items);
  json.member("ProcessedInputBytes", operation.processed_bytes);
  if (operation.total_bytes) json.member("TotalInputBytes", *operation.total_bytes);
  write_usage(operation.usage, json);
  json.member("FailedItemCount", operation.failed_items);
  write_failure(operation.failure_code, operation.failure_message, json);
  if (operation.write_units_max) json.member("MaxWriteRequestUnits", *operation.write_units_max);
  json.member("PerformanceTier", choice_name(kPerformanceTiers, operation.tier));
  json.end_object();
  json.end_object();
}

}  // namespace trestle
