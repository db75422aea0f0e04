#include "protocol/validation/statement_members.h"

#include "model/limits.h"
#include "model/shapes/item_enumerations.h"

namespace trestle {

Result<bool> UncheckedStatement::take(const JsonMember& member) {
  if (member.name == "Statement") {
    TRY_INTO(text, json_string(member.value));
  } else if (member.name == "Parameters") {
    TRY_INTO(parameters, ValueReader(ValueWording::kStatement).values(member.value));
  } else if (member.name == "ConsistentRead") {
    TRY_INTO(consistent_read, json_boolean(member.value));
  } else if (member.name == "ReturnValuesOnConditionCheckFailure") {
    TRY_INTO(return_item_on_failure_text, json_string(member.value));
  } else {
    return false;
  }
  return true;
}

void UncheckedStatement::constrain(const MemberPath* at, Constraints& constraints) {
  const MemberPath statement(at, "statement");
  constraints.not_null(text.has_value(), statement);
  constraints.length_at_least(text, statement, 1);
  constraints.length_at_most(text, statement, kStatementLengthMax);
  if (parameters && !parameters->fault) {
    constraints.count_at_least(parameters->value.size(), MemberPath(at, "parameters"), 1, [] { return "[]"; });
  }
  constraints.one_of(return_item_on_failure_text, MemberPath(at, "returnValuesOnConditionCheckFailure"),
                     kReturnItemOnFailure, return_item_on_failure);
}

Statement UncheckedStatement::release() {
  Statement statement{
      .text = std::string(*text), .consistent_read = consistent_read, .return_item_on_failure = return_item_on_failure};
  if (parameters) {
    statement.parameters = std::move(parameters->value);
    statement.parameters_fault = std::move(parameters->fault);
  }
  return statement;
}

Result<std::vector<UncheckedStatement>> read_statements(JsonElement json, std::string_view type) {
  std::vector<UncheckedStatement> statements;
  TRY_INTO(const JsonArray array, json_list(json));
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    TRY_INTO(const JsonInput members, json_structure(element, type, JsonPlace::kElement));
    UncheckedStatement& statement = statements.emplace_back();
    for (const JsonMember member : members) TRY(statement.take(member));
  }
  return statements;
}

}  // namespace trestle
