// The requests that one call of a design's operation made, as JSON for people: the reply to `Trestle-Trace: requests`.
//
//   {"answer": <the reply's body>, "requests": [
//     {"operation": "GetItem", "request": {...}, "consumed": [<ConsumedCapacity>...], "units": 0.5, "time_us": 31,
//      "count": 3, "scanned_count": 40,                          queries and scans only
//      "error": "ConditionalCheckFailedException"}],             failed requests only
//    "omitted": 12}                                              requests beyond the limits, if any
//
// Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/mutex.h"
#include "runtime/sending/sent_request.h"

namespace trestle::api {

class CallTrace {
 public:
  void add(const runtime::SentRequest& sent);
  // The complete reply. `body` is JSON, or empty for a reply without a body.
  std::string wrap(std::string_view body) const;

 private:
  static constexpr size_t kBytesMax = size_t{1} << 20;

  mutable Mutex mutex_;
  std::string requests_ GUARDED_BY(mutex_);  // members of a JSON array
  size_t omitted_ GUARDED_BY(mutex_) = 0;
};

}  // namespace trestle::api
