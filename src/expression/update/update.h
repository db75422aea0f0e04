// The update of an UpdateItem: SET, REMOVE, ADD and DELETE, which all read the item as it was before. apply() is pure.
// It can fail, because whether an operand exists and has the right type depends on the item.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "expression/binding.h"

namespace trestle {

class Update {
 public:
  Update(Update&&) noexcept;
  Update& operator=(Update&&) noexcept;
  ~Update();

  // The top-level attribute names that are written, for the rule that key attributes cannot be updated.
  const std::vector<std::string_view>& attributes() const;
  // The attributes that start a nested path, written or read, for the rule that key attributes must be scalars.
  const std::vector<std::string_view>& nested_attributes() const;
  // The item after the update. `item` is the old item, or only its key if it did not exist.
  Result<Item> apply(ItemView item) const;

  // A write to a top-level attribute whose type is known from the request alone. The value is also known if it is one
  // of the request's values and not an operand of a function, a sum or an ADD.
  struct KnownWrite {
    std::string_view attribute;
    ValueType type = ValueType::kNull;
    std::optional<ValueView> value;
  };
  std::vector<KnownWrite> known_writes() const;
  // Whether the update comes from AttributeUpdates, for which some messages differ.
  bool is_legacy() const;

  // The size of the expression by UpdateItem's rule, in bytes: a charge for each clause and operand, plus the request's
  // values at every use. Values read from the item are free. 0 for AttributeUpdates.
  size_t charge_bytes() const;
  // Whether the update consists only of REMOVE and DELETE. Such an update does nothing if the item does not exist.
  bool only_removes() const;
  // The parts of `item` that this update writes, for UPDATED_OLD (from the old item) and UPDATED_NEW (from the new).
  Item touched_parts(ItemView item) const;

  struct Impl;
  explicit Update(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

Result<Update> compile_update(std::string_view text, Binding& binding);
// Compiles AttributeUpdates. The protocol layer has already validated the entries.
Update compile_legacy_update(const std::vector<LegacyUpdate>& updates);

}  // namespace trestle
