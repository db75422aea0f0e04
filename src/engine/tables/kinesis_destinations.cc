// The operations on Kinesis destinations. Trestle does not support them; clients can read a table's changes from its
// stream instead (StreamSpecification of CreateTable and UpdateTable). The errors for a stream that is not a
// destination are DynamoDB's.
#include <fmt/format.h>

#include "engine/tables/find_table.h"
#include "engine/tables/table_operations.h"

namespace trestle {

Result<EnableKinesisStreamingDestinationResponse> enable_kinesis_streaming_destination(
    TableParts& parts, const EnableKinesisStreamingDestinationRequest& request, Call&) {
  TRY(find_described_table(parts, request.table_name));
  return invalid_parameter(
      "StreamArn is not supported: Trestle has no Kinesis data streams; "
      "read the table's changes from its DynamoDB stream instead");
}

Result<DisableKinesisStreamingDestinationResponse> disable_kinesis_streaming_destination(
    TableParts& parts, const DisableKinesisStreamingDestinationRequest& request, Call&) {
  TRY(find_described_table(parts, request.table_name));
  return invalid(
      "Table is not in a valid state to enable Kinesis Streaming Destination: KinesisStreamingDestination must be "
      "ACTIVE "
      "to perform DISABLE operation.");
}

Result<UpdateKinesisStreamingDestinationResponse> update_kinesis_streaming_destination(
    TableParts& parts, const UpdateKinesisStreamingDestinationRequest& request, Call&) {
  TRY_INTO(const auto table, find_described_table(parts, request.table_name));
  return invalid(fmt::format(
      "Table is not in a valid state to enable Kinesis Streaming Destination: No streaming destination with "
      "streamArn: {} found for table with tableName: {}",
      request.stream_arn, table->description.name));
}

Result<DescribeKinesisStreamingDestinationResponse> describe_kinesis_streaming_destination(
    TableParts& parts, const DescribeKinesisStreamingDestinationRequest& request, Call&) {
  TRY_INTO(const auto table, find_described_table(parts, request.table_name));
  return DescribeKinesisStreamingDestinationResponse{.table_name = table->description.name, .destinations = {}};
}

}  // namespace trestle
