// The bytes of an object, decompressed, front to back, in pieces of bounded size: memory does not grow with the object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bucket/bucket.h"
#include "model/load_requests.h"

namespace trestle {

// An error while reading an object: of the bucket, or of the object's content.
struct StreamFault {
  bool is_damaged = false;  // the object cannot be decompressed
  BucketFault bucket;       // otherwise
  std::string message;      // for a damaged object
};
template <class T>
using StreamResult = BasicResult<T, StreamFault>;

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Appends a piece to `out`. False: there is no more.
  virtual StreamResult<bool> read(std::string& out) = 0;
};

// A compressed object may be several gzip members, or several zstd frames, one after another. Borrows the bucket.
std::unique_ptr<ByteStream> open_object(const Bucket& bucket, std::string name, InputCompression compression);

}  // namespace trestle
