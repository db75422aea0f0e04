// AWS Signature Version 4: the steps shared by all signers and verifiers of requests.
//
//   canonical request -> its hash in a string to sign -> HMAC with a key derived from secret, day, region, service
//
// Pure functions. The contents of the canonical request depend on the kind of request (server/auth/signing.h,
// http/signature.h, s3/s3_client.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace trestle {

struct SigningScope {
  std::string_view date;  // "20150830"
  std::string_view region;
  std::string_view service;
};

// "20150830T123600Z"
std::string format_amz_date(int64_t unix_ms);
// "20150830/us-east-1/dynamodb/aws4_request"
std::string scope_text(const SigningScope& scope);

std::string string_to_sign(std::string_view amz_date, const SigningScope& scope, std::string_view canonical_request);
Sha256Digest signing_key(std::string_view secret, const SigningScope& scope);
// 64 lower case hexadecimal digits.
std::string signature(const Sha256Digest& key, std::string_view to_sign);

struct AuthorizationParts {
  std::string_view access_key;
  SigningScope scope;
  std::string_view signed_headers;  // "host;x-amz-date"
  std::string_view signature;
};
// The value of the Authorization header.
std::string authorization_value(const AuthorizationParts& parts);

}  // namespace trestle
