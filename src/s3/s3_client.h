// Sends requests to S3 or any endpoint with its API, with path-style addressing, Signature Version 4 and retries of
// transient failures. Credentials and region are found as for a remote Database. All calls block. Thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/call.h"
#include "remote/credential_source.h"

namespace trestle {

struct S3ClientOptions {
  std::string endpoint;  // empty: Amazon's, of the region
  std::string region;    // empty: AWS_REGION, AWS_DEFAULT_REGION, else us-east-1
};

struct S3Request {
  const char* method = "GET";
  std::string bucket;
  std::string object;  // empty: the bucket itself
  // Not encoded; sorted by name, as required for the signature.
  std::vector<std::pair<std::string, std::string>> query;
  std::string range;  // a Range header
  std::string body;
};

class S3Client {
 public:
  // Fails if the endpoint is invalid or credentials are missing. Does not connect.
  static BasicResult<std::unique_ptr<S3Client>, std::string> open(const S3ClientOptions& options);

  // Returns a reply with any status. Fails if there is no reply after some retries.
  http::Result<HttpAnswer> send(const S3Request& request) const;

 private:
  struct Parts {
    std::string url;   // the endpoint, without a trailing slash
    std::string host;  // the Host header
    std::string path;  // the endpoint's path, without a trailing slash
    std::string region;
    std::unique_ptr<CredentialSource> credentials;
  };
  explicit S3Client(Parts parts) : parts_(std::move(parts)) {}
  HttpCall signed_call(const S3Request& request) const;

  const Parts parts_;
};

// The text of the first element <name> after `at`; moves `at` past the element. Nothing if there is none.
std::optional<std::string_view> xml_element(std::string_view xml, std::string_view name, size_t& at);
std::optional<std::string_view> xml_element(std::string_view xml, std::string_view name);
// Decodes XML's five named entities and character references. Other entities are left unchanged.
std::string xml_text(std::string_view text);
std::string xml_escaped(std::string_view text);

}  // namespace trestle
