// Compressed HTTP bodies, both ways: gzip and deflate (which in HTTP is zlib's format, RFC 9110). Output is bounded
// before it is allocated. Not shared between threads.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace trestle {

enum class ContentCoding { kGzip, kDeflate };
// "gzip", "deflate".
std::string_view coding_name(ContentCoding coding);
// Nothing for a coding that is neither, "identity" among them.
std::optional<ContentCoding> coding_named(std::string_view name);

// The coding that an Accept-Encoding header asks for: the one with the greatest weight, or the first of several; absent
// if it accepts neither. "*" stands for the codings that it does not name. An unreadable weight counts as 1. DynamoDB
// does the same.
std::optional<ContentCoding> preferred_coding(std::string_view accept_encoding);

// Keeps zlib's tables from one body to the next: making them costs more than a small body does.
class Gzip {
 public:
  enum class Outcome { kOk, kMalformed, kTooLarge };

  Gzip();
  ~Gzip();

  // Replaces `out`. Returns kTooLarge as soon as the result would exceed bytes_max, whatever size the input declares.
  Outcome inflate(std::string_view compressed, ContentCoding coding, size_t bytes_max, std::string& out);
  void deflate(std::string_view plain, ContentCoding coding, std::string& out);

 private:
  struct Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace trestle
