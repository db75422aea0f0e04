// The canonical text of a policy, and DynamoDB's requirements on a resource policy beyond its syntax.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "base/json/json_writer.h"
#include "policy/policy_text.h"

namespace trestle {
namespace {

void append_member(std::string& out, std::string_view name) {
  if (out.back() != '{') out.push_back(',');
  out.append(json_quoted(name));
  out.push_back(':');
}

// A list with one element is written as that element.
void append_texts(std::string& out, const std::vector<std::string>& texts) {
  if (texts.size() == 1) {
    out.append(json_quoted(texts.front()));
    return;
  }
  out.push_back('[');
  for (const std::string& text : texts) {
    if (out.back() != '[') out.push_back(',');
    out.append(json_quoted(text));
  }
  out.push_back(']');
}

void append_principals(std::string& out, const PolicyPrincipals& principals) {
  if (principals.everyone && principals.arns.empty() && principals.others.empty()) {
    out.append(R"("*")");
    return;
  }
  out.push_back('{');
  std::vector<std::string> arns = principals.arns;
  if (principals.everyone) arns.emplace_back("*");
  if (!arns.empty()) {
    append_member(out, "AWS");
    append_texts(out, arns);
  }
  for (const auto& [kind, texts] : principals.others) {
    append_member(out, kind);
    append_texts(out, texts);
  }
  out.push_back('}');
}

// Conditions with the same operator are grouped.
void append_conditions(std::string& out, const std::vector<PolicyCondition>& conditions) {
  out.push_back('{');
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (i == 0 || conditions[i].name != conditions[i - 1].name) {
      if (i != 0) out.push_back('}');
      append_member(out, conditions[i].name);
      out.push_back('{');
    }
    append_member(out, conditions[i].key);
    append_texts(out, conditions[i].values);
  }
  out.append(conditions.empty() ? "}" : "}}");
}

void append_statement(std::string& out, const PolicyStatement& statement) {
  out.push_back('{');
  if (!statement.sid.empty()) {
    append_member(out, "Sid");
    out.append(json_quoted(statement.sid));
  }
  append_member(out, "Effect");
  out.append(statement.effect == PolicyEffect::kAllow ? R"("Allow")" : R"("Deny")");
  if (statement.principals) {
    append_member(out, statement.not_principals ? "NotPrincipal" : "Principal");
    append_principals(out, *statement.principals);
  }
  append_member(out, statement.not_actions ? "NotAction" : "Action");
  append_texts(out, statement.actions);
  append_member(out, statement.not_resources ? "NotResource" : "Resource");
  append_texts(out, statement.resources);
  if (!statement.conditions.empty()) {
    append_member(out, "Condition");
    append_conditions(out, statement.conditions);
  }
  out.push_back('}');
}

// The actions that are allowed in a stream's policy but not in a table's.
constexpr auto kStreamActions =
    std::to_array<std::string_view>({"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"});
constexpr auto kPolicyActions = std::to_array<std::string_view>(
    {"dynamodb:PutResourcePolicy", "dynamodb:GetResourcePolicy", "dynamodb:DeleteResourcePolicy"});
// Actions that do not apply to a single table.
constexpr auto kAccountActions = std::to_array<std::string_view>(
    {"dynamodb:ListStreams", "dynamodb:ListTables", "dynamodb:ListBackups", "dynamodb:ListExports",
     "dynamodb:ListImports", "dynamodb:ListGlobalTables", "dynamodb:ListContributorInsights", "dynamodb:DescribeLimits",
     "dynamodb:DescribeEndpoints", "dynamodb:CreateTable"});

bool is_valid_action(std::string_view action, bool is_stream) {
  if (action.find_first_of("*?") != std::string_view::npos) return action == "*" || action.starts_with("dynamodb:");
  if (!action.starts_with("dynamodb:") || list_contains(kAccountActions, action)) return false;
  if (list_contains(kPolicyActions, action)) return true;
  return list_contains(kStreamActions, action) == is_stream;
}

Error policy_error(std::string_view why) {
  return Error{.code = ErrorCode::kValidation,
               .message = fmt::format("{}Invalid policy document: {}", kInvalidParameterPrefix, why)};
}

// The relative id in an ARN, such as "table/music/stream/2026...".
std::string_view relative_id(std::string_view arn) {
  for (int part = 0; part < 5; ++part) {
    const size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return {};
    arn.remove_prefix(colon + 1);
  }
  return arn;
}

Result<void> check_actions(const Policy& policy, bool is_stream) {
  std::string invalid_names;
  for (const PolicyStatement& statement : policy.statements) {
    for (const std::string& action : statement.actions) {
      if (is_valid_action(action, is_stream)) continue;
      if (!invalid_names.empty()) invalid_names.append(", ");
      invalid_names.append(json_quoted(action));
    }
  }
  if (invalid_names.empty()) return {};
  return std::unexpected(policy_error("The following action names are invalid: " + invalid_names));
}

// Checks that the resources in a table's policy are tables and indexes, and those in a stream's policy streams.
Result<void> check_resources(const Policy& policy, bool is_stream) {
  for (const PolicyStatement& statement : policy.statements) {
    for (const std::string& resource : statement.resources) {
      if (resource == "*") continue;
      const std::string_view id = relative_id(resource);
      const bool about_stream = id.find("/stream/") != std::string_view::npos;
      if (about_stream == is_stream || id.ends_with("*")) continue;
      return std::unexpected(
          policy_error(fmt::format("The relative-id \"{}\" is invalid for ARN \"{}\"", id, resource)));
    }
  }
  return {};
}

Result<void> check_bounds(const Policy& policy) {
  for (const PolicyStatement& statement : policy.statements) {
    if (statement.effect == PolicyEffect::kAllow && statement.principals->everyone && statement.conditions.empty()) {
      return invalid(
          "Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure "
          "least-privilege form of access");
    }
  }
  return {};
}

}  // namespace

std::string policy_text(const Policy& policy) {
  std::string out = "{";
  append_member(out, "Version");
  out.append(json_quoted(policy.version));
  if (!policy.id.empty()) {
    append_member(out, "Id");
    out.append(json_quoted(policy.id));
  }
  append_member(out, "Statement");
  out.push_back('[');
  for (const PolicyStatement& statement : policy.statements) {
    if (out.back() != '[') out.push_back(',');
    append_statement(out, statement);
  }
  out.append("]}");
  return out;
}

Result<std::string> canonical_resource_policy(std::string_view document, std::string_view resource_arn) {
  const auto policy = parse_policy(document, PolicyKind::kResource);
  if (!policy.has_value()) return std::unexpected(policy_error(policy.error()));
  const bool is_stream = resource_arn.find("/stream/") != std::string_view::npos;
  TRY(check_actions(*policy, is_stream));
  TRY(check_resources(*policy, is_stream));
  TRY(check_bounds(*policy));
  return policy_text(*policy);
}

}  // namespace trestle
