// Shared by the files of the planner. Internal to the planner.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "design/plan/plan.h"

namespace trestle::design {

Expression input_expression(std::string_view name, Place place = {});
Expression name_expression(std::string_view name);
Expression number_expression(std::string_view number);
Expression text_expression(std::string_view text);
Expression member_expression(Expression base, std::string_view name);
Expression call_expression(std::string_view function, std::vector<Expression> arguments);
// Whether a tally writes the field.
bool is_counted(const Design& design, const Entity& into, const Field& field);
// Whether a `next` step takes its numbers from the field.
bool is_numbered(const Design& design, const Entity& entity, const Field& field);

ValueSource value_of(Expression expression, const Field* field = nullptr);
// The refusal that the design declares, or one with `status` if the design declares none.
Refusal refusal_of(Cause cause, const Failure* failure, int status);

// The attribute that stores a field, either as it is or rendered by a key template.
struct StoredIn {
  std::string attribute;
  const Template* key = nullptr;      // null: stored as it is
  const IndexEntry* entry = nullptr;  // the entry that the template belongs to
};
StoredIn stored_in(const Design& design, const Entity& entity, std::string_view field);

// An attribute that exists for an index entry: neither in the table's key nor a field stored as it is.
struct EntryAttribute {
  const IndexEntry* entry = nullptr;
  const KeyAttribute* attribute = nullptr;
  const Template* key = nullptr;
  bool is_field =
      false;  // a field has the same name, so the attribute exists whenever the field does, even without the entry
};
std::vector<EntryAttribute> entry_attributes(const Design& design, const Entity& entity);
std::vector<const KeyAttribute*> key_attributes(const KeySchema& schema);
// Every field that an entry depends on: those of its templates (for a shard, the fields it is computed from) and of its
// condition.
std::set<std::string> fields_of(const Entity& entity, const IndexEntry& entry);
// The fields whose change rewrites an index attribute: those of its template or, if the attribute is absent when the
// entry is, all fields that the entry depends on.
std::set<std::string> fields_of(const Entity& entity, const EntryAttribute& attribute);
// Whether an item can exist without the entry.
bool is_sparse(const Entity& entity, const IndexEntry& entry);
std::set<std::string> fields_of(const Entity& entity, const std::vector<Template>& key);
std::set<std::string> fields_of(const Entity& entity, const Expression& expression);
// The fields of the counted entity that determine the tally's target and amounts.
std::set<std::string> fields_of(const Entity& entity, const Tally& tally);

// Assigns the placeholders of a request: a name for each attribute, one for each value.
class Namer {
 public:
  // Returns "#status" and adds it to `names` if it is not there yet.
  std::string name(std::string_view attribute, std::vector<PlannedName>& names);
  std::string member(std::string_view hint, const Expression& member, std::vector<PlannedName>& names);
  // Returns ":status" and adds it to `values`. The same source with the same hint gets the same placeholder.
  std::string value(std::string_view hint, ValueSource source, std::vector<PlannedValue>& values,
                    Bound bound = Bound::kNone);

 private:
  std::map<std::string, std::string> attributes_;  // by placeholder
  std::map<std::string, std::string> sources_;     // by placeholder: the source's text
};

// The condition that an item has this revision. Items written by another program may have none, which counts as 0.
std::string is_revision(std::string_view name, std::string_view value, std::string_view zero);

// Whether the entries of an index have the attribute if their items do.
bool index_copies(const Index& index, const Table& table, std::string_view attribute);

// Translates a condition of the design into DynamoDB's syntax: fields become names, everything else values.
class ConditionWriter {
 public:
  ConditionWriter(const Design& design, const Entity& entity, Namer& namer, std::vector<PlannedName>& names,
                  std::vector<PlannedValue>& values)
      : design_(design), entity_(entity), namer_(namer), names_(names), values_(values) {}
  std::string text(const Expression& condition);
  // Whether DynamoDB can evaluate the condition, with the meaning that it has for the runtime. DynamoDB sees attributes
  // in stored form and compares them with each other and with values; it has no arithmetic and few functions. A part of
  // the condition that contains no field is evaluated by the runtime and sent as a value.
  bool can_evaluate(const Expression& condition) const;

 private:
  bool can_evaluate_operand(const Expression& e) const;
  bool can_compare(const Expression& a, const Expression& b) const;
  const FieldType* type_of(const Expression& path) const;
  bool is_path(const Expression& e) const;
  bool has_path(const Expression& e) const;
  std::string path(const Expression& e);
  std::string operand(const Expression& e, const Expression* other, Rounding rounding = Rounding::kDown);
  std::string written(const Expression& e);
  Expression with_fields_first(const Expression& e) const;
  std::string text_operand(const Expression& e);
  std::string call(const Expression& e);

  const Design& design_;
  const Entity& entity_;
  Namer& namer_;
  std::vector<PlannedName>& names_;
  std::vector<PlannedValue>& values_;
};

class Planner {
 public:
  Planner(const Design& design, const Operation& operation) : design_(design), operation_(operation) {}
  Plan plan();

 private:
  // plan_reads.cc
  std::vector<Request> requests_of(const Access& access, std::string_view step);
  Request get_request(const Entity& entity, const std::vector<Binding>& by, bool consistent);
  Request list_request(const Access& access, const Entity& entity, std::string_view step);
  Request raw_request(const Access& access);
  void hide_expired(Request& request, Namer& namer) const;
  bool sees_expired(const Entity& entity, std::string_view step) const;
  std::set<std::string> fields_wanted(const Access& access, const Entity& entity, std::string_view step) const;
  bool is_copied(std::string_view step) const;
  void answer_fields(Request& request, const Access& access, std::string_view step, Namer& namer) const;
  // Adds the step that reads the number of shards, if the request needs it and no earlier step does.
  void shard_step(const Request& request, std::vector<PlanStep>& steps);

  // plan_steps.cc
  void add_steps(const std::vector<Step>& from, std::vector<PlanStep>& steps);
  void add_step(const Step& step, std::vector<PlanStep>& steps);
  void add_read(const Step& step, std::vector<PlanStep>& steps);
  void forget_written(const Step& step);
  void forget_results(const Step& loop);
  void add_cascade(const Step& step, std::vector<PlanStep>& steps);
  void add_idempotence();
  Request journal_request(RequestKind kind) const;
  void plan_also(const Failure* failure);
  void add_afterwards();
  void read_together(std::vector<PlanStep>& steps) const;
  void total();

  void add_limit(const Step& step, std::vector<PlanStep>& steps);  // plan_limit.cc
  void add_writes(const Step& step, std::vector<PlanStep>& steps);
  PlanStep loop_of(const Step& step);

  const Design& design_;
  const Operation& operation_;
  Plan plan_;
  std::set<std::string> known_;               // `let` names and steps so far
  std::map<std::string, const Step*> found_;  // steps that read one item, which no step has written since
  std::set<std::string> shards_read_;
  int observed_ = 0;
  bool in_loop_ = false;     // in a loop of a transaction or in an undo, which do not write the journal themselves
  bool in_cascade_ = false;  // a cascade also deletes expired items
  enum class Journal { kNone, kWanted, kWritten } journal_ = Journal::kNone;
};

// plan_cost.cc: fill in what a request or a step costs.
void cost_read(const Design& design, Request& request);
void cost_step(const Design& design, PlanStep& step);

}  // namespace trestle::design
