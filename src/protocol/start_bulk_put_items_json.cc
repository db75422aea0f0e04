#include "protocol/start_bulk_put_items_json.h"

#include "protocol/load_enumerations.h"
#include "protocol/load_members.h"

namespace trestle {
namespace {

struct GivenBulkPut {
  std::optional<std::string_view> client_token;
  std::optional<GivenBucket> source;
  std::optional<std::string_view> format;
  std::optional<std::string_view> compression;
  std::optional<GivenBucket> output;
  std::optional<std::string_view> sse_algorithm;
  std::optional<std::string_view> sse_key_id;
  std::optional<std::vector<std::string_view>> output_types;
  std::optional<std::string_view> table_name;
  std::optional<int64_t> write_units_max;
  std::optional<std::string_view> tier;
};

Result<void> read_input_configuration(JsonElement json, GivenBulkPut& given) {
  given.source.emplace();
  TRY_INTO(const JsonInput input, json_structure(json, "InputS3Configuration", JsonPlace::kMember));
  for (const JsonMember member : input) {
    if (member.name == "InputFormat") {
      TRY_INTO(given.format, json_string(member.value));
    } else if (member.name == "InputCompressionType") {
      TRY_INTO(given.compression, json_string(member.value));
    } else {
      TRY(read_bucket_member(member, *given.source));
    }
  }
  return {};
}

Result<void> read_output_configuration(JsonElement json, GivenBulkPut& given) {
  given.output.emplace();
  TRY_INTO(const JsonInput input, json_structure(json, "OutputS3Configuration", JsonPlace::kMember));
  for (const JsonMember member : input) {
    if (member.name == "S3SseAlgorithm") {
      TRY_INTO(given.sse_algorithm, json_string(member.value));
    } else if (member.name == "S3SseKmsKeyId") {
      TRY_INTO(given.sse_key_id, json_string(member.value));
    } else if (member.name == "OutputType") {
      TRY_INTO(given.output_types, json_string_list(member.value));
    } else {
      TRY(read_bucket_member(member, *given.output));
    }
  }
  return {};
}

Result<GivenBulkPut> read_bulk_put_members(JsonInput input) {
  GivenBulkPut given;
  for (const JsonMember member : input) {
    if (member.name == "ClientToken") {
      TRY_INTO(given.client_token, json_string(member.value));
    } else if (member.name == "InputS3Configuration") {
      TRY(read_input_configuration(member.value, given));
    } else if (member.name == "OutputS3Configuration") {
      TRY(read_output_configuration(member.value, given));
    } else if (member.name == "TableName") {
      TRY_INTO(given.table_name, json_string(member.value));
    } else if (member.name == "MaxWriteRequestUnits") {
      TRY_INTO(given.write_units_max, json_integer(member.value, "Long"));
    } else if (member.name == "PerformanceTier") {
      TRY_INTO(given.tier, json_string(member.value));
    }
  }
  return given;
}

std::optional<std::string> owned_text(std::optional<std::string_view> given) {
  return given ? std::optional<std::string>(*given) : std::nullopt;
}

void constrain_output(const GivenBulkPut& given, Constraints& constraints, BulkOutputConfiguration& out) {
  const MemberPath member{"outputS3Configuration"};
  constrain_bucket(*given.output, member, constraints);
  std::optional<std::string_view> algorithm;
  constraints.one_of(given.sse_algorithm, {&member, "s3SseAlgorithm"}, kBulkSseAlgorithms, algorithm);
  constraints.length_at_least(given.sse_key_id, {&member, "s3SseKmsKeyId"}, 1);
  constraints.length_at_most(given.sse_key_id, {&member, "s3SseKmsKeyId"}, 2048);
  const MemberPath types{&member, "outputType"};
  constraints.not_null(given.output_types.has_value(), types);
  if (given.output_types) {
    constraints.count_at_least(given.output_types->size(), types, 1, [&] { return shown_list(*given.output_types); });
    for (size_t i = 0; i < given.output_types->size(); ++i) {
      constraints.one_of((*given.output_types)[i], {&types, "member", i + 1}, kBulkOutputs,
                         out.output_types.emplace_back());
    }
  }
  out.owner = owned_text(given.output->owner);
  out.bucket = owned_text(given.output->bucket);
  out.prefix = owned_text(given.output->prefix);
  out.sse_algorithm = owned_text(given.sse_algorithm);
  out.sse_key_id = owned_text(given.sse_key_id);
}

}  // namespace

Result<StartBulkPutItemsRequest> read_start_bulk_put_items_json(JsonInput input) {
  TRY_INTO(const GivenBulkPut given, read_bulk_put_members(input));
  StartBulkPutItemsRequest request;
  Constraints constraints;
  constrain_client_token(given.client_token, constraints);
  constraints.not_null(given.source.has_value(), "inputS3Configuration");
  if (given.source) {
    const MemberPath member{"inputS3Configuration"};
    constrain_bucket(*given.source, member, constraints);
    constraints.not_null(given.format.has_value(), {&member, "inputFormat"});
    constraints.one_of(given.format, {&member, "inputFormat"}, kBulkInputFormats, request.format);
    constraints.one_of(given.compression, {&member, "inputCompressionType"}, kInputCompressions, request.compression);
  }
  constraints.not_null(given.output.has_value(), "outputS3Configuration");
  if (given.output) constrain_output(given, constraints, request.output);
  constraints.not_null(given.table_name.has_value(), "tableName");
  constraints.table_name_or_arn(given.table_name, "tableName");
  constraints.value_at_least(given.write_units_max, "maxWriteRequestUnits", 1024);
  constraints.one_of(given.tier, "performanceTier", kPerformanceTiers, request.tier);
  TRY(constraints.check());
  request.client_token = owned_text(given.client_token);
  request.source = bucket_source(*given.source);
  request.table_name = *given.table_name;
  request.write_units_max = given.write_units_max;
  return request;
}

void write_start_bulk_put_items_json(const StartBulkPutItemsResponse& response, std::string& out) {
  write_bulk_operation_response(response.operation, out);
}

}  // namespace trestle
