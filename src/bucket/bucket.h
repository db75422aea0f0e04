// Buckets of objects in the style of S3: the source of imports and bulk puts, the destination of exports.
//
//   TRY_INTO(auto bucket, buckets.open("my-exports"));
//   TRY_INTO(auto object, bucket->write("orders/AWSDynamoDB/01/_started"));
//   TRY(object->append("..."));
//   TRY(object->commit());                      // the object becomes visible, complete and durable
//
// Objects are replaced atomically: listing and reading only show the last committed version. Every implementation
// checks names by S3's rules (object_name.h). All calls block. Buckets and Bucket are thread-safe; an ObjectSink must
// be used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace trestle {

struct BucketFault {
  enum class Kind {
    kNoSuchBucket,
    kNoSuchObject,
    kInvalidName,  // of a bucket or an object
    kAccessDenied,
    kUnavailable,  // the disk or the endpoint failed, perhaps temporarily
  };
  Kind kind = Kind::kUnavailable;
  std::string message;  // for FailureMessage
};

// The FailureCode of DynamoDB's jobs: "S3NoSuchBucket".
std::string_view failure_code(BucketFault::Kind kind);

template <class T>
using BucketResult = BasicResult<T, BucketFault>;

inline std::unexpected<BucketFault> bucket_fault(BucketFault::Kind kind, std::string message) {
  return std::unexpected(BucketFault{.kind = kind, .message = std::move(message)});
}

struct BucketObject {
  std::string name;
  uint64_t bytes = 0;
};

struct BucketPage {
  std::vector<BucketObject> objects;
  bool is_last = true;
};

// An object being written. Without commit(), destroying this leaves no object.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  virtual BucketResult<void> append(std::string_view bytes) = 0;
  // To be called once, at the end. When it returns, the object is durable and has replaced any object of the same name.
  virtual BucketResult<void> commit() = 0;
  // The MD5 of the appended bytes, in hexadecimal: S3's ETag of an object uploaded in one part, and the value in export
  // manifests. Valid after commit().
  virtual std::string etag() const = 0;
};

class Bucket {
 public:
  virtual ~Bucket() = default;
  // Objects whose name begins with `prefix` and sorts after `after`, in the order of the bytes of their names.
  virtual BucketResult<BucketPage> list(std::string_view prefix, std::string_view after) const = 0;
  // At most `length_max` bytes from `offset`; fewer only at the end of the object, none beyond it.
  virtual BucketResult<std::string> read(std::string_view name, uint64_t offset, size_t length_max) const = 0;
  virtual BucketResult<std::unique_ptr<ObjectSink>> write(std::string_view name) = 0;
  // Does nothing if there is no such object.
  virtual BucketResult<void> erase(std::string_view name) = 0;
};

class Buckets {
 public:
  virtual ~Buckets() = default;
  // The bucket must exist (kNoSuchBucket).
  virtual BucketResult<std::unique_ptr<Bucket>> open(std::string_view name) = 0;
  // Creates a bucket unless it exists; kAccessDenied if this implementation cannot create buckets.
  virtual BucketResult<void> make(std::string_view name);
};

// A bucket is a folder of `root`, an object is a file in it, and a slash in its name separates folders. An object is
// written to a temporary file, synced and renamed. `root` need not exist until a bucket is opened.
std::unique_ptr<Buckets> folder_buckets(std::string root);

}  // namespace trestle
