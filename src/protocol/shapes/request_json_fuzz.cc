// Reads any bytes as the body of any operation. The result must be a valid request or an error that can be written.
#include "base/check.h"
#include "model/database.h"
#include "protocol/json/error_json.h"
#include "protocol/shapes/server_json.h"

using namespace trestle;

namespace {

template <class Request>
void read_any(Result<Request> (*reader)(JsonInput), std::string_view body) {
  const auto input = parse_body(body);
  if (!input.has_value()) return;
  const auto request = reader(*input);
  if (request.has_value()) {
    if constexpr (requires { request->item; }) CHECK(is_valid_item(request->item.bytes()));
    if constexpr (requires { request->key; }) CHECK(is_valid_item(request->key.bytes()));
    return;
  }
  std::string reply;
  write_error_json(request.error(), reply);
  CHECK(parse_body(reply).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
#define TRESTLE_READ(Name, name) read_any(read_##name##_json, body);
  TRESTLE_OPERATIONS(TRESTLE_READ)
#undef TRESTLE_READ
  return 0;
}
