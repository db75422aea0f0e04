// The operations on Kinesis destinations. A table here never has one: there is no Kinesis to write to. Its changes can
// be read from its stream (StreamSpecification of CreateTable and UpdateTable). The errors for a stream that is not a
// destination are DynamoDB's.
#include <fmt/format.h>

#include "engine/engine.h"

namespace trestle {

Result<EnableKinesisStreamingDestinationResponse> Engine::enable_kinesis_streaming_destination(
    const EnableKinesisStreamingDestinationRequest& request, Call&) {
  TRY(find_described_table(request.table_name));
  return invalid(
      "One or more parameter values were invalid: StreamArn is not supported: Trestle has no Kinesis data streams; "
      "read the table's changes from its DynamoDB stream instead");
}

Result<DisableKinesisStreamingDestinationResponse> Engine::disable_kinesis_streaming_destination(
    const DisableKinesisStreamingDestinationRequest& request, Call&) {
  TRY(find_described_table(request.table_name));
  return invalid(
      "Table is not in a valid state to enable Kinesis Streaming Destination: KinesisStreamingDestination must be "
      "ACTIVE "
      "to perform DISABLE operation.");
}

Result<UpdateKinesisStreamingDestinationResponse> Engine::update_kinesis_streaming_destination(
    const UpdateKinesisStreamingDestinationRequest& request, Call&) {
  TRY_INTO(const auto table, find_described_table(request.table_name));
  return invalid(fmt::format(
      "Table is not in a valid state to enable Kinesis Streaming Destination: No streaming destination with "
      "streamArn: {} found for table with tableName: {}",
      request.stream_arn, table->description.name));
}

Result<DescribeKinesisStreamingDestinationResponse> Engine::describe_kinesis_streaming_destination(
    const DescribeKinesisStreamingDestinationRequest& request, Call&) {
  TRY_INTO(const auto table, find_described_table(request.table_name));
  return DescribeKinesisStreamingDestinationResponse{.table_name = table->description.name, .destinations = {}};
}

}  // namespace trestle
