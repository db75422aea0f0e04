// What a stream tells of a change of an item: which event it is, and which images its view type keeps.
// Pure. A write that changes nothing is no change, and has no record.
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
