#include "protocol/shapes/shape_constraints.h"

#include <cmath>

#include "model/table.h"
#include "protocol/shapes/shape_reader.h"

namespace trestle {
namespace {

std::optional<std::string_view> given_text(std::optional<JsonElement> json) {
  if (!json) return std::nullopt;
  return json->get_string().value_unsafe();
}

}  // namespace

Result<int64_t> read_timestamp_ms(JsonElement json) {
  double seconds;
  if (json.get_double().get(seconds) != simdjson::SUCCESS || !(std::abs(seconds) < 1e15)) {
    return serialization_failure(json.is_string() ? "STRING_VALUE cannot be converted to Date"
                                                  : "Value cannot be converted to Date");
  }
  return static_cast<int64_t>(std::llround(seconds * 1000));
}

std::optional<JsonElement> find_member(JsonInput input, std::string_view name) {
  std::optional<JsonElement> found;
  for (const JsonMember member : input) {
    if (member.name == name) found = member.value;
  }
  return found;
}

std::string constraint_name(std::string_view name) {
  std::string out(name);
  if (!out.empty() && out[0] >= 'A' && out[0] <= 'Z') out[0] = static_cast<char>(out[0] - 'A' + 'a');
  return out;
}

void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::Required, Constraints& constraints) {
  constraints.not_null(json.has_value(), path);
}

void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::Length rule, Constraints& constraints) {
  constraints.length_at_least(given_text(json), path, rule.min);
  constraints.length_at_most(given_text(json), path, rule.max);
}

void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::Range rule, Constraints& constraints) {
  if (!json) return;
  const int64_t value = json_integer(*json, "Long").value_or(rule.min);
  constraints.value_at_least(value, path, rule.min);
  constraints.value_at_most(value, path, rule.max);
}

void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::NamePattern, Constraints& constraints) {
  constraints.name_pattern(given_text(json), path);
}

void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::ExistingTable,
               Constraints& constraints) {
  const std::optional<std::string_view> text = given_text(json);
  if (text && text->starts_with("arn:") && table_name_of(*text)) return;
  constrain(json, path, ShapeRules::name_length, constraints);
  constrain(json, path, rules::NamePattern{}, constraints);
}

void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::TableNameOrArn,
               Constraints& constraints) {
  constraints.table_name_or_arn(given_text(json), path);
}

void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::Pattern rule, Constraints& constraints) {
  const std::optional<std::string_view> text = given_text(json);
  if (!text || rule.matches(*text)) return;
  constraints.violated(path, text, "Member must satisfy regular expression pattern: " + std::string(rule.expression));
}

std::string shown_texts(JsonElement json) {
  std::string out = "[";
  const JsonArray array = json.get_array().value_unsafe();
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    if (out.size() > 1) out.append(", ");
    out.append(element.get_string().value_unsafe());
  }
  return out.append("]");
}

void ShapePrinter::print(std::string_view name) {
  if (!out_.ends_with('(')) out_.append(", ");
  out_.append(constraint_name(name)).append("=");
  const std::optional<JsonElement> json = find_member(input_, name);
  if (!json) {
    out_.append("null");
  } else if (json->is_string()) {
    out_.append(json->get_string().value_unsafe());
  } else {
    out_.append(simdjson::minify(*json));
  }
}

void ShapeFirstChecker::check(std::string_view name, const rules::Needed& rule) {
  if (result_.has_value() && !find_member(input_, name)) result_ = invalid(std::string(rule.refusal));
}

void ShapeFirstChecker::check(std::string_view name, const rules::Formed& rule) {
  const std::optional<std::string_view> text = given_text(find_member(input_, name));
  if (result_.has_value() && text && !rule.has_form(*text)) result_ = invalid(std::string(rule.refusal));
}

}  // namespace trestle
