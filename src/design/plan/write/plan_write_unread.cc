// Decides what an upsert, or the update of a tally's target, does with attributes derived from fields that it does not
// know.
#include "design/plan/absent_fields.h"
#include "design/plan/write/plan_write_item.h"

namespace trestle::design {

// Those of `fields` whose value in an existing item the upsert does not know. It sets a default only if the item has no
// value.
std::set<std::string> WritePlanner::unread_fields(const std::set<std::string>& fields) const {
  std::set<std::string> unread;
  for (const std::string& name : fields) {
    if (entity_.in_key(name) || bound(write_.by, name) != nullptr || initial_values_.contains(name)) continue;
    const auto change = changes_.find(name);
    if (change == changes_.end() || !change->second.trigger_inputs.empty()) unread.insert(name);
  }
  return unread;
}

// Those of the unread fields that a new item lacks.
std::set<std::string> WritePlanner::absent_fields(const std::set<std::string>& fields) const {
  std::set<std::string> absent = unread_fields(fields);
  std::erase_if(absent, [&](const std::string& name) {
    const Field* field = entity_.field(name);
    return field == nullptr || field->counter;
  });
  return absent;
}

WritePlanner::Unread WritePlanner::unread(const EntryAttribute& attribute) const {
  const auto fields = fields_of(entity_, attribute);
  if (write_.kind != Write::Kind::kUpsert || unread_fields(fields).empty()) return Unread::kNone;
  const auto absent = absent_fields(fields);
  const bool lacks = attribute.is_field ? !absent.empty() : lacks_entry(entity_, *attribute.entry, absent);
  return lacks || (is_blind_ && !may_create_) ? Unread::kLeaves : Unread::kReads;
}

WritePlanner::Unread WritePlanner::unread_expiry() const {
  const auto fields = fields_of(entity_, *entity_.ttl);
  if (write_.kind != Write::Kind::kUpsert || unread_fields(fields).empty()) return Unread::kNone;
  const bool lacks = lacks_value(*entity_.ttl, absent_fields(fields));
  return lacks || (is_blind_ && !may_create_) ? Unread::kLeaves : Unread::kReads;
}

}  // namespace trestle::design
