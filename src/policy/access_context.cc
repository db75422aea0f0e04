#include "policy/access_context.h"

#include "base/ascii.h"

namespace trestle {

const AccessContext::Entry* AccessContext::find(std::string_view key) const {
  for (const Entry& entry : entries_) {
    if (equals_ignoring_case(entry.key, key)) return &entry;
  }
  return rest_ == nullptr ? nullptr : rest_->find(key);
}

AccessContext::Entry& AccessContext::at(std::string_view key) {
  for (Entry& entry : entries_) {
    if (entry.key == key) return entry;
  }
  return entries_.emplace_back(Entry{.key = key});
}

}  // namespace trestle
