// Tests tokens: the vectors of RFC 7515 (appendix A.1 to A.3), and tokens that must be refused.
#include "api/jwt.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/sha256.h"

namespace trestle::api {
namespace {

using trestle::base64url_text;

constexpr std::string_view kClaims =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
constexpr std::string_view kSecret =
    "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
constexpr std::string_view kModulus =
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-"
    "pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg"
    "665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRW"
    "yuXpoQ";
constexpr int64_t kBeforeExpiryMs = 1'300'819'000'000;

std::string hs_token(std::string_view header, std::string_view claims, std::string_view secret) {
  const std::string text = base64url_text(header) + "." + base64url_text(claims);
  const Sha256Digest mac = hmac_sha256(secret, text);
  return text + "." + base64url_text({reinterpret_cast<const char*>(mac.data()), mac.size()});
}

Jwks keys(std::string_view members) {
  auto parsed = Jwks::parse(fmt::format(R"({{"keys":[{}]}})", members));
  EXPECT_TRUE(parsed.has_value()) << parsed.error();
  return parsed.has_value() ? std::move(*parsed) : Jwks();
}
Jwks rfc_secret() { return keys(fmt::format(R"({{"kty":"oct","k":"{}"}})", kSecret)); }
Jwks rfc_rsa() { return keys(fmt::format(R"({{"kty":"RSA","n":"{}","e":"AQAB"}})", kModulus)); }
Jwks rfc_ec() {
  return keys(R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                  "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})");
}
std::string rfc_hs_token() {
  return fmt::format("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.{}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                     kClaims);
}
std::string rfc_rs_token() {
  return fmt::format(
      "eyJhbGciOiJSUzI1NiJ9.{}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_"
      "O8W2Fp5"
      "jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_"
      "eSN9383"
      "LcOLn6_dO--xi12jzDwusC-"
      "eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0ig"
      "cN_IoypGlUPQGe77Rw",
      kClaims);
}
std::string rfc_es_token() {
  return fmt::format(
      "eyJhbGciOiJFUzI1NiJ9.{}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
      kClaims);
}

std::string refusal(std::string_view token, const Jwks& with, const JwtRules& rules = {},
                    int64_t now_ms = kBeforeExpiryMs) {
  auto claims = verified_claims(token, with, rules, now_ms);
  return claims.has_value() ? "" : claims.error();
}

TEST(Jwt, the_vectors_of_rfc_7515_are_genuine) {
  for (const auto& [token, with] : {std::pair(rfc_hs_token(), rfc_secret()), std::pair(rfc_rs_token(), rfc_rsa()),
                                    std::pair(rfc_es_token(), rfc_ec())}) {
    const auto claims = verified_claims(token, with, {.issuer = "joe"}, kBeforeExpiryMs);
    ASSERT_TRUE(claims.has_value()) << claims.error();
    EXPECT_EQ(claims->member("iss").string(), "joe");
    EXPECT_TRUE(claims->member("http://example.com/is_root").truth());
  }
}

TEST(Jwt, a_token_with_any_character_changed_is_refused) {
  for (const auto& [token, with] : {std::pair(rfc_hs_token(), rfc_secret()), std::pair(rfc_rs_token(), rfc_rsa()),
                                    std::pair(rfc_es_token(), rfc_ec())}) {
    for (size_t i = 0; i < token.size(); i += 7) {
      std::string altered = token;
      altered[i] = altered[i] == 'A' ? 'B' : 'A';
      EXPECT_NE(refusal(altered, with), "") << "at " << i;
    }
    EXPECT_NE(refusal(token + "A", with), "");
    EXPECT_NE(refusal(token.substr(0, token.size() - 1), with), "");
    EXPECT_NE(refusal(token.substr(0, token.rfind('.') + 1), with), "") << "no signature";
    EXPECT_NE(refusal(token.substr(0, token.rfind('.')), with), "");
  }
}

TEST(Jwt, the_algorithm_is_the_keys_and_not_the_tokens) {
  const std::string claims = R"({"sub":"eve","exp":1300819380})";
  // The public key's own text as the HMAC secret: the known confusion attack between HS256 and RS256.
  for (const std::string_view secret : {kModulus, std::string_view("AQAB"), std::string_view()}) {
    EXPECT_EQ(refusal(hs_token(R"({"alg":"HS256"})", claims, secret), rfc_rsa()),
              "the token is not signed by a known key");
    EXPECT_NE(refusal(hs_token(R"({"alg":"RS256"})", claims, secret), rfc_rsa()), "");
  }
  EXPECT_NE(refusal(hs_token(R"({"alg":"ES256"})", claims, "x"), rfc_ec()), "");
  for (const char* algorithm : {"none", "None", "NONE", "nOnE", "HS512", "PS256", "hs256", ""}) {
    const std::string header = fmt::format(R"({{"alg":"{}"}})", algorithm);
    EXPECT_EQ(refusal(base64url_text(header) + "." + base64url_text(claims) + ".", rfc_secret()),
              "the token's algorithm is not HS256, RS256 or ES256")
        << algorithm;
  }
}

TEST(Jwt, an_all_zero_signature_is_not_one) {
  const std::string text = base64url_text(R"({"alg":"ES256"})") + "." + base64url_text(R"({"exp":1300819380})");
  EXPECT_NE(refusal(text + "." + base64url_text(std::string(64, '\0')), rfc_ec()), "");
}

class Claims : public ::testing::Test {
 protected:
  std::string secret_ = std::string(32, 's');
  Jwks keys_ = keys(fmt::format(R"({{"kty":"oct","kid":"a","k":"{}"}})", base64url_text(secret_)));
  static constexpr int64_t kNow = 2'000'000'000;

  std::string refused(std::string_view claims, const JwtRules& rules = {},
                      std::string_view header = R"({"alg":"HS256"})") {
    return refusal(hs_token(header, claims, secret_), keys_, rules, kNow * 1000);
  }
};

TEST_F(Claims, expiry_is_required_and_checked_with_a_minute_of_leeway) {
  EXPECT_EQ(refused(R"({"exp":2000000001})"), "");
  EXPECT_EQ(refused(R"({"exp":1999999941})"), "");
  EXPECT_EQ(refused(R"({"exp":1999999940})"), "the token has expired");
  EXPECT_EQ(refused(R"({"exp":2000000000.5})"), "");
  EXPECT_EQ(refused(R"({"sub":"a"})"), "the token has no expiry time (exp)");
  EXPECT_EQ(refused(R"({"exp":"2000000001"})"), "the token has no expiry time (exp)");
}

TEST_F(Claims, a_token_is_not_good_before_its_time) {
  EXPECT_EQ(refused(R"({"exp":2000001000,"nbf":2000000060,"iat":2000000060})"), "");
  EXPECT_EQ(refused(R"({"exp":2000001000,"nbf":2000000061})"), "the token is not valid yet");
  EXPECT_EQ(refused(R"({"exp":2000001000,"iat":2000000061})"), "the token is not valid yet");
  EXPECT_EQ(refused(R"({"exp":2000001000,"nbf":"soon"})"), "a time in the token is not a number");
}

TEST_F(Claims, issuer_and_audience_are_what_was_configured) {
  const JwtRules rules{.issuer = "https://id.example", .audience = "designs"};
  EXPECT_EQ(refused(R"({"exp":2000001000,"iss":"https://id.example","aud":"designs"})", rules), "");
  EXPECT_EQ(refused(R"({"exp":2000001000,"iss":"https://id.example","aud":["x","designs"]})", rules), "");
  EXPECT_EQ(refused(R"({"exp":2000001000,"iss":"https://id.example/","aud":"designs"})", rules),
            "the token is from another issuer");
  EXPECT_EQ(refused(R"({"exp":2000001000,"aud":"designs"})", rules), "the token is from another issuer");
  EXPECT_EQ(refused(R"({"exp":2000001000,"iss":"https://id.example","aud":["x"]})", rules),
            "the token is for another audience");
  EXPECT_EQ(refused(R"({"exp":2000001000,"iss":"https://id.example"})", rules), "the token is for another audience");
}

TEST_F(Claims, a_header_that_asks_for_more_is_refused) {
  const std::string claims = R"({"exp":2000001000})";
  EXPECT_EQ(refused(claims, {}, R"({"alg":"HS256","kid":"a"})"), "");
  EXPECT_NE(refused(claims, {}, R"({"alg":"HS256","kid":"b"})"), "");
  EXPECT_NE(refused(claims, {}, R"({"alg":"HS256","kid":7})"), "");
  EXPECT_NE(refused(claims, {}, R"({"alg":"HS256","crit":["exp"]})"), "");
  EXPECT_NE(refused(claims, {}, R"({"alg":"HS256","typ":"JOSE"})"), "");
  EXPECT_NE(refused(claims, {}, R"(["HS256"])"), "");
  EXPECT_NE(refused("[]"), "");
  EXPECT_NE(refused(R"({"exp":2000001000,"exp":1})"), "") << "a name twice";
  EXPECT_EQ(refused(fmt::format(R"({{"exp":2000001000,"x":"{}"}})", std::string(9000, 'x'))), "the token is too long");
}

TEST(Jwks, keys_that_are_too_weak_or_broken_are_refused_and_others_left_out) {
  const auto error = [](std::string_view key) {
    const auto parsed = Jwks::parse(fmt::format(R"({{"keys":[{}]}})", key));
    return parsed.has_value() ? std::string() : parsed.error();
  };
  EXPECT_EQ(error(R"({"kty":"oct","k":"c2hvcnQ"})"), "key 1: \"k\" must be base64url of at least 32 bytes");
  EXPECT_EQ(error(R"({"kty":"RSA","n":"AQAB","e":"AQAB"})"),
            "key 1: \"n\" and \"e\" must be an RSA key of 2048 to 8192 bits");
  EXPECT_EQ(error(fmt::format(R"({{"kty":"RSA","n":"{}","e":"AQ"}})", kModulus)),
            "key 1: \"n\" and \"e\" must be an RSA key of 2048 to 8192 bits");
  EXPECT_EQ(error(R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                      "y":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"})"),
            "key 1: \"x\" and \"y\" must be a point of P-256");
  const std::string_view unusable = "no key for HS256, RS256 or ES256";
  EXPECT_EQ(error(R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})"), unusable);
  EXPECT_EQ(error(fmt::format(R"({{"kty":"oct","use":"enc","k":"{}"}})", kSecret)), unusable);
  EXPECT_EQ(error(fmt::format(R"({{"kty":"RSA","alg":"RS512","n":"{}","e":"AQAB"}})", kModulus)), unusable);
  EXPECT_EQ(error(""), unusable);
  EXPECT_FALSE(Jwks::parse("{}").has_value());
  EXPECT_FALSE(Jwks::parse("keys").has_value());
}

}  // namespace
}  // namespace trestle::api
