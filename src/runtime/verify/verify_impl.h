// A verification in progress. Internal to verify*.cc.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/requests/tally_change.h"
#include "runtime/verify/verify.h"

namespace trestle::runtime {

// A stored value as text for people: JSON, or "absent".
std::string value_words(const std::optional<ValueView>& value);

class Verification {
 public:
  Verification(const design::Design& design, Database& database, const ItemCodec& codec, const Clock& clock,
               const VerifyOptions& options, const std::function<void(const Fault&)>& on_fault)
      : design_(design),
        database_(database),
        codec_(codec),
        clock_(clock),
        options_(options),
        on_fault_(on_fault),
        form_(design, database, codec),
        change_(design, form_) {}

  Outcome<VerifyCounts> run();

 private:
  // verify.cc
  Outcome<void> each_item(const design::Table& table, const std::function<Outcome<void>(ItemView)>& visit);
  Outcome<void> check_item(const design::Table& table, ItemView item);
  // Returns whether the item has no fault. Reports and repairs its faults only if `reports`; the first check of an item
  // is without.
  Outcome<bool> verify_item(const design::Table& table, ItemView item, bool reports);
  void report(Fault fault);
  bool repairs() const { return options_.repair && unopened_.empty(); }
  bool is_unopened(std::string_view field) const;
  // Whether a key, the expiry or a guard of the item depends on a field that could not be opened.
  bool follows_from_unopened(const design::Entity& entity) const;
  Outcome<std::optional<Item>> get(const std::string& table, const Item& key);

  // verify_item.cc
  Outcome<bool> verify_types(const design::Table& table, const design::Entity& entity, ItemView item, bool reports);
  Outcome<bool> verify_values(const design::Table& table, const design::Entity& entity, ItemView item,
                              const Plain& fields, bool reports);
  Outcome<bool> verify_attributes(const design::Table& table, const design::Entity& entity, ItemView item,
                                  const Plain& fields, bool reports);
  // Each returns an empty string, or the reason why nothing was done. The first moves the item to its key.
  Outcome<std::string> correct_key(const design::Table& table, const design::Entity& entity, ItemView item,
                                   const Plain& fields, const std::vector<ComputedAttribute>& wrong);
  Outcome<std::string> correct_attributes(const design::Table& table, ItemView item, const Plain& fields,
                                          const std::vector<ComputedAttribute>& wrong);
  Outcome<bool> verify_children(const design::Table& table, const design::Entity& entity, ItemView item,
                                const Plain& fields, bool reports);
  Outcome<bool> verify_child(const design::Table& table, const design::Entity& entity, ItemView item,
                             const Plain& fields, bool reports);
  Outcome<std::optional<Item>> child_item(const design::Entity& child, const Plain& fields);
  Outcome<std::string> correct_child(const design::Table& table, const design::Entity& child, ItemView item,
                                     const Plain& actual, const Plain& expected);

  // verify_guards.cc
  struct GuardOwner {
    std::optional<Item> key;  // nothing: the guard does not name an owner
    bool holds = false;       // the owner exists and has the guarded value
    std::string words;        // the fault, if it does not
  };
  Outcome<GuardOwner> owner_of(const design::Table& table, const design::Entity& entity, const design::Guard& guard,
                               ItemView item);
  Outcome<bool> verify_guards(const design::Table& table, const design::Entity& entity, ItemView item,
                              const Plain& fields, bool reports);
  Outcome<bool> verify_guard(const design::Table& table, const ItemKind& kind, ItemView item, bool reports);

  // verify_repair.cc. Each returns an empty string, or the reason why nothing was done.
  Outcome<std::string> put_missing(const std::string& table, const Item& item);
  Outcome<std::string> replace_unchanged(const std::string& table, ItemView old, const Item& item);
  Outcome<std::string> delete_unchanged(const design::Table& table, ItemView item);
  // Deletes the item and puts `moved`, in one transaction.
  Outcome<std::string> move_unchanged(const design::Table& table, ItemView item, const Item& moved);

  // verify_tallies.cc
  Outcome<void> verify_tallies();
  Outcome<TallyTargets> recount(size_t share, size_t shares, bool& too_many,
                                const std::map<std::string, TallyTarget>* only);
  struct TallyState {
    TallyTarget target;                     // the recount
    std::map<Figure, std::string> figures;  // the stored figures
    // The least and greatest values that differ, by field: as stored, and as they should be. Nothing: absent.
    std::map<std::string, std::optional<Value>> stored_extremes, extremes;
    std::optional<Value> revision;
    bool exists = false;
    std::vector<const design::Field*> unopened;
  };
  Outcome<std::map<std::string, TallyState>> compare_tallies(TallyTargets counted, size_t share, size_t shares,
                                                             const std::map<std::string, TallyTarget>* only);
  // What a repair writes.
  struct TallyDifference {
    TallyTarget target;                           // with amounts to add, on condition that the figures are unchanged
    std::map<std::string, std::string> assigned;  // figures that are set
    std::string fault;                            // why the figures cannot be repaired; empty: they can
  };
  static TallyDifference difference_of(const TallyState& state);
  Outcome<std::optional<Plain>> stored_fields(const TallyTarget& target);
  static void require_figures(const TallyState& state, const TallyDifference& difference, TransactWrite& write);
  Outcome<std::string> repair_tally(const TallyState& state);
  // Whether a target that does not exist may have expired.
  Outcome<bool> may_have_expired(const TallyTarget& target);

  const design::Design& design_;
  Database& database_;
  const ItemCodec& codec_;
  const Clock& clock_;
  const VerifyOptions& options_;
  const std::function<void(const Fault&)>& on_fault_;
  ItemForm form_;
  TallyChange change_;
  VerifyCounts counts_;
  std::set<std::string> uncounted_;             // entities with items that could not be read, so not counted
  std::vector<const design::Field*> unopened_;  // fields of the current item that could not be opened
};

}  // namespace trestle::runtime
