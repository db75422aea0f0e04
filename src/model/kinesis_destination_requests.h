// Kinesis as a destination of a table's changes: EnableKinesisStreamingDestination,
// DisableKinesisStreamingDestination, UpdateKinesisStreamingDestination, DescribeKinesisStreamingDestination.
#pragma once

#include "model/table_requests.h"

namespace trestle {

enum class KinesisDestinationStatus { kEnabling, kActive, kDisabling, kDisabled, kEnableFailed, kUpdating };
enum class CreationTimePrecision { kMillisecond, kMicrosecond };

// Members shared by the requests that name a stream.
struct KinesisDestinationRequest {
  std::string table_name;
  std::string stream_arn;
  std::optional<CreationTimePrecision> precision;
};
struct EnableKinesisStreamingDestinationRequest : KinesisDestinationRequest {};
struct DisableKinesisStreamingDestinationRequest : KinesisDestinationRequest {};
struct UpdateKinesisStreamingDestinationRequest : KinesisDestinationRequest {};

// Response of Enable and DisableKinesisStreamingDestination.
struct KinesisDestinationResponse {
  std::string table_name;
  std::string stream_arn;
  KinesisDestinationStatus status = KinesisDestinationStatus::kDisabled;
  std::optional<CreationTimePrecision> precision;
};
using EnableKinesisStreamingDestinationResponse = KinesisDestinationResponse;
using DisableKinesisStreamingDestinationResponse = KinesisDestinationResponse;
// The same fields, but the wire name of the precision differs.
struct UpdateKinesisStreamingDestinationResponse : KinesisDestinationResponse {};

struct DescribeKinesisStreamingDestinationRequest {
  std::string table_name;
};
struct DescribeKinesisStreamingDestinationResponse {
  struct Destination {
    std::string stream_arn;
    KinesisDestinationStatus status = KinesisDestinationStatus::kDisabled;
    std::optional<std::string> status_description;
    std::optional<CreationTimePrecision> precision;
  };
  std::string table_name;
  std::vector<Destination> destinations;
};

}  // namespace trestle
