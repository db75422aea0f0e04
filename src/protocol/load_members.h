// The structures that imports and bulk operations are made of. Reading is in two steps, as for tables
// (protocol/table_members.h): the shapes first, then the constraints.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/load_requests.h"
#include "protocol/constraints.h"
#include "protocol/json_input.h"
#include "protocol/json_output.h"
#include "protocol/table_members.h"
#include "protocol/vector_members.h"

namespace trestle {

// S3BucketSource, and what is the same in InputS3Configuration and OutputS3Configuration.
struct GivenBucket {
  std::optional<std::string_view> owner;
  std::optional<std::string_view> bucket;
  std::optional<std::string_view> prefix;
};
// Whether the member is one of them, and then it is read.
Result<bool> read_bucket_member(const JsonMember& member, GivenBucket& given);
void constrain_bucket(const GivenBucket& given, const MemberPath& member, Constraints& constraints);
BucketSource bucket_source(const GivenBucket& given);

struct GivenCsvOptions {
  std::optional<std::string_view> delimiter;
  std::optional<std::vector<std::string_view>> header_list;
};
// {"Csv": {...}}; nothing if there is no Csv in it.
Result<std::optional<GivenCsvOptions>> read_input_format_options(JsonElement json);
void constrain_csv_options(const GivenCsvOptions& given, const MemberPath& member, Constraints& constraints,
                           CsvOptions& out);

struct GivenCreationParameters {
  std::optional<std::string_view> table_name;
  std::optional<GivenAttributeDefinitions> attribute_definitions;
  std::optional<GivenKeySchema> key_schema;
  std::optional<std::string_view> billing_mode;
  std::optional<GivenThroughput> throughput;
  std::optional<ThroughputLimits> on_demand;
  std::optional<GivenSse> sse;
  std::optional<std::vector<GivenIndex>> global_indexes;
  std::optional<std::vector<GivenVectorIndex>> vector_indexes;
};
Result<GivenCreationParameters> read_creation_parameters(JsonElement json);
void constrain_creation_parameters(const GivenCreationParameters& given, const MemberPath& member,
                                   Constraints& constraints, CreateTableRequest& out);

void constrain_client_token(std::optional<std::string_view> given, Constraints& constraints);
// The whole request of the operations that take an ARN and nothing else: "ImportArn", told as "importArn".
Result<std::string> read_arn(JsonInput input, std::string_view name, std::string_view member);

// ---- Writing.

void write_bucket_members(const BucketSource& source, JsonOutput& json);
// {"Csv": {...}}
void write_input_format_options(const CsvOptions& csv, JsonOutput& json);
void write_output_configuration(const BulkOutputConfiguration& output, JsonOutput& json);
void write_import_summary_members(const ImportSummary& import, JsonOutput& json);
void write_bulk_summary_members(const BulkOperationSummary& operation, JsonOutput& json);
// {"ImportTableDescription": ...}
void write_import_response(const ImportDescription& import, std::string& out);
// {"BulkOperationDescription": ...}
void write_bulk_operation_response(const BulkOperationDescription& operation, std::string& out);

}  // namespace trestle
