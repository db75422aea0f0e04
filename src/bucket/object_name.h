// Names of buckets and objects, as S3 allows them, and such that they can be paths: a name never leads out of its
// folder. Pure.
#pragma once

#include <string_view>

namespace trestle {

// 3 to 63 characters: lower case letters, digits, '.', '-', beginning and ending with a letter or digit, no two dots in
// a row. DynamoDB's own pattern also has capitals and underscores, which old buckets may have; so here.
bool is_bucket_name(std::string_view name);

// 1 to 1024 bytes in parts between slashes; no part is empty, "." or "..", none begins with kUnfinishedMark, and there
// is no control character. S3 itself allows such names, but no tool that keeps them as files does.
bool is_object_name(std::string_view name);

// Prefix of the last path component of an unfinished object.
inline constexpr std::string_view kUnfinishedMark = ".unfinished-";

}  // namespace trestle
