// Tags of a table: TagResource, UntagResource, ListTagsOfResource, and the Tags of CreateTable. Pure: the caller finds
// the table and stores the resulting tags.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// The table that a ResourceArn names. `operation` is "TagResource", for example: a table of another account is rejected
// as one that `account` has no rights to, whether or not it exists.
Result<std::string> tagged_table_name(std::string_view resource_arn, std::string_view operation,
                                      std::string_view account);
// The error if there is no such table. UntagResource does not repeat the ARN.
Error tagged_table_not_found(std::string_view resource_arn, std::string_view operation);

// Checks the tags of a request: well formed, distinct keys, fifty at most.
Result<void> check_tags(std::span<const Tag> tags);
// `current` updated with `added`: an existing key keeps its position and takes the new value.
Result<std::vector<Tag>> add_tags(std::span<const Tag> current, std::span<const Tag> added);
// `current` without the tags of these keys; a key that no tag has is no error.
Result<std::vector<Tag>> remove_tags(std::span<const Tag> current, std::span<const std::string> keys);
// All tags: a table cannot have more than DynamoDB lists at once. So no token is ever returned, and none is valid.
Result<ListTagsOfResourceResponse> list_tags(std::span<const Tag> current,
                                             const std::optional<std::string>& next_token);

}  // namespace trestle
