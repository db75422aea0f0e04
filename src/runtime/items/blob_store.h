// Storage for large values (`spill`): blobs by name. A blob is immutable, and its name is never reused.
//
// put() returns when the blob is durable. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/values/refusal.h"

namespace trestle::runtime {

class BlobStore {
 public:
  virtual ~BlobStore() = default;
  // Names consist of [0-9A-Za-z._/-].
  virtual Outcome<void> put(std::string_view name, std::string_view bytes) = 0;
  virtual Outcome<std::string> get(std::string_view name) = 0;
  // Does nothing if there is no such blob.
  virtual Outcome<void> erase(std::string_view name) = 0;
  // Visits every blob whose name begins with `prefix`, with its age.
  virtual Outcome<void> each(std::string_view prefix,
                             const std::function<void(std::string_view name, int64_t age_ms)>& visit) = 0;
};

// Blobs in a folder, one file each. A blob is written to a temporary file and renamed, and the folder is synced.
Outcome<std::unique_ptr<BlobStore>> folder_blobs(std::string folder);

}  // namespace trestle::runtime
