// Members shared by PutItem, UpdateItem and DeleteItem: everything except the item, the key and the update.
//
// DynamoDB validates these three in a separate layer, which reports one error at a time after "1 validation error
// detected: ". A request that this layer cannot read (a required member is missing, a table name that cannot be one, a
// value nested very deep) goes through the older layer instead, where all members are checked together and messages
// about values are bare. This follows responses of the service captured in October 2026.
#pragma once

#include <optional>
#include <string_view>

#include "model/item_requests.h"
#include "protocol/validation/constraints.h"
#include "protocol/validation/legacy_conditions_json.h"
#include "protocol/validation/placeholders_json.h"

namespace trestle {

struct WriteMembers {
  // Takes the member if it is one of these.
  Result<void> take(const JsonMember& member);

  std::optional<std::string_view> table_name;
  std::optional<std::string_view> return_values_text;
  std::optional<std::string_view> return_consumed_capacity_text;
  std::optional<std::string_view> return_item_collection_metrics_text;
  std::optional<std::string_view> conditional_operator_text;
  std::optional<std::string_view> return_item_on_failure_text;
  std::optional<std::string_view> condition_expression;
  std::optional<UncheckedConditions> expected;
  UncheckedPlaceholders placeholders{ValueWording::kCurrent};

  bool very_deep() const;
};

// The members of the request that are enumerations, once they are known to be valid.
struct WriteChoices {
  ReturnValues return_values = ReturnValues::kNone;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
  bool return_item_on_failure = false;
  std::optional<ConditionalOperator> conditional_operator;
};

enum class WriteOperation { kPutItem, kUpdateItem, kDeleteItem };

// Validation of a write: its members, and the layer that validates them.
class WriteValidation {
 public:
  // subject: "item" or "key", the required member besides TableName.
  WriteValidation(WriteOperation operation, WriteMembers& members, std::string_view subject)
      : operation_(operation), members_(members), subject_(subject) {}

  // The members' own constraints. After this the choices are set, and refused() words a refusal.
  Result<void> constrain(bool has_subject, bool subject_very_deep);
  // A refusal of a value or of a combination, in the words of the layer that found it.
  std::unexpected<Error> refused(std::string_view message) const;
  // The same for a check that has failed or not.
  Result<void> check(Result<void> checked) const;
  // Expected and ConditionalOperator, checked and moved into the condition. Together with the expression.
  Result<WriteCondition> condition() const;

  const WriteChoices& choices() const { return choices_; }
  // Whether the older layer validates the request.
  bool is_older() const { return older_; }
  std::string bare_table_name() const;

 private:
  Result<void> constrain_older(bool has_subject);
  Result<void> constrain_current();

  WriteOperation operation_;
  WriteMembers& members_;
  std::string_view subject_;
  WriteChoices choices_;
  bool older_ = false;
};

}  // namespace trestle
