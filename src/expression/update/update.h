// The update of an UpdateItem: SET, REMOVE, ADD, DELETE, all reading the item as it was before. apply() is pure. It can
// fail, since whether an operand exists or has the right type depends on the item.
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

  // Top-level attribute names written, for the rule that key attributes cannot be updated.
  const std::vector<std::string_view>& attributes() const;
  // Every attribute that starts a nested path, written or read, for the rule that key attributes must be scalars.
  const std::vector<std::string_view>& nested_attributes() const;
  // The item after the update. `item` is the old one, or just the key if there was none.
  Result<Item> apply(ItemView item) const;

  // A top-level attribute that receives a value whose type is known from the request alone. The value itself is known
  // if it is one of the request's values and not an operand of a function, a sum or an ADD.
  struct KnownWrite {
    std::string_view attribute;
    ValueType type = ValueType::kNull;
    std::optional<ValueView> value;
  };
  std::vector<KnownWrite> known_writes() const;
  // Whether it comes from AttributeUpdates, for which some messages differ.
  bool is_legacy() const;

  // How large an expression counts under UpdateItem's rule of sizes, in bytes: a charge for each clause and operand,
  // and the request's values at every use. What is read from the item is free. 0 for AttributeUpdates.
  size_t charge_bytes() const;
  // Whether the update consists of REMOVE and DELETE only. If the item does not exist, such an update does nothing.
  bool only_removes() const;
  // The parts of `item` that this update wrote, for UPDATED_OLD (from the old item) and UPDATED_NEW (from the new).
  Item touched_parts(ItemView item) const;

  struct Impl;
  explicit Update(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

Result<Update> compile_update(std::string_view text, Binding& binding);
// AttributeUpdates; the protocol layer has already validated the entries.
Update compile_legacy_update(const std::vector<LegacyUpdate>& updates);

}  // namespace trestle
