#include "server/auth/sigv4.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <forward_list>
#include <optional>

#include "base/ascii.h"

namespace trestle {

namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kInvalidToken = "The security token included in the request is invalid.";
constexpr int64_t kSkewMs = 15 * 60 * 1000;
constexpr int64_t kExpiresSecondsMax = 7 * 24 * 60 * 60;

// The signature fields of a request, from its header or query. The views point into the request, or into `decoded`.
struct Claim {
  std::string_view algorithm;
  std::string_view credential;
  std::string_view signature;
  std::string_view signed_headers;
  std::string_view date;
  std::string_view token;
  std::optional<std::string_view> expires;  // presigned only
  std::forward_list<std::string> decoded;   // decoded texts; a list, so that views stay valid
};

std::string_view keep_decoded(Claim& claim, std::string text) { return claim.decoded.emplace_front(std::move(text)); }

std::unexpected<AuthError> refuse(std::string_view type, std::string message) {
  return std::unexpected(AuthError{400, fmt::format("com.amazon.coral.service#{}", type), std::move(message)});
}
auto incomplete(std::string message) { return refuse("IncompleteSignatureException", std::move(message)); }
auto invalid_signature(std::string message) { return refuse("InvalidSignatureException", std::move(message)); }
auto unrecognized() { return refuse("UnrecognizedClientException", std::string(kInvalidToken)); }

bool has_parameter(std::string_view query, std::string_view name) {
  return !query.empty() && query_parameter(query, name).has_value();
}

// Converts a Date header in HTTP's format to "20150830T123600Z"; returns anything else unchanged, to be rejected later.
std::string amz_date_of(std::string_view date) {
  std::tm utc{};
  const std::string text(date);
  const char* end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  if (end == nullptr || *end != '\0') return text;
  return format_amz_date(int64_t{timegm(&utc)} * 1000);
}

template <class Function>
void each_part(std::string_view text, char separator, Function function) {
  for (size_t end; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find(separator), text.size());
    function(text.substr(0, end));
  }
}

// Reads "AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...", separated by commas or blanks. Splits
// twice, because find() of one character is far faster than find_first_of() or a loop over the characters.
void read_authorization(std::string_view header, Claim& claim) {
  const size_t blank = std::min(header.find(' '), header.find(','));
  claim.algorithm = header.substr(0, blank);
  header.remove_prefix(std::min(blank, header.size()));
  const auto read_part = [&](std::string_view part) {
    const size_t equals = part.find('=');
    if (equals == part.npos) return;
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = part.substr(equals + 1);
    if (name == "Credential") claim.credential = value;
    if (name == "Signature") claim.signature = value;
    if (name == "SignedHeaders") claim.signed_headers = value;
  };
  each_part(header, ',', [&](std::string_view parts) { each_part(parts, ' ', read_part); });
}

BasicResult<void, AuthError> read_header(const HttpRequest& request, std::string_view authorization, Claim& claim) {
  read_authorization(authorization, claim);
  const HttpHeader* amz_date = request.find("x-amz-date");
  const HttpHeader* date = amz_date ? nullptr : request.find("date");
  std::string missing;
  const auto require = [&](bool present, std::string_view name) {
    if (!present) missing += fmt::format("Authorization header requires '{}' parameter. ", name);
  };
  require(!claim.credential.empty(), "Credential");
  require(!claim.signature.empty(), "Signature");
  require(!claim.signed_headers.empty(), "SignedHeaders");
  if (!amz_date && !date) {
    missing += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  }
  if (!missing.empty()) return incomplete(fmt::format("{}Authorization={}", missing, authorization));
  claim.date = amz_date ? amz_date->value : keep_decoded(claim, amz_date_of(date->value));
  claim.token = request.header("x-amz-security-token");
  return {};
}

BasicResult<void, AuthError> read_query(const HttpRequest& request, Claim& claim) {
  std::string missing;
  const auto require = [&](std::string_view& into, std::string_view name) {
    into = keep_decoded(claim, query_parameter(request.query, name).value_or(""));
    if (into.empty()) missing += fmt::format("AWS query-string parameters must include '{}'. ", name);
  };
  require(claim.algorithm, "X-Amz-Algorithm");
  require(claim.credential, "X-Amz-Credential");
  require(claim.signature, "X-Amz-Signature");
  require(claim.signed_headers, "X-Amz-SignedHeaders");
  require(claim.date, "X-Amz-Date");
  if (!missing.empty()) return incomplete(missing + "Re-examine the query-string parameters.");
  if (auto expires = query_parameter(request.query, "X-Amz-Expires")) {
    claim.expires = keep_decoded(claim, std::move(*expires));
  }
  claim.token = keep_decoded(claim, query_parameter(request.query, "X-Amz-Security-Token").value_or(""));
  return {};
}

BasicResult<void, AuthError> read_claim(const HttpRequest& request, Claim& claim) {
  const HttpHeader* authorization = request.find("authorization");
  const bool has_header = authorization && !authorization->value.empty();
  const bool has_query = has_parameter(request.query, "X-Amz-Algorithm");
  if (has_header && has_query) {
    return invalid_signature(
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
  }
  if ((!has_header && !has_query) || (has_header && !authorization->value.starts_with("AWS4-"))) {
    return refuse("MissingAuthenticationTokenException", "Request is missing Authentication Token");
  }
  return has_header ? read_header(request, authorization->value, claim) : read_query(request, claim);
}

std::string window_text(int64_t ms) {
  return ms % 60'000 == 0 ? fmt::format("{} min.", ms / 60'000) : fmt::format("{} sec.", ms / 1000);
}

BasicResult<void, AuthError> check_time(const Claim& claim, int64_t now_ms) {
  const std::optional<int64_t> signed_ms = parse_amz_date_ms(claim.date);
  if (!signed_ms) {
    return incomplete(fmt::format(
        "Date must be in ISO-8601 'basic format'. Got '{}'. See http://en.wikipedia.org/wiki/ISO_8601", claim.date));
  }
  int64_t window_ms = kSkewMs;
  if (claim.expires) {
    int64_t seconds = 0;
    const std::string_view text = *claim.expires;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, seconds);
    if (read.ec != std::errc{} || read.ptr != end || seconds < 0 || seconds > kExpiresSecondsMax) {
      return invalid_signature(
          fmt::format("X-Amz-Expires must be between 0 and {} seconds, got '{}'.", kExpiresSecondsMax, *claim.expires));
    }
    window_ms = seconds * 1000;
  }
  if (*signed_ms < now_ms - window_ms) {
    return invalid_signature(fmt::format("Signature expired: {} is now earlier than {} ({} - {})", claim.date,
                                         format_amz_date(now_ms - window_ms), format_amz_date(now_ms),
                                         window_text(window_ms)));
  }
  if (*signed_ms > now_ms + kSkewMs) {
    return invalid_signature(fmt::format("Signature not yet current: {} is still later than {} ({} + {})", claim.date,
                                         format_amz_date(now_ms + kSkewMs), format_amz_date(now_ms),
                                         window_text(kSkewMs)));
  }
  return {};
}

bool lists_header(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const size_t end = names.find(';');
    if (equals_ignoring_case(names.substr(0, end), name)) return true;
    names = end == names.npos ? std::string_view{} : names.substr(end + 1);
  }
  return false;
}

// The x-amz- headers determine what a request does, so the signature must cover each of them: otherwise a captured
// request could be replayed as another operation. X-Amz-User-Agent has no effect, and some SDKs leave it unsigned.
BasicResult<void, AuthError> check_signed_headers(const HttpRequest& request, std::string_view names) {
  constexpr std::string_view kPrefix = "x-amz-";
  for (const HttpHeader& header : request.headers) {
    if (!equals_ignoring_case(header.name.substr(0, kPrefix.size()), kPrefix)) continue;
    if (equals_ignoring_case(header.name, "x-amz-user-agent") || lists_header(names, header.name)) continue;
    return invalid_signature(fmt::format("'{}' must be a 'SignedHeader' in the AWS Authorization.", header.name));
  }
  return {};
}

// keyid/date/region/service/term; the key id itself cannot contain a slash.
struct CredentialParts {
  std::array<std::string_view, 5> part;
  size_t count = 0;
};

CredentialParts split_credential(std::string_view credential) {
  while (credential.ends_with('/')) credential.remove_suffix(1);
  CredentialParts parts;
  for (bool more = !credential.empty(); more; ++parts.count) {
    const size_t slash = credential.find('/');
    if (parts.count < parts.part.size()) parts.part[parts.count] = credential.substr(0, slash);
    more = slash != credential.npos;
    if (more) credential.remove_prefix(slash + 1);
  }
  return parts;
}

BasicResult<void, AuthError> check_scope(const CredentialParts& parts, const Claim& claim, const Verifier& verifier) {
  const auto& [key_id, date, region, service, term] = parts.part;
  std::string wrong;
  if (region.empty() || (!verifier.region.empty() && region != verifier.region)) {
    wrong += fmt::format("Credential should be scoped to a valid region, not '{}'. ", region);
  }
  if (service != verifier.service) {
    wrong += fmt::format("Credential should be scoped to correct service: '{}'. ", verifier.service);
  }
  if (term != "aws4_request") {
    wrong += fmt::format("Credential should be scoped with a valid terminator: 'aws4_request', not '{}'. ", term);
  }
  const std::string_view day = claim.date.substr(0, 8);
  if (date != day) {
    wrong += fmt::format(
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '{}' != '{}', "
        "from '{}'.",
        date, day, claim.date);
  }
  if (!wrong.empty()) return invalid_signature(std::move(wrong));
  return {};
}

// Constant-time comparison.
bool equal_secrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

AuthResult verify(const HttpRequest& request, const Verifier& verifier) {
  Claim claim;
  TRY(read_claim(request, claim));
  const CredentialParts parts = split_credential(claim.credential);
  Caller caller{.access_key_id = std::string(parts.part[0]),
                .region = std::string(parts.count == 5 ? parts.part[2] : std::string_view{}),
                .verified = verifier.credentials != nullptr};
  if (!verifier.credentials) return caller;

  TRY(check_time(claim, verifier.clock.now_ms()));
  if (!lists_header(claim.signed_headers, "host")) {
    return invalid_signature("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
  }
  if (claim.algorithm != kAlgorithm) {
    return incomplete(
        fmt::format("Unsupported AWS 'algorithm': '{}' (only AWS4-HMAC-SHA256 for now). ", claim.algorithm));
  }
  if (parts.count != 5) {
    return incomplete(fmt::format(
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '{}'",
        claim.credential));
  }
  TRY(check_scope(parts, claim, verifier));
  const Credential* credential = verifier.credentials->find(caller.access_key_id);
  if (!credential) return unrecognized();
  TRY(check_signed_headers(request, claim.signed_headers));

  const SigningScope scope{.date = parts.part[1], .region = parts.part[2], .service = parts.part[3]};
  const std::string to_sign = string_to_sign(claim.date, scope, canonical_request(request, claim.signed_headers));
  if (!equal_secrets(signature(verifier.keys.get(*credential, scope), to_sign), claim.signature)) {
    return invalid_signature(
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access "
        "Key and signing method. Consult the service documentation for details.");
  }
  if (!equal_secrets(credential->session_token, claim.token)) return unrecognized();
  return caller;
}

}  // namespace trestle
