// ListStreams, DescribeStream, GetShardIterator and GetRecords as JSON.
#include <gtest/gtest.h>

#include "protocol/shapes/server_json.h"
#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

#define ARN "arn:aws:dynamodb:us-east-1:000000000000:table/music/stream/2026-01-31T12:00:00.000"
#define SHARD "shardId-00000001769860800000-40b2f1c7"

TEST(StreamsJson, members_reach_the_requests) {
  const auto list =
      read(read_list_streams_json, R"({"TableName":"music","Limit":7,"ExclusiveStartStreamArn":")" ARN R"("})");
  ASSERT_TRUE(list.has_value()) << list.error().message;
  EXPECT_EQ(list->table_name, "music");
  EXPECT_EQ(list->limit, 7);
  EXPECT_EQ(list->exclusive_start_stream_arn, ARN);
  const auto describe = read(read_describe_stream_json, R"({"StreamArn":")" ARN R"(","Limit":3,
    "ExclusiveStartShardId":")" SHARD R"(","ShardFilter":{"Type":"CHILD_SHARDS","ShardId":")" SHARD R"("}})");
  ASSERT_TRUE(describe.has_value()) << describe.error().message;
  EXPECT_EQ(describe->stream_arn, ARN);
  EXPECT_EQ(describe->exclusive_start_shard_id, SHARD);
  ASSERT_TRUE(describe->shard_filter.has_value());
  EXPECT_EQ(describe->shard_filter->type, ShardFilterType::kChildShards);
  EXPECT_EQ(describe->shard_filter->shard_id, SHARD);
  const auto iterator = read(read_get_shard_iterator_json, R"({"StreamArn":")" ARN R"(","ShardId":")" SHARD R"(",
    "ShardIteratorType":"AFTER_SEQUENCE_NUMBER","SequenceNumber":"100000000000000000005000006"})");
  ASSERT_TRUE(iterator.has_value()) << iterator.error().message;
  EXPECT_EQ(iterator->type, ShardIteratorType::kAfterSequenceNumber);
  EXPECT_EQ(iterator->sequence_number, "100000000000000000005000006");
  const auto records = read(read_get_records_json, R"({"ShardIterator":"x","Limit":1000})");
  ASSERT_TRUE(records.has_value()) << records.error().message;
  EXPECT_EQ(records->limit, 1000);
}

TEST(StreamsJson, limits_are_refused_in_each_operations_words) {
  EXPECT_EQ(refusal(read_list_streams_json, R"({"Limit":0})"),
            "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value "
            "greater than or equal to 1");
  EXPECT_EQ(refusal(read_list_streams_json, R"({"Limit":101})"),
            "One or more parameter values were invalid: Limit cannot be greater than the maximum allowed size: 100");
  EXPECT_EQ(refusal(read_describe_stream_json, R"({"Limit":101,"StreamArn":")" ARN R"("})"),
            "One or more parameter values were invalid: Limit cannot be greater than the maximum: 100");
  EXPECT_EQ(refusal(read_get_records_json, R"({"Limit":1001,"ShardIterator":"x"})"),
            "One or more parameter values were invalid: Limit should be less than or equal to 1000");
}

TEST(StreamsJson, missing_members_are_reported_together) {
  EXPECT_EQ(refusal(read_get_shard_iterator_json, "{}"),
            "3 validation errors detected: Value null at 'streamArn' failed to satisfy constraint: Member must not be "
            "null; Value null at 'shardId' failed to satisfy constraint: Member must not be null; Value null at "
            "'shardIteratorType' failed to satisfy constraint: Member must not be null");
  EXPECT_EQ(refusal(read_get_records_json, "{}"),
            "1 validation error detected: Value null at 'shardIterator' failed to satisfy constraint: Member must not "
            "be null");
}

TEST(StreamsJson, an_arn_that_is_not_a_streams_is_refused) {
  EXPECT_EQ(refusal(read_describe_stream_json, R"({"StreamArn":"fake-stream"})"), "Invalid StreamArn");
  EXPECT_EQ(
      refusal(read_describe_stream_json, R"({"StreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/music"})"),
      "Invalid StreamArn");
  EXPECT_EQ(refusal(read_list_streams_json, R"({"ExclusiveStartStreamArn":"fake-stream"})"), "Invalid StreamArn");
}

TEST(StreamsJson, a_sequence_number_goes_with_its_iterator_types_only) {
  EXPECT_EQ(refusal(read_get_shard_iterator_json, R"({"StreamArn":")" ARN R"(","ShardId":")" SHARD
                                                  R"(","ShardIteratorType":"LATEST",
                                                  "SequenceNumber":"100000000000000000005000006"})"),
            "One or more parameter values were invalid: SequenceNumber is not allowed for ShardIteratorType: LATEST");
  EXPECT_EQ(refusal(read_get_shard_iterator_json,
                    R"({"StreamArn":")" ARN R"(","ShardId":")" SHARD R"(","ShardIteratorType":"AT_SEQUENCE_NUMBER"})"),
            "One or more parameter values were invalid: SequenceNumber is required for ShardIteratorType: "
            "AT_SEQUENCE_NUMBER");
  EXPECT_EQ(refusal(read_get_shard_iterator_json, R"({"StreamArn":")" ARN R"(","ShardId":")" SHARD
                                                  R"(","ShardIteratorType":"bulle","SequenceNumber":"1"})"),
            "2 validation errors detected: Value 'bulle' at 'shardIteratorType' failed to satisfy constraint: Member "
            "must satisfy enum value set: [AT_SEQUENCE_NUMBER, AFTER_SEQUENCE_NUMBER, TRIM_HORIZON, LATEST]; Value '1' "
            "at 'sequenceNumber' failed to satisfy constraint: Member must have length greater than or equal to 21");
}

TEST(StreamsJson, records_are_written_as_the_service_does) {
  GetRecordsResponse response{.region = "us-east-1", .view_type = StreamViewType::kOldImage};
  response.records.push_back({.event_id = "e1",
                              .event = StreamEvent::kRemove,
                              .origin = WriteOrigin::kTimeToLive,
                              .created_ms = 1'769'860'800'999,
                              .sequence_number = "100000000000000000005000006",
                              .keys = Item{{"p", Value::string("a")}},
                              .new_image = std::nullopt,
                              .old_image = Item{{"p", Value::string("a")}, {"v", Value::number(1)}},
                              .size_bytes = 7});
  std::string out;
  write_get_records_json(response, out);
  EXPECT_EQ(out, R"({"Records":[{"awsRegion":"us-east-1","dynamodb":{"ApproximateCreationDateTime":1769860800,)"
                 R"("Keys":{"p":{"S":"a"}},"OldImage":{"p":{"S":"a"},"v":{"N":"1"}},)"
                 R"("SequenceNumber":"100000000000000000005000006","SizeBytes":7,"StreamViewType":"OLD_IMAGE"},)"
                 R"("eventID":"e1","eventName":"REMOVE","eventSource":"aws:dynamodb","eventVersion":"1.1",)"
                 R"("userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}}]})");
  out.clear();
  write_get_records_json({.next_shard_iterator = "n"}, out);
  EXPECT_EQ(out, R"({"NextShardIterator":"n","Records":[]})");
}

TEST(StreamsJson, a_stream_is_described_with_its_shards) {
  DescribeStreamResponse response{
      {.arn = ARN,
       .label = "2026-01-31T12:00:00.000",
       .enabled = true,
       .view_type = StreamViewType::kNewImage,
       .created_ms = 1'769'860'800'125,
       .table_name = "music",
       .key = {.hash = {{"p", ValueType::kString}}, .range = {}},
       .shards = {{.id = "s2", .parent_id = "s1", .starting_sequence_number = "1", .ending_sequence_number = "2"}},
       .last_evaluated_shard_id = "s2"}};
  std::string out;
  write_describe_stream_json(response, out);
  EXPECT_EQ(out, R"({"StreamDescription":{"CreationRequestDateTime":1769860800.125,)"
                 R"("KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],"LastEvaluatedShardId":"s2",)"
                 R"("Shards":[{"ParentShardId":"s1","SequenceNumberRange":{"EndingSequenceNumber":"2",)"
                 R"("StartingSequenceNumber":"1"},"ShardId":"s2"}],"StreamArn":")" ARN
                 R"(","StreamLabel":"2026-01-31T12:00:00.000","StreamStatus":"ENABLED","StreamViewType":"NEW_IMAGE",)"
                 R"("TableName":"music"}})");
}

}  // namespace
}  // namespace trestle
