// Prints the complete plan as JSON.
#include <fmt/format.h>

#include "base/json/json_writer.h"
#include "design/plan/plan_text.h"

namespace trestle::design {
namespace {

// Builds an object or a list member by member. The caller omits empty members.
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
  for (const auto& element : list) out += (out.empty() ? "" : ", ") + each(element);
  return "[" + out + "]";
}

std::string units_json(const Units& units) {
  return fmt::format(R"({{"best": {}, "typical": {}, "worst": {}}})", units.best, units.typical, units.worst);
}

std::string cost_json(const Cost& cost) {
  Members result;
  result.add("read", units_json(cost.read));
  result.add("write", units_json(cost.write));
  if (!cost.indexes.empty()) {
    result.add("indexes", list_of(cost.indexes, [](const IndexUnits& index) {
                 return fmt::format(R"({{"table": {}, "index": {}, "write": {}}})", json_quoted(index.table),
                                    json_quoted(index.index), units_json(index.write));
               }));
  }
  return result.object();
}

std::string values_json(const std::vector<PlannedValue>& values) {
  Members result;
  for (const PlannedValue& value : values) result.add(value.placeholder, json_quoted(source_text(value.source)));
  return result.object();
}

std::string names_json(const std::vector<PlannedName>& names) {
  Members result;
  for (const PlannedName& name : names)
    result.add(name.placeholder,
               json_quoted(name.member ? fmt::format("{{{}}}", expression_text(*name.member)) : name.attribute));
  return result.object();
}

std::string refusals_json(const std::vector<Refusal>& refusals) {
  return list_of(refusals, [](const Refusal& refusal) {
    Members result;
    result.text("cause", cause_name(refusal.cause));
    result.number("status", refusal.status);
    result.text("message", refusal.message);
    if (refusal.retries_max > 0) result.number("again", refusal.retries_max);
    return result.object();
  });
}

std::string form_json(const Form& form) {
  static constexpr std::string_view kSections[] = {"", "SET", "REMOVE", "ADD", "DELETE"};
  Members result;
  result.text("section", kSections[static_cast<size_t>(form.section)]);
  result.text("update", form.text);
  result.text("condition", form.condition);
  result.add("names", names_json(form.names));
  result.add("values", values_json(form.values));
  return result.object();
}

std::string piece_json(const Piece& piece) {
  static constexpr std::string_view kChoices[] = {"only",   "by value", "by map",  "by member", "by min",
                                                  "by max", "by set",   "by list", "by item",   "by extreme"};
  Members result;
  result.text("choice", kChoices[static_cast<size_t>(piece.choice)]);
  result.text("attribute", piece.attribute);
  if (!piece.trigger_inputs.empty())
    result.add("given", list_of(piece.trigger_inputs, [](const std::string& input) { return json_quoted(input); }));
  result.text("cause", cause_name(piece.cause));
  result.add("forms", list_of(piece.forms, form_json));
  return result.object();
}

std::string request_json(const Request& request);

// The Query for each figure, sent only if the write removes the current extreme.
std::string extreme_reads_json(const Request& request) {
  const auto figures = exact_figures(request);
  std::string out;
  for (size_t i = 0; i < request.extreme_reads.size() && i < figures.size(); ++i) {
    Members read_json;
    read_json.text("only_if_goes", figures[i]);
    read_json.add("query", request_json(request.extreme_reads[i]));
    out += (out.empty() ? "" : ", ") + read_json.object();
  }
  return "[" + out + "]";
}

std::string request_json(const Request& request) {
  Members result;
  result.text("request", request_name(request.kind));
  result.text("table", request.table);
  result.text("index", request.index);
  if (request.entity != nullptr) result.text("entity", request.entity->name);
  if (!request.finds.empty())
    result.add("finds", list_of(request.finds, [](const Entity* entity) { return json_quoted(entity->name); }));
  if (request.guard != nullptr) result.text("guard", request.guard->name);
  if (request.each != nullptr) result.text("each", request.each->field);
  if (request.tally != nullptr) result.text("tally", request.tally->name);
  if (request.shard != nullptr) result.text("shard", request.shard->field);
  result.truth("each_shard", request.fan_out);
  if (!request.fields.empty()) {
    Members fields;
    for (const FieldValue& field : request.fields) fields.add(field.name, json_quoted(source_text(field.source)));
    result.add("fields", fields.object());
  }
  if (!request.key.empty()) result.add("key", values_json(request.key));
  if (!request.item.empty()) result.add("item", values_json(request.item));
  result.text("key_condition", request.key_condition);
  result.text("filter", request.filter);
  result.text("projection", fmt::format("{}", fmt::join(request.projection, ", ")));
  if (!request.names.empty()) result.add("names", names_json(request.names));
  if (!request.values.empty()) result.add("values", values_json(request.values));
  const ExpressionText text = plan_text_of(first_forms(request));
  result.text("update", text.update);
  result.text("condition", text.condition);
  if (!request.pieces.empty()) result.add("pieces", list_of(request.pieces, piece_json));
  result.truth("consistent", request.consistent);
  result.truth("descending", request.descending);
  if (request.limit > 0) result.number("limit", static_cast<double>(request.limit));
  result.truth("every_page", request.paging == Request::Paging::kAll);
  result.truth("reads_again", request.reads_again);
  result.truth("hides_expired", request.hides_expired);
  if (request.cached_s > 0) result.number("cached_s", static_cast<double>(request.cached_s));
  if (request.when) result.text("when", expression_text(*request.when));
  if (!request.extreme_reads.empty()) result.add("extreme_reads", extreme_reads_json(request));
  if (!request.refusals.empty()) result.add("refusals", refusals_json(request.refusals));
  if (request.times_least != 1 || request.times_typical != 1 || request.times_most != 1) {
    result.add("times", units_json({request.times_least, request.times_typical, request.times_most}));
  }
  result.add("cost", cost_json(request.cost));
  return result.object();
}

std::string steps_json(const std::vector<PlanStep>& steps);

std::string step_json(const PlanStep& step) {
  static constexpr std::string_view kKinds[] = {"read",  "observe", "require", "let",
                                                "write", "limit",   "cascade", "for"};
  Members result;
  result.text("step", kKinds[static_cast<size_t>(step.kind)]);
  result.number("line", step.place.line);
  result.text("name", step.name.starts_with('$') ? step.name.substr(1) : step.name);
  if (step.when) result.text("when", expression_text(*step.when));
  if (!step.trigger_inputs.empty())
    result.add("given", list_of(step.trigger_inputs, [](const std::string& input) { return json_quoted(input); }));
  if (step.value) result.text("value", expression_text(*step.value));
  for (const Binding* binding : step.lets) result.text("$" + binding->field, expression_text(binding->value));
  if (step.limit != nullptr) result.text("limit", step.limit->name);
  result.truth("together", step.is_batched);
  if (step.kind == PlanStep::Kind::kWrite) {
    result.truth("transaction", step.requests.size() > 1 || !step.steps.empty());
    result.number("items_least", static_cast<double>(step.items_least));
    result.number("items_most", static_cast<double>(step.items_most));
    result.number("bytes_most", static_cast<double>(step.bytes_most));
  }
  if (step.kind == PlanStep::Kind::kFor && step.members > 0)
    result.number("members", static_cast<double>(step.members));
  if (!step.requests.empty()) result.add("requests", list_of(step.requests, request_json));
  if (!step.steps.empty()) result.add("steps", steps_json(step.steps));
  result.text("next", step.next);
  if (!step.undo.empty()) result.add("undo", steps_json(step.undo));
  if (!step.refusals.empty()) result.add("refusals", refusals_json(step.refusals));
  result.add("cost", cost_json(step.cost));
  if (!step.failed_cost.write.is_zero()) result.add("failed_cost", cost_json(step.failed_cost));
  return result.object();
}

std::string steps_json(const std::vector<PlanStep>& steps) { return list_of(steps, step_json); }

}  // namespace

std::string plan_json(const Design& design, const Plan& plan) {
  Members result;
  result.text("design", design.name);
  result.text("operation", plan.operation->name);
  result.add("steps", steps_json(plan.steps));
  if (plan.idempotent != nullptr) {
    result.text("idempotent", plan.idempotent->name);
    result.add("idempotent_steps", steps_json(plan.idempotent_steps));
  }
  if (!plan.also.empty()) {
    result.add("also", list_of(plan.also, [](const auto& failure) {
                 Members also;
                 also.number("status", failure.first->status);
                 also.add("steps", steps_json(failure.second));
                 return also.object();
               }));
  }
  if (!plan.afterwards.empty()) result.add("afterwards", steps_json(plan.afterwards));
  if (!plan.notes.empty())
    result.add("notes", list_of(plan.notes, [](const std::string& note) { return json_quoted(note); }));
  result.number("requests_least", static_cast<double>(plan.requests_least));
  result.add("requests_most", plan.requests_most == 0 ? "null" : fmt::format("{}", plan.requests_most));
  result.add("cost", cost_json(plan.cost));
  if (!plan.afterwards.empty()) result.add("afterwards_cost", cost_json(plan.afterwards_cost));
  return result.object();
}

}  // namespace trestle::design
