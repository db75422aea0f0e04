// Reads HTTP/1.1 responses from a keep-alive connection with one request in flight.
// Looks only at what a measurement needs: the status, where the body ends, and whether the connection closes.
//
//   ResponseReader reader;
//   switch (reader.feed(bytes_just_received)) { case ResponseState::kComplete: use(reader.response()); ... }
//
// A response that arrives in one piece is read where it lies, without a copy; its body points into the bytes given to
// feed() and is good until the next feed(). After kComplete the next feed() begins a new response.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trestle::bench {

struct Response {
  int status = 0;
  std::string_view body;
  bool closes_connection = false;
};

enum class ResponseState { kIncomplete, kComplete, kMalformed };

class ResponseReader {
 public:
  ResponseState feed(std::string_view received);
  const Response& response() const { return response_; }
  // Forgets a half-read response, for a new connection.
  void reset();

 private:
  ResponseState read(std::string_view bytes);
  bool read_head(std::string_view head);
  ResponseState read_chunks(std::string_view bytes);

  Response response_;
  std::string gathered_;  // the response so far, when it came in pieces
  std::string unchunked_;
  size_t head_bytes_ = 0;  // 0 until the head is complete
  size_t body_bytes_ = 0;
  bool chunked_ = false;
  bool began_ = false;
};

}  // namespace trestle::bench
