// GetRecords on the client.
#include "model/shapes/table_enumerations.h"
#include "protocol/client/client_input.h"
#include "protocol/client/client_json.h"

namespace trestle {

// Every record has region and view type; GetRecordsResponse has them once.
Result<void> read_response_by_hand(JsonInput input, GetRecordsResponse& response) {
  const auto take_record = [&](JsonElement json, StreamRecord& record) -> Result<void> {
    int64_t size_bytes = 0;
    const auto take_change = [&](JsonElement change) {
      return take_members(change, into_timestamp("ApproximateCreationDateTime", record.created_ms),
                          into("Keys", record.keys), into("NewImage", record.new_image),
                          into("OldImage", record.old_image), into("SequenceNumber", record.sequence_number),
                          into("SizeBytes", size_bytes), into("StreamViewType", response.view_type, kStreamViewTypes));
    };
    const auto take_user = [&](JsonElement user) -> Result<void> {
      std::string principal;
      TRY(take_members(user, into("PrincipalId", principal), into("principalId", principal)));
      if (principal == "dynamodb.amazonaws.com") record.origin = WriteOrigin::kTimeToLive;
      return {};
    };
    TRY(take_members(json, into("awsRegion", response.region), into("dynamodb", take_change),
                     into("eventID", record.event_id), into("eventName", record.event, kStreamEvents),
                     into("userIdentity", take_user)));
    record.size_bytes = static_cast<size_t>(size_bytes);
    return {};
  };
  const auto take_records = [&](JsonElement json) -> Result<void> {
    TRY_INTO(const JsonArray array, json_list(json));
    for (const JsonElement element : array) TRY(take_record(element, response.records.emplace_back()));
    return {};
  };
  return take_members(input, into("NextShardIterator", response.next_shard_iterator), into("Records", take_records));
}

}  // namespace trestle
