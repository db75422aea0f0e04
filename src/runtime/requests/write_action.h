// One item's part in a write: a request of the plan with its values.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/parameters.h"
#include "runtime/requests/extreme_change.h"
#include "runtime/requests/prepared_plan.h"
#include "runtime/values/plain.h"

namespace trestle::runtime {

struct WriteAction {
  const PreparedRequest* prepared = nullptr;  // null: a record of the journal
  design::RequestKind kind = design::RequestKind::kPutItem;
  std::string table;
  Plain fields;  // a map
  Item key;
  Item item;  // kPutItem
  // Each placeholder's value, or that it has none.
  std::vector<std::pair<std::string_view, std::optional<Value>>> values;
  // Names that are values: members of maps.
  std::vector<std::pair<std::string_view, std::string>> members;
  ChosenForms chosen;
  // Another member of the map that one of the pieces changes (map_members.h).
  struct MemberChange {
    size_t piece;
    std::string member;
    bool adds;                  // else the member is set or, without a value, removed
    const design::Form* form;   // while the item has the map
    const PreparedForm* text;   // of the form
    std::vector<Value> values;  // of the form; first the member's own
  };
  std::vector<MemberChange> more_members;
  // Least and greatest values of a tally (Piece::Choice::kByExtreme), and the keys of the counted items that the
  // transaction changes.
  struct Extreme {
    size_t piece;
    ExtremeChange change;
    std::set<std::string> rows;
  };
  std::vector<Extreme> extremes;
  // A least or greatest value that must be read from the items that are left.
  struct ExtremeLeft {
    const design::Tally* tally;
    const design::TallyExtreme* figure;
    Plain fields;  // the target's
    Item key;      // the target's
    ExtremeChange change;
    std::set<std::string> rows;
  };
  // kPutItem of a tally's target: the figures that tallies change in it, and those of them that are still to be read.
  std::set<std::string> figures;
  std::vector<ExtremeLeft> extremes_left;
  // kDeleteItem of an item that is put elsewhere: the attributes that the copy has, which must not have changed.
  std::vector<std::pair<std::string, Value>> unchanged;
  // What else of the transaction follows from this update of the design's own, as the item is before the transaction.
  enum class Followers {
    kNone,
    kSums,    // tallies of numbers that are added to: of two updates, their sums are right
    kChange,  // other tallies, guards, children: of two updates, neither knows what the other changes
  } followers = Followers::kNone;
  bool in_loop = false;            // one of many: no answer is about its item
  std::vector<WriteAction> parts;  // other actions on the same item (merge_actions.h)

  // The request as sent.
  std::string update;
  std::string condition;
  Placeholders placeholders;

  const Extreme* extreme_of(size_t piece) const {
    for (const Extreme& extreme : extremes) {
      if (extreme.piece == piece) return &extreme;
    }
    return nullptr;
  }
  ExtremeLeft extreme_left(const Extreme& extreme) const;
  const Value* value(std::string_view placeholder) const {
    for (const auto& [name, value] : values) {
      if (name == placeholder) return value ? &*value : nullptr;
    }
    return nullptr;
  }
};

// The placeholder of the revision that the target had when a least or greatest value was read again.
std::string_view found_revision(const design::Piece& extreme);

// Replaces the value of a placeholder that the action has.
void set_value(WriteAction& action, std::string_view placeholder, std::optional<Value> value);

// Whether the request writes an item of the design's own accord: no guard, child or tally, and nothing that follows a
// change.
bool is_own(const design::Request& request);

// The item that a write is about: that with the design's own idempotency key, else the last that is no guard's,
// child's, tally's or the journal's. Null: there is none. `key` may be null.
const WriteAction* main_of(const std::vector<WriteAction>& actions, const design::Guard* key);

// The form of a piece that fits the item as it is (nothing: there is no item).
int8_t fitting_form(const design::Piece& piece, const WriteAction& action, const std::optional<ItemView>& old);

// The attribute whose number would leave its range; empty: there is none.
std::string_view out_of_range(const WriteAction& action, const std::optional<ItemView>& old);
// Whether the design's own condition is about the attribute.
bool is_in_condition(const WriteAction& action, std::string_view attribute);

// Why the action's condition failed, determined from the old item. `now_s` decides what has expired. Absent: none of
// its own conditions can have failed.
std::optional<design::Cause> cause_of(const WriteAction& action, const std::optional<ItemView>& old, int64_t now_s);

// Merges the second tally request for the same item: counters and members of maps are summed, everything else is taken
// from the second. False, with `into` unchanged, if the two cannot be one update.
bool merge_tally(WriteAction& into, const WriteAction& more);
// "ADD #rev :one". Actions that become one write raise the revision of their item once.
bool raises_revision(const design::Form& form);
// Sums the amounts of the same figure, or map, of two requests in the first. False: not possible.
bool add_amount(WriteAction& into, size_t piece, const WriteAction& more, size_t its_piece);
// Lowers the bounds of the range piece by an amount that is added beside its own. False: it is no number.
bool shift_range(WriteAction& action, size_t piece, const Value* amount);
// Joins the changes of the same least or greatest value.
void add_extreme(WriteAction& into, size_t piece, const WriteAction& more, size_t its_piece);
// The form with which a least or greatest value is tried first, with its values.
void start_extreme(WriteAction& action, size_t piece);

}  // namespace trestle::runtime
