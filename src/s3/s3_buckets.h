// Buckets of S3, or of any endpoint that speaks its API (bucket/bucket.h). Objects larger than a part are uploaded in
// parts; one that is not committed leaves nothing but an upload that the bucket's own rules sweep.
#pragma once

#include <memory>

#include "bucket/bucket.h"
#include "s3/s3_client.h"

namespace trestle {

std::unique_ptr<Buckets> s3_buckets(std::unique_ptr<S3Client> client);

}  // namespace trestle
