// The bytes of a DynamoDB request, built once; each use only overwrites the key and data in place. The body is JSON
// with placeholders:
//   <key>        "k0000000042", the key of an item of the plain table
//   <partition>  "p0000000042", the partition of an item of the ranged table, 100 items each
//   <sort>       "s07", the item's position in the partition
//   <data>       letters and digits, different each time
//   <next>       empty; later placeholders refer to the next item
// Placeholders have a fixed width, so the length of the request never changes.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/random.h"
#include "http/endpoint.h"
#include "http/signature.h"

namespace trestle::bench {

using http::Credentials;
using http::Endpoint;
using http::Signer;

inline constexpr uint64_t kItemsPerPartition = 100;
inline constexpr size_t kKeyBytes = 11;
inline constexpr size_t kSortBytes = 3;
inline constexpr size_t kDataBytesMax = 350'000;

// Settings shared by all requests of a run.
struct RequestContext {
  Endpoint endpoint;
  std::string region;
  std::shared_ptr<Signer> signer;  // shared by the run's templates; null: a well-formed placeholder signature
  bool keep_alive = true;          // false: every request asks the endpoint to close its connection
};

struct RequestShape {
  std::string_view operation;  // GetItem, or a path such as /designs/authz/user for a plain request
  std::string_view body;       // JSON with placeholders
  size_t data_bytes = 0;       // the width of <data>
  uint64_t items = 1;          // keys wrap around at this number
};

class RequestTemplate {
 public:
  RequestTemplate(const RequestContext& context, const RequestShape& shape);

  // The request for the item numbered `key`. The view is valid until the next fill().
  std::string_view fill(uint64_t key, Random& random);
  std::string_view bytes() const { return bytes_; }

 private:
  enum class Mark { kKey, kPartition, kSort, kData };
  struct Slot {
    Mark mark;
    size_t offset;
    size_t bytes;
    uint64_t item;  // offset added to the key
  };

  std::string place_marks(const RequestShape& shape);
  bool is_plain() const { return target_.starts_with('/'); }
  void build_head(size_t body_bytes);
  void sign(std::time_t now_s);

  RequestContext context_;
  std::string target_;  // or the path of a plain request
  uint64_t items_;
  std::string bytes_;
  std::vector<Slot> slots_;  // offsets from the start of the body
  size_t body_offset_ = 0;
  size_t date_time_offset_ = 0;
  size_t scope_date_offset_ = 0;
  size_t signature_offset_ = 0;
  std::time_t stamped_s_ = 0;
};

}  // namespace trestle::bench
