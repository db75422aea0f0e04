// The operation that loads an entity's items unchanged, for `trestle design load --entity`.
//
// It is not in the design file. It takes every field, including generated ones (ids, times, counters, revisions), which
// are generated if the record has none. For a digest it takes the digest or its source. Guards, children, index entries
// and tallies are written as for every write.
#pragma once

#include "design/language/design.h"

namespace trestle::design {

// Its name is "load <entity>", which no operation of a file can have. `replaces`: an existing item is replaced;
// otherwise it is refused with 409.
Operation load_operation(const Entity& entity, bool replaces);

}  // namespace trestle::design
