// The update that adds amounts to a tally's target item, as text: the figures, and all else that the design says such
// an item has, so that the first to count makes it whole.
//
// A member can only be added to in a map that exists. Which maps do is assumed first (all) and then known from the item
// that a failed condition brings back; the condition says what was assumed.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "model/transact_requests.h"
#include "runtime/background/tally_change.h"

namespace trestle::runtime {

// How many figures one update may have: DynamoDB takes 4 KB and 300 operators.
inline constexpr size_t kTallyFiguresMax = 50;

class TallyUpdate {
 public:
  TallyUpdate(const design::Design& design, ItemForm& form, const TallyTarget& target, int64_t now_ms);

  Outcome<TransactWrite> write() const;
  // After its condition failed: the item as it is. False: there is none, and it cannot be made.
  bool adapt(const std::optional<ItemView>& item);

 private:
  bool may_make() const;

  const design::Design& design_;
  ItemForm& form_;
  const TallyTarget& target_;
  const int64_t now_ms_;
  bool only_subtracts_ = true;
  std::set<std::string> missing_maps_;
};

}  // namespace trestle::runtime
