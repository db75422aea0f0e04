// The key condition of a Query: a value for every hash attribute, then equalities on range attributes from the left and
// at most one comparison on the next.
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
  kNotIndexable,  // legacy comparisons that no key supports; select_legacy_key() refuses them
};

struct KeyTerm {
  std::string_view attribute;
  KeyComparison comparison = KeyComparison::kEqual;
  ValueView first;
  ValueView second;  // kBetween: the upper bound
};

// Parsed terms, with syntax and operand types checked, but not yet matched with a table. They borrow the request: the
// text, names and values.
using KeyCondition = std::vector<KeyTerm>;

//
// DynamoDB looks at the shape of a key condition (operators that keys do not support, two conditions on one attribute)
// only after the other expressions of the request were found right. With `deferred`, such a fault is put there instead,
// and the condition returned is empty: the caller reports it after Binding::all_used().
Result<KeyCondition> compile_key_condition(std::string_view text, Binding& binding,
                                           std::optional<Error>* deferred = nullptr);
// KeyConditions; the protocol layer has already validated the entries.
Result<KeyCondition> compile_legacy_key_condition(const LegacyConditions& conditions);

// The condition matched with the key it applies to. Values borrow the request.
struct KeySelection {
  std::vector<ValueView> hash;         // one per hash attribute of the key
  std::vector<ValueView> range_equal;  // the first few range attributes
  std::optional<KeyTerm> range;        // on the range attribute after those; never kEqual
};

// Rejects, in DynamoDB's words, a condition that does not fit the key: missing hash attribute, conditions on non-key
// attributes, wrong types, gaps in a multi-attribute range, and so on. `index_name` is for the messages.
Result<KeySelection> select_key(const KeyCondition& condition, const KeySchema& key, bool is_index);
// The same in the words used for legacy KeyConditions.
Result<KeySelection> select_legacy_key(const KeyCondition& condition, const KeySchema& key, bool is_index);

}  // namespace trestle
