#include "protocol/kinesis_destinations_json.h"

#include "protocol/json_output.h"
#include "protocol/table_members.h"

namespace trestle {
namespace {

Result<std::optional<std::string_view>> read_precision(JsonElement json, std::string_view type) {
  TRY_INTO(const JsonInput input, json_structure(json, type, JsonPlace::kMember));
  std::optional<std::string_view> precision;
  for (const JsonMember member : input) {
    if (member.name == "ApproximateCreationDateTimePrecision") {
      TRY_INTO(precision, json_string(member.value));
    }
  }
  return precision;
}

// `configuration`: the member with the precision; `member_name`: the same, as constraints name it.
template <class Request>
Result<Request> read_request(JsonInput input, std::string_view configuration, std::string_view member_name) {
  Request request;
  std::optional<std::string_view> table_name;
  std::optional<std::string_view> stream_arn;
  std::optional<std::string_view> precision;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    } else if (member.name == "StreamArn") {
      TRY_INTO(stream_arn, json_string(member.value));
    } else if (member.name == configuration) {
      TRY_INTO(precision, read_precision(member.value, configuration));
    }
  }
  TRY(require_table_name(table_name));
  Constraints constraints;
  constrain_table_name(table_name, constraints);
  constraints.not_null(stream_arn.has_value(), "streamArn");
  // DynamoDB's model says 37 to 1024 characters, but a shorter text gets no further than a stream that is not there.
  constraints.length_at_most(stream_arn, "streamArn", 1024);
  const MemberPath path{member_name};
  constraints.one_of(precision, {&path, "approximateCreationDateTimePrecision"}, kCreationTimePrecisions,
                     request.precision);
  TRY(constraints.check());
  request.table_name = *table_name;
  request.stream_arn = *stream_arn;
  return request;
}

void write_precision(const std::optional<CreationTimePrecision>& precision, JsonOutput& json) {
  if (precision) {
    json.member("ApproximateCreationDateTimePrecision", choice_name(kCreationTimePrecisions, *precision));
  }
}

void write_destination_response(const KinesisDestinationResponse& response, std::string_view configuration,
                                std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.member("TableName", response.table_name);
  json.member("StreamArn", response.stream_arn);
  json.member("DestinationStatus", choice_name(kKinesisDestinationStatuses, response.status));
  if (response.precision) {
    json.key(configuration).begin_object();
    write_precision(response.precision, json);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

Result<EnableKinesisStreamingDestinationRequest> read_enable_kinesis_streaming_destination_json(JsonInput input) {
  return read_request<EnableKinesisStreamingDestinationRequest>(input, kEnableKinesisConfiguration,
                                                                "enableKinesisStreamingConfiguration");
}

void write_enable_kinesis_streaming_destination_json(const EnableKinesisStreamingDestinationResponse& response,
                                                     std::string& out) {
  write_destination_response(response, kEnableKinesisConfiguration, out);
}

Result<DisableKinesisStreamingDestinationRequest> read_disable_kinesis_streaming_destination_json(JsonInput input) {
  return read_request<DisableKinesisStreamingDestinationRequest>(input, kEnableKinesisConfiguration,
                                                                 "enableKinesisStreamingConfiguration");
}

void write_disable_kinesis_streaming_destination_json(const DisableKinesisStreamingDestinationResponse& response,
                                                      std::string& out) {
  write_destination_response(response, kEnableKinesisConfiguration, out);
}

Result<UpdateKinesisStreamingDestinationRequest> read_update_kinesis_streaming_destination_json(JsonInput input) {
  return read_request<UpdateKinesisStreamingDestinationRequest>(input, kUpdateKinesisConfiguration,
                                                                "updateKinesisStreamingConfiguration");
}

void write_update_kinesis_streaming_destination_json(const UpdateKinesisStreamingDestinationResponse& response,
                                                     std::string& out) {
  write_destination_response(response, kUpdateKinesisConfiguration, out);
}

Result<DescribeKinesisStreamingDestinationRequest> read_describe_kinesis_streaming_destination_json(JsonInput input) {
  TRY_INTO(const std::string_view table_name, read_table_name(input));
  return DescribeKinesisStreamingDestinationRequest{.table_name = std::string(table_name)};
}

void write_describe_kinesis_streaming_destination_json(const DescribeKinesisStreamingDestinationResponse& response,
                                                       std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.member("TableName", response.table_name);
  json.key("KinesisDataStreamDestinations").begin_array();
  for (const auto& destination : response.destinations) {
    json.begin_object();
    json.member("StreamArn", destination.stream_arn);
    json.member("DestinationStatus", choice_name(kKinesisDestinationStatuses, destination.status));
    if (destination.status_description) json.member("DestinationStatusDescription", *destination.status_description);
    write_precision(destination.precision, json);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace trestle
