// The enumerations of exports.
#pragma once

#include "model/export_requests.h"
#include "model/shapes/choice.h"

namespace trestle {

inline constexpr Choice<ExportFormat> kExportFormats[] = {{"ION", ExportFormat::kIon},
                                                          {"DYNAMODB_JSON", ExportFormat::kDynamoDbJson}};
inline constexpr Choice<ExportType> kExportTypes[] = {{"INCREMENTAL_EXPORT", ExportType::kIncremental},
                                                      {"FULL_EXPORT", ExportType::kFull}};
inline constexpr Choice<ExportViewType> kExportViewTypes[] = {{"NEW_IMAGE", ExportViewType::kNewImage},
                                                              {"NEW_AND_OLD_IMAGES", ExportViewType::kNewAndOldImages}};
inline constexpr Choice<ExportStatus> kExportStatuses[] = {{"IN_PROGRESS", ExportStatus::kInProgress},
                                                           {"COMPLETED", ExportStatus::kCompleted},
                                                           {"FAILED", ExportStatus::kFailed}};
inline constexpr Choice<S3SseAlgorithm> kS3SseAlgorithms[] = {{"AES256", S3SseAlgorithm::kAes256},
                                                              {"KMS", S3SseAlgorithm::kKms}};

}  // namespace trestle
