// The fields of sample items, before they become attributes: consistent values, so that ids match.
//
// A field that refers to something (`tenant_id`, or `id` of Tenant) takes the value from a sample of the entity where
// it originates, and with it that sample's values for the same references: a key's site and the site's domain match.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

struct SampleDraft {
  FieldValues values;                                       // with the shard numbers
  std::map<std::string, std::vector<std::string>> members;  // of sets and lists
};

// A few per entity, no two with one key; the children of `each` follow from their owners.
std::map<const Entity*, std::vector<SampleDraft>> sample_drafts(const Design& design);

}  // namespace trestle::design
