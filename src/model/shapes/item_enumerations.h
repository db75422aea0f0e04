// The enumerations of the item, page and batch operations, each in the order of DynamoDB's messages.
#pragma once

#include "model/parameters.h"
#include "model/shapes/choice.h"

namespace trestle {

inline constexpr Choice<ReturnConsumedCapacity> kReturnConsumedCapacities[] = {
    {"INDEXES", ReturnConsumedCapacity::kIndexes},
    {"TOTAL", ReturnConsumedCapacity::kTotal},
    {"NONE", ReturnConsumedCapacity::kNone},
};

// ReturnItemCollectionMetrics as a bool: whether to return sizes.
inline constexpr Choice<bool> kReturnItemCollectionMetrics[] = {
    {"SIZE", true},
    {"NONE", false},
};

inline constexpr Choice<ReturnValues> kReturnValues[] = {
    {"ALL_NEW", ReturnValues::kAllNew}, {"UPDATED_OLD", ReturnValues::kUpdatedOld}, {"ALL_OLD", ReturnValues::kAllOld},
    {"NONE", ReturnValues::kNone},      {"UPDATED_NEW", ReturnValues::kUpdatedNew},
};

// ReturnValuesOnConditionCheckFailure as a bool: whether to return the old item.
inline constexpr Choice<bool> kReturnItemOnFailure[] = {
    {"ALL_OLD", true},
    {"NONE", false},
};

inline constexpr Choice<ConditionalOperator> kConditionalOperators[] = {
    {"OR", ConditionalOperator::kOr},
    {"AND", ConditionalOperator::kAnd},
};

inline constexpr Choice<Select> kSelects[] = {
    {"SPECIFIC_ATTRIBUTES", Select::kSpecificAttributes},
    {"COUNT", Select::kCount},
    {"ALL_ATTRIBUTES", Select::kAllAttributes},
    {"ALL_PROJECTED_ATTRIBUTES", Select::kAllProjectedAttributes},
};

inline constexpr Choice<ComparisonOperator> kComparisons[] = {
    {"IN", ComparisonOperator::kIn},
    {"NULL", ComparisonOperator::kNull},
    {"BETWEEN", ComparisonOperator::kBetween},
    {"LT", ComparisonOperator::kLt},
    {"NOT_CONTAINS", ComparisonOperator::kNotContains},
    {"EQ", ComparisonOperator::kEq},
    {"GT", ComparisonOperator::kGt},
    {"NOT_NULL", ComparisonOperator::kNotNull},
    {"NE", ComparisonOperator::kNe},
    {"LE", ComparisonOperator::kLe},
    {"BEGINS_WITH", ComparisonOperator::kBeginsWith},
    {"GE", ComparisonOperator::kGe},
    {"CONTAINS", ComparisonOperator::kContains},
};

inline constexpr Choice<UpdateAction> kUpdateActions[] = {
    {"ADD", UpdateAction::kAdd},
    {"PUT", UpdateAction::kPut},
    {"DELETE", UpdateAction::kDelete},
};

}  // namespace trestle
