// The stream record of a change of an item: its event, and the images of the view type. Pure. A write that changes
// nothing has no record.
#pragma once

#include <string>

#include "storage/stream_record.h"

namespace trestle {

struct StreamChange {
  const TableDescription& table;  // with an enabled stream
  ItemView before;                // empty: there was no item
  ItemView after;                 // empty: there is none any more
  WriteOrigin origin = WriteOrigin::kClient;
};

// The encoded record.
std::string stream_record(const StreamChange& change, int64_t now_ms);

}  // namespace trestle
