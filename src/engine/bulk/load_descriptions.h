// Responses of the operations on imports and bulk puts. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "storage/catalog/load_catalog.h"

namespace trestle {

// How long a client token identifies its load.
inline constexpr int64_t kLoadTokenMs = int64_t{8} * 60 * 60 * 1000;
// How long a finished load remains listed.
inline constexpr int64_t kLoadRetentionMs = int64_t{90} * 24 * 60 * 60 * 1000;
inline constexpr size_t kLoadsMax = 50;  // of each kind, in progress at a time

// "arn:aws:dynamodb:<region>:<account>:table/<table>/import/01791526119669-fd87be64". A bulk put has "bulk-operation"
// instead of "import".
std::string load_arn(LoadKind kind, std::string_view table_arn, int64_t started_ms, uint32_t suffix);

ImportDescription import_description(const Load& load);
ImportSummary import_summary(const Load& load);
BulkOperationDescription bulk_operation_description(const Load& load);
BulkOperationSummary bulk_operation_summary(const Load& load);

// A continuation token for the page after a load. It consists of groups of sixteen hexadecimal digits, because
// ListImports accepts no other form.
std::string load_token(const Load& load);
struct LoadPlace {
  int64_t started_ms = 0;
  std::string arn;
};
std::optional<LoadPlace> read_load_token(std::string_view token);
// Whether a load comes after that place in a list with the newest load first.
bool comes_after(const Load& load, const LoadPlace& place);

struct LoadListPage {
  std::vector<std::shared_ptr<const Load>> loads;
  std::optional<std::string> next_token;
};
// The part of a list, with the newest load first, that comes after the load of the token. Rejects other tokens.
Result<LoadListPage> load_list_page(std::vector<std::shared_ptr<const Load>> loads,
                                    const std::optional<std::string>& token, int64_t limit);

}  // namespace trestle
