// The complete plan as JSON.
#include <fmt/format.h>

#include "base/json_writer.h"
#include "design/plan/plan_text.h"

namespace trestle::design {
namespace {

// An object or a list, member by member; empty members are left out by the caller.
class Members {
 public:
  void add(std::string_view name, std::string_view json) {
    out_ += fmt::format("{}{}: {}", out_.empty() ? "" : ", ", json_quoted(name), json);
  }
  void text(std::string_view name, std::string_view value) {
    if (!value.empty()) add(name, json_quoted(value));
  }
  void truth(std::string_view name, bool value) {
    if (value) add(name, "true");
  }
  void number(std::string_view name, double value) { add(name, fmt::format("{}", value)); }
  std::string object() const { return "{" + out_ + "}"; }

 private:
  std::string out_;
};

template <class List, class Each>
std::string list_of(const List& list, const Each& each) {
  std::string out;
  for (const auto& one : list) out += (out.empty() ? "" : ", ") + each(one);
  return "[" + out + "]";
}

std::string units_json(const Units& units) {
  return fmt::format(R"({{"best": {}, "typical": {}, "worst": {}}})", units.best, units.typical, units.worst);
}

std::string cost_json(const Cost& cost) {
  Members made;
  made.add("read", units_json(cost.read));
  made.add("write", units_json(cost.write));
  if (!cost.indexes.empty()) {
    made.add("indexes", list_of(cost.indexes, [](const IndexUnits& index) {
               return fmt::format(R"({{"table": {}, "index": {}, "write": {}}})", json_quoted(index.table),
                                  json_quoted(index.index), units_json(index.write));
             }));
  }
  return made.object();
}

std::string values_json(const std::vector<PlannedValue>& values) {
  Members made;
  for (const PlannedValue& value : values) made.add(value.placeholder, json_quoted(source_text(value.source)));
  return made.object();
}

std::string names_json(const std::vector<PlannedName>& names) {
  Members made;
  for (const PlannedName& name : names)
    made.add(name.placeholder,
             json_quoted(name.member ? fmt::format("{{{}}}", expression_text(*name.member)) : name.attribute));
  return made.object();
}

std::string refusals_json(const std::vector<Refusal>& refusals) {
  return list_of(refusals, [](const Refusal& refusal) {
    Members made;
    made.text("cause", cause_name(refusal.cause));
    made.number("status", refusal.status);
    made.text("message", refusal.message);
    if (refusal.again > 0) made.number("again", refusal.again);
    return made.object();
  });
}

std::string form_json(const Form& form) {
  static constexpr std::string_view kSections[] = {"", "SET", "REMOVE", "ADD", "DELETE"};
  Members made;
  made.text("section", kSections[static_cast<size_t>(form.section)]);
  made.text("update", form.text);
  made.text("condition", form.condition);
  made.add("names", names_json(form.names));
  made.add("values", values_json(form.values));
  return made.object();
}

std::string piece_json(const Piece& piece) {
  static constexpr std::string_view kChoices[] = {"only",   "by value", "by map",  "by min",    "by max",
                                                  "by set", "by list",  "by item", "by extreme"};
  Members made;
  made.text("choice", kChoices[static_cast<size_t>(piece.choice)]);
  made.text("attribute", piece.attribute);
  if (!piece.given.empty())
    made.add("given", list_of(piece.given, [](const std::string& input) { return json_quoted(input); }));
  made.text("cause", cause_name(piece.cause));
  made.add("forms", list_of(piece.forms, form_json));
  return made.object();
}

std::string request_json(const Request& request);

// The Query of each figure, made only if the figure is the value that goes.
std::string extreme_reads_json(const Request& request) {
  const auto figures = exact_figures(request);
  std::string out;
  for (size_t i = 0; i < request.extreme_reads.size() && i < figures.size(); ++i) {
    Members one;
    one.text("only_if_goes", figures[i]);
    one.add("query", request_json(request.extreme_reads[i]));
    out += (out.empty() ? "" : ", ") + one.object();
  }
  return "[" + out + "]";
}

std::string request_json(const Request& request) {
  Members made;
  made.text("request", request_name(request.kind));
  made.text("table", request.table);
  made.text("index", request.index);
  if (request.entity != nullptr) made.text("entity", request.entity->name);
  if (!request.finds.empty())
    made.add("finds", list_of(request.finds, [](const Entity* entity) { return json_quoted(entity->name); }));
  if (request.guard != nullptr) made.text("guard", request.guard->name);
  if (request.each != nullptr) made.text("each", request.each->field);
  if (request.tally != nullptr) made.text("tally", request.tally->name);
  if (request.shard != nullptr) made.text("shard", request.shard->field);
  made.truth("each_shard", request.fan_out);
  if (!request.fields.empty()) {
    Members fields;
    for (const FieldValue& field : request.fields) fields.add(field.name, json_quoted(source_text(field.source)));
    made.add("fields", fields.object());
  }
  if (!request.key.empty()) made.add("key", values_json(request.key));
  if (!request.item.empty()) made.add("item", values_json(request.item));
  made.text("key_condition", request.key_condition);
  made.text("filter", request.filter);
  made.text("projection", request.projection);
  if (!request.names.empty()) made.add("names", names_json(request.names));
  if (!request.values.empty()) made.add("values", values_json(request.values));
  const ExpressionText text = plan_text_of(first_forms(request));
  made.text("update", text.update);
  made.text("condition", text.condition);
  if (!request.pieces.empty()) made.add("pieces", list_of(request.pieces, piece_json));
  made.truth("consistent", request.consistent);
  made.truth("descending", request.descending);
  if (request.limit > 0) made.number("limit", static_cast<double>(request.limit));
  made.truth("every_page", request.paging == Request::Paging::kAll);
  made.truth("reads_again", request.reads_again);
  made.truth("hides_expired", request.hides_expired);
  if (request.cached_s > 0) made.number("cached_s", static_cast<double>(request.cached_s));
  if (request.when) made.text("when", expression_text(*request.when));
  if (!request.extreme_reads.empty()) made.add("extreme_reads", extreme_reads_json(request));
  if (!request.refusals.empty()) made.add("refusals", refusals_json(request.refusals));
  if (request.times_least != 1 || request.times_typical != 1 || request.times_most != 1) {
    made.add("times", units_json({request.times_least, request.times_typical, request.times_most}));
  }
  made.add("cost", cost_json(request.cost));
  return made.object();
}

std::string steps_json(const std::vector<PlanStep>& steps);

std::string step_json(const PlanStep& step) {
  static constexpr std::string_view kKinds[] = {"read",  "observe", "require", "let",
                                                "write", "limit",   "cascade", "for"};
  Members made;
  made.text("step", kKinds[static_cast<size_t>(step.kind)]);
  made.number("line", step.place.line);
  made.text("name", step.name);
  if (step.when) made.text("when", expression_text(*step.when));
  if (!step.given.empty())
    made.add("given", list_of(step.given, [](const std::string& input) { return json_quoted(input); }));
  if (step.value) made.text("value", expression_text(*step.value));
  for (const Binding* binding : step.lets) made.text("$" + binding->field, expression_text(binding->value));
  if (step.limit != nullptr) made.text("limit", step.limit->name);
  made.truth("together", step.together);
  if (step.kind == PlanStep::Kind::kWrite) {
    made.truth("transaction", step.requests.size() > 1 || !step.steps.empty());
    made.number("items_least", static_cast<double>(step.items_least));
    made.number("items_most", static_cast<double>(step.items_most));
    made.number("bytes_most", static_cast<double>(step.bytes_most));
  }
  if (step.kind == PlanStep::Kind::kFor && step.members > 0) made.number("members", static_cast<double>(step.members));
  if (!step.requests.empty()) made.add("requests", list_of(step.requests, request_json));
  if (!step.steps.empty()) made.add("steps", steps_json(step.steps));
  made.text("next", step.next);
  if (!step.undo.empty()) made.add("undo", steps_json(step.undo));
  if (!step.refusals.empty()) made.add("refusals", refusals_json(step.refusals));
  made.add("cost", cost_json(step.cost));
  if (!step.failed_cost.write.is_zero()) made.add("failed_cost", cost_json(step.failed_cost));
  return made.object();
}

std::string steps_json(const std::vector<PlanStep>& steps) { return list_of(steps, step_json); }

}  // namespace

std::string plan_json(const Design& design, const Plan& plan) {
  Members made;
  made.text("design", design.name);
  made.text("operation", plan.operation->name);
  made.add("steps", steps_json(plan.steps));
  if (plan.idempotent != nullptr) {
    made.text("idempotent", plan.idempotent->name);
    made.add("idempotent_steps", steps_json(plan.idempotent_steps));
  }
  if (!plan.also.empty()) {
    made.add("also", list_of(plan.also, [](const auto& one) {
               Members also;
               also.number("status", one.first->status);
               also.add("steps", steps_json(one.second));
               return also.object();
             }));
  }
  if (!plan.afterwards.empty()) made.add("afterwards", steps_json(plan.afterwards));
  if (!plan.notes.empty())
    made.add("notes", list_of(plan.notes, [](const std::string& note) { return json_quoted(note); }));
  made.number("requests_least", static_cast<double>(plan.requests_least));
  made.add("requests_most", plan.requests_most == 0 ? "null" : fmt::format("{}", plan.requests_most));
  made.add("cost", cost_json(plan.cost));
  if (!plan.afterwards.empty()) made.add("afterwards_cost", cost_json(plan.afterwards_cost));
  return made.object();
}

}  // namespace trestle::design
