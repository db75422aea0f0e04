#include "design/export/export_policies.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/json/json_writer.h"
#include "design/plan/permissions.h"

namespace trestle::design {
namespace {

// IAM rejects larger managed policies. White space does not count.
constexpr size_t kManagedPolicyCharactersMax = 6144;

// "TENANT#{tenant_id}#{x}" -> "TENANT#${aws:PrincipalTag/tenant_id}#*".
std::string leading_key(const Template& key, const std::string& tenant) {
  std::string out;
  for (const TemplatePart& part : key.parts) {
    if (part.is_literal()) {
      for (const char c : part.literal) {
        // Characters that IAM would interpret as a wildcard or a variable must be written as policy variables.
        if (c == '*' || c == '?' || c == '$')
          out += fmt::format("${{{}}}", c);
        else
          out.push_back(c);
      }
    } else if (part.field == tenant && part.format.kind == Format::Kind::kPlain) {
      out += fmt::format("${{aws:PrincipalTag/{}}}", tenant);
    } else if (!out.ends_with('*') || out.ends_with("${*}")) {
      out.push_back('*');
    }
  }
  return out;
}

struct Statement {
  std::string table;
  std::string index;
  std::set<std::string> actions;
  std::set<std::string> keys;  // dynamodb:LeadingKeys; empty: any
};

class PolicyMaker {
 public:
  PolicyMaker(const Design& design, const PolicyScope& scope, std::vector<std::string>& notes)
      : design_(design), scope_(scope), notes_(notes) {}

  Json make(std::string_view group, const std::vector<Permission>& permissions) {
    Json statements = Json::array();
    for (const Statement& statement : gather(group, permissions)) statements.add(statement_json(statement));
    Json policy = Json::object({{"Version", "2012-10-17"}, {"Statement", std::move(statements)}});
    std::string text = policy.line();
    std::erase(text, ' ');
    if (text.size() > kManagedPolicyCharactersMax) {
      notes_.push_back(fmt::format(
          "{}: the policy has {} characters, but a managed policy can have at most {}: attach it inline or split it",
          group, text.size(), kManagedPolicyCharactersMax));
    }
    return policy;
  }

 private:
  std::vector<Statement> gather(std::string_view group, const std::vector<Permission>& permissions) {
    // Actions on a table or index with the same leading keys share a statement.
    std::map<std::tuple<std::string, std::string, std::string>, std::set<std::string>> keys;  // table, index, action
    for (const Permission& permission : permissions) {
      auto& wanted = keys[{permission.table, permission.index, permission.action}];
      const bool bound = !design_.tenant.empty() && permission.index != kStream && is_about_items(permission.action);
      if (!bound) continue;
      if (permission.partition == nullptr) {
        wanted.insert("*");
        note(fmt::format("{}: {} on {} can access every tenant, because it is not limited to a partition key", group,
                         permission.action, place(permission)));
        continue;
      }
      const std::string key = leading_key(*permission.partition, design_.tenant);
      wanted.insert(key);
      if (!permission.partition->uses(design_.tenant)) {
        note(fmt::format(
            "{}: {} on {} uses the partition key `{}`, which does not contain {}: these items are shared by tenants",
            group, permission.action, place(permission), permission.partition->text, design_.tenant));
      }
    }
    std::vector<Statement> statements;
    for (auto& [place, wanted] : keys) {
      const auto& [table, index, action] = place;
      if (wanted.contains("*")) wanted.clear();
      const auto same =
          std::find_if(statements.begin(), statements.end(),
                       [&, &t = table, &i = index, &w = wanted](const Statement& other_statement) {
                         return other_statement.table == t && other_statement.index == i && other_statement.keys == w;
                       });
      if (same == statements.end())
        statements.push_back({table, index, {action}, wanted});
      else
        same->actions.insert(action);
    }
    return statements;
  }
  // Whether the action has leading keys.
  static bool is_about_items(std::string_view action) {
    return action != "DescribeTable" && action != "DescribeContinuousBackups" && action != "ListBackups";
  }
  static std::string place(const Permission& permission) {
    return permission.index.empty() ? permission.table : permission.table + "." + permission.index;
  }
  void note(std::string text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(std::move(text));
  }
  Json statement_json(const Statement& statement) const {
    Json actions = Json::array();
    for (const std::string& action : statement.actions) actions.add("dynamodb:" + action);
    std::string arn =
        fmt::format("arn:{}:dynamodb:{}:{}:table/{}", scope_.partition, scope_.region, scope_.account, statement.table);
    if (statement.index == kStream)
      arn += "/stream/*";
    else if (!statement.index.empty())
      arn += "/index/" + statement.index;
    if (statement.table.empty()) arn = "*";
    Json out = Json::object({{"Effect", "Allow"}, {"Action", std::move(actions)}, {"Resource", arn}});
    if (!statement.keys.empty()) {
      Json values = Json::array();
      for (const std::string& key : statement.keys) values.add(key);
      // "ForAllValues" is true for a request without leading keys, so require that there are some.
      out.set("Condition",
              Json::object({{"ForAllValues:StringLike", Json::object({{"dynamodb:LeadingKeys", std::move(values)}})},
                            {"Null", Json::object({{"dynamodb:LeadingKeys", "false"}})}}));
    }
    return out;
  }

  const Design& design_;
  const PolicyScope& scope_;
  std::vector<std::string>& notes_;
};

// Whether `rule` implies `allow`: `allow` is the same rule, or has it as an alternative.
bool allows(const Expression& allow, const Expression& rule) {
  if (expression_text(allow) == expression_text(rule)) return true;
  return allow.is(Expression::Kind::kOr) &&
         std::any_of(allow.arguments.begin(), allow.arguments.end(),
                     [&](const Expression& expression) { return allows(expression, rule); });
}

}  // namespace

Exported export_policies(const Design& design, const PolicyScope& scope) {
  Exported out;
  PolicyMaker maker(design, scope, out.notes);
  Json policies = Json::object();
  const auto group = [&](const std::string& name, const auto& takes_part) {
    std::vector<Permission> needed;
    for (const Operation& operation : design.operations) {
      if (!takes_part(operation)) continue;
      for (Permission& permission : permissions_of(design, operation)) needed.push_back(std::move(permission));
    }
    if (!needed.empty()) policies.set(name, maker.make(name, needed));
  };
  group("reads", [](const Operation& operation) { return !operation.is_write; });
  group("writes", [](const Operation& operation) { return operation.is_write; });
  if (!design.roles.empty()) {
    group("everyone", [](const Operation& operation) { return !operation.allow; });
    for (const Role& role : design.roles) {
      group("role-" + role.name,
            [&](const Operation& operation) { return !operation.allow || allows(*operation.allow, role.rule); });
    }
  }
  if (const auto streams = stream_permissions(design); !streams.empty())
    policies.set("streams", maker.make("streams", streams));
  if (const auto blobs = blob_permissions(design); !blobs.empty()) policies.set("blobs", maker.make("blobs", blobs));
  out.text = policies.text();
  return out;
}

}  // namespace trestle::design
