// The key condition of a Query: a value for every hash attribute, then equalities on range attributes from the left,
// and at most one other comparison on the next range attribute.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "expression/binding.h"
#include "model/table.h"

namespace trestle {

enum class KeyComparison {
  kEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kBetween,
  kBeginsWith,
  kNotIndexable,  // legacy comparisons that no key supports; select_legacy_key() rejects them
};

struct KeyTerm {
  std::string_view attribute;
  KeyComparison comparison = KeyComparison::kEqual;
  ValueView first;
  ValueView second;  // kBetween: the upper bound
};

// Parsed terms whose syntax and operand types have been checked, but which have not been matched with a key. They
// borrow the request: the text, names and values.
using KeyCondition = std::vector<KeyTerm>;

// Compiles a KeyConditionExpression. DynamoDB checks the shape of a key condition (operators that keys do not support,
// two conditions on one attribute) only after the other expressions of the request. With `deferred`, such an error is
// stored there and the returned condition is empty; the caller reports the error after Binding::all_used().
Result<KeyCondition> compile_key_condition(std::string_view text, Binding& binding,
                                           std::optional<Error>* deferred = nullptr);
// Compiles legacy KeyConditions. The protocol layer has already validated the entries.
Result<KeyCondition> compile_legacy_key_condition(const LegacyConditions& conditions);

// Whether the value of a key attribute is empty.
inline bool is_empty_key_value(ValueView value) { return value.type() != ValueType::kNumber && value.scalar().empty(); }
// "string" or "binary", in messages about empty values.
std::string_view empty_kind(ValueType type);
// Rejects an empty value of a key attribute. The value has the attribute's type.
Result<void> check_key_not_empty(const KeyAttribute& attribute, ValueView value);

// A condition matched with a key. The values borrow the request.
struct KeySelection {
  std::vector<ValueView> hash;         // one per hash attribute of the key
  std::vector<ValueView> range_equal;  // the first few range attributes
  std::optional<KeyTerm> range;        // on the range attribute after those; never kEqual
};

// Rejects, with DynamoDB's messages, a condition that does not fit the key: a missing hash attribute, conditions on
// non-key attributes, wrong types, gaps in a multi-attribute range, and so on. `is_index` affects only the messages.
Result<KeySelection> select_key(const KeyCondition& condition, const KeySchema& key, bool is_index);
// The same with the messages for legacy KeyConditions.
Result<KeySelection> select_legacy_key(const KeyCondition& condition, const KeySchema& key, bool is_index);

}  // namespace trestle
