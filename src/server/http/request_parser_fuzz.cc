// Any bytes, split anywhere, must produce the same requests and be accepted or rejected the same way as when they
// arrive in one piece. The error may differ: a piece may exceed a limit before the malformed part has arrived.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "server/http/request_parser.h"

namespace trestle {
namespace {

struct ParsedStream {
  bool refused = false;
  std::string text;  // every part of every request, in order

  bool operator==(const ParsedStream&) const = default;
};

ParsedStream read_all(std::string_view bytes, size_t piece) {
  const RequestLimits limits{.header_bytes_max = 4096, .headers_max = 20, .body_bytes_max = 2000};
  RequestParser parser(limits);
  ParsedStream parsed;
  std::string held;
  std::vector<HttpHeader> headers;
  while (!bytes.empty()) {
    held.append(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (held.size() > parser.offset()) {
      size_t size = held.size();
      const RequestParser::Outcome outcome = parser.parse(held.data(), size);
      if (outcome == RequestParser::Outcome::kNeedMore) {
        held.resize(size);
        break;
      }
      if (outcome != RequestParser::Outcome::kComplete) {
        parsed.refused = true;
        return parsed;
      }
      HttpRequest request;
      parser.view(held.data(), request, headers);
      parsed.text.append(request.method).append(request.path).append("?").append(request.query).append("\n");
      for (const HttpHeader& header : headers)
        parsed.text.append(header.name).append(":").append(header.value).append("\n");
      parsed.text.append(request.body).append("\n");
      held.erase(0, parser.consumed());
      parser.reset();
    }
  }
  return parsed;
}

}  // namespace
}  // namespace trestle

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Below the header limit, so that the split does not change which byte exceeds a limit.
  if (size < 1 || size > 4000) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = trestle::read_all(bytes, bytes.size() + 1);
  CHECK(trestle::read_all(bytes, 1 + data[0] % 32) == whole);
  return 0;
}
