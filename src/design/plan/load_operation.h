// The operation that loads an entity's items as they are, for `trestle design load --entity`.
//
// Not one of the file's: it takes every field, also those that make themselves (ids, times, counters, revisions), which
// it makes where none is given. Of a digest it takes the digest, or what it is the digest of. Guards, children, index
// entries and tallies follow as for every write.
#pragma once

#include "design/language/design.h"

namespace trestle::design {

// Its name is "load <entity>", which no operation of a file can have. `replaces`: an item that is there is replaced,
// else it is refused with 409.
Operation load_operation(const Entity& entity, bool replaces);

}  // namespace trestle::design
