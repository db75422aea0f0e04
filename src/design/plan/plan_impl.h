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
// Whether a tally counts in the field.
bool is_counted(const Design& design, const Entity& into, const Field& field);
// Whether `next` takes numbers from the field.
bool is_numbered(const Design& design, const Entity& entity, const Field& field);

ValueSource value_of(Expression expression, const Field* field = nullptr);
// The refusal that the design declares, or one with `status` if it declares none.
Refusal refusal_of(Cause cause, const Failure* failure, int status);

// The attribute that stores a field, and how: as it is, or by the template of a key.
struct StoredIn {
  std::string attribute;
  const Template* key = nullptr;      // null: as it is
  const IndexEntry* entry = nullptr;  // the owner of the template
};
StoredIn stored_in(const Design& design, const Entity& entity, std::string_view field);

// The attributes that only an index entry needs: those that are neither the table's key nor a field stored as it is.
struct EntryAttribute {
  const IndexEntry* entry = nullptr;
  const KeyAttribute* attribute = nullptr;
  const Template* key = nullptr;
  bool is_field =
      false;  // it also stores a field of its name, and exists while the field does, with or without the entry
};
std::vector<EntryAttribute> entry_attributes(const Design& design, const Entity& entity);
std::vector<const KeyAttribute*> key_attributes(const KeySchema& schema);
// Every field that an entry depends on: those of its templates (for a shard, the fields it is computed from) and of its
// condition.
std::set<std::string> fields_of(const Entity& entity, const IndexEntry& entry);
// The fields whose change rewrites an index attribute: those of its template; if the attribute can be absent with its
// entry, all that the entry depends on.
std::set<std::string> fields_of(const Entity& entity, const EntryAttribute& attribute);
// Whether an item can be without the entry.
bool is_sparse(const Entity& entity, const IndexEntry& entry);
std::set<std::string> fields_of(const Entity& entity, const std::vector<Template>& key);
std::set<std::string> fields_of(const Entity& entity, const Expression& expression);
// The fields of what is counted that decide where and how much.
std::set<std::string> fields_of(const Entity& entity, const Tally& tally);

// Assigns the placeholders of a request: a name for each attribute, one for each value.
class Namer {
 public:
  // "#status", noted in `names` once.
  std::string name(std::string_view attribute, std::vector<PlannedName>& names);
  std::string member(std::string_view hint, const Expression& member, std::vector<PlannedName>& names);
  // ":status", recorded in `values`. The same source with the same hint gets the same placeholder.
  std::string value(std::string_view hint, ValueSource source, std::vector<PlannedValue>& values);

 private:
  std::map<std::string, std::string> attributes_;  // by placeholder
  std::map<std::string, std::string> sources_;     // by placeholder: the source's text
};

// That an item has a revision. An item that another program wrote may have none, which is revision 0.
std::string is_revision(std::string_view name, std::string_view value, std::string_view zero);

// Whether the entries of an index have the attribute, if their items do.
bool index_copies(const Index& index, const Table& table, std::string_view attribute);

// A condition of the design as DynamoDB takes it: fields become names, all else values.
class ConditionWriter {
 public:
  ConditionWriter(const Design& design, const Entity& entity, Namer& namer, std::vector<PlannedName>& names,
                  std::vector<PlannedValue>& values)
      : design_(design), entity_(entity), namer_(namer), names_(names), values_(values) {}
  std::string text(const Expression& condition);
  // Whether DynamoDB can evaluate the condition. It sees attributes in stored form, compares them with each other and
  // with values, and has no arithmetic and few functions.
  bool can_say(const Expression& condition) const;

 private:
  bool can_say_operand(const Expression& e) const;
  bool is_path(const Expression& e) const;
  bool has_path(const Expression& e) const;
  std::string path(const Expression& e);
  std::string operand(const Expression& e, const Expression* other);
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
  void answer_fields(Request& request, const Access& access, std::string_view step, Namer& namer) const;
  // Adds the step that reads the number of shards, if the request needs it and no earlier step does.
  void shard_step(const Request& request, std::vector<PlanStep>& steps);

  // plan_steps.cc
  void add_steps(const std::vector<Step>& from, std::vector<PlanStep>& steps);
  void add_step(const Step& step, std::vector<PlanStep>& steps);
  void add_read(const Step& step, std::vector<PlanStep>& steps);
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
  std::set<std::string> known_;                 // `let` names and steps so far
  std::map<std::string, const Access*> found_;  // steps that read one item
  std::set<std::string> shards_read_;
  int observed_ = 0;
  bool in_loop_ = false;     // of a transaction, or in an undo: the job is noted elsewhere
  bool in_cascade_ = false;  // what has expired goes too
  enum class Journal { kNone, kWanted, kWritten } journal_ = Journal::kNone;
};

// plan_cost.cc: fill in what a request or a step costs.
void cost_read(const Design& design, Request& request);
void cost_step(const Design& design, PlanStep& step);

}  // namespace trestle::design
