#include "engine/tables/table_tags.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/utf8.h"
#include "engine/tables/key_definition.h"
#include "model/limits.h"

namespace trestle {
namespace {

// The account in an ARN, which is its fifth part.
std::string_view account_of(std::string_view arn) {
  for (int part = 0; part < 4; ++part) arn.remove_prefix(arn.find(':') + 1);
  return arn.substr(0, arn.find(':'));
}

Result<void> check_tag_count(size_t count) {
  if (count <= kTagsMax) return {};
  return invalid("Number of Tags exceed the current limit for the provided ResourceArn");
}

// Whether the text has only letters, digits, spaces and certain punctuation. All non-ASCII characters count as letters.
bool is_tag_text(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte) != 0 || std::string_view(" _.:/=+-@").find(c) != std::string_view::npos;
  });
}

Result<void> check_key(std::string_view key) {
  if (key.empty() || characters_of(key) > 128 || !is_tag_text(key)) {
    return invalid(fmt::format("The Tag Key provided is invalid, Key: {}", key));
  }
  if (key.starts_with("aws:")) return invalid(fmt::format("Tag Key cannot be prefixed with aws:, Key: {}", key));
  return {};
}

}  // namespace

Result<std::string> tagged_table_name(std::string_view resource_arn, std::string_view operation,
                                      std::string_view account) {
  if (!resource_arn.starts_with("arn:")) {
    return invalid_parameter(fmt::format("ARNs must start with 'arn:': {}", resource_arn));
  }
  const auto name = table_name_of(resource_arn);
  if (!name || name->size() < 3) {
    if (resource_arn.find(":dynamodb:") == std::string_view::npos) {
      return invalid_parameter(fmt::format("Provided Arn is not a DynamoDB resource arn: {}", resource_arn));
    }
    return invalid_parameter(fmt::format(
        "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {}", resource_arn));
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
    TRY(check_key(tags[i].key));
    if (characters_of(tags[i].value) > 256 || !is_tag_text(tags[i].value)) {
      return invalid(fmt::format("The Tag Value provided is invalid, Value: {}", tags[i].value));
    }
    const auto before = tags.first(i);
    if (std::ranges::find(before, tags[i].key, &Tag::key) != before.end()) {
      return invalid(fmt::format("Duplicate Tag Keys provided as input: Duplicate Tag Key found {}", tags[i].key));
    }
  }
  return check_tag_count(tags.size());
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
  TRY(check_tag_count(tags.size()));
  return tags;
}

Result<std::vector<Tag>> remove_tags(std::span<const Tag> current, std::span<const std::string> keys) {
  if (keys.empty()) return invalid("Atleast one Tag Key needs to be provided as Input.");
  for (const auto& key : keys) TRY(check_key(key));
  std::vector<Tag> tags(current.begin(), current.end());
  std::erase_if(tags, [&](const Tag& tag) { return std::ranges::find(keys, tag.key) != keys.end(); });
  return tags;
}

Result<ListTagsOfResourceResponse> list_tags(std::span<const Tag> current,
                                             const std::optional<std::string>& next_token) {
  if (next_token) return invalid_parameter("Invalid NextToken");
  return ListTagsOfResourceResponse{.tags = {current.begin(), current.end()}, .next_token = std::nullopt};
}

}  // namespace trestle
