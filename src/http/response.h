// Reads HTTP/1.1 responses from a keep-alive connection with one request in flight. Reads only what clients of DynamoDB
// and S3 need: the status, the body and its checksum, the server's time, the ETag, and whether the connection closes.
//
//   ResponseReader reader;
//   switch (reader.feed(bytes_just_received)) { case ResponseState::kComplete: use(reader.response()); ... }
//
// A response that arrives in one piece is not copied: its body points into the argument of feed() and is valid until
// the next feed(). After kComplete the next feed() begins a new response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace trestle::http {

struct Response {
  int status = 0;
  std::string_view body;
  bool closes_connection = false;
  std::optional<uint32_t> crc32 = {};    // x-amz-crc32: of the body
  std::optional<std::time_t> date = {};  // Date, of a refusal: 400 and above
  std::string etag = {};                 // ETag, with its quotation marks
};

enum class ResponseState { kIncomplete, kComplete, kMalformed };

inline constexpr size_t kResponseBytesMax = 64u << 20;

class ResponseReader {
 public:
  ResponseReader() = default;
  // A response of more than `bytes_max` bytes is malformed.
  explicit ResponseReader(size_t bytes_max) : bytes_max_(bytes_max) {}

  ResponseState feed(std::string_view received);
  const Response& response() const { return response_; }
  // Discards an incomplete response, for a new connection.
  void reset();

 private:
  ResponseState read(std::string_view bytes);
  bool read_head(std::string_view head);
  bool read_header(std::string_view line);
  ResponseState read_chunks(std::string_view bytes);

  size_t bytes_max_ = kResponseBytesMax;
  Response response_;
  std::string gathered_;  // the response so far, if it arrived in pieces
  std::string unchunked_;
  size_t head_bytes_ = 0;  // 0 until the head is complete
  size_t body_bytes_ = 0;
  size_t chunks_bytes_ = 0;  // the bytes of a chunked body that are already in unchunked_
  bool sized_ = false;
  bool chunked_ = false;
  bool began_ = false;
};

}  // namespace trestle::http
