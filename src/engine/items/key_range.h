// The range of encoded keys that a key selection covers. Pure.
#pragma once

#include "expression/key_condition.h"
#include "storage/key_encoding.h"

namespace trestle {

KeyRange selected_range(uint32_t keyspace, const KeySelection& selection);

}  // namespace trestle
