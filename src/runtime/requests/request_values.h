// Evaluates the value sources of a plan: the fields, keys and values of requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/database.h"
#include "runtime/requests/prepared_plan.h"
#include "runtime/requests/request_parts.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// The fields of the request's item, in order. For a guard or child, fields that `owner` has are copied from it, so that
// a generated id is generated once. `member` is the set member that a child represents.
Outcome<Plain> fields_of(const RequestParts& parts, const PreparedRequest& prepared, const Plain* owner = nullptr,
                         const Plain* member = nullptr);
// Absent: the source has no value. `section` is the section of the update expression that uses it.
Outcome<std::optional<Value>> value_of(const RequestParts& parts, const PreparedRequest& prepared,
                                       const design::ValueSource& source, const Plain& fields,
                                       design::Section section = design::Section::kNone);
// The key of the request's item; absent if a part of it has no value.
Outcome<std::optional<Item>> key_of(const RequestParts& parts, const PreparedRequest& prepared, const Plain& fields);
// The value for a condition's placeholder if the source has no value: one of another type than the field's, so that it
// equals no value of the field and is neither less nor greater.
Value absent_value(const design::ValueSource& source);
// Refuses (400) a key attribute that the database cannot store: empty, or longer than a key may be.
Outcome<void> check_key_value(const PreparedRequest& prepared, const design::ValueSource& source,
                              std::string_view attribute, const Plain& fields, const std::optional<Value>& value);
// The name of a map's member.
Outcome<std::string> member_name(const RequestParts& parts, const design::Expression& expression, const Plain& fields);

// Absent: nothing can be found, so that no request is needed. That includes a range whose end is before its start,
// which DynamoDB would reject.
Outcome<std::optional<GetItemRequest>> get_request(const RequestParts& parts, const PreparedRequest& prepared);
Outcome<std::optional<QueryRequest>> query_request(const RequestParts& parts, const PreparedRequest& prepared,
                                                   const Plain& fields, bool descending);

}  // namespace trestle::runtime
