// A data file of an export: lines, compressed with gzip as they come, and an object of a bucket once it is whole.
// One thread at a time.
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
  // Of the lines appended, before compression.
  size_t bytes() const { return bytes_; }
  // The file is there, and nothing may be appended. Its ETag.
  BucketResult<std::string> finish();

 private:
  struct Gzip;
  BucketResult<void> deflate(std::string_view lines, bool last);

  std::unique_ptr<ObjectSink> sink_;
  std::unique_ptr<Gzip> gzip_;
  size_t bytes_ = 0;
};

}  // namespace trestle
