#include "protocol/shapes/by_hand.h"

#include "model/limits.h"
#include "model/shapes/statement_shapes.h"
#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_reader.h"
#include "protocol/validation/statement_members.h"
#include "protocol/validation/transact_items.h"

namespace trestle {

Result<ExecuteTransactionRequest> read_request_by_hand(JsonInput input, Of<ExecuteTransactionRequest>) {
  ExecuteTransactionRequest request;
  std::optional<std::vector<UncheckedStatement>> statements;
  std::optional<std::string_view> capacity_text;
  for (const JsonMember member : input) {
    if (member.name == "TransactStatements") {
      TRY_INTO(statements, read_statements(member.value, "ParameterizedStatement"));
    } else if (member.name == "ReturnConsumedCapacity") {
      TRY_INTO(capacity_text, json_string(member.value));
    } else {
      TRY(read_member(member, request));
    }
  }

  Constraints constraints;
  const MemberPath list("transactStatements");
  constraints.not_null(statements.has_value(), list);
  if (statements) {
    constraints.count_at_least(statements->size(), list, 1, [] { return "[]"; });
    if (statements->size() > kTransactionItemsMax) {
      constraints.too_many("transactStatements", kTransactionItemsMax);
    }
    for (size_t i = 0; i < statements->size(); ++i) {
      const MemberPath element(&list, "member", i + 1);
      (*statements)[i].constrain(&element, constraints);
    }
  }
  constraints.length_at_least(request.client_request_token, "clientRequestToken", 1);
  constraints.length_at_most(request.client_request_token, "clientRequestToken", kRequestTokenLengthMax);
  constraints.one_of(capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  TRY(constraints.check());
  for (UncheckedStatement& statement : *statements) request.statements.push_back(statement.release());
  return request;
}

}  // namespace trestle
