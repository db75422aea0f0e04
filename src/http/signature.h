// AWS Signature Version 4 for DynamoDB's POST requests. Signs host, x-amz-date, x-amz-target and, if present,
// x-amz-security-token. A Signer caches the day's derived key, so that a request costs four SHA-256 passes. Not
// thread-safe.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace trestle::http {

struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token = {};  // empty for long-term credentials

  friend bool operator==(const Credentials&, const Credentials&) = default;
};

// The value of an environment variable; empty when it is not set.
std::string environment(const char* name);

// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, when the first two are set and not empty.
std::optional<Credentials> credentials_from_environment();

// X-Amz-Date: 20250131T235959Z
std::string format_date_time(std::time_t now_s);

struct SignedParts {
  std::string_view host;
  std::string_view path;
  std::string_view date_time;  // 20250131T235959Z
  std::string_view target;     // DynamoDB_20120810.GetItem
  std::string_view body;
};

class Signer {
 public:
  Signer(Credentials credentials, std::string region);

  const Credentials& credentials() const { return credentials_; }
  const std::string& region() const { return region_; }
  // "host;x-amz-date;x-amz-target", and if there is a session token its header, in sorted order.
  std::string_view signed_headers() const;
  // 64 lower case hexadecimal digits.
  std::string sign(const SignedParts& parts);

 private:
  const Credentials credentials_;
  const std::string region_;
  std::string key_date_;
  Sha256Digest key_ = {};
};

}  // namespace trestle::http
