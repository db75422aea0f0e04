#include "protocol/shapes/by_hand.h"

#include "base/base64.h"
#include "model/shapes/item_enumerations.h"
#include "protocol/items/capacity_json.h"
#include "protocol/json/base64.h"
#include "protocol/json/json_output.h"
#include "protocol/validation/statement_members.h"

namespace trestle {

// The parameters are checked here but reported by the engine: an error in them takes precedence over others.
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
  if (next_token) {
    request.next_token.emplace();
    // Text that is not base64 cannot be one of our tokens.
    if (!append_base64_decoded(*request.next_token, *next_token)) request.next_token->clear();
  }
  return request;
}

void write_response_by_hand(const ExecuteStatementResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  write_consumed_capacity(response.consumed_capacity, json);
  json.key("Items").begin_array();
  for (size_t i = 0; i < response.items.size(); ++i) {
    json.separate();
    append_item_json(out, response.items[i]);
  }
  json.end_array();
  if (response.last_evaluated_key) {
    json.key("LastEvaluatedKey");
    append_item_json(out, *response.last_evaluated_key);
  }
  if (response.next_token) json.key("NextToken").binary(*response.next_token);
  json.end_object();
}

}  // namespace trestle
