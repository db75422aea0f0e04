// The shapes of Kinesis destinations.
#pragma once

#include "model/kinesis_destination_requests.h"
#include "model/shapes/shape.h"

namespace trestle {

inline constexpr Choice<CreationTimePrecision> kCreationTimePrecisions[] = {
    {"MILLISECOND", CreationTimePrecision::kMillisecond}, {"MICROSECOND", CreationTimePrecision::kMicrosecond}};
inline constexpr Choice<KinesisDestinationStatus> kKinesisDestinationStatuses[] = {
    {"ENABLING", KinesisDestinationStatus::kEnabling},          {"ACTIVE", KinesisDestinationStatus::kActive},
    {"DISABLING", KinesisDestinationStatus::kDisabling},        {"DISABLED", KinesisDestinationStatus::kDisabled},
    {"ENABLE_FAILED", KinesisDestinationStatus::kEnableFailed}, {"UPDATING", KinesisDestinationStatus::kUpdating}};

// `configuration`: the member that contains the precision. Only Enable rejects an ARN that is too short; for the other
// operations it names a stream that does not exist.
struct KinesisDestinationMembers : ShapeRules {
  static void request(auto& of, std::string_view configuration, rules::Length length_rule) {
    using Of = KinesisDestinationRequest;
    of.member("TableName", &Of::table_name, table_name_needed, existing_table);
    of.member("StreamArn", &Of::stream_arn, required, length_rule);
    of.structure(
        configuration,
        [](auto& in) {
          in.member("ApproximateCreationDateTimePrecision", &Of::precision, one_of(kCreationTimePrecisions));
        },
        omit_default);
  }
  static void response(auto& of, std::string_view configuration) {
    using Of = KinesisDestinationResponse;
    of.member("TableName", &Of::table_name);
    of.member("StreamArn", &Of::stream_arn);
    of.member("DestinationStatus", &Of::status, one_of(kKinesisDestinationStatuses));
    of.structure(
        configuration,
        [](auto& in) {
          in.member("ApproximateCreationDateTimePrecision", &Of::precision, one_of(kCreationTimePrecisions));
        },
        omit_default);
  }
};

template <>
struct Shape<EnableKinesisStreamingDestinationRequest> : KinesisDestinationMembers {
  static void members(auto& of) { request(of, "EnableKinesisStreamingConfiguration", arn_length); }
};
template <>
struct Shape<DisableKinesisStreamingDestinationRequest> : KinesisDestinationMembers {
  static void members(auto& of) { request(of, "EnableKinesisStreamingConfiguration", length_at_most(kArnLengthMax)); }
};
template <>
struct Shape<UpdateKinesisStreamingDestinationRequest> : KinesisDestinationMembers {
  static void members(auto& of) { request(of, "UpdateKinesisStreamingConfiguration", length_at_most(kArnLengthMax)); }
};
template <>
struct Shape<KinesisDestinationResponse> : KinesisDestinationMembers {
  static void members(auto& of) { response(of, "EnableKinesisStreamingConfiguration"); }
};
template <>
struct Shape<UpdateKinesisStreamingDestinationResponse> : KinesisDestinationMembers {
  static void members(auto& of) { response(of, "UpdateKinesisStreamingConfiguration"); }
};

template <>
struct Shape<DescribeKinesisStreamingDestinationRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("TableName", &DescribeKinesisStreamingDestinationRequest::table_name, table_name_needed, existing_table);
  }
};

template <>
struct Shape<DescribeKinesisStreamingDestinationResponse::Destination> : ShapeRules {
  static void members(auto& of) {
    using Of = DescribeKinesisStreamingDestinationResponse::Destination;
    of.member("StreamArn", &Of::stream_arn);
    of.member("DestinationStatus", &Of::status, one_of(kKinesisDestinationStatuses));
    of.member("DestinationStatusDescription", &Of::status_description);
    of.member("ApproximateCreationDateTimePrecision", &Of::precision, one_of(kCreationTimePrecisions));
  }
};
template <>
struct Shape<DescribeKinesisStreamingDestinationResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = DescribeKinesisStreamingDestinationResponse;
    of.member("TableName", &Of::table_name);
    of.member("KinesisDataStreamDestinations", &Of::destinations);
  }
};

}  // namespace trestle
