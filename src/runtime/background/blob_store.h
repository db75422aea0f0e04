// Where large values go (`spill`): blobs by name. A blob never changes; its name is made once and never again.
//
// put() returns when the blob is durable. Threads may share a BlobStore.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/call/refusal.h"

namespace trestle::runtime {

class BlobStore {
 public:
  virtual ~BlobStore() = default;
  // Names are made of [0-9A-Za-z._/-].
  virtual Outcome<void> put(std::string_view name, std::string_view bytes) = 0;
  virtual Outcome<std::string> get(std::string_view name) = 0;
  // No such blob: nothing happens.
  virtual Outcome<void> erase(std::string_view name) = 0;
  // Every blob whose name begins so, with its age.
  virtual Outcome<void> each(std::string_view prefix,
                             const std::function<void(std::string_view name, int64_t age_ms)>& visit) = 0;
};

// In a folder: a file per blob, written beside and renamed, the folder synced.
Outcome<std::unique_ptr<BlobStore>> folder_blobs(std::string folder);

}  // namespace trestle::runtime
