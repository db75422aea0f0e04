#include "access/identity_policies.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <set>

#include "policy/policy_text.h"

namespace trestle {
namespace {

using Element = simdjson::dom::element;
using Object = simdjson::dom::object;
using Array = simdjson::dom::array;
template <class T>
using Read = BasicResult<T, std::string>;

// The policies and groups that the file defines, by name.
struct Names {
  std::map<std::string, std::shared_ptr<const Policy>, std::less<>> policies;
  std::map<std::string, PolicyList, std::less<>> groups;
};

Read<Object> read_object(Element json, std::string_view where) {
  Object object;
  if (json.get_object().get(object) != simdjson::SUCCESS) {
    return std::unexpected(fmt::format("{} must be an object", where));
  }
  std::set<std::string_view> names;
  for (const auto field : object) {
    if (!names.insert(field.key).second) return std::unexpected(fmt::format("{} has {} twice", where, field.key));
  }
  return object;
}

Read<Array> read_array(Element json, std::string_view where) {
  Array array;
  if (json.get_array().get(array) != simdjson::SUCCESS) {
    return std::unexpected(fmt::format("{} must be a list", where));
  }
  return array;
}

Read<std::string> read_string(Element json, std::string_view where) {
  std::string_view text;
  if (json.get_string().get(text) != simdjson::SUCCESS) {
    return std::unexpected(fmt::format("{} must be a string", where));
  }
  return std::string(text);
}

Read<std::shared_ptr<const Policy>> read_document(Element json, std::string_view where) {
  auto policy = read_policy(json, PolicyKind::kIdentity);
  if (!policy.has_value()) return std::unexpected(fmt::format("{}: {}", where, policy.error()));
  return std::make_shared<const Policy>(std::move(*policy));
}

// Reads a list whose elements are names of policies or inline policies.
Read<void> read_policies(Element json, const Names& names, std::string_view where, PolicyList& policies) {
  TRY_INTO(const Array list, read_array(json, where));
  for (const Element element : list) {
    if (!element.is_string()) {
      TRY_INTO(policies.emplace_back(), read_document(element, where));
      continue;
    }
    TRY_INTO(const std::string name, read_string(element, where));
    const auto found = names.policies.find(name);
    if (found == names.policies.end()) return std::unexpected(fmt::format("{}: there is no policy {}", where, name));
    policies.push_back(found->second);
  }
  return {};
}

Read<void> read_groups(Element json, const Names& names, std::string_view where, PolicyList& policies) {
  TRY_INTO(const Array list, read_array(json, where));
  for (const Element element : list) {
    TRY_INTO(const std::string name, read_string(element, where));
    const auto found = names.groups.find(name);
    if (found == names.groups.end()) return std::unexpected(fmt::format("{}: there is no group {}", where, name));
    policies.insert(policies.end(), found->second.begin(), found->second.end());
  }
  return {};
}

Read<IdentityUser> read_user(Element json, const Names& names, std::string_view where) {
  IdentityUser user;
  TRY_INTO(const Object object, read_object(json, where));
  for (const auto field : object) {
    if (field.key == "policies") {
      TRY(read_policies(field.value, names, where, user.policies));
    } else if (field.key == "groups") {
      TRY(read_groups(field.value, names, where, user.policies));
    } else if (field.key == "name") {
      TRY_INTO(user.name, read_string(field.value, where));
    } else if (field.key == "user_id") {
      TRY_INTO(user.user_id, read_string(field.value, where));
    } else {
      return std::unexpected(fmt::format("{}: {} is not known", where, field.key));
    }
  }
  return user;
}

Read<Names> read_names(Object root) {
  Names names;
  Element section;
  if (root["policies"].get(section) == simdjson::SUCCESS) {
    TRY_INTO(const Object policies, read_object(section, "policies"));
    for (const auto field : policies) {
      TRY_INTO(names.policies[std::string(field.key)], read_document(field.value, fmt::format("policy {}", field.key)));
    }
  }
  if (root["groups"].get(section) == simdjson::SUCCESS) {
    TRY_INTO(const Object groups, read_object(section, "groups"));
    for (const auto field : groups) {
      TRY(read_policies(field.value, names, fmt::format("group {}", field.key), names.groups[std::string(field.key)]));
    }
  }
  return names;
}

}  // namespace

BasicResult<IdentityPolicies, std::string> IdentityPolicies::parse(std::string_view text) {
  simdjson::dom::parser parser;
  Element json;
  if (const auto fault = parser.parse(text.data(), text.size()).get(json); fault != simdjson::SUCCESS) {
    return std::unexpected(fmt::format("policies: {}", simdjson::error_message(fault)));
  }
  TRY_INTO(const Object root, read_object(json, "policies"));
  for (const auto field : root) {
    if (field.key != "policies" && field.key != "groups" && field.key != "users") {
      return std::unexpected(fmt::format("policies: {} is not known", field.key));
    }
  }
  TRY_INTO(const Names names, read_names(root));
  IdentityPolicies result;
  Element section;
  if (root["users"].get(section) == simdjson::SUCCESS) {
    TRY_INTO(const Object users, read_object(section, "users"));
    for (const auto field : users) {
      TRY_INTO(result.users_[std::string(field.key)], read_user(field.value, names, fmt::format("user {}", field.key)));
    }
  }
  return result;
}

const IdentityUser* IdentityPolicies::find(std::string_view access_key_id, std::string_view profile) const {
  if (const auto by_key = users_.find(access_key_id); by_key != users_.end()) return &by_key->second;
  if (profile.empty()) return nullptr;
  const auto by_name = users_.find(profile);
  return by_name == users_.end() ? nullptr : &by_name->second;
}

}  // namespace trestle
