#include "policy/policy_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/ascii.h"

namespace trestle {
namespace {

using Element = simdjson::dom::element;
using Object = simdjson::dom::object;

std::unexpected<std::string> parse_error(std::string why) { return std::unexpected(std::move(why)); }

// Whether the text has no control characters, which prepared patterns use as wildcards (wildcard.h).
bool is_plain_text(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

PolicyResult<std::string> read_text(Element json, std::string_view member) {
  std::string_view text;
  if (json.get_string().get(text) != simdjson::SUCCESS) return parse_error(fmt::format("{} must be a string", member));
  if (!is_plain_text(text)) return parse_error(fmt::format("{} contains control characters", member));
  return std::string(text);
}

// Reads a value of a condition. Numbers and booleans are converted to text.
PolicyResult<std::string> read_scalar(Element json, std::string_view member) {
  if (json.is_string() || json.is_object() || json.is_array() || json.is_null()) return read_text(json, member);
  return simdjson::minify(json);
}

// Reads a string or a list of strings.
template <class Read>
PolicyResult<std::vector<std::string>> read_texts(Element json, std::string_view member, Read read) {
  std::vector<std::string> texts;
  if (!json.is_array()) {
    TRY_INTO(texts.emplace_back(), read(json, member));
    return texts;
  }
  for (const Element element : json.get_array()) {
    TRY_INTO(texts.emplace_back(), read(element, member));
  }
  if (texts.empty()) return parse_error(fmt::format("{} is empty", member));
  return texts;
}
PolicyResult<std::vector<std::string>> read_texts(Element json, std::string_view member) {
  return read_texts(json, member, read_text);
}

PolicyResult<Object> read_object(Element json, std::string_view member) {
  Object object;
  if (json.get_object().get(object) != simdjson::SUCCESS)
    return parse_error(fmt::format("{} must be an object", member));
  std::set<std::string_view> names;
  for (const auto field : object) {
    if (!names.insert(field.key).second) return parse_error(fmt::format("Duplicate field {}", field.key));
  }
  return object;
}

bool is_account_id(std::string_view text) {
  return text.size() == 12 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

PolicyResult<PolicyPrincipals> read_principals(Element json) {
  PolicyPrincipals principals;
  if (json.is_string()) {
    TRY_INTO(const std::string text, read_text(json, "Principal"));
    if (text != "*") return parse_error("Syntax error: Principal must be \"*\" or an object");
    principals.everyone = true;
    return principals;
  }
  TRY_INTO(const Object object, read_object(json, "Principal"));
  if (object.size() == 0) return parse_error("Principal is empty");
  for (const auto field : object) {
    TRY_INTO(std::vector<std::string> texts, read_texts(field.value, "Principal"));
    if (field.key != "AWS") {
      if (field.key != "Service" && field.key != "Federated" && field.key != "CanonicalUser") {
        return parse_error(fmt::format("Unknown principal type {}", field.key));
      }
      principals.others.emplace_back(field.key, std::move(texts));
      continue;
    }
    for (std::string& text : texts) {
      if (text == "*") {
        principals.everyone = true;
        continue;
      }
      if (is_account_id(text)) text = fmt::format("arn:aws:iam::{}:root", text);
      if (!text.starts_with("arn:")) return parse_error(fmt::format("Invalid principal {}", text));
      if (std::ranges::find(principals.arns, text) == principals.arns.end()) principals.arns.push_back(std::move(text));
    }
  }
  return principals;
}

struct OperatorName {
  std::string_view name;  // in lower case
  ConditionOperator comparison;
  bool negated = false;
};
constexpr auto kOperators = std::to_array<OperatorName>({
    {"stringequals", ConditionOperator::kStringEquals},
    {"stringnotequals", ConditionOperator::kStringEquals, true},
    {"stringequalsignorecase", ConditionOperator::kStringEqualsIgnoreCase},
    {"stringnotequalsignorecase", ConditionOperator::kStringEqualsIgnoreCase, true},
    {"stringlike", ConditionOperator::kStringLike},
    {"stringnotlike", ConditionOperator::kStringLike, true},
    {"numericequals", ConditionOperator::kNumericEquals},
    {"numericnotequals", ConditionOperator::kNumericEquals, true},
    {"numericlessthan", ConditionOperator::kNumericLessThan},
    {"numericlessthanequals", ConditionOperator::kNumericLessThanEquals},
    {"numericgreaterthan", ConditionOperator::kNumericGreaterThan},
    {"numericgreaterthanequals", ConditionOperator::kNumericGreaterThanEquals},
    {"dateequals", ConditionOperator::kDateEquals},
    {"datenotequals", ConditionOperator::kDateEquals, true},
    {"datelessthan", ConditionOperator::kDateLessThan},
    {"datelessthanequals", ConditionOperator::kDateLessThanEquals},
    {"dategreaterthan", ConditionOperator::kDateGreaterThan},
    {"dategreaterthanequals", ConditionOperator::kDateGreaterThanEquals},
    {"bool", ConditionOperator::kBool},
    {"binaryequals", ConditionOperator::kBinaryEquals},
    {"ipaddress", ConditionOperator::kIpAddress},
    {"notipaddress", ConditionOperator::kIpAddress, true},
    {"arnequals", ConditionOperator::kArnLike},
    {"arnlike", ConditionOperator::kArnLike},
    {"arnnotequals", ConditionOperator::kArnLike, true},
    {"arnnotlike", ConditionOperator::kArnLike, true},
    {"null", ConditionOperator::kNull},
});

PolicyResult<PolicyCondition> read_operator(std::string_view name) {
  PolicyCondition condition;
  condition.name = name;
  const std::string lowered = lower(name);
  std::string_view rest = lowered;
  constexpr std::string_view kForAll = "forallvalues:";
  constexpr std::string_view kForAny = "foranyvalue:";
  constexpr std::string_view kIfExists = "ifexists";
  if (rest.starts_with(kForAll)) {
    condition.quantifier = ConditionQuantifier::kForAllValues;
    rest.remove_prefix(kForAll.size());
  } else if (rest.starts_with(kForAny)) {
    condition.quantifier = ConditionQuantifier::kForAnyValue;
    rest.remove_prefix(kForAny.size());
  }
  if (rest.ends_with(kIfExists)) {
    condition.if_exists = true;
    rest.remove_suffix(kIfExists.size());
  }
  const auto found = std::ranges::find(kOperators, rest, &OperatorName::name);
  if (found == kOperators.end()) return parse_error(fmt::format("Invalid Condition type : {}", name));
  condition.comparison = found->comparison;
  condition.negated = found->negated;
  if (condition.comparison == ConditionOperator::kNull &&
      (condition.if_exists || condition.quantifier != ConditionQuantifier::kNone)) {
    return parse_error(fmt::format("Invalid Condition type : {}", name));
  }
  return condition;
}

PolicyResult<std::vector<PolicyCondition>> read_conditions(Element json) {
  std::vector<PolicyCondition> conditions;
  TRY_INTO(const Object operators, read_object(json, "Condition"));
  for (const auto operation : operators) {
    TRY_INTO(const PolicyCondition named, read_operator(operation.key));
    TRY_INTO(const Object keys, read_object(operation.value, "Condition"));
    if (keys.size() == 0) return parse_error("Condition is empty");
    for (const auto key : keys) {
      PolicyCondition& condition = conditions.emplace_back(named);
      condition.key = key.key;
      if (!is_plain_text(condition.key)) return parse_error("Condition contains control characters");
      TRY_INTO(condition.values, read_texts(key.value, "Condition", read_scalar));
    }
  }
  return conditions;
}

PolicyResult<PolicyEffect> read_effect(Element json) {
  TRY_INTO(const std::string text, read_text(json, "Effect"));
  const std::string lowered = lower(text);
  if (lowered == "allow") return PolicyEffect::kAllow;
  if (lowered == "deny") return PolicyEffect::kDeny;
  return parse_error(fmt::format("Invalid effect: {}", text));
}

PolicyResult<void> check_patterns(const PolicyStatement& statement) {
  for (const std::string& action : statement.actions) {
    if (action == "*") continue;
    const size_t colon = action.find(':');
    if (colon == 0 || colon == std::string::npos || colon + 1 == action.size()) {
      return parse_error(fmt::format("The following action names are invalid: \"{}\"", action));
    }
  }
  for (const std::string& resource : statement.resources) {
    if (resource != "*" && !resource.starts_with("arn:")) {
      return parse_error(fmt::format("Resource {} must be in ARN format or \"*\".", resource));
    }
  }
  return {};
}

// Which members a statement has. Those with a negated form (Action and NotAction) count as one.
struct PresentMembers {
  bool principals = false;
  bool actions = false;
  bool resources = false;
  bool effect = false;
};

PolicyResult<void> note_present(bool& present, std::string_view pair) {
  if (present) return parse_error(fmt::format("A statement has only one of {}", pair));
  present = true;
  return {};
}

PolicyResult<void> check_complete(const PresentMembers& present, PolicyKind kind) {
  if (!present.effect) return parse_error("Missing required field Effect");
  if (!present.actions) return parse_error("Missing required field Action");
  if (!present.resources) return parse_error("Missing required field Resource");
  if (kind == PolicyKind::kResource && !present.principals) return parse_error("Missing required field Principal");
  if (kind == PolicyKind::kIdentity && present.principals)
    return parse_error("Policy document should not specify a principal.");
  return {};
}

PolicyResult<PolicyStatement> read_statement(Element json, PolicyKind kind) {
  TRY_INTO(const Object object, read_object(json, "Statement"));
  PolicyStatement statement;
  PresentMembers present;
  for (const auto field : object) {
    const std::string_view name = field.key;
    if (name == "Sid") {
      TRY_INTO(statement.sid, read_text(field.value, name));
    } else if (name == "Effect") {
      present.effect = true;
      TRY_INTO(statement.effect, read_effect(field.value));
    } else if (name == "Principal" || name == "NotPrincipal") {
      TRY(note_present(present.principals, "Principal and NotPrincipal"));
      TRY_INTO(statement.principals, read_principals(field.value));
      statement.not_principals = name == "NotPrincipal";
    } else if (name == "Action" || name == "NotAction") {
      TRY(note_present(present.actions, "Action and NotAction"));
      TRY_INTO(statement.actions, read_texts(field.value, name));
      statement.not_actions = name == "NotAction";
    } else if (name == "Resource" || name == "NotResource") {
      TRY(note_present(present.resources, "Resource and NotResource"));
      TRY_INTO(statement.resources, read_texts(field.value, name));
      statement.not_resources = name == "NotResource";
    } else if (name == "Condition") {
      TRY_INTO(statement.conditions, read_conditions(field.value));
    } else {
      return parse_error(fmt::format("Unknown field {}", name));
    }
  }
  TRY(check_complete(present, kind));
  if (statement.not_principals && statement.effect == PolicyEffect::kAllow) {
    return parse_error("Allow with NotPrincipal is not allowed.");
  }
  TRY(check_patterns(statement));
  return statement;
}

PolicyResult<void> read_statements(Element json, PolicyKind kind, Policy& policy) {
  if (json.is_array()) {
    for (const Element element : json.get_array()) {
      TRY_INTO(policy.statements.emplace_back(), read_statement(element, kind));
    }
  } else {
    TRY_INTO(policy.statements.emplace_back(), read_statement(json, kind));
  }
  if (policy.statements.empty()) return parse_error("Could not parse the policy: Statement is empty!");
  std::set<std::string_view> sids;
  for (const PolicyStatement& statement : policy.statements) {
    if (!statement.sid.empty() && !sids.insert(statement.sid).second) {
      return parse_error("The Statement Ids in the policy are not unique");
    }
  }
  return {};
}

// The position after the end of the text, as "(line,column)", both counted from 1.
std::string position_after(std::string_view text) {
  const size_t line_begin = text.rfind('\n') + 1;  // 0 if there is only one line
  return fmt::format("({},{})", 1 + std::ranges::count(text, '\n'), 1 + text.size() - line_begin);
}

}  // namespace

PolicyResult<Policy> read_policy(simdjson::dom::element json, PolicyKind kind) {
  TRY_INTO(const Object object, read_object(json, "Policy"));
  Policy policy;
  bool has_statements = false;
  for (const auto field : object) {
    if (field.key == "Version") {
      TRY_INTO(policy.version, read_text(field.value, "Version"));
      if (policy.version != kPolicyVersion && policy.version != kOldPolicyVersion) {
        return parse_error(fmt::format("The policy must contain a valid version string: {}", policy.version));
      }
    } else if (field.key == "Id") {
      TRY_INTO(policy.id, read_text(field.value, "Id"));
    } else if (field.key == "Statement") {
      has_statements = true;
      TRY(read_statements(field.value, kind, policy));
    } else {
      return parse_error(fmt::format("Unknown field {}", field.key));
    }
  }
  if (!has_statements) return parse_error("Missing required field Statement");
  return policy;
}

PolicyResult<Policy> parse_policy(std::string_view text, PolicyKind kind) {
  simdjson::dom::parser parser;
  Element json;
  if (parser.parse(text.data(), text.size()).get(json) != simdjson::SUCCESS) {
    return parse_error("This policy contains invalid Json");
  }
  // DynamoDB's errors for documents that are JSON but not a policy.
  if (json.is_array()) return parse_error("This policy contains invalid Json");
  Object object;
  if (json.get(object) != simdjson::SUCCESS) return parse_error("This text appears not to be a policy");
  if (object.size() == 0) return parse_error(fmt::format("Syntax error at position {}", position_after(text)));
  return read_policy(json, kind);
}

}  // namespace trestle
