// The enumerations of imports and bulk operations.
#pragma once

#include "model/load_requests.h"
#include "model/shapes/choice.h"

namespace trestle {

inline constexpr Choice<InputFormat> kInputFormats[] = {
    {"ION", InputFormat::kIon}, {"CSV", InputFormat::kCsv}, {"DYNAMODB_JSON", InputFormat::kDynamoDbJson}};
inline constexpr Choice<InputFormat> kBulkInputFormats[] = {{"ION", InputFormat::kIon},
                                                            {"DYNAMODB_JSON", InputFormat::kDynamoDbJson}};
inline constexpr Choice<InputCompression> kInputCompressions[] = {
    {"ZSTD", InputCompression::kZstd}, {"GZIP", InputCompression::kGzip}, {"NONE", InputCompression::kNone}};
inline constexpr Choice<ImportStatus> kImportStatuses[] = {{"IN_PROGRESS", ImportStatus::kInProgress},
                                                           {"COMPLETED", ImportStatus::kCompleted},
                                                           {"CANCELLING", ImportStatus::kCancelling},
                                                           {"CANCELLED", ImportStatus::kCancelled},
                                                           {"FAILED", ImportStatus::kFailed}};
inline constexpr Choice<BulkOperationStatus> kBulkOperationStatuses[] = {
    {"IN_PROGRESS", BulkOperationStatus::kInProgress},
    {"COMPLETED", BulkOperationStatus::kCompleted},
    {"COMPLETED_WITH_ERRORS", BulkOperationStatus::kCompletedWithErrors},
    {"CANCELLING", BulkOperationStatus::kCancelling},
    {"CANCELLED", BulkOperationStatus::kCancelled},
    {"FAILED", BulkOperationStatus::kFailed}};
inline constexpr Choice<PerformanceTier> kPerformanceTiers[] = {{"STANDARD", PerformanceTier::kStandard},
                                                                {"ACCELERATED", PerformanceTier::kAccelerated}};
inline constexpr Choice<BulkOutput> kBulkOutputs[] = {{"ERROR", BulkOutput::kError},
                                                      {"CONDITION_CHECK_FAILURE", BulkOutput::kConditionCheckFailure}};
inline constexpr Choice<std::string_view> kBulkSseAlgorithms[] = {{"AES256", "AES256"}, {"KMS", "KMS"}};

}  // namespace trestle
