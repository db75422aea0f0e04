// The members of a PartiQL statement in a request: its text, parameters and choices.
#pragma once

#include <optional>
#include <string_view>

#include "model/statement_requests.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/validation/constraints.h"

namespace trestle {

struct UncheckedStatement {
  // Reads the member if it is one of these, and returns whether it is.
  Result<bool> take(const JsonMember& member);
  // `at`: the path of this element; null for the request itself.
  void constrain(const MemberPath* at, Constraints& constraints);
  Statement release();

  std::optional<std::string_view> text;
  std::optional<Noted<std::vector<Value>>> parameters;
  std::optional<std::string_view> return_item_on_failure_text;
  bool consistent_read = false;
  bool return_item_on_failure = false;
};

// The elements of Statements and TransactStatements. `type`: "BatchStatementRequest", for example.
Result<std::vector<UncheckedStatement>> read_statements(JsonElement json, std::string_view type);

}  // namespace trestle
