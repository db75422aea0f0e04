#include "protocol/shapes/by_hand.h"

#include "model/limits.h"
#include "model/shapes/item_enumerations.h"
#include "protocol/client/client_error_json.h"
#include "protocol/client/client_input.h"
#include "protocol/json/error_json.h"
#include "protocol/validation/statement_members.h"

namespace trestle {

Result<BatchExecuteStatementRequest> read_request_by_hand(JsonInput input, Of<BatchExecuteStatementRequest>) {
  BatchExecuteStatementRequest request;
  std::optional<std::vector<UncheckedStatement>> statements;
  std::optional<std::string_view> capacity_text;
  for (const JsonMember member : input) {
    if (member.name == "Statements") {
      TRY_INTO(statements, read_statements(member.value, "BatchStatementRequest"));
    } else if (member.name == "ReturnConsumedCapacity") {
      TRY_INTO(capacity_text, json_string(member.value));
    }
  }

  Constraints constraints;
  const MemberPath list("statements");
  constraints.not_null(statements.has_value(), list);
  if (statements) {
    constraints.count_at_least(statements->size(), list, 1, [] { return "[]"; });
    if (statements->size() > kBatchStatementsMax) {
      constraints.too_many("statements", kBatchStatementsMax);
    }
    for (size_t i = 0; i < statements->size(); ++i) {
      const MemberPath element(&list, "member", i + 1);
      (*statements)[i].constrain(&element, constraints);
    }
  }
  constraints.one_of(capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  TRY(constraints.check());
  for (UncheckedStatement& statement : *statements) request.statements.push_back(statement.release());
  return request;
}

namespace {

// The values of BatchStatementErrorCodeEnum, which differ from the exceptions' names.
std::string_view statement_error_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kValidation:
      return "ValidationError";
    case ErrorCode::kThrottling:
      return "ThrottlingError";
    default:
      break;
  }
  std::string_view name = error_name(code);
  constexpr std::string_view kSuffix = "Exception";
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return name;
}

}  // namespace

Result<void> read_value(JsonElement json, Error& error, JsonPlace) {
  std::string code;
  TRY(take_members(json, into("Code", code), into("Message", error.message)));
  error.code = statement_error_code(code);
  return {};
}
void write_value(JsonOutput& json, const Error& error) {
  json.begin_object();
  json.member("Code", statement_error_name(error.code));
  json.member("Message", error.message);
  json.end_object();
}

}  // namespace trestle
