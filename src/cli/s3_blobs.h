// Blobs in a bucket of S3, or of any endpoint that speaks its API: an object per blob, addressed by path, signed with
// Signature Version 4. Credentials and region come as for a remote Database.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "runtime/background/blob_store.h"

namespace trestle {

struct S3Options {
  std::string place;     // s3://bucket or s3://bucket/prefix
  std::string endpoint;  // empty: Amazon's, of the region
  std::string region;    // empty: AWS_REGION, AWS_DEFAULT_REGION, else us-east-1
};

// Fails with a sentence if the place or the endpoint cannot be, or credentials are missing. Does not connect yet.
BasicResult<std::unique_ptr<runtime::BlobStore>, std::string> s3_blobs(const S3Options& options);

}  // namespace trestle
