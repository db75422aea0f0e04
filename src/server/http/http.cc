#include "server/http/http.h"

#include "base/ascii.h"

namespace trestle {

const HttpHeader* HttpRequest::find(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (equals_ignoring_case(header.name, name)) return &header;
  }
  return nullptr;
}

std::string_view HttpRequest::header(std::string_view name) const {
  const HttpHeader* found = find(name);
  return found ? found->value : std::string_view{};
}

void HttpReply::add_header(std::string_view name, std::string_view value) {
  headers.append(name).append(": ");
  const size_t start = headers.size();
  headers.append(value);
  std::replace_if(
      headers.begin() + static_cast<std::ptrdiff_t>(start), headers.end(),
      [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  headers.append("\r\n");
}

HttpReply internal_error_reply() {
  return {
      .status = 500,
      .content_type = "application/x-amz-json-1.0",
      .body = R"({"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"Internal server error"})",
      .crc32 = true};
}

}  // namespace trestle
