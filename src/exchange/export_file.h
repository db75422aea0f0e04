// Writes a data file of an export: compresses lines with gzip as they arrive, and commits the object when it is
// complete. Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "bucket/bucket.h"

namespace trestle {

class ExportFileWriter {
 public:
  explicit ExportFileWriter(std::unique_ptr<ObjectSink> sink);
  ~ExportFileWriter();

  BucketResult<void> append(std::string_view lines);
  // Size of the appended lines before compression.
  size_t bytes() const { return bytes_; }
  // Completes the file and returns its ETag. Nothing may be appended afterwards.
  BucketResult<std::string> finish();

 private:
  struct Gzip;
  BucketResult<void> deflate(std::string_view lines, bool last);

  std::unique_ptr<ObjectSink> sink_;
  std::unique_ptr<Gzip> gzip_;
  size_t bytes_ = 0;
};

}  // namespace trestle
