// ExpressionAttributeNames and ExpressionAttributeValues, and the rules about which parameters can be combined.
// DynamoDB checks them all before it parses any expression.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "model/parameters.h"
#include "protocol/json/attribute_value_json.h"

namespace trestle {

// The name of a parameter and whether the request has it.
struct ParameterPresence {
  std::string_view name;
  bool present = false;
};

class UncheckedPlaceholders {
 public:
  // `depth_max`: the maximum nesting depth of values.
  explicit UncheckedPlaceholders(ValueWording wording, unsigned depth_max = kNestingDepthMax)
      : wording_(wording), depth_max_(depth_max) {}

  // Reads the member if it is ExpressionAttributeNames or ExpressionAttributeValues, and returns whether it is.
  Result<bool> take(const JsonMember& member);

  // Checks that expressions are not combined with the legacy parameters that they replaced, and that names and values
  // come with an expression that could use them. The lists are in the order in which DynamoDB names the parameters.
  Result<void> check_combination(std::initializer_list<ParameterPresence> non_expressions,
                                 std::initializer_list<ParameterPresence> expressions) const;
  // Checks that the maps, if present, are not empty, and that names and values are valid. `older_layer`: the older
  // layer validates the request, and its messages name the faulty value.
  Result<void> check(bool older_layer = false) const;

  bool very_deep() const { return very_deep_; }

  // Moves the names and values into a request.
  Placeholders release() { return {.names = std::move(names_), .values = std::move(values_)}; }
  std::optional<NameMap> release_names() { return std::move(names_); }

 private:
  Result<void> read_names(JsonElement json);
  Result<void> read_values(JsonElement json);

  ValueWording wording_;
  unsigned depth_max_;
  std::optional<NameMap> names_;
  std::optional<ValueMap> values_;
  bool very_deep_ = false;
  std::string fault_key_;
  std::optional<std::string> value_fault_;
};

}  // namespace trestle
