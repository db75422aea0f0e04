// Names of buckets and objects that S3 allows and that are also safe as paths: a name never leads out of its folder.
// Pure.
#pragma once

#include <string_view>

namespace trestle {

// S3's rule for new buckets: 3 to 63 characters, lower case letters, digits, '.', '-', beginning and ending with a
// letter or digit, no two dots in a row. Like DynamoDB's own pattern, this also accepts capitals, underscores and up to
// 255 characters, which old buckets may have.
bool is_bucket_name(std::string_view name);

// 1 to 1024 bytes, consisting of parts separated by slashes. No part is empty, ".", ".." or longer than 255 bytes, or
// begins with kUnfinishedMark, and there are no control characters. S3 itself allows more names, but tools that store
// objects as files do not.
bool is_object_name(std::string_view name);

// Prefix of the last path component of an unfinished object.
inline constexpr std::string_view kUnfinishedMark = ".unfinished-";

}  // namespace trestle
