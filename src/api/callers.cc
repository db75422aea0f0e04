#include "api/callers.h"

#include <fmt/format.h>

#include "base/ascii.h"

namespace trestle::api {
namespace {

using runtime::Plain;

constexpr std::string_view kRealm = "Bearer realm=\"trestle\"";

std::unexpected<Callers::NotAuthenticated> not_authenticated(std::string message) {
  std::string challenge = fmt::format("{}, error=\"invalid_token\", error_description=\"{}\"", kRealm, message);
  return std::unexpected(Callers::NotAuthenticated{
      .refused = {.status = 401, .message = std::move(message), .fields = {}}, .challenge = std::move(challenge)});
}

const Plain& at_path(const Plain& claims, std::string_view path) {
  if (const Plain& direct = claims.member(path); !direct.is_absent()) return direct;
  const Plain* here = &claims;
  while (!path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    here = &here->member(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return *here;
}

}  // namespace

Plain with_groups(Plain claims, std::string_view claim) {
  const Plain& claim_value = at_path(claims, claim);
  Plain::List groups;
  if (claim_value.is(Plain::Kind::kList)) {
    for (const Plain& group : claim_value.elements()) {
      if (group.is(Plain::Kind::kText)) groups.push_back(group);
    }
  } else if (claim_value.is(Plain::Kind::kText)) {
    std::string_view text = claim_value.string();
    while (!text.empty()) {
      const size_t blank = std::min(text.find(' '), text.size());
      if (blank > 0) groups.push_back(Plain::text(std::string(text.substr(0, blank))));
      text.remove_prefix(std::min(blank + 1, text.size()));
    }
  }
  claims.set("groups", Plain::list(std::move(groups)));
  return claims;
}

std::string subject_of(const Plain& caller) {
  const Plain& subject = caller.member("sub");
  return subject.is(Plain::Kind::kText) ? subject.string() : std::string();
}

BasicResult<Plain, Callers::NotAuthenticated> Callers::identify(const HttpRequest& request, int64_t now_ms) const {
  const HttpHeader* authorization = request.find("authorization");
  const HttpHeader* key = request.find("x-api-key");
  if (authorization != nullptr && key != nullptr) return not_authenticated("send a token or an API key, not both");
  if (authorization != nullptr) return by_token(authorization->value, now_ms);
  if (key != nullptr) return by_key(key->value);
  return Plain();
}

BasicResult<Plain, Callers::NotAuthenticated> Callers::by_token(std::string_view authorization, int64_t now_ms) const {
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization.size() <= kScheme.size() || !equals_ignoring_case(authorization.substr(0, kScheme.size()), kScheme))
    return not_authenticated("the Authorization header must be `Bearer <token>`");
  if (options_.jwks == nullptr)
    return not_authenticated("tokens cannot be checked here: no keys are configured (--jwks)");
  std::string_view token = authorization.substr(kScheme.size());
  while (token.starts_with(' ')) token.remove_prefix(1);
  auto claims = verified_claims(token, *options_.jwks->current(), options_.rules, now_ms);
  if (!claims.has_value()) return not_authenticated(std::move(claims.error()));
  return with_groups(std::move(*claims), options_.groups_claim);
}

BasicResult<Plain, Callers::NotAuthenticated> Callers::by_key(std::string_view key) const {
  if (options_.api_keys == nullptr) return not_authenticated("no API keys are configured here (--api-keys)");
  const auto keys = options_.api_keys->current();
  const ApiKey* found = keys->find(key);
  if (found == nullptr) return not_authenticated("the API key is unknown");
  Plain::List groups;
  for (const std::string& group : found->groups) groups.push_back(Plain::text(group));
  return Plain::map({{"sub", Plain::text(found->name)}, {"groups", Plain::list(std::move(groups))}});
}

}  // namespace trestle::api
