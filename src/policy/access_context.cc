#include "policy/access_context.h"

#include <strings.h>

namespace trestle {
namespace {

bool same_key(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

const AccessContext::Entry* AccessContext::find(std::string_view key) const {
  for (const Entry& entry : entries_) {
    if (same_key(entry.key, key)) return &entry;
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
