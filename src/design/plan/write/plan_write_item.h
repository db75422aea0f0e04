// Plans one write of an operation: the requests for the item itself, its guards, children and tallies, and the read of
// fields that the write needs and the inputs lack. Internal to the planner.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "design/plan/plan_arithmetic.h"
#include "design/plan/plan_impl.h"

namespace trestle::design {

// What the operation knows when it executes the write.
struct WriteScope {
  const Design& design;
  const Operation& operation;
  const std::set<std::string>& names;  // the `let` names and steps so far
  std::string current;                 // the name under which the current item has been or will be read
  bool read_before;                    // an earlier step reads the item
  // The item is written together with another one, its owner, and its values are those of the owner: bare names in them
  // are the owner's fields.
  bool of_owner = false;
};

// A tally's expressions refer to fields of the items it counts. In the request for its target they become fields of
// `$new` or `$old`, as `item` says.
Expression of_item(const Expression& e, const Entity& entity, std::string_view item);
// Adjusts `rewritten`, which is `original` with fields replaced by values, so that comparisons with absent values have
// the meaning they have for attributes in DynamoDB.
Expression as_of_attributes(const Expression& original, const Entity& entity, Expression rewritten);

// The expression for a field that holds statistics of packing (such as the compression ratio), computed from the packed
// field as written. Nothing for other fields.
std::optional<Expression> packing_figure(const Entity& entity, const Field& field);

class WritePlanner {
 public:
  WritePlanner(const WriteScope& scope, const Write& write, const Entity& entity);

  // The item's own request first, then the requests that follow from it.
  std::vector<Request> requests();
  // Whether the item must be read first.
  bool observes() const { return !observed_.empty() || observes_presence_; }
  // Fields of the current item that the write and its accompanying requests use. A cascade projects them.
  const std::set<std::string>& observed() const { return observed_; }
  // The value that a put gives this field of its key. An absent input if it is generated: no item has it yet.
  Expression key_field(const std::string& name) const;
  // For an item that is written without being read, together with another item: a tally's target or a child. The check
  // rejects designs in which such a write would need a read.
  void observe_nothing() {
    observed_.clear();
    observes_presence_ = false;
    limits_members_ = false;
    is_blind_ = true;
  }
  // For a tally's target that the tally never creates, so that it needs no initial values.
  void set_no_initial_values() {
    initial_values_.clear();
    may_create_ = false;
  }
  // Whether an update or upsert writes one of these fields.
  bool changes(const std::set<std::string>& fields) const;
  // The inputs without which the item need not be read; empty: it is always read.
  std::vector<std::string> observation_trigger_inputs() const;

 private:
  struct Change {
    Expression value;                         // the new value, for Request::fields
    std::vector<std::string> trigger_inputs;  // if not empty, the change happens only if one of these inputs is present
    bool adds = false;                        // `value` changes the old value rather than replacing it
    std::optional<Sum> sum;                   // if DynamoDB computes the new value: SET field = field + value
    std::optional<Expression> initial;        // an upsert stores it in a new item if `value` is absent
  };

  // What an upsert does with a derived attribute whose fields it may not know.
  enum class Unread {
    kNone,    // it knows all the fields
    kLeaves,  // a new item does not have the attribute; that of an existing item is left unchanged
    kReads,   // it reads the item
  };

  // plan_write_changes.cc: the fields that an update or upsert changes.
  void find_changes();
  void find_set(const Field& field, const Binding& set);
  void keep_required(const Field& field, Change& change);
  std::vector<std::string> trigger_inputs_of(const Expression& value) const;
  std::vector<std::string> trigger_inputs_of(const std::set<std::string>& fields) const;
  const Input* digest_input(const Field& field) const;
  bool adds_to(const std::string& field) const;
  bool has_derived_data(const std::string& field) const;
  bool is_unknown(const Expression& name) const;
  std::set<std::string> unknown_fields(const Expression& e) const;
  Expression before(const std::string& name) const;
  Expression of_current(const Expression& e) const;
  bool may_be_absent(const Expression& e) const;
  void use_defaults(const std::set<std::string>& fields);

  // plan_write_observed.cc: the fields that are read first.
  void find_observed();
  std::set<std::string> default_operands(const Field& field) const;
  bool can_evaluate_condition() const;
  bool begins(const std::set<std::string>& fields) const;
  bool puts_without_reading(const Guard& guard) const;
  std::set<std::string> expiry_fields() const;
  std::set<std::string> changed_copies(const Guard& guard) const;
  std::set<std::string> upserted_copies(const Guard& guard) const;
  bool is_only_summed(const std::string& field) const;
  // With `if: absent` a put may replace an item that has expired but has not been deleted yet, and its children.
  bool replaces_expired() const;

  // plan_write_unread.cc
  std::set<std::string> unread_fields(const std::set<std::string>& fields) const;
  std::set<std::string> absent_fields(const std::set<std::string>& fields) const;
  Unread unread(const EntryAttribute& attribute) const;
  Unread unread_expiry() const;

  // plan_write_item.cc: the item's own request.
  bool must_exist() const { return write_.exists == Write::Exists::kPresent; }
  bool replaces() const { return write_.kind == Write::Kind::kPut && write_.exists != Write::Exists::kAbsent; }
  bool is_figure(const Field& field) const;
  bool is_input(std::string_view name) const;
  const Binding* bound(const std::vector<Binding>& list, std::string_view field) const;
  Expression current(std::string_view field) const;
  std::optional<Expression> put_value(const Field& field) const;
  Expression in_created(const Expression& e, std::set<std::string>& within) const;
  Expression initial_value(const Field& field) const;
  Request own_request();
  void fill_put(Request& request);
  void fill_fields(Request& request, bool old) const;
  void key_of(Request& request, const std::vector<Template>& key) const;
  ValueSource stored(const Field& field, Expression value) const;
  ValueSource key_value(const Template& key, const KeyAttribute& attribute, const IndexEntry* entry) const;

  // plan_write_conditions.cc: the pieces of its condition.
  std::string presence_condition(bool present, Namer& namer, Form& form) const;
  Piece presence(bool present, Namer& namer) const;
  void conditions(Request& request, Namer& namer) const;
  void flow_piece(Request& request, Namer& namer) const;
  void observed_pieces(Request& request, Namer& namer) const;

  // plan_write_update.cc: the pieces of an update, in their order, and those that set whole attributes.
  void fill_update(Request& request);
  void fill_raw(Request& request) const;
  void set_piece(Request& request, const Field& field, const Change& change, Namer& namer) const;
  void initial_value_piece(Request& request, const Field& field, Expression value, Namer& namer) const;
  void entry_pieces(Request& request, Namer& namer) const;
  void ttl_piece(Request& request, Namer& namer) const;
  Piece expiry_piece(Namer& namer) const;

  // plan_write_members.cc: the pieces that change members of sets and maps.
  Piece set_change(const Binding& change, Section section, Namer& namer) const;
  void list_pieces(Request& request, Namer& namer) const;
  void member_piece(Request& request, const Binding& set, Namer& namer) const;
  void add_member_piece(Request& request, const Field& field, const Binding& add, Namer& namer) const;
  std::string member_limit(const Field* field, const std::string& map, const std::string& member, Form& form,
                           Namer& namer) const;
  std::string member_least(const Field* field, const std::string& map, const std::string& member, Form& form,
                           Namer& namer) const;
  std::string member_range(const Field& field, const std::string& map, const std::string& member,
                           const Expression& amount, Form& form, Namer& namer) const;
  void limit_refusal(Request& request, const Field& field) const;

  // plan_write_numbers.cc: the pieces that add to numbers.
  void add_piece(Request& request, const Binding& add, Namer& namer) const;
  void sum_piece(Request& request, const Field& field, const Change& change, Namer& namer) const;
  Expression first_number(const Field& field) const;
  void range_piece(Request& request, const Field& field, const Expression& path, const Expression& amount,
                   const std::vector<std::string>& trigger_inputs, Namer& namer) const;
  // plan_write_extremes.cc
  void extreme_piece(Request& request, const Write::Extreme& extreme, Namer& namer) const;

  // plan_write_follow.cc: the requests for guards, children and tallies; what the item's own request costs.
  void add_guards(std::vector<Request>& requests) const;
  void add_children(std::vector<Request>& requests) const;
  void add_tallies(std::vector<Request>& requests) const;
  Request guard_request(const Guard& guard, RequestKind kind, bool old) const;
  std::string own_condition(const Guard& guard, Form& form, Namer& namer) const;
  Request refresh_guard_request(const Guard& guard) const;
  Request child_request(const Each& each, RequestKind kind, bool old) const;
  std::set<std::string> copied_fields(const Each& each) const;
  std::set<std::string> child_key_fields(const Each& each) const;
  std::set<std::string> child_fields(const Each& each) const;
  EntryChange entry_change(const IndexEntry& entry, const Index& index) const;
  void cost_own(Request& request) const;

  const WriteScope& scope_;
  const Design& design_;
  const Write& write_;
  const Entity& entity_;
  const Table* table_;
  std::map<std::string, Change> changes_;  // by field; what an update or upsert does
  std::set<std::string> initial_values_;   // upsert: fields that are set only if the item is new
  std::set<std::string> used_defaults_;    // upsert: fields whose defaults values of the write may depend on
  bool may_create_ = true;                 // an upsert may create the item
  bool limits_members_ = true;             // additions to sets and maps must respect their limits
  std::set<std::string> observed_;
  std::set<std::string> only_summed_;  // the observed fields that the write adds to and that tallies only sum
  // The accompanying requests depend on whether the item exists, and neither the write's condition nor a field tells.
  bool observes_presence_ = false;
  bool reads_always_ = false;  // whichever inputs are present
  bool is_blind_ = false;      // the item cannot be read
};

}  // namespace trestle::design
