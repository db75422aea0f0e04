#include "protocol/shapes/by_hand.h"

#include "model/limits.h"
#include "model/shapes/table_enumerations.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/tables/table_description_json.h"
#include "protocol/validation/constraints.h"

namespace trestle {
namespace {

void write_item(std::string_view member, ItemView item, JsonOutput& json) {
  json.key(member);
  append_item_json(json.text(), item);
}

void write_change(const StreamRecord& record, StreamViewType view_type, JsonOutput& json) {
  json.key("dynamodb").begin_object();
  json.member("ApproximateCreationDateTime", record.created_ms / 1000);
  write_item("Keys", record.keys, json);
  if (record.new_image) write_item("NewImage", *record.new_image, json);
  if (record.old_image) write_item("OldImage", *record.old_image, json);
  json.member("SequenceNumber", record.sequence_number);
  json.member("SizeBytes", static_cast<int64_t>(record.size_bytes));
  json.member("StreamViewType", stream_view_type_name(view_type));
  json.end_object();
}

void write_record(const StreamRecord& record, const GetRecordsResponse& response, JsonOutput& json) {
  json.begin_object();
  json.member("awsRegion", response.region);
  write_change(record, response.view_type, json);
  json.member("eventID", record.event_id);
  json.member("eventName", choice_name(kStreamEvents, record.event));
  json.member("eventSource", "aws:dynamodb");
  json.member("eventVersion", "1.1");
  if (record.origin == WriteOrigin::kTimeToLive) {
    json.key("userIdentity").begin_object();
    json.member("PrincipalId", "dynamodb.amazonaws.com");
    json.member("Type", "Service");
    json.end_object();
  }
  json.end_object();
}

}  // namespace

void write_response_by_hand(const GetRecordsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  if (response.next_shard_iterator) json.member("NextShardIterator", *response.next_shard_iterator);
  json.key("Records").begin_array();
  for (const auto& record : response.records) write_record(record, response, json);
  json.end_array();
  json.end_object();
}

}  // namespace trestle
