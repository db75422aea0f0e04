// EnableKinesisStreamingDestination, DisableKinesisStreamingDestination, UpdateKinesisStreamingDestination and
// DescribeKinesisStreamingDestination as JSON.
#pragma once

#include <string>

#include "model/kinesis_destination_requests.h"
#include "protocol/constraints.h"
#include "protocol/json_input.h"

namespace trestle {

inline constexpr Choice<CreationTimePrecision> kCreationTimePrecisions[] = {
    {"MILLISECOND", CreationTimePrecision::kMillisecond}, {"MICROSECOND", CreationTimePrecision::kMicrosecond}};
inline constexpr Choice<KinesisDestinationStatus> kKinesisDestinationStatuses[] = {
    {"ENABLING", KinesisDestinationStatus::kEnabling},          {"ACTIVE", KinesisDestinationStatus::kActive},
    {"DISABLING", KinesisDestinationStatus::kDisabling},        {"DISABLED", KinesisDestinationStatus::kDisabled},
    {"ENABLE_FAILED", KinesisDestinationStatus::kEnableFailed}, {"UPDATING", KinesisDestinationStatus::kUpdating}};

// The member that holds the precision, in requests and answers.
inline constexpr std::string_view kEnableKinesisConfiguration = "EnableKinesisStreamingConfiguration";
inline constexpr std::string_view kUpdateKinesisConfiguration = "UpdateKinesisStreamingConfiguration";

Result<EnableKinesisStreamingDestinationRequest> read_enable_kinesis_streaming_destination_json(JsonInput input);
void write_enable_kinesis_streaming_destination_json(const EnableKinesisStreamingDestinationResponse& response,
                                                     std::string& out);

Result<DisableKinesisStreamingDestinationRequest> read_disable_kinesis_streaming_destination_json(JsonInput input);
void write_disable_kinesis_streaming_destination_json(const DisableKinesisStreamingDestinationResponse& response,
                                                      std::string& out);

Result<UpdateKinesisStreamingDestinationRequest> read_update_kinesis_streaming_destination_json(JsonInput input);
void write_update_kinesis_streaming_destination_json(const UpdateKinesisStreamingDestinationResponse& response,
                                                     std::string& out);

Result<DescribeKinesisStreamingDestinationRequest> read_describe_kinesis_streaming_destination_json(JsonInput input);
void write_describe_kinesis_streaming_destination_json(const DescribeKinesisStreamingDestinationResponse& response,
                                                       std::string& out);

}  // namespace trestle
