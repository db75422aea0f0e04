// Responses of the operations on imports and bulk puts. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/error.h"
#include "storage/catalog/load_catalog.h"

namespace trestle {

// How long a client token identifies its load.
inline constexpr int64_t kLoadTokenMs = int64_t{8} * 60 * 60 * 1000;
// How long a finished load remains listed.
inline constexpr int64_t kLoadRetentionMs = int64_t{90} * 24 * 60 * 60 * 1000;
inline constexpr size_t kLoadsMax = 50;  // of each kind, at a time

// "arn:aws:dynamodb:<region>:<account>:table/<table>/import/01791526119669-fd87be64"; a bulk put's has
// "bulk-operation".
std::string load_arn(LoadKind kind, std::string_view table_arn, int64_t started_ms, uint32_t suffix);

ImportDescription import_description(const Load& load);
ImportSummary import_summary(const Load& load);
BulkOperationDescription bulk_operation_description(const Load& load);
BulkOperationSummary bulk_operation_summary(const Load& load);

// A token for the page behind a load: what ListImports allows, groups of sixteen hexadecimal digits.
std::string load_token(const Load& load);
struct LoadPlace {
  int64_t started_ms = 0;
  std::string arn;
};
std::optional<LoadPlace> place_of_token(std::string_view token);
// Whether a load comes after that place in a list of the newest first.
bool is_behind(const Load& load, const LoadPlace& place);

}  // namespace trestle
