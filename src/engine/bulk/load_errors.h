// Writes the records that a load could not put to a place where the user finds them (exchange/error_line.h). A bulk put
// that asks for ERROR writes to the bucket of OutputS3Configuration. An import writes to the bucket kImportLogBucket,
// which is created on the first error; DynamoDB writes to a CloudWatch log group instead.
//
// An object is written for each page with errors, before the page is committed: a page that is read again after a crash
// writes the same object again.
#pragma once

#include <string>
#include <vector>

#include "bucket/bucket.h"
#include "engine/bulk/load_source.h"

namespace trestle {

inline constexpr std::string_view kImportLogBucket = "aws-dynamodb-imports";

// The name of the load's next error object: "orders/01791526119669-fd87be64/errors-00001.json" after the prefix.
std::string error_object_name(const Load& load);
// Whether errors are to be written.
bool tells_errors(const Load& load);
BucketResult<void> write_load_errors(Buckets& buckets, const Load& load, const std::vector<LoadError>& errors);

}  // namespace trestle
