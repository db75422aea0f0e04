// The fields of sample items before they are rendered as attributes, with matching ids.
//
// A field that refers to something (`tenant_id`, or `id` of Tenant) takes its value from a sample of the entity where
// that value originates. Other references are then taken from the same sample, so that, for example, a key's site and
// that site's domain match.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

struct SampleDraft {
  FieldValues values;                                       // including the shard numbers
  std::map<std::string, std::vector<std::string>> members;  // the members of sets and lists
};

// A few drafts per entity, all with different keys. The children of `each` are derived from their owners.
std::map<const Entity*, std::vector<SampleDraft>> sample_drafts(const Design& design);

}  // namespace trestle::design
