// Signs requests as a client would, for tests, with the credential and timestamp of AWS's published SigV4 test suite.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "access/credentials.h"
#include "base/ascii.h"
#include "base/percent_encoding.h"
#include "server/auth/signing.h"

namespace trestle {

inline const Credential kExampleCredential{.access_key_id = "AKIDEXAMPLE",
                                           .secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"};
inline constexpr std::string_view kExampleDate = "20150830T123600Z";

inline std::string all_header_names(std::span<const HttpHeader> headers) {
  std::vector<std::string> names;
  for (const HttpHeader& header : headers) names.push_back(lower(header.name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return fmt::format("{}", fmt::join(names, ";"));
}

inline std::string signature_of(const HttpRequest& request, std::string_view signed_headers,
                                const Credential& credential, const SigningScope& scope, std::string_view amz_date) {
  const std::string to_sign = string_to_sign(amz_date, scope, canonical_request(request, signed_headers));
  return signature(signing_key(credential.secret_access_key, scope), to_sign);
}

// The Authorization header for a request. All its headers are signed; they must already include Host, X-Amz-Date (equal
// to amz_date) and, for temporary credentials, X-Amz-Security-Token. The signed body is body_as_sent.
inline std::string sign_header(const HttpRequest& request, const Credential& credential, const SigningScope& scope,
                               std::string_view amz_date) {
  const std::string names = all_header_names(request.headers);
  return authorization_value({.access_key = credential.access_key_id,
                              .scope = scope,
                              .signed_headers = names,
                              .signature = signature_of(request, names, credential, scope, amz_date)});
}

// The complete query of a presigned request, with X-Amz-Signature last.
inline std::string sign_query(const HttpRequest& request, const Credential& credential, const SigningScope& scope,
                              std::string_view amz_date, int64_t expires_seconds) {
  const std::string names = all_header_names(request.headers);
  std::string query(request.query);
  if (!query.empty()) query.push_back('&');
  query += fmt::format("X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={}&X-Amz-Date={}&X-Amz-Expires={}",
                       percent_encode(fmt::format("{}/{}", credential.access_key_id, scope_text(scope))), amz_date,
                       expires_seconds);
  if (!credential.session_token.empty()) {
    query += "&X-Amz-Security-Token=" + percent_encode(credential.session_token);
  }
  query += "&X-Amz-SignedHeaders=" + percent_encode(names);
  HttpRequest with_query = request;
  with_query.query = query;
  query += "&X-Amz-Signature=" + signature_of(with_query, names, credential, scope, amz_date);
  return query;
}

}  // namespace trestle
