// Blobs in a bucket of S3, or of any endpoint with its API: one object per blob, path-style addressing, Signature
// Version 4. Credentials and region are found as for a remote Database.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "runtime/items/blob_store.h"

namespace trestle {

struct S3Options {
  std::string place;     // s3://bucket or s3://bucket/prefix
  std::string endpoint;  // empty: Amazon's, of the region
  std::string region;    // empty: AWS_REGION, AWS_DEFAULT_REGION, else us-east-1
};

// The error is a sentence: the place or endpoint is invalid, or credentials are missing. Does not connect yet.
BasicResult<std::unique_ptr<runtime::BlobStore>, std::string> s3_blobs(const S3Options& options);

}  // namespace trestle
