#include "engine/streams/stream_change.h"

#include "engine/items/item_key.h"

namespace trestle {

std::string stream_record(const StreamChange& change, int64_t now_ms) {
  const StreamViewType view = *change.table.stream;
  const bool keeps_new = view == StreamViewType::kNewImage || view == StreamViewType::kNewAndOldImages;
  const bool keeps_old = view == StreamViewType::kOldImage || view == StreamViewType::kNewAndOldImages;
  const Item keys = key_of(change.table.key, change.after.empty() ? change.before : change.after);
  StreamRecordView record{.event = StreamEvent::kModify, .origin = change.origin, .created_ms = now_ms, .keys = keys};
  if (change.before.empty()) record.event = StreamEvent::kInsert;
  if (change.after.empty()) record.event = StreamEvent::kRemove;
  if (keeps_new) record.new_image = change.after;
  if (keeps_old) record.old_image = change.before;
  return encode_stream_record(record);
}

}  // namespace trestle
