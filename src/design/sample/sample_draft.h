// The fields of sample items, before they become attributes: which value each field has, so that ids agree.
//
// A field that names something (`tenant_id`, or `id` of Tenant) takes the value of a sample of the entity that this
// thing comes from, and with it what else that sample says of the same things: a key's site and the site's domain go
// together.
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
