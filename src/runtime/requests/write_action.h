// One item's part of a write: a request of the plan with its values.
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
  // The value of each placeholder; nothing: it has none.
  std::vector<std::pair<std::string_view, std::optional<Value>>> values;
  // Name placeholders that are computed: the members of maps.
  std::vector<std::pair<std::string_view, std::string>> members;
  ChosenForms chosen;
  // A further member of a map that one of the pieces changes (map_members.h).
  struct MemberChange {
    size_t piece;
    std::string member;
    bool adds;                  // adds a number to the member; otherwise sets it or, without a value, removes it
    const design::Form* form;   // for an item that has the map
    const PreparedForm* text;   // the form's text
    std::vector<Value> values;  // the form's values; the first is the member's own
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
  // A least or greatest value that must be read from the remaining items.
  struct ExtremeLeft {
    const design::Tally* tally;
    const design::TallyExtreme* figure;
    Plain fields;  // the target's
    Item key;      // the target's
    ExtremeChange change;
    std::set<std::string> rows;
  };
  // For a put of a tally's target: the figures that tallies change in it, and those that must still be read.
  std::set<std::string> figures;
  std::vector<ExtremeLeft> extremes_left;
  std::optional<Item> copied;  // kPutItem: the stored item that it copies
  // For the deletion of an item that is moved: the attributes that were copied, which must not have changed since.
  std::vector<std::pair<std::string, Value>> unchanged;
  // Other writes of the transaction that follow from this action. They are computed from the item before the
  // transaction, so they decide whether two updates of one item can be merged.
  enum class Followers {
    kNone,
    kSums,    // tallies of numbers that are only added to: correct for two updates, as their amounts are summed
    kChange,  // other tallies, guards, children: wrong for two updates, as neither knows what the other changes
  } followers = Followers::kNone;
  bool is_difference = false;  // a tally's change that also subtracts, so that its target exists
  bool in_loop = false;        // written by a loop, so its item is never the answer
  // Other actions on the same item (merge_actions.h). A part has no parts.
  std::vector<WriteAction> parts;
  // Of a deletion of a guard: deletions of the same guard for other items, which have it only if this one does not.
  std::vector<WriteAction> alternatives;

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

// The placeholder for the target's revision at the time when a least or greatest value was read again.
std::string_view found_revision(const design::Piece& extreme);

// Replaces the value of an existing placeholder.
void set_value(WriteAction& action, std::string_view placeholder, const std::optional<Value>& value);

// Whether the design itself asks for this write, which is not a guard, child or tally that follows from another write.
bool is_own(const design::Request& request);

// The main item of a write, for the answer: the one with the operation's `idempotent` key `key` (may be null),
// otherwise the last that is not a check, guard, child, tally target or journal record. Null: there is none.
const WriteAction* main_of(const std::vector<WriteAction>& actions, const design::Guard* key);

// The form of a piece that fits the current item (nothing: the item does not exist).
int8_t fitting_form(const design::Piece& piece, const WriteAction& action, const std::optional<ItemView>& old);

// The attribute whose number would leave its range, or whose map or set would have too many or too few members, or the
// member_path() of a map whose member would leave its range; empty: none.
std::string_view out_of_range(const WriteAction& action, const std::optional<ItemView>& old);
// Whether a condition from the design uses the attribute.
bool is_in_condition(const WriteAction& action, std::string_view attribute);

// Why the action's condition failed, determined from the old item. An item that has expired at `now_s` counts as
// absent. Nothing: none of the action's own conditions can have failed.
std::optional<design::Cause> cause_of(const WriteAction& action, const std::optional<ItemView>& old, int64_t now_s);

// Merges the second tally request for the same item into the first: counters and members of maps are summed, everything
// else is taken from the second. False, with `into` unchanged, if they cannot be one update.
bool merge_tally(WriteAction& into, const WriteAction& more);
// Whether the form is "ADD #rev :one". Actions that are merged into one write raise the revision only once.
bool raises_revision(const design::Form& form);
// Whether a tally's change of its target is a difference of 0, so that it is not sent.
bool is_idle(const WriteAction& action);
// Adds the amount of the second action's piece to that of the first action's piece for the same figure. False: the sum
// is not a valid number.
bool add_amount(WriteAction& into, size_t piece, const WriteAction& more, size_t more_piece);
// Lowers the bounds of a range piece by an amount that is added together with its own. False: a value or bound is not a
// valid number.
bool shift_range(WriteAction& action, size_t piece, const Value* amount);
// Joins the changes of the same least or greatest value.
void add_extreme(WriteAction& into, size_t piece, const WriteAction& more, size_t more_piece);
// Chooses the form and values with which the first attempt writes a least or greatest value.
void start_extreme(WriteAction& action, size_t piece);

}  // namespace trestle::runtime
