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

// The name of the table in a ResourceArn. A table of another account is rejected, whether or not it exists, with the
// error that `account` is not authorized to perform `operation` ("TagResource", for example).
Result<std::string> tagged_table_name(std::string_view resource_arn, std::string_view operation,
                                      std::string_view account);
// The error if there is no such table. UntagResource's message does not contain the ARN.
Error tagged_table_not_found(std::string_view resource_arn, std::string_view operation);

// Checks that the tags of a request are well-formed, have distinct keys, and are at most fifty.
Result<void> check_tags(std::span<const Tag> tags);
// `current` updated with `added`: an existing key keeps its position and takes the new value.
Result<std::vector<Tag>> add_tags(std::span<const Tag> current, std::span<const Tag> added);
// `current` without the tags with these keys. Unknown keys are ignored.
Result<std::vector<Tag>> remove_tags(std::span<const Tag> current, std::span<const std::string> keys);
// Lists all tags. A table cannot have more than DynamoDB lists at once, so no token is ever returned, and none is
// valid.
Result<ListTagsOfResourceResponse> list_tags(std::span<const Tag> current,
                                             const std::optional<std::string>& next_token);

}  // namespace trestle
