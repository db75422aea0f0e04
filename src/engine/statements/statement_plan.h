// Determines the access path of a PartiQL statement. Pure: it depends only on the WHERE clause and the key.
//
// A SELECT whose WHERE fixes the partition key in every branch reads those partitions, or ranges of them: = < <= > >=
// BETWEEN, IN and begins_with on the sort key narrow a range. Any other SELECT scans everything. The filter handles the
// remaining conditions. Like DynamoDB, it decomposes ORs that mention the key, INs, and combinations of them into at
// most 50 reads, which must not overlap. If the sort key is negated in one branch, it reads the whole partition once
// instead.
//
// The WHERE of a write must identify one item. Among its terms joined by AND there is an equality for each key
// attribute; the other terms are the condition of the write.
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "expression/key_condition.h"
#include "expression/partiql/partiql_ast.h"
#include "expression/partiql/partiql_lowering.h"
#include "model/table.h"

namespace trestle {

struct KeyRead {
  ValueView hash;
  std::optional<KeyTerm> range;
  bool exact = true;                         // no filter is needed
  std::vector<std::string_view> attributes;  // non-key attributes in the filter of this branch
  KeySelection selection() const;
};

struct SelectPlan {
  enum class Kind { kItem, kPartitions, kScan } kind = Kind::kScan;
  std::deque<Value> values;  // borrowed by the reads; a deque, so that references stay valid while it grows and moves
  std::vector<KeyRead> reads;
  bool needs_filter = false;
  bool backward = false;
};

// kAny is for transactions, which report a key of the wrong type as a cancellation reason.
enum class KeyTypes { kChecked, kAny };
Result<SelectPlan> plan_select(const PartiqlStatement& statement, const PartiqlLowering& lowering, const KeySchema& key,
                               KeyTypes types = KeyTypes::kChecked);

struct WriteKey {
  std::vector<std::pair<std::string_view, Value>> values;  // by attribute; may lack some
  std::vector<uint32_t> conditions;                        // the terms that are not key equalities
  std::optional<std::string_view> repeated_attribute;      // a key attribute with two equalities
};
Result<WriteKey> find_write_key(const PartiqlStatement& statement, const PartiqlLowering& lowering,
                                const KeySchema& key);

// Checks that the value of a key attribute in a WHERE clause has the type in the schema.
Result<void> check_key_value(const KeyAttribute& attribute, ValueView value);

}  // namespace trestle
