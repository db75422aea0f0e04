// Authenticates requests by AWS Signature Version 4, in header form and presigned query form.
//
// Without credentials the server is open: a request must carry a signature, as DynamoDB requires, but the signature is
// not checked. With credentials, the request must be signed with one of them, for the right service and region, within
// 15 minutes of the server's clock (or within its X-Amz-Expires when presigned). The signature must cover Host, every
// x-amz- header and the body. Errors have DynamoDB's type, status and wording, and are checked in DynamoDB's order.
//
// verify() is pure except for the key cache. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "access/credentials.h"
#include "base/clock.h"
#include "base/result.h"
#include "server/auth/signing.h"
#include "server/http/http.h"

namespace trestle {

struct Caller {
  std::string access_key_id;
  std::string region;     // from the signature's scope; empty if the server is open and the scope is unreadable
  bool verified = false;  // false: the server is open and the signature was not checked
};

struct AuthError {
  int status = 400;
  std::string type;  // "com.amazon.coral.service#InvalidSignatureException"
  std::string message;
};

using AuthResult = BasicResult<Caller, AuthError>;

struct Verifier {
  const Credentials* credentials = nullptr;  // nullptr: the server is open
  const Clock& clock;
  SigningKeyCache& keys;
  std::string_view region = {};  // empty: any region
  std::string_view service = "dynamodb";
};

AuthResult verify(const HttpRequest& request, const Verifier& verifier);

}  // namespace trestle
