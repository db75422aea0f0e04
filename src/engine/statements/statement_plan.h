// The access path of a PartiQL statement. Pure: derived from the WHERE clause and the key alone.
//
// A SELECT whose WHERE fixes the partition key in every branch reads those partitions, or ranges of them (= < <= > >=
// BETWEEN, IN and begins_with on the sort key narrow a range); any other scans everything. The filter handles the
// remaining conditions. DynamoDB decomposes ORs that mention the key, INs and combinations of them into at most 50
// reads, which must not overlap; where the sort key is negated in one branch it reads the whole partition once instead.
//
// A write names one item: an equality for each key attribute among the terms that AND joins; the rest is its condition.
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
  bool exact = true;                         // no filter needed
  std::vector<std::string_view> attributes;  // mentioned by the filter of this branch, besides the key's
  KeySelection selection() const;
};

struct SelectPlan {
  enum class Kind { kItem, kPartitions, kScan } kind = Kind::kScan;
  std::deque<Value> values;  // borrowed by the reads; a deque, so that references stay valid while it grows and moves
  std::vector<KeyRead> reads;
  bool needs_filter = false;
  bool backward = false;
};

// kAny: a transaction reports a key of the wrong type as a reason of its cancellation.
enum class KeyTypes { kChecked, kAny };
Result<SelectPlan> plan_select(const PartiqlStatement& statement, const PartiqlLowering& lowering, const KeySchema& key,
                               KeyTypes types = KeyTypes::kChecked);

struct WriteKey {
  std::vector<std::pair<std::string_view, Value>> values;  // by attribute; may lack some
  std::vector<uint32_t> conditions;                        // the other terms
  std::optional<std::string_view> twice;                   // an attribute that is to equal two values
};
Result<WriteKey> find_write_key(const PartiqlStatement& statement, const PartiqlLowering& lowering,
                                const KeySchema& key);

// The value of a key attribute in a WHERE clause must be an S, N or B according to the schema.
Result<void> check_key_value(const KeyAttribute& attribute, ValueView value);

}  // namespace trestle
