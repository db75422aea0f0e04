// The operation that loads an entity's items unchanged, for `trestle design load --entity`.
//
// The operation is not in the design file. It takes every field of the entity, including generated ones (ids, times,
// counters, revisions), and generates those that the record lacks. For a digest it takes either the digest or its
// source. It maintains guards, children, index entries and tallies like any other write.
#pragma once

#include "design/language/design.h"

namespace trestle::design {

// The operation is named "load <entity>", a name that no operation in a design file can have. With `replaces` an
// existing item is replaced; otherwise it is refused with 409.
Operation load_operation(const Entity& entity, bool replaces);

}  // namespace trestle::design
