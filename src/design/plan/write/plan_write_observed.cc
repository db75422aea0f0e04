// Determines the fields of the current item that a write needs and its inputs lack. They are read first, and the write
// is conditional on their being unchanged.
#include <algorithm>

#include "design/plan/extreme_read.h"
#include "design/plan/write/plan_write_item.h"

namespace trestle::design {

bool WritePlanner::can_evaluate_condition() const {
  if (!write_.condition) return true;
  Namer namer;
  std::vector<PlannedName> names;
  std::vector<PlannedValue> values;
  return ConditionWriter(design_, entity_, namer, names, values).can_evaluate(*write_.condition);
}

// Whether an upsert gives one of the fields its first value, which an existing item may have changed since.
bool WritePlanner::begins(const std::set<std::string>& fields) const {
  return std::ranges::any_of(fields, [&](const std::string& name) { return initial_values_.contains(name); });
}

// Whether a guard is put although the write may not know all fields of its item.
bool WritePlanner::puts_without_reading(const Guard& guard) const {
  const auto key = fields_of(entity_, guard.key);
  const bool is_owners = std::ranges::all_of(key, [&](const std::string& name) { return entity_.in_key(name); });
  return (write_.kind == Write::Kind::kUpdate && changes(key)) ||
         (write_.kind == Write::Kind::kUpsert && (is_owners || changes(key) || begins(key)));
}

// The fields that determine when the item expires.
std::set<std::string> WritePlanner::expiry_fields() const {
  if (!entity_.ttl || table_ == nullptr || table_->ttl_attribute.empty()) return {};
  return fields_of(entity_, *entity_.ttl);
}

// The changed fields that make an unchanged guard stale: those copied to it and, if the item expires, those that
// determine the expiry. A guarded value that the key does not contain exactly may change without its key.
std::set<std::string> WritePlanner::changed_copies(const Guard& guard) const {
  if (write_.kind != Write::Kind::kUpdate) return {};
  std::set<std::string> changed;
  const auto is_exact = [&](const std::string& name) {
    return std::ranges::any_of(guard.key, [&](const Template& key) { return contains_exactly(key, name); });
  };
  for (const std::string& name : guard.keeps) {
    const Field* field = entity_.field(name);
    if (is_exact(name) || !changes_.contains(name) || field == nullptr) continue;
    if (!changes_.at(name).adds || is_numeric(field->type)) changed.insert(name);
  }
  const auto expiry = expiry_fields();
  if (changes(expiry)) changed.insert(expiry.begin(), expiry.end());
  return changed;
}

// The fields that an upsert changes and that a guard contains, although the upsert does not write the guarded value:
// it puts the guard again, and therefore reads that value.
std::set<std::string> WritePlanner::upserted_copies(const Guard& guard) const {
  if (write_.kind != Write::Kind::kUpsert || puts_without_reading(guard)) return {};
  auto copies = expiry_fields();
  copies.insert(guard.keeps.begin(), guard.keeps.end());
  return changes(copies) ? copies : std::set<std::string>();
}

// The fields that must be read to compute a default. A default is computed from the item as the upsert leaves it. An
// existing item has a required field already, so only the values in a new item matter, and of those the request lacks
// sums.
std::set<std::string> WritePlanner::default_operands(const Field& field) const {
  if (!field.default_value) return {};
  std::set<std::string> operands = fields_of(entity_, *field.default_value);
  std::erase_if(operands, [&](const std::string& name) {
    if (entity_.in_key(name) || bound(write_.by, name) != nullptr) return true;
    const auto change = changes_.find(name);
    if (change != changes_.end() && change->second.adds) return false;
    if (change != changes_.end() && change->second.trigger_inputs.empty()) return true;
    return !field.optional && !entity_.field(name)->counter;
  });
  return operands;
}

// Finds the fields of the current item that the write needs: the other fields of a key that changes, the old value of a
// guard or of children, the amounts that a tally counted.
void WritePlanner::find_observed() {
  if (!write_.raw.empty()) return;  // a raw update does not maintain guards, children or tallies
  const auto is_known = [&](const std::string& field) {
    if (entity_.in_key(field) || bound(write_.by, field) != nullptr) return true;
    const auto change = changes_.find(field);
    return change != changes_.end() && change->second.trigger_inputs.empty() && !change->second.adds;
  };
  const auto need_rest = [&](const std::set<std::string>& fields) {
    for (const std::string& field : fields) {
      if (!is_known(field)) observed_.insert(field);
    }
  };
  const auto need_old = [&](const std::set<std::string>& fields) {
    for (const std::string& field : fields) {
      if (!entity_.in_key(field)) observed_.insert(field);
    }
  };
  const bool removes = write_.kind == Write::Kind::kDelete || replaces();
  bool presence = false;
  if (!can_evaluate_condition()) {
    for (const std::string& field : fields_of(entity_, *write_.condition)) observed_.insert(field);
    presence = true;
  }
  if (write_.kind == Write::Kind::kUpdate || write_.kind == Write::Kind::kUpsert) {
    for (const EntryAttribute& attribute : entry_attributes(design_, entity_)) {
      const auto fields = fields_of(entity_, attribute);
      // An upsert does not know whether the item exists, and whether the entry exists depends on the item's fields.
      const bool may_be_first =
          is_sparse(entity_, *attribute.entry) &&
          std::ranges::any_of(fields, [&](const auto& field_name) { return initial_values_.contains(field_name); });
      const bool reads = may_be_first || unread(attribute) == Unread::kReads;
      if (changes(fields) || reads) need_rest(fields);
      reads_always_ |= reads;
    }
    if (entity_.ttl) {
      const auto fields = fields_of(entity_, *entity_.ttl);
      const bool reads = unread_expiry() == Unread::kReads;
      if (changes(fields) || reads) need_rest(fields);
      reads_always_ |= reads;
    }
  }
  for (const std::string& name : used_defaults_) {
    const auto operands = default_operands(*entity_.field(name));
    observed_.insert(operands.begin(), operands.end());
    reads_always_ |= !operands.empty();
  }
  for (const Guard& guard : entity_.unique) {
    if (removes || replaces_expired() || changes(fields_of(entity_, guard.key)))
      need_old(fields_of(entity_, guard.key));
    presence |= write_.kind == Write::Kind::kDelete;
    // A new guard contains all fields that it copies, and expires with its owner.
    if (puts_without_reading(guard)) {
      auto copies = expiry_fields();
      copies.insert(guard.keeps.begin(), guard.keeps.end());
      if (const auto key = fields_of(entity_, guard.key); begins(key)) {
        need_rest(key);
        reads_always_ = true;
      }
      const size_t before = observed_.size();
      need_rest(copies);
      reads_always_ |= observed_.size() > before && trigger_inputs_of(fields_of(entity_, guard.key)).empty();
    }
    if (const auto changed = changed_copies(guard); !changed.empty()) {
      need_old(fields_of(entity_, guard.key));
      need_rest(changed);
    }
    if (const auto copies = upserted_copies(guard); !copies.empty()) {
      need_old(fields_of(entity_, guard.key));
      need_rest(copies);
    }
  }
  for (const Each& each : entity_.eaches) {
    const bool moves = changes_.contains(each.field) || changes(child_key_fields(each));
    if (removes || replaces_expired() || moves) {
      observed_.insert(each.field);
      need_old(child_key_fields(each));  // the children to delete have the old values in their keys
    }
    // New children contain all fields that they copy.
    if (write_.kind != Write::Kind::kDelete && moves) need_rest(child_fields(each));
    if (const auto copied = copied_fields(each); write_.kind == Write::Kind::kUpdate && changes(copied)) {
      observed_.insert(each.field);
      need_rest(copied);
    }
  }
  const std::set<std::string> computed_from = observed_;
  for (const Tally& tally : design_.tallies) {
    if (tally.of != entity_.name || tally.through_stream) continue;
    const auto fields = fields_of(entity_, tally);
    const bool upsert = write_.kind == Write::Kind::kUpsert;
    if (removes || upsert || changes(fields)) need_old(fields);
    presence |= removes || upsert;
  }
  for (const std::string& field : observed_) {
    if (!computed_from.contains(field) && is_only_summed(field)) only_summed_.insert(field);
  }
  // A replaced item keeps the figures that tallies count in it. It continues its revision if an exact least or greatest
  // value relies on the revision.
  for (const Field& field : entity_.fields) {
    if (replaces() &&
        (is_figure(field) || (field.revision && (!write_.is_load || has_exact_extremes(design_, entity_)))))
      observed_.insert(field.name);
  }
  const bool shows_presence = std::any_of(observed_.begin(), observed_.end(), [&](const std::string& name) {
    const Field* field = entity_.field(name);
    return field != nullptr && !field->optional;
  });
  observes_presence_ = presence && !must_exist() && !shows_presence;
}

// Whether the write adds to the field and tallies only sum it. Then two concurrent writes change a figure by the sum of
// both amounts, so the field need not be unchanged.
bool WritePlanner::is_only_summed(const std::string& field) const {
  const auto change = changes_.find(field);
  if (change == changes_.end() || !change->second.adds) return false;
  return std::ranges::all_of(design_.tallies, [&](const Tally& tally) {
    if (tally.of != entity_.name || tally.through_stream) return true;
    Tally others = tally;
    std::erase_if(others.add, [&](const Binding& add) { return add.value.is_name(field) && !add.element; });
    return !fields_of(entity_, others).contains(field);
  });
}

bool WritePlanner::replaces_expired() const {
  return write_.kind == Write::Kind::kPut && write_.exists == Write::Exists::kAbsent && entity_.ttl &&
         table_ != nullptr && !table_->ttl_attribute.empty() && !entity_.eaches.empty();
}

std::vector<std::string> WritePlanner::observation_trigger_inputs() const {
  if (write_.kind != Write::Kind::kUpdate && write_.kind != Write::Kind::kUpsert) return {};
  if (!can_evaluate_condition() || reads_always_) return {};
  for (const auto* list : {&write_.set, &write_.add, &write_.take}) {
    for (const Binding& binding : *list) {
      const auto change = changes_.find(binding.field);
      if (change == changes_.end() || change->second.sum) continue;
      if (!unknown_fields(binding.value).empty()) return {};
      if (binding.element && !unknown_fields(*binding.element).empty()) return {};
    }
  }
  std::set<std::string> causes;
  const auto consider = [&](const std::set<std::string>& fields) {
    if (changes(fields)) causes.insert(fields.begin(), fields.end());
  };
  for (const EntryAttribute& attribute : entry_attributes(design_, entity_)) consider(fields_of(entity_, attribute));
  for (const Guard& guard : entity_.unique) {
    consider(fields_of(entity_, guard.key));
    consider(changed_copies(guard));
    consider(upserted_copies(guard));
  }
  for (const Each& each : entity_.eaches) {
    consider({each.field});
    consider(child_fields(each));
  }
  for (const Tally& tally : design_.tallies) {
    if (tally.of == entity_.name && !tally.through_stream) consider(fields_of(entity_, tally));
  }
  if (entity_.ttl) consider(fields_of(entity_, *entity_.ttl));
  return trigger_inputs_of(causes);
}

}  // namespace trestle::design
