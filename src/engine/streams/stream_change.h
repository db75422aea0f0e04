// Encodes the stream record of a change of an item: its event, and the images that the view type requires. Pure. A
// write that does not change the item has no record.
#pragma once

#include <string>

#include "storage/stream_record.h"

namespace trestle {

struct StreamChange {
  const TableDescription& table;  // with an enabled stream
  ItemView before;                // empty: the item did not exist
  ItemView after;                 // empty: the item was deleted
  WriteOrigin origin = WriteOrigin::kClient;
};

// The encoded record.
std::string stream_record(const StreamChange& change, int64_t now_ms);

}  // namespace trestle
