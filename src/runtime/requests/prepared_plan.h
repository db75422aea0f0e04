// A plan, with everything that does not depend on the call computed once when the runtime opens.
//
// Borrows from the plan and the design, which must outlive it. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"
#include "design/plan/plan.h"
#include "model/parameters.h"

namespace trestle::runtime {

// For each piece of a request, the index of the form that is sent, or -1 for none.
using ChosenForms = std::vector<int8_t>;

// The expressions for a choice of forms.
struct RequestText {
  design::ExpressionText text;
  NameMap names;                                                           // names known from the plan
  std::vector<std::pair<std::string, const design::Expression*>> members;  // names computed per call: members of maps
};

// A piece of an expression, split after each of its placeholders.
class PlaceholderText {
 public:
  explicit PlaceholderText(std::string_view text);
  bool empty() const { return parts_.empty(); }
  // The text with every placeholder followed by the suffix.
  std::string with(const std::string& suffix) const;

 private:
  std::vector<std::string> parts_;  // each but the last ends with a placeholder
};
struct PreparedForm {
  PlaceholderText text;
  PlaceholderText condition;
  bool has_or = false;  // see design::Form
};

class PreparedRequest {
 public:
  PreparedRequest(const design::Design& design, const design::Request& request);

  const design::Request& request;
  const design::Table* table = nullptr;  // null: the journal's
  std::vector<std::string> order;        // the sort key of a Query's items within a partition
  std::vector<std::string> table_key;    // the names of the table's key attributes
  std::vector<std::string> start_key;    // the attributes of an exclusive start key: the keys of the table and index
  NameMap names;                         // of key condition, filter and projection
  std::string projection;                // the plan's projection and the attributes of `start_key`
  // Sources that equal a field of the item, with the field's index: they are evaluated only once, as the field.
  std::unordered_map<const design::ValueSource*, size_t> field_of;
  std::string current;                           // the step that read the item before it is written; empty: none
  bool may_find_others = false;                  // a list that may find items of other entities, or guards
  std::vector<std::vector<PreparedForm>> forms;  // of each piece

  // The expressions for the choice; cached.
  std::shared_ptr<const RequestText> text(const ChosenForms& chosen) const;

 private:
  std::shared_ptr<const RequestText> make_text(const ChosenForms& chosen) const;

  mutable Mutex mutex_;
  mutable std::map<ChosenForms, std::shared_ptr<const RequestText>> texts_ GUARDED_BY(mutex_);
};

class PreparedPlan {
 public:
  PreparedPlan(const design::Design& design, const design::Operation& operation);

  const design::Design& design;
  const design::Operation& operation;
  design::Plan plan;
  bool is_list = false;
  bool is_brief = false;
  bool has_revision_check = false;
  bool undoes = false;    // a step has an undo
  bool cascades = false;  // a step is a cascade
  // By name of a `let`: the field that is set from it, whose type its value is converted to.
  std::map<std::string, const design::Field*, std::less<>> let_fields;
  // The names used by the steps after the one that writes the job note (runtime/journal/call_record.h).
  std::vector<std::string> job_names;

  const PreparedRequest& of(const design::Request& request) const { return *requests_.at(&request); }
  const std::vector<design::PlanStep>* also(const design::Failure* failure) const;
  // Whether the packed, spilled and sealed fields of a step's result must be opened.
  bool opens(std::string_view name, const design::Entity& entity) const;
  // Whether a later write needs the stored item that the step of this name read.
  bool is_observed(std::string_view name) const { return observed_.contains(name); }
  // Whether the step reads shard counts.
  bool is_shard_count(const design::PlanStep& step) const;

 private:
  struct Use {
    bool whole = false;
    std::unordered_set<std::string> fields;
  };
  void prepare(const std::vector<design::PlanStep>& steps);
  void note_uses();
  void note_lists(const std::vector<design::PlanStep>& steps);
  void note_uses(const std::vector<design::PlanStep>& steps);
  void note_use(const design::Expression& expression);
  void note_use(const design::ValueSource& source);
  void note_use(const design::Answer& answer);
  void find_lets();
  void find_job_names();

  std::unordered_map<const design::Request*, std::unique_ptr<PreparedRequest>> requests_;
  std::map<std::string, Use, std::less<>> uses_;
  std::set<std::string, std::less<>> observed_;
};

// Whether the field's attribute is packed, spilled or sealed, so that it does not contain the plain value.
bool is_closed(const design::Entity& entity, const design::Field& field);
bool has_closed_fields(const design::Entity& entity);

}  // namespace trestle::runtime
