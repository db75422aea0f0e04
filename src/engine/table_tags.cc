#include "engine/table_tags.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/key_definition.h"
#include "model/limits.h"

namespace trestle {
namespace {

constexpr size_t kTagsOfPage = 10;

// The fifth of the parts between colons.
std::string_view account_of(std::string_view arn) {
  for (int part = 0; part < 4; ++part) arn.remove_prefix(arn.find(':') + 1);
  return arn.substr(0, arn.find(':'));
}

Result<void> check_count(size_t count) {
  if (count <= kTagsMax) return {};
  return invalid_parameter(fmt::format("Too many tags: a table may have {} tags at most", kTagsMax));
}

}  // namespace

Result<std::string> tagged_table_name(std::string_view resource_arn, std::string_view operation,
                                      std::string_view account) {
  if (!resource_arn.starts_with("arn:")) return invalid("ARNs must start with 'arn:'");
  const auto name = table_name_of(resource_arn);
  if (!name || name->size() < 3) {
    return invalid(fmt::format("Invalid TableArn: Invalid ResourceArn provided as input {}", resource_arn));
  }
  if (account_of(resource_arn) != account) {
    return failure(ErrorCode::kAccessDenied,
                   fmt::format("User: arn:aws:iam::{}:root is not authorized to perform: dynamodb:{} on resource: {}",
                               account, operation, resource_arn));
  }
  return std::string(*name);
}

Error tagged_table_not_found(std::string_view resource_arn, std::string_view operation) {
  auto message = operation == "UntagResource"
                     ? std::string("Requested resource not found")
                     : fmt::format("Requested resource not found: ResourcArn: {} not found", resource_arn);
  return Error{.code = ErrorCode::kResourceNotFound, .message = std::move(message), .item = nullptr};
}

Result<void> check_tags(std::span<const Tag> tags) {
  for (size_t i = 0; i < tags.size(); ++i) {
    if (std::ranges::find(tags.first(i), tags[i].key, &Tag::key) != tags.begin() + static_cast<std::ptrdiff_t>(i)) {
      return invalid_parameter(fmt::format("Duplicate tag key: {}", tags[i].key));
    }
  }
  return check_count(tags.size());
}

Result<std::vector<Tag>> add_tags(std::span<const Tag> current, std::span<const Tag> added) {
  if (added.empty()) return invalid("Atleast one Tag needs to be provided as Input.");
  TRY(check_tags(added));
  std::vector<Tag> tags(current.begin(), current.end());
  for (const auto& tag : added) {
    const auto found = std::ranges::find(tags, tag.key, &Tag::key);
    if (found == tags.end()) {
      tags.push_back(tag);
    } else {
      found->value = tag.value;
    }
  }
  TRY(check_count(tags.size()));
  return tags;
}

Result<std::vector<Tag>> remove_tags(std::span<const Tag> current, std::span<const std::string> keys) {
  if (keys.empty()) return invalid("Atleast one Tag Key needs to be provided as Input.");
  std::vector<Tag> tags(current.begin(), current.end());
  std::erase_if(tags, [&](const Tag& tag) { return std::ranges::find(keys, tag.key) != keys.end(); });
  return tags;
}

Result<ListTagsOfResourceResponse> list_tags(std::span<const Tag> current,
                                             const std::optional<std::string>& next_token) {
  size_t start = 0;
  if (next_token) {
    const auto last = std::ranges::find(current, *next_token, &Tag::key);
    if (last == current.end()) return invalid_parameter("Invalid NextToken");
    start = static_cast<size_t>(last - current.begin()) + 1;
  }
  const auto page = current.subspan(start, std::min(kTagsOfPage, current.size() - start));
  ListTagsOfResourceResponse response{.tags = {page.begin(), page.end()}, .next_token = std::nullopt};
  if (start + page.size() < current.size()) response.next_token = page.back().key;
  return response;
}

}  // namespace trestle
