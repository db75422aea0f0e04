#include "api/jwt.h"

#include <cstdlib>

#include "base/base64.h"
#include "base/sha256.h"
#include "runtime/values/plain_json.h"

namespace trestle::api {
namespace {

using runtime::Plain;

std::unexpected<std::string> bad(std::string_view what) { return std::unexpected(std::string(what)); }

struct Parts {
  std::string_view signed_text;  // header and claims as received
  std::string_view header, claims, signature;
};

std::optional<Parts> parts_of(std::string_view token) {
  const size_t first = token.find('.');
  const size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) return std::nullopt;
  return Parts{.signed_text = token.substr(0, second),
               .header = token.substr(0, first),
               .claims = token.substr(first + 1, second - first - 1),
               .signature = token.substr(second + 1)};
}

std::optional<Plain> object_in(std::string_view part) {
  const auto text = base64url_bytes(part);
  if (!text) return std::nullopt;
  auto json = runtime::parse_plain_json(*text);
  if (!json.has_value() || !json->is(Plain::Kind::kMap)) return std::nullopt;
  return std::move(*json);
}

// Seconds since 1970; nullopt if the claim is not a number.
std::optional<double> time_of(const Plain& claim) {
  if (!claim.is(Plain::Kind::kNumber)) return std::nullopt;
  return std::strtod(claim.string().c_str(), nullptr);
}

bool is_text(const Plain& claim, std::string_view text) {
  return claim.is(Plain::Kind::kText) && claim.string() == text;
}

bool names_audience(const Plain& claim, std::string_view audience) {
  if (!claim.is(Plain::Kind::kList)) return is_text(claim, audience);
  for (const Plain& element : claim.elements()) {
    if (is_text(element, audience)) return true;
  }
  return false;
}

BasicResult<void, std::string> check_header(const Plain& header, JwtAlgorithm& algorithm) {
  const Plain& name = header.member("alg");
  const auto parsed = name.is(Plain::Kind::kText) ? jwt_algorithm(name.string()) : std::nullopt;
  if (!parsed) return bad("the token's algorithm is not HS256, RS256 or ES256");
  if (!header.member("crit").is_absent()) return bad("the token requires an unknown extension (crit)");
  const Plain& type = header.member("typ");
  const bool fits = type.is_absent() || (type.is(Plain::Kind::kText) &&
                                         (type.string() == "JWT" || type.string() == "jwt" ||
                                          type.string() == "at+jwt" || type.string() == "application/at+jwt"));
  if (!fits) return bad("the token's type is not JWT");
  algorithm = *parsed;
  return {};
}

BasicResult<void, std::string> check_times(const Plain& claims, double now) {
  constexpr auto kLeeway = static_cast<double>(kJwtLeewaySeconds);
  const auto expires = time_of(claims.member("exp"));
  if (!expires) return bad("the token has no expiry time (exp)");
  if (now >= *expires + kLeeway) return bad("the token has expired");
  for (const char* name : {"nbf", "iat"}) {
    const Plain& claim = claims.member(name);
    if (claim.is_absent()) continue;
    const auto from = time_of(claim);
    if (!from) return bad("a time in the token is not a number");
    if (now < *from - kLeeway) return bad("the token is not valid yet");
  }
  return {};
}

}  // namespace

BasicResult<Plain, std::string> verified_claims(std::string_view token, const Jwks& keys, const JwtRules& rules,
                                                int64_t now_ms) {
  if (token.size() > kJwtCharactersMax) return bad("the token is too long");
  const auto parts = parts_of(token);
  if (!parts) return bad("the token is not a signed JWT");
  const auto header = object_in(parts->header);
  const auto signature = base64url_bytes(parts->signature);
  if (!header || !signature) return bad("the token is not a signed JWT");
  JwtAlgorithm algorithm{};
  TRY(check_header(*header, algorithm));
  const Plain& id = header->member("kid");
  if (!id.is_absent() && !id.is(Plain::Kind::kText)) return bad("the token's kid is not a string");

  bool genuine = false;
  for (const Jwk& key : keys.keys()) {
    if (key.algorithm != algorithm || (id.is(Plain::Kind::kText) && id.string() != key.id)) continue;
    genuine = signature_holds(key, parts->signed_text, *signature);
    if (genuine) break;
  }
  if (!genuine) return bad("the token is not signed by a known key");

  auto claims = object_in(parts->claims);
  if (!claims) return bad("the token's claims are not a JSON object");
  TRY(check_times(*claims, static_cast<double>(now_ms) / 1000.0));
  if (!rules.issuer.empty() && !is_text(claims->member("iss"), rules.issuer))
    return bad("the token is from another issuer");
  if (!rules.audience.empty() && !names_audience(claims->member("aud"), rules.audience))
    return bad("the token is for another audience");
  return std::move(*claims);
}

std::string signed_token(const Jwk& key, const Plain& claims) {
  Plain header = Plain::map({{"alg", Plain::text("HS256")}, {"typ", Plain::text("JWT")}});
  if (!key.id.empty()) header.set("kid", Plain::text(key.id));
  const std::string text =
      base64url_text(runtime::plain_json(header)) + "." + base64url_text(runtime::plain_json(claims));
  const Sha256Digest mac = hmac_sha256(key.secret, text);
  return text + "." + base64url_text(std::string_view(reinterpret_cast<const char*>(mac.data()), mac.size()));
}

}  // namespace trestle::api
