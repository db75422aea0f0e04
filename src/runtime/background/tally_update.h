// The update that adds amounts to a tally's target item. It sets the figures and all other attributes of such an item,
// so that the first update creates a complete item.
//
// DynamoDB can add to a member only if its map exists. The first attempt assumes that all maps exist, and its condition
// checks that; after the condition has failed, the returned item shows which maps exist.
//
// A least or greatest value depends on the current item and, if the item that had it is gone, on the counted items that
// remain. The condition is that nothing has been counted in the target since it was read: its revision is unchanged.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "model/transact_requests.h"
#include "runtime/requests/tally_change.h"

namespace trestle::runtime {

// The maximum number of figures in an update. DynamoDB accepts expressions of 4 KB and 300 operators.
inline constexpr size_t kTallyFiguresMax = 50;

class TallyUpdate {
 public:
  TallyUpdate(const design::Design& design, ItemForm& form, const ItemCodec& codec, const TallyTarget& target,
              int64_t now_ms);

  // Whether adapt() must be called with the item before write(). That is so if a figure is a least or greatest value,
  // or if an index key or the expiry depends on fields that only the item has and either cannot be left alone
  // (design/plan/absent_fields.h) or follows from what this update may write (a `touch` field, a default of a new
  // item, a figure).
  bool needs_item() const { return !observed_.empty() || !target_.extremes.empty(); }
  Outcome<TransactWrite> write() const;
  // Adapts the update to the current item, after its condition failed. False: the item does not exist, and this update
  // may not create it.
  Outcome<bool> adapt(const std::optional<ItemView>& item, const ExtremeQuery& query);

 private:
  bool may_create() const;
  bool writes_figure(const std::string& field) const;
  // Sets the figures of a target with these fields as the update leaves them.
  Outcome<void> count(Plain& fields) const;

  // The parts of write().
  class Text;
  // The fields that the update sets: those of the target, and `touch` fields.
  Outcome<Plain> written_fields() const;
  // The values that a new item gets in addition; an existing item keeps its own.
  Outcome<Plain> first_values(const Plain& fields) const;
  Outcome<void> complete(Plain& fields, Plain first_values, Text& text) const;
  Outcome<void> set_attributes(const Plain& fields, const Plain& first_values, const Plain& all_fields,
                               Text& text) const;
  Value new_map(const std::string& field) const;
  void add_amounts(Text& text) const;
  void set_figures(Text& text) const;

  const design::Design& design_;
  ItemForm& form_;
  const ItemCodec& codec_;
  const TallyTarget& target_;
  const int64_t now_ms_;
  bool gains_ = false;  // the target gains an item, or a figure that a repair sets
  std::set<std::string> missing_maps_;
  std::set<std::string> observed_;                        // the item's fields on which such keys and expiry depend
  std::optional<Item> item_;                              // the current item, if it is needed
  std::map<std::string, std::optional<Value>> extremes_;  // least and greatest values to write; nothing: removed
};

}  // namespace trestle::runtime
