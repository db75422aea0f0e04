// The records that a load could not put, told where the user finds them (exchange/error_line.h): in objects of the
// bucket that OutputS3Configuration names, for a bulk put that asks for ERROR; of the bucket kImportLogBucket, which is
// made when there is something to tell, for an import, of which DynamoDB writes to a log group of CloudWatch.
//
// An object is written for each page that has errors, before the page is committed: a page that is read again after a
// crash writes the same object again.
#pragma once

#include <string>
#include <vector>

#include "bucket/bucket.h"
#include "engine/bulk/load_source.h"

namespace trestle {

inline constexpr std::string_view kImportLogBucket = "aws-dynamodb-imports";

// What the load's next such object is called: "orders/01791526119669-fd87be64/errors-00001.json" behind the prefix.
std::string error_object_name(const Load& load);
// Whether anyone wants to be told.
bool tells_errors(const Load& load);
BucketResult<void> write_load_errors(Buckets& buckets, const Load& load, const std::vector<LoadError>& errors);

}  // namespace trestle
