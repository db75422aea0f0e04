// Reads the decompressed bytes of an object from front to back, in pieces of bounded size, so that memory does not grow
// with the object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bucket/bucket.h"
#include "model/load_requests.h"

namespace trestle {

// An error while reading an object, either of the bucket or of the object's content.
struct StreamFault {
  bool is_damaged = false;  // the object cannot be decompressed
  BucketFault bucket;       // if the object is not damaged
  std::string message;      // for a damaged object
};
template <class T>
using StreamResult = BasicResult<T, StreamFault>;

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Appends a piece to `out`. False: the end has been reached.
  virtual StreamResult<bool> read(std::string& out) = 0;
};

// A compressed object may consist of several gzip members or several zstd frames. Borrows the bucket.
std::unique_ptr<ByteStream> open_object(const Bucket& bucket, std::string name, InputCompression compression);

}  // namespace trestle
