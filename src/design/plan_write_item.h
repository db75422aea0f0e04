// One write of a design as the requests it takes: the item's own, its guards, its children, its tallies, and the read
// of what it needs and was not given. Not for others than the planner.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "design/plan_impl.h"

namespace trestle::design {

// What the operation knows when the write is made.
struct WriteScope {
  const Design& design;
  const Operation& operation;
  const std::set<std::string>& names;  // `let` names and steps so far
  std::string current;                 // the name under which the item as it is was or will be read
  bool read_before;                    // an earlier step reads it
};

// A tally's expressions name fields of what it counts; in the request for its target those are of `$new` or `$old`.
Expression of_item(const Expression& e, const Entity& entity, std::string_view item);

class WritePlanner {
 public:
  WritePlanner(const WriteScope& scope, const Write& write, const Entity& entity);

  // The item's own request first, then what follows it.
  std::vector<Request> requests();
  // The fields that must be read first; empty: none.
  const std::set<std::string>& observed() const { return observed_; }
  // Whether an update or upsert writes one of these fields.
  bool changes(const std::set<std::string>& fields) const;
  // If only these inputs make the reading necessary.
  std::vector<std::string> observed_given() const;

 private:
  struct Change {
    Expression value;                // for Request::fields
    std::vector<std::string> given;  // the inputs that make it; empty: it is always made
    bool adds = false;               // not a new value but a change to it
  };

  void find_changes();
  std::set<std::string> kept_changes(const Guard& guard) const;
  void find_observed();
  std::optional<Expression> put_value(const Field& field) const;
  bool is_input(std::string_view name) const;
  std::vector<std::string> given_by(const std::set<std::string>& fields) const;
  Expression current(std::string_view field) const;
  const Binding* bound(const std::vector<Binding>& list, std::string_view field) const;

  Request own_request();
  void fill_put(Request& request);
  void fill_update(Request& request);
  void fill_raw(Request& request) const;
  void fill_fields(Request& request, bool old) const;
  void key_of(Request& request, const std::vector<Template>& key) const;
  ValueSource stored(const Field& field, Expression value) const;
  ValueSource key_value(const Template& key, const KeyAttribute& attribute, const IndexEntry* entry) const;

  Piece presence(bool present, Namer& namer) const;
  void conditions(Request& request, Namer& namer) const;
  void flow_piece(Request& request, Namer& namer) const;
  void observed_pieces(Request& request, Namer& namer) const;
  void set_piece(Request& request, const Field& field, const Change& change, Namer& namer) const;
  void add_piece(Request& request, const Binding& add, Namer& namer) const;
  void made_once_piece(Request& request, const Field& field, Expression value, Namer& namer) const;
  void entry_pieces(Request& request, Namer& namer) const;
  void ttl_piece(Request& request, Namer& namer) const;

  void add_guards(std::vector<Request>& requests) const;
  void add_children(std::vector<Request>& requests) const;
  void add_tallies(std::vector<Request>& requests) const;
  Request guard_request(const Guard& guard, RequestKind kind, bool old) const;
  Request kept_request(const Guard& guard) const;
  Request child_request(const Each& each, RequestKind kind, bool old) const;

  EntryChange entry_change(const IndexEntry& entry, const Index& index) const;
  void cost_own(Request& request) const;

  const WriteScope& scope_;
  const Design& design_;
  const Write& write_;
  const Entity& entity_;
  const Table* table_;
  std::map<std::string, Change> changes_;  // by field; what an update or upsert does
  std::set<std::string> made_once_;        // upsert: fields set only when the item is new
  std::set<std::string> observed_;
};

}  // namespace trestle::design
