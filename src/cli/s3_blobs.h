// Blobs in an S3 bucket, or at any endpoint with S3's API: one object per blob, path-style addressing, Signature
// Version 4. Credentials and region are determined as for a remote Database.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "runtime/items/blob_store.h"

namespace trestle {

struct S3Options {
  std::string place;     // s3://bucket or s3://bucket/prefix
  std::string endpoint;  // empty: AWS's endpoint for the region
  std::string region;    // empty: AWS_REGION, AWS_DEFAULT_REGION, else us-east-1
};

// The error says that the place or endpoint is invalid, or that credentials are missing. Does not connect yet.
BasicResult<std::unique_ptr<runtime::BlobStore>, std::string> s3_blobs(const S3Options& options);

}  // namespace trestle
