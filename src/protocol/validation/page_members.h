// Members shared by Query and Scan: everything except the key condition and the segments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/page_requests.h"
#include "protocol/validation/constraints.h"
#include "protocol/validation/legacy_conditions_json.h"
#include "protocol/validation/placeholders_json.h"
#include "protocol/validation/projection_json.h"

namespace trestle {

struct PageMembers {
  // `filter_member`: "QueryFilter" or "ScanFilter".
  PageMembers(ValueWording wording, std::string_view filter_member)
      : values(wording), filter_name(filter_member), placeholders(wording) {}

  // Reads the member if it is one of these.
  Result<void> take(const JsonMember& member);

  // Checks the values of the start key. DynamoDB names the key only for some faults.
  Result<void> check_start_key() const;
  // Checks that Select agrees with the projection and the index. `operation`: "Query" or "Scan", which differ in one
  // message.
  Result<void> check_select(const PageRequest& request, std::string_view operation) const;
  Result<void> check_conditional_operator() const {
    return trestle::check_conditional_operator(conditional_operator_text.has_value(), filter);
  }
  // Moves the members that need no conversion into the request.
  void release(PageRequest& request);

  ValueReader values;
  std::string_view filter_name;
  std::optional<std::string_view> table_name;
  std::optional<std::string_view> index_name;
  std::optional<std::string_view> select_text;
  std::optional<std::string_view> conditional_operator_text;
  std::optional<std::string_view> return_consumed_capacity_text;
  std::optional<std::string_view> filter_expression;
  std::optional<UncheckedConditions> filter;
  std::optional<Noted<Item>> start_key;
  std::optional<int64_t> limit;
  bool consistent_read = false;
  UncheckedProjection projection;
  UncheckedPlaceholders placeholders;
};

}  // namespace trestle
