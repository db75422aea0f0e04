// Buckets on S3 or any endpoint with its API (bucket/bucket.h). Objects larger than a part are uploaded in parts. The
// upload of an object that is not committed is aborted; if that fails, the bucket's lifecycle rules remove it.
#pragma once

#include <memory>

#include "bucket/bucket.h"
#include "s3/s3_client.h"

namespace trestle {

std::unique_ptr<Buckets> s3_buckets(std::unique_ptr<S3Client> client);

}  // namespace trestle
