#include "protocol/shapes/by_hand.h"

#include "model/shapes/statement_shapes.h"
#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_reader.h"
#include "protocol/validation/statement_members.h"

namespace trestle {

// The parameters are checked here, but the engine reports their faults, before any other error in the statement.
Result<ExecuteStatementRequest> read_request_by_hand(JsonInput input, Of<ExecuteStatementRequest>) {
  constexpr size_t kTokenLengthMax = 32768;
  ExecuteStatementRequest request;
  UncheckedStatement statement;
  std::optional<std::string_view> capacity_text;
  for (const JsonMember member : input) {
    if (member.name == "ReturnConsumedCapacity") {
      TRY_INTO(capacity_text, json_string(member.value));
    } else {
      TRY_INTO(const bool is_of_statement, statement.take(member));
      if (!is_of_statement) TRY(read_member(member, request));
    }
  }

  Constraints constraints;
  statement.constrain(nullptr, constraints);
  constraints.length_at_least(request.next_token, "nextToken", 1);
  constraints.length_at_most(request.next_token, "nextToken", kTokenLengthMax);
  constraints.one_of(capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  constraints.value_at_least(request.limit, "limit", 1);
  TRY(constraints.check());

  request.statement = statement.release();
  return request;
}

}  // namespace trestle
