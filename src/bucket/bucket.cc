#include "bucket/bucket.h"

namespace trestle {

std::string_view failure_code(BucketFault::Kind kind) {
  switch (kind) {
    case BucketFault::Kind::kNoSuchBucket:
      return "S3NoSuchBucket";
    case BucketFault::Kind::kNoSuchObject:
      return "S3NoSuchKey";
    case BucketFault::Kind::kInvalidName:
      return "S3InvalidObjectName";
    case BucketFault::Kind::kAccessDenied:
      return "S3AccessDenied";
    case BucketFault::Kind::kUnavailable:
      return "S3ServiceUnavailable";
  }
  return {};
}

BucketResult<void> Buckets::make(std::string_view name) {
  return bucket_fault(BucketFault::Kind::kAccessDenied,
                      "The bucket " + std::string(name) + " must be created beforehand");
}

}  // namespace trestle
