#include "access/access_control.h"

#include <fmt/format.h>

#include "policy/policy_text.h"

namespace trestle {
namespace {

constexpr size_t kParsedMax = 10'000;  // size of the cache of parsed policies

// Denies everything. It is used in place of a resource policy that cannot be parsed.
std::shared_ptr<const Policy> closed_policy() {
  PolicyStatement statement{.effect = PolicyEffect::kDeny, .actions = {"*"}, .resources = {"*"}};
  statement.principals.emplace().everyone = true;
  Policy policy;
  policy.statements.push_back(std::move(statement));
  return std::make_shared<const Policy>(std::move(policy));
}

// For example "music" and "index/by-artist" in
// "arn:aws:dynamodb:us-east-1:000000000000:table/music/index/by-artist".
struct TableResource {
  std::string_view name;
  std::string_view below;
};
TableResource table_of(std::string_view resource) {
  constexpr std::string_view kTable = ":table/";
  const size_t at = resource.find(kTable);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = resource.substr(at + kTable.size());
  const size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return {.name = rest, .below = {}};
  return {.name = rest.substr(0, slash), .below = rest.substr(slash + 1)};
}

}  // namespace

AccessCaller AccessControl::caller(std::string_view access_key_id) const {
  AccessCaller caller;
  const Credential* credential = options_.credentials == nullptr ? nullptr : options_.credentials->find(access_key_id);
  const std::string_view profile = credential == nullptr ? std::string_view() : credential->profile;
  caller.user_name = profile.empty() ? access_key_id : profile;
  caller.user_id = access_key_id;
  if (options_.policies != nullptr) {
    caller.policies = options_.policies->current();
    caller.user = caller.policies->find(access_key_id, profile);
    if (caller.user != nullptr && !caller.user->name.empty()) caller.user_name = caller.user->name;
    if (caller.user != nullptr && !caller.user->user_id.empty()) caller.user_id = caller.user->user_id;
  }
  caller.principal = {.arn = fmt::format("arn:aws:iam::{}:user/{}", options_.account, caller.user_name),
                      .account = options_.account};
  return caller;
}

Result<void> AccessControl::check(const Access& access, const AccessCaller& caller) const {
  static const PolicyList kNone;
  const auto policy = resource_policy(access.resource);
  const PolicyList& identity = caller.user == nullptr ? kNone : caller.user->policies;
  Decision decision = decide(identity, policy.get(), access, caller.principal);
  if (decision == Decision::kNotAllowed && options_.policies == nullptr) decision = Decision::kAllowed;
  if (decision == Decision::kAllowed) return {};
  return failure(ErrorCode::kAccessDenied, denial_message(decision, access, caller.principal));
}

std::shared_ptr<const Policy> AccessControl::resource_policy(std::string_view resource) const {
  const ProtectedResources& resources = options_.resources;
  if (!resources.has_policies()) return nullptr;
  const TableResource named = table_of(resource);
  if (named.name.empty()) return nullptr;
  if (named.below.starts_with("stream/")) return parse_cached(resources.stream_policy(resource, named.name));
  if (!named.below.empty() && !named.below.starts_with("index/")) return nullptr;
  return parse_cached(resources.table_policy(named.name));
}

std::shared_ptr<const Policy> AccessControl::parse_cached(const ResourcePolicy& source) const {
  if (source.text == nullptr) return nullptr;
  MutexLock lock(mutex_);
  const auto found = parsed_.find(source.arn);
  if (found != parsed_.end() && found->second.text == *source.text) return found->second.policy;
  auto policy = parse_policy(*source.text, PolicyKind::kResource);
  ParsedPolicy result{
      .text = *source.text,
      .policy = policy.has_value() ? std::make_shared<const Policy>(std::move(*policy)) : closed_policy()};
  if (parsed_.size() >= kParsedMax) parsed_.clear();
  return (parsed_[source.arn] = std::move(result)).policy;
}

}  // namespace trestle
