// Writes the records that a load could not put to error objects in a bucket (exchange/error_line.h). A bulk put with
// output type ERROR writes to the bucket of OutputS3Configuration. An import writes to the bucket kImportLogBucket,
// which is created on the first error; DynamoDB writes to a CloudWatch log group instead.
//
// Each page with errors gets one object, written before the page is committed. If the page is processed again after a
// crash, the same object is written again.
#pragma once

#include <string>
#include <vector>

#include "bucket/bucket.h"
#include "engine/bulk/load_source.h"

namespace trestle {

inline constexpr std::string_view kImportLogBucket = "aws-dynamodb-imports";

// The name of the load's next error object: "orders/01791526119669-fd87be64/errors-00001.json" after the prefix.
std::string error_object_name(const Load& load);
// Whether the load writes error objects.
bool writes_errors(const Load& load);
BucketResult<void> write_load_errors(Buckets& buckets, const Load& load, const std::vector<LoadError>& errors);

}  // namespace trestle
