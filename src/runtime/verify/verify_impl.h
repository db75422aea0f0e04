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

// A stored value as people read it: JSON, or "absent".
std::string value_words(const std::optional<ValueView>& value);

class Verification {
 public:
  Verification(const design::Design& design, Database& database, const ItemCodec& codec, const Clock& clock,
               const VerifyOptions& options, const std::function<void(const Fault&)>& tell)
      : design_(design),
        database_(database),
        codec_(codec),
        clock_(clock),
        options_(options),
        tell_(tell),
        form_(design, database, codec),
        change_(design, form_) {}

  Outcome<VerifyCounts> run();

 private:
  // verify.cc
  Outcome<void> each_item(const design::Table& table, const std::function<Outcome<void>(ItemView)>& visit);
  Outcome<void> look_at(const design::Table& table, ItemView item);
  // Checks an item; if `reports` is false, on the first look, only returns whether there is a fault.
  Outcome<bool> verify_item(const design::Table& table, ItemView item, bool reports);
  void found(Fault fault);
  bool repairs() const { return options_.repair && unopened_.empty(); }
  bool is_unopened(std::string_view field) const;
  // Whether keys, expiry, guards or children follow from a field that is not known.
  bool follows_from_unopened(const design::Entity& entity) const;
  Outcome<std::optional<Item>> get(const std::string& table, const Item& key);

  // verify_item.cc
  Outcome<bool> verify_types(const design::Table& table, const design::Entity& entity, ItemView item, bool reports);
  Outcome<bool> verify_values(const design::Table& table, const design::Entity& entity, ItemView item,
                              const Plain& fields, bool reports);
  Outcome<bool> verify_attributes(const design::Table& table, const design::Entity& entity, ItemView item,
                                  const Plain& fields, bool reports);
  Outcome<bool> verify_children(const design::Table& table, const design::Entity& entity, ItemView item,
                                const Plain& fields, bool reports);
  Outcome<bool> verify_child(const design::Table& table, const design::Entity& entity, ItemView item,
                             const Plain& fields, bool reports);
  Outcome<std::optional<Item>> child_item(const design::Entity& child, const Plain& fields);
  Outcome<std::string> correct_child(const design::Table& table, const design::Entity& child, ItemView item,
                                     const Plain& is, const Plain& should);

  // verify_guards.cc
  struct GuardOwner {
    std::optional<Item> key;  // nothing: the guard names none
    bool holds = false;       // the owner exists and has the guarded value
    std::string words;        // otherwise the fault
  };
  Outcome<GuardOwner> owner_of(const design::Table& table, const design::Entity& entity, const design::Guard& guard,
                               ItemView item);
  Outcome<bool> verify_guards(const design::Table& table, const design::Entity& entity, ItemView item,
                              const Plain& fields, bool reports);
  Outcome<bool> verify_guard(const design::Table& table, const ItemKind& kind, ItemView item, bool reports);

  // verify_repair.cc: each returns nothing, or why nothing was done.
  Outcome<std::string> put_missing(const std::string& table, const Item& item);
  Outcome<std::string> replace_unchanged(const std::string& table, ItemView old, const Item& item);
  Outcome<std::string> delete_unchanged(const design::Table& table, ItemView item);
  // Deletes the item and puts it under its other key, in one transaction.
  Outcome<std::string> move_unchanged(const design::Table& table, ItemView item, const Item& moved);

  // verify_tallies.cc
  Outcome<void> verify_tallies();
  Outcome<TallyTargets> recount(size_t share, size_t shares, bool& too_many,
                                const std::map<std::string, TallyTarget>* only);
  struct TallyState {
    TallyTarget target;                     // recounted
    std::map<Figure, std::string> figures;  // stored
    // Least and greatest values, by field: as stored, and as they should be where that differs; nothing: absent.
    std::map<std::string, std::optional<Value>> stored_extremes, extremes;
    std::optional<Value> revision;
    bool exists = false;
    std::vector<const design::Field*> unopened;
  };
  Outcome<std::map<std::string, TallyState>> compare_tallies(TallyTargets counted, size_t share, size_t shares,
                                                             const std::map<std::string, TallyTarget>* only);
  Outcome<std::string> repair_tally(const TallyState& state);
  // Whether a target that does not exist may have expired.
  Outcome<bool> may_have_expired(const TallyTarget& target);

  const design::Design& design_;
  Database& database_;
  const ItemCodec& codec_;
  const Clock& clock_;
  const VerifyOptions& options_;
  const std::function<void(const Fault&)>& tell_;
  ItemForm form_;
  TallyChange change_;
  VerifyCounts counts_;
  std::set<std::string> uncounted_;             // entities of which some item cannot be read
  std::vector<const design::Field*> unopened_;  // of the item that is being verified
};

}  // namespace trestle::runtime
