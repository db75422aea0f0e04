#include <fmt/format.h>

#include <ranges>

#include "base/base64.h"
#include "base/sha256.h"
#include "engine/bulk/bulk_operations.h"
#include "engine/bulk/export_request.h"
#include "engine/bulk/exports.h"
#include "model/limits.h"

namespace trestle {
namespace {

constexpr size_t kChecksumLength = 8;

// A token is a checksum and the last ARN of its page. The checksum distinguishes it from tokens of other operations.
std::string checksum_of(std::string_view arn) {
  const Sha256Digest digest = sha256(std::string("ListExports ").append(arn));
  return std::string(reinterpret_cast<const char*>(digest.data()), kChecksumLength);
}

std::string token_of(std::string_view arn) { return base64url_text(checksum_of(arn).append(arn)); }

Result<std::string> arn_of(const std::string& token) {
  const auto bytes = base64url_bytes(token);
  if (bytes && bytes->size() > kChecksumLength) {
    std::string arn = bytes->substr(kChecksumLength);
    if (bytes->substr(0, kChecksumLength) == checksum_of(arn)) return arn;
  }
  return invalid(fmt::format("Invalid Request: Provided nextToken is invalid: {}", token));
}

}  // namespace

// Lists exports, newest first. With a table ARN, lists only exports of the table that has that name now.
Result<ListExportsResponse> list_exports(EngineParts& parts, const ListExportsRequest& request, Call& call) {
  call.commit = parts.store->commit_seen();
  std::optional<std::string> after;
  if (request.next_token) {
    TRY_INTO(after, arn_of(*request.next_token));
  }
  std::string table_id;
  if (request.table_arn) {
    TRY_INTO(const std::string_view name,
             check_exported_table_arn(*request.table_arn,
                                      {.region = parts.options.region, .account = parts.options.account}));
    const auto table = parts.catalog->find(name);
    if (!table) return ListExportsResponse{};
    table_id = table->description.id;
  }
  const auto limit = static_cast<size_t>(request.max_results.value_or(kExportsPerPage));
  ListExportsResponse response;
  for (const auto& export_ : parts.exports->catalog().all() | std::views::reverse) {
    const ExportDescription& description = export_->description;
    if (after && description.arn >= *after) continue;
    if (request.table_arn && description.table_id != table_id) continue;
    if (response.exports.size() == limit) {
      response.next_token = token_of(response.exports.back().arn);
      break;
    }
    response.exports.push_back({.arn = description.arn, .status = description.status, .type = description.type});
  }
  return response;
}

}  // namespace trestle
