// The enumerations of tables and streams, each in the order of DynamoDB's messages.
#pragma once

#include "model/shapes/choice.h"
#include "model/stream_requests.h"

namespace trestle {

inline constexpr Choice<bool> kKeyTypes[] = {{"HASH", false}, {"RANGE", true}};
inline constexpr Choice<ValueType> kAttributeTypes[] = {
    {"B", ValueType::kBinary}, {"N", ValueType::kNumber}, {"S", ValueType::kString}};
inline constexpr Choice<ProjectionType> kProjectionTypes[] = {
    {"ALL", ProjectionType::kAll}, {"INCLUDE", ProjectionType::kInclude}, {"KEYS_ONLY", ProjectionType::kKeysOnly}};
inline constexpr Choice<BillingMode> kBillingModes[] = {{"PROVISIONED", BillingMode::kProvisioned},
                                                        {"PAY_PER_REQUEST", BillingMode::kPayPerRequest}};
inline constexpr Choice<TableClass> kTableClasses[] = {
    {"STANDARD", TableClass::kStandard}, {"STANDARD_INFREQUENT_ACCESS", TableClass::kStandardInfrequentAccess}};
inline constexpr Choice<StreamViewType> kStreamViewTypes[] = {{"OLD_IMAGE", StreamViewType::kOldImage},
                                                              {"KEYS_ONLY", StreamViewType::kKeysOnly},
                                                              {"NEW_AND_OLD_IMAGES", StreamViewType::kNewAndOldImages},
                                                              {"NEW_IMAGE", StreamViewType::kNewImage}};
inline constexpr Choice<DistanceFunction> kDistanceFunctions[] = {{"COSINE", DistanceFunction::kCosine},
                                                                  {"DOT_PRODUCT", DistanceFunction::kDotProduct},
                                                                  {"EUCLIDEAN", DistanceFunction::kEuclidean}};
// SearchSchemaElementType as a bool: whether it is the partition key.
inline constexpr Choice<bool> kSearchElementTypes[] = {{"HASH", true}, {"INLINE_FILTER", false}};
inline constexpr Choice<std::string_view> kSseTypes[] = {{"AES256", "AES256"}, {"KMS", "KMS"}};
inline constexpr Choice<Status> kStatuses[] = {{"CREATING", Status::kCreating},
                                               {"UPDATING", Status::kUpdating},
                                               {"DELETING", Status::kDeleting},
                                               {"ACTIVE", Status::kActive}};
inline constexpr Choice<ShardIteratorType> kShardIteratorTypes[] = {
    {"AT_SEQUENCE_NUMBER", ShardIteratorType::kAtSequenceNumber},
    {"AFTER_SEQUENCE_NUMBER", ShardIteratorType::kAfterSequenceNumber},
    {"TRIM_HORIZON", ShardIteratorType::kTrimHorizon},
    {"LATEST", ShardIteratorType::kLatest},
};
inline constexpr Choice<ShardFilterType> kShardFilterTypes[] = {{"CHILD_SHARDS", ShardFilterType::kChildShards}};
inline constexpr Choice<StreamEvent> kStreamEvents[] = {
    {"INSERT", StreamEvent::kInsert}, {"MODIFY", StreamEvent::kModify}, {"REMOVE", StreamEvent::kRemove}};
// StreamStatus as a bool: whether the stream is enabled.
inline constexpr Choice<bool> kStreamStatuses[] = {{"ENABLED", true}, {"ENABLING", true}, {"DISABLED", false}};

}  // namespace trestle
