// Compresses and decompresses HTTP bodies: gzip and deflate (in HTTP, deflate means the zlib format, RFC 9110). The
// output size is limited before memory is allocated. Not thread-safe.
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
// nullopt for any other coding, including "identity".
std::optional<ContentCoding> coding_named(std::string_view name);

// The coding that an Accept-Encoding header prefers: the one with the highest weight, or the first of several; nullopt
// if it accepts neither. "*" stands for codings that are not listed. A malformed weight counts as 1. DynamoDB behaves
// the same.
std::optional<ContentCoding> preferred_coding(std::string_view accept_encoding);

// Reuses zlib's state between bodies: allocating it costs more than compressing a small body.
class Gzip {
 public:
  enum class Outcome { kOk, kMalformed, kTooLarge };

  Gzip();
  ~Gzip();

  // Replaces `out`. Returns kTooLarge as soon as the output exceeds bytes_max, whatever size the input declares.
  Outcome inflate(std::string_view compressed, ContentCoding coding, size_t bytes_max, std::string& out);
  void deflate(std::string_view plain, ContentCoding coding, std::string& out);

 private:
  struct Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace trestle
