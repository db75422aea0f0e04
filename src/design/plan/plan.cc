#include "design/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "design/plan/plan_impl.h"

namespace trestle::design {

using Kind = Expression::Kind;

Expression input_expression(std::string_view name, Place place) {
  return {.kind = Kind::kInput, .text = std::string(name), .place = place};
}
Expression name_expression(std::string_view name) { return {.kind = Kind::kName, .text = std::string(name)}; }
Expression number_expression(std::string_view number) { return {.kind = Kind::kNumber, .text = std::string(number)}; }
Expression text_expression(std::string_view text) { return {.kind = Kind::kText, .text = std::string(text)}; }
Expression member_expression(Expression base, std::string_view name) {
  return {.kind = Kind::kMember, .text = std::string(name), .arguments = {std::move(base)}};
}
Expression call_expression(std::string_view function, std::vector<Expression> arguments) {
  return {.kind = Kind::kCall, .text = std::string(function), .arguments = std::move(arguments)};
}

ValueSource value_of(Expression expression, const Field* field) {
  ValueSource source{.expression = std::move(expression)};
  source.field = field;
  if (field != nullptr) source.stored = stored_type(field->type);
  return source;
}

std::string source_text(const ValueSource& source) {
  const auto template_text = [&](std::string_view last) {
    std::string out;
    for (size_t i = 0; i < source.key.parts.size(); ++i) {
      const TemplatePart& part = source.key.parts[i];
      if (part.is_literal())
        out += part.literal;
      else if (i + 1 == source.key.parts.size() && !last.empty())
        out += last;
      else
        out += source.key.parts.size() == 1 ? source.key.text : fmt::format("{{{}}}", part.field);
    }
    return out;
  };
  switch (source.kind) {
    case ValueSource::Kind::kExpression: {
      std::string text = expression_text(source.expression);
      if (source.pack != nullptr) text = fmt::format("pack({})", text);
      if (source.spill != nullptr) text = fmt::format("spill({})", text);
      if (source.field != nullptr && source.field->encrypted) text = fmt::format("encrypt({})", text);
      return text;
    }
    case ValueSource::Kind::kKey:
      return fmt::format("\"{}\"", source.key.text);
    case ValueSource::Kind::kKeyFrom:
      return fmt::format("\"{}\"", template_text(fmt::format("{{{}}}", expression_text(source.expression))));
    case ValueSource::Kind::kKeyTo:
      return fmt::format("\"{}{}{}\"", template_text(fmt::format("{{{}}}", expression_text(source.expression))),
                         source.delimiter, source.more_follows ? "…" : "");
    case ValueSource::Kind::kExpiry:
      return fmt::format("epoch({})", expression_text(source.expression));
    case ValueSource::Kind::kMapOf:
      return fmt::format("{{{}: {}}}", expression_text(*source.member), expression_text(source.expression));
  }
  return {};
}

std::string_view cause_name(Cause cause) {
  switch (cause) {
    case Cause::kAbsent:
      return "absent";
    case Cause::kPresent:
      return "present";
    case Cause::kCondition:
      return "condition";
    case Cause::kFlow:
      return "flow";
    case Cause::kObserved:
      return "changed meanwhile";
    case Cause::kForm:
      return "another form";
    case Cause::kRevision:
      return "revision";
    case Cause::kRange:
      return "range";
    case Cause::kGuard:
      return "taken";
  }
  return {};
}

std::string_view request_name(RequestKind kind) {
  switch (kind) {
    case RequestKind::kGetItem:
      return "GetItem";
    case RequestKind::kQuery:
      return "Query";
    case RequestKind::kScan:
      return "Scan";
    case RequestKind::kPutItem:
      return "PutItem";
    case RequestKind::kUpdateItem:
      return "UpdateItem";
    case RequestKind::kDeleteItem:
      return "DeleteItem";
    case RequestKind::kConditionCheck:
      return "ConditionCheck";
  }
  return {};
}

ExpressionText plan_text_of(const std::vector<const Form*>& chosen) {
  ExpressionText result;
  for (const auto& [section, word] : {std::pair(Section::kSet, "SET"),
                                      {Section::kRemove, "REMOVE"},
                                      {Section::kAdd, "ADD"},
                                      {Section::kDelete, "DELETE"}}) {
    bool first = true;
    for (const Form* form : chosen) {
      if (form == nullptr || form->section != section || form->text.empty()) continue;
      if (first && !result.update.empty()) result.update += ' ';
      result.update += first ? fmt::format("{} {}", word, form->text) : ", " + form->text;
      first = false;
    }
  }
  size_t conditions = 0;
  for (const Form* form : chosen) conditions += form != nullptr && !form->condition.empty() ? 1 : 0;
  for (const Form* form : chosen) {
    if (form == nullptr) continue;
    if (!form->condition.empty()) {
      if (!result.condition.empty()) result.condition += " AND ";
      result.condition += conditions > 1 && form->has_or ? "(" + form->condition + ")" : form->condition;
    }
    for (const PlannedName& name : form->names) {
      const auto same = [&](const PlannedName& planned) { return planned.placeholder == name.placeholder; };
      if (std::none_of(result.names.begin(), result.names.end(), same)) result.names.push_back(name);
    }
    for (const PlannedValue& value : form->values) {
      const auto same = [&](const PlannedValue& planned) { return planned.placeholder == value.placeholder; };
      if (std::none_of(result.values.begin(), result.values.end(), same)) result.values.push_back(value);
    }
  }
  return result;
}

// ---- Where fields are stored --------------------------------------------------------------------------------------

std::vector<const KeyAttribute*> key_attributes(const KeySchema& schema) {
  std::vector<const KeyAttribute*> all;
  for (const auto& attribute : schema.hash) all.push_back(&attribute);
  for (const auto& attribute : schema.range) all.push_back(&attribute);
  return all;
}

namespace {

// Whether a template consists of the field alone, so that the attribute stores the field itself.
bool is_field_itself(const Template& key, std::string_view field) {
  return key.parts.size() == 1 && key.parts[0].field == field && key.parts[0].format.kind == Format::Kind::kPlain;
}

}  // namespace

StoredIn stored_in(const Design& design, const Entity& entity, std::string_view field) {
  const Table* table = design.table(entity.table);
  StoredIn result{.attribute = std::string(field)};
  if (table == nullptr) return result;
  const auto keys = key_attributes(table->key);
  for (size_t i = 0; i < keys.size() && i < entity.key.size(); ++i) {
    if (keys[i]->name == field && !is_field_itself(entity.key[i], field)) result.key = &entity.key[i];
    if (keys[i]->name == field) return result;
  }
  for (const IndexEntry& entry : entity.index) {
    const Index* index = table->index(entry.index);
    if (index == nullptr) continue;
    const auto attributes = key_attributes(index->key);
    for (size_t i = 0; i < attributes.size() && i < entry.key.size(); ++i) {
      if (attributes[i]->name != field || is_field_itself(entry.key[i], field)) continue;
      result.key = &entry.key[i];
      result.entry = &entry;
      return result;
    }
  }
  return result;
}

std::vector<EntryAttribute> entry_attributes(const Design& design, const Entity& entity) {
  std::vector<EntryAttribute> result;
  const Table* table = design.table(entity.table);
  if (table == nullptr) return result;
  for (const IndexEntry& entry : entity.index) {
    const Index* index = table->index(entry.index);
    if (index == nullptr) continue;
    const auto attributes = key_attributes(index->key);
    for (size_t i = 0; i < attributes.size() && i < entry.key.size(); ++i) {
      if (table->key.contains(attributes[i]->name) || is_field_itself(entry.key[i], attributes[i]->name)) continue;
      result.push_back({.entry = &entry,
                        .attribute = attributes[i],
                        .key = &entry.key[i],
                        .is_field = entity.field(attributes[i]->name) != nullptr});
    }
  }
  return result;
}

std::set<std::string> fields_of(const Entity& entity, const std::vector<Template>& key) {
  std::set<std::string> fields;
  for (const Template& part : key) {
    for (const std::string& field : part.fields()) {
      const Shard* shard = entity.shard(field);
      fields.insert(shard == nullptr ? field : shard->of);
    }
  }
  return fields;
}
std::set<std::string> fields_of(const Entity& entity, const Expression& expression) {
  std::set<std::string> fields;
  each_expression(expression, [&](const Expression& part) {
    if (part.is(Kind::kName) && entity.field(part.text) != nullptr) fields.insert(part.text);
  });
  return fields;
}
std::set<std::string> fields_of(const Entity& entity, const IndexEntry& entry) {
  std::set<std::string> fields = fields_of(entity, entry.key);
  if (entry.condition) fields.merge(fields_of(entity, *entry.condition));
  return fields;
}

std::set<std::string> fields_deciding(const Entity& entity, const IndexEntry& entry) {
  return fields_of(entity, entry);
}

std::set<std::string> fields_in(const Entity& entity, const Expression& expression) {
  return fields_of(entity, expression);
}

bool is_sparse(const Entity& entity, const IndexEntry& entry) {
  const auto fields = fields_of(entity, entry);
  return entry.condition || std::any_of(fields.begin(), fields.end(), [&](const std::string& name) {
           const Field* field = entity.field(name);
           return field != nullptr && field->optional;
         });
}
std::set<std::string> fields_of(const Entity& entity, const EntryAttribute& attribute) {
  return is_sparse(entity, *attribute.entry) && !attribute.is_field ? fields_of(entity, *attribute.entry)
                                                                    : fields_of(entity, std::vector{*attribute.key});
}

std::set<std::string> fields_of(const Entity& entity, const Tally& tally) {
  std::set<std::string> fields;
  const auto add = [&](const Binding& binding) {
    fields.merge(fields_of(entity, binding.value));
    if (binding.element) fields.merge(fields_of(entity, *binding.element));
  };
  for (const Binding& by : tally.by) add(by);
  each_figure(tally, add);
  if (tally.when) fields.merge(fields_of(entity, *tally.when));
  return fields;
}

bool is_counted(const Design& design, const Entity& into, const Field& field) {
  return std::any_of(design.tallies.begin(), design.tallies.end(),
                     [&](const Tally& tally) { return tally.into == into.name && tally.writes(field.name); });
}

bool is_numbered(const Design& design, const Entity& entity, const Field& field) {
  bool found = false;
  for (const Operation& operation : design.operations) {
    each_step(operation.steps, [&](const Step& step) {
      found |= step.next == field.name && !step.writes.empty() && step.writes[0].entity == entity.name;
    });
  }
  return found;
}

bool tally_may_create(const Design& design, const Entity& into) {
  // A new item has its key and defaults, and a tally writes neither the guards nor the children that follow from them.
  const auto has = [&](const std::string& name) {
    const Field* field = into.field(name);
    return field != nullptr && (into.in_key(name) || field->default_value || field->automatic);
  };
  const auto is_held = [&](const Guard& guard) { return std::ranges::all_of(fields_of(into, guard.key), has); };
  const auto has_children = [&](const Each& each) { return has(each.field); };
  if (std::ranges::any_of(into.unique, is_held) || std::ranges::any_of(into.eaches, has_children)) return false;
  return std::all_of(into.fields.begin(), into.fields.end(), [&](const Field& field) {
    return into.in_key(field.name) || field.optional || field.automatic || field.touched || field.counter ||
           field.revision || field.default_value || is_counted(design, into, field);
  });
}

Expression generated_value(const Field& field) {
  switch (field.type.base) {
    case BaseType::kToken:
      return call_expression("token", {number_expression(std::to_string(field.type.min.value_or(32)))});
    case BaseType::kTime:
    case BaseType::kDate:
    case BaseType::kHour:
    case BaseType::kEpoch:
      return name_expression("now");
    case BaseType::kUuid:
      return call_expression("uuid", {});
    default:
      return call_expression("ulid", {});
  }
}

bool is_batch(const PlanStep& step) {
  return step.is_batched && std::all_of(step.steps.begin(), step.steps.end(), [&](const PlanStep& plan_step) {
           return plan_step.requests[0].kind == RequestKind::kGetItem &&
                  plan_step.requests[0].consistent == step.steps[0].requests[0].consistent;
         });
}

namespace {

// Marks the conditions that contain OR. The planner writes no literals into conditions, so the word is the operator.
void mark_alternatives(std::vector<PlanStep>& steps) {
  for (PlanStep& step : steps) {
    for (Request& request : step.requests) {
      for (Piece& piece : request.pieces) {
        for (Form& form : piece.forms) form.has_or = form.condition.find(" OR ") != std::string::npos;
      }
    }
    mark_alternatives(step.steps);
    mark_alternatives(step.undo);
  }
}

}  // namespace

Plan plan_operation(const Design& design, const Operation& operation) {
  Plan plan = Planner(design, operation).plan();
  for (auto* steps : {&plan.steps, &plan.idempotent_steps, &plan.afterwards}) mark_alternatives(*steps);
  for (auto& [failure, steps] : plan.also) mark_alternatives(steps);
  return plan;
}

std::vector<Plan> plan_design(const Design& design) {
  std::vector<Plan> plans;
  for (const Operation& operation : design.operations) plans.push_back(plan_operation(design, operation));
  return plans;
}

}  // namespace trestle::design
