// The update that adds amounts to a tally's target item, as text: the figures, and all other attributes of such an
// item, so that the first update creates a complete item.
//
// A member can only be added to in a map that exists. The first attempt assumes that all maps exist; after a failed
// condition, the returned item shows which do. The condition checks the assumption.
//
// A least or greatest value is decided by the item as it is, and by the counted items that are left if the one that has
// it went. The condition is that nothing counted in the item since: its revision is as it was read.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "model/transact_requests.h"
#include "runtime/requests/tally_change.h"

namespace trestle::runtime {

// The maximum number of figures in an update: DynamoDB accepts 4 KB and 300 operators.
inline constexpr size_t kTallyFiguresMax = 50;

class TallyUpdate {
 public:
  TallyUpdate(const design::Design& design, ItemForm& form, const ItemCodec& codec, const TallyTarget& target,
              int64_t now_ms);

  // Whether adapt() must know the item before write(): an index key or the expiry depends on fields that only the item
  // has, and cannot be left alone (design/plan/absent_fields.h) or follows from what this update may write (a `touch`
  // field, a default of a new item); or a figure is a least or greatest value.
  bool needs_item() const { return !observed_.empty() || !target_.extremes.empty(); }
  Outcome<TransactWrite> write() const;
  // After its condition failed: adapts to the current item. False: there is none, and it cannot be created.
  Outcome<bool> adapt(const std::optional<ItemView>& item, const ExtremeQuery& query);

 private:
  bool may_make() const;

  const design::Design& design_;
  ItemForm& form_;
  const ItemCodec& codec_;
  const TallyTarget& target_;
  const int64_t now_ms_;
  bool only_subtracts_ = true;
  std::set<std::string> missing_maps_;
  std::set<std::string> observed_;                        // fields that such keys and expiries depend on
  std::optional<Item> item_;                              // as it is, if it is needed
  std::map<std::string, std::optional<Value>> extremes_;  // least and greatest values to write; nothing: removed
};

}  // namespace trestle::runtime
