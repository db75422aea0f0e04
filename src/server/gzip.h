// Gzip for HTTP bodies, both ways. Output is bounded before it is allocated. Not shared between threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace trestle {

// Whether an Accept-Encoding header lets the reply be gzip ("gzip", "*", with any weight but 0).
bool accepts_gzip(std::string_view accept_encoding);

// Keeps zlib's tables from one body to the next: making them costs more than a small body does.
class Gzip {
 public:
  enum class Outcome { kOk, kMalformed, kTooLarge };

  Gzip();
  ~Gzip();

  // Replaces out. kTooLarge as soon as the result would be over bytes_max, whatever the input claims.
  Outcome inflate(std::string_view compressed, size_t bytes_max, std::string& out);
  void deflate(std::string_view plain, std::string& out);

 private:
  struct Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace trestle
