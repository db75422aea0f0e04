// Parameters shared by several operations, as the client sent them. Expressions are unparsed text (expression/ parses
// them). A field is optional where it matters whether the client sent the parameter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/value.h"

namespace trestle {

// ExpressionAttributeNames ("#n" -> "name") and ExpressionAttributeValues (":v" -> value), in the order of the request.
using NameMap = std::vector<std::pair<std::string, std::string>>;
using ValueMap = std::vector<std::pair<std::string, Value>>;
struct Placeholders {
  std::optional<NameMap> names;
  std::optional<ValueMap> values;
};

enum class ReturnValues { kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew };
enum class ReturnConsumedCapacity { kNone, kTotal, kIndexes };
enum class Select { kAllAttributes, kAllProjectedAttributes, kSpecificAttributes, kCount };

// ---- Legacy parameters, which expressions replaced.

enum class ComparisonOperator {
  kEq,
  kNe,
  kIn,
  kLe,
  kLt,
  kGe,
  kGt,
  kBetween,
  kNotNull,
  kNull,
  kContains,
  kNotContains,
  kBeginsWith,
};
enum class ConditionalOperator { kAnd, kOr };

// One entry of Expected, QueryFilter, ScanFilter or KeyConditions. `value` and `exists` occur in Expected only.
struct LegacyCondition {
  std::string attribute;
  std::optional<ComparisonOperator> comparison;
  std::optional<std::vector<Value>> operands;  // AttributeValueList
  std::optional<Value> value;
  std::optional<bool> exists;
};
using LegacyConditions = std::vector<LegacyCondition>;

enum class UpdateAction { kPut, kAdd, kDelete };
struct LegacyUpdate {
  std::string attribute;
  std::optional<UpdateAction> action;
  std::optional<Value> value;
};

// The condition of a write: an expression or legacy parameters.
struct WriteCondition {
  std::optional<std::string> expression;  // ConditionExpression
  std::optional<LegacyConditions> expected;
  std::optional<ConditionalOperator> conditional_operator;
  bool return_item_on_failure = false;  // ReturnValuesOnConditionCheckFailure: ALL_OLD
};

// The attributes that a read returns: an expression or the legacy list.
struct ReadProjection {
  std::optional<std::string> expression;  // ProjectionExpression
  std::optional<std::vector<std::string>> attributes_to_get;
};

// ---- Shared by responses.

// Responses of transactions also report the kind of their units.
enum class CapacityKind { kPlain, kTransactionRead, kTransactionWrite };
struct ConsumedCapacity {
  std::string table_name;
  ReturnConsumedCapacity detail = ReturnConsumedCapacity::kTotal;
  CapacityKind kind = CapacityKind::kPlain;
  double total = 0;
  double table = 0;
  std::vector<std::pair<std::string, double>> local_indexes;
  std::vector<std::pair<std::string, double>> global_indexes;
  std::vector<std::pair<std::string, double>> vector_indexes;  // VectorWriteRequestBytes; not part of the total
};

struct ItemCollectionMetrics {
  Item collection_key;  // the partition key alone
  double size_gb_low = 0;
  double size_gb_high = 1;
};

}  // namespace trestle
