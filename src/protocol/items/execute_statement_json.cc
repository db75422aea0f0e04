#include "protocol/shapes/by_hand.h"

#include "model/shapes/item_enumerations.h"
#include "protocol/validation/statement_members.h"

namespace trestle {

// The parameters are checked here, but the engine reports their faults, before any other error in the statement.
Result<ExecuteStatementRequest> read_request_by_hand(JsonInput input, Of<ExecuteStatementRequest>) {
  constexpr size_t kTokenLengthMax = 32768;
  ExecuteStatementRequest request;
  UncheckedStatement statement;
  std::optional<std::string_view> next_token;
  std::optional<std::string_view> capacity_text;
  for (const JsonMember member : input) {
    if (member.name == "NextToken") {
      TRY_INTO(next_token, json_string(member.value));
    } else if (member.name == "Limit") {
      TRY_INTO(request.limit, json_integer(member.value, "Integer"));
    } else if (member.name == "ReturnConsumedCapacity") {
      TRY_INTO(capacity_text, json_string(member.value));
    } else {
      TRY(statement.take(member));
    }
  }

  Constraints constraints;
  statement.constrain(nullptr, constraints);
  constraints.length_at_least(next_token, "nextToken", 1);
  constraints.length_at_most(next_token, "nextToken", kTokenLengthMax);
  constraints.one_of(capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  constraints.value_at_least(request.limit, "limit", 1);
  TRY(constraints.check());

  request.statement = statement.release();
  request.next_token = next_token;
  return request;
}

}  // namespace trestle
