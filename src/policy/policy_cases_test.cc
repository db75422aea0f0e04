// Data-driven tests of decisions: policy_cases.json is a list of policies, each with requests and expected decisions.
//
//   {"name": ..., "identity": [policy, ...], "resource": policy, "context": {...},
//    "cases": [[what, {"action": ..., "resource": "table/x", "user": ..., "context": {...}}, decision], ...]}
//
// A value of the context is a string, a list of strings, or "*everything*".
#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "policy/evaluate.h"
#include "policy/policy_text.h"

namespace trestle {
namespace {

using Element = simdjson::dom::element;

std::string case_file() {
  std::ifstream file(std::filesystem::path(TRESTLE_SOURCE_FOLDER) / "src/policy/policy_cases.json");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string text_of(Element json, const char* member, std::string default_text) {
  std::string_view text;
  return json[member].get(text) == simdjson::SUCCESS ? std::string(text) : default_text;
}

// The context borrows the strings in `keys`.
void fill_context(Element json, std::deque<std::string>& keys, AccessContext& context) {
  simdjson::dom::object object;
  if (json["context"].get(object) != simdjson::SUCCESS) return;
  for (const auto field : object) {
    const std::string& key = keys.emplace_back(field.key);
    if (!field.value.is_array()) {
      const std::string_view text = field.value.get_string();
      text == "*everything*" ? context.set_everything(key) : context.set(key, std::string(text));
      continue;
    }
    std::vector<std::string> values;
    for (const Element value : field.value.get_array()) values.emplace_back(value.get_string().value());
    context.set(key, std::move(values));
  }
}

std::string_view decision_text(Decision decision) {
  switch (decision) {
    case Decision::kAllowed:
      return "allowed";
    case Decision::kNotAllowed:
      return "not allowed";
    case Decision::kDeniedByIdentity:
      return "denied by identity";
    case Decision::kDeniedByResource:
      break;
  }
  return "denied by resource";
}

std::shared_ptr<const Policy> read(Element json, PolicyKind kind) {
  auto policy = read_policy(json, kind);
  EXPECT_TRUE(policy.has_value()) << policy.error() << " in " << simdjson::minify(json);
  return std::make_shared<const Policy>(policy.has_value() ? std::move(*policy) : Policy{});
}

TEST(PolicyCases, decisions_match_the_table) {
  simdjson::dom::parser parser;
  const std::string text = case_file();
  Element groups;
  ASSERT_EQ(parser.parse(text).get(groups), simdjson::SUCCESS);
  size_t count = 0;
  for (const Element group : groups.get_array()) {
    SCOPED_TRACE(text_of(group, "name", "?"));
    PolicyList identity;
    for (const Element policy : group["identity"].get_array()) identity.push_back(read(policy, PolicyKind::kIdentity));
    std::shared_ptr<const Policy> resource;
    if (Element json; group["resource"].get(json) == simdjson::SUCCESS) resource = read(json, PolicyKind::kResource);
    for (const Element row : group["cases"].get_array()) {
      SCOPED_TRACE(std::string(row.at(0).get_string().value()));
      const Element request = row.at(1);
      std::deque<std::string> keys;
      Access access{.action = text_of(request, "action", "dynamodb:GetItem")};
      access.resource =
          text_of(request, "resource_arn",
                  "arn:aws:dynamodb:us-east-1:000000000000:" + text_of(request, "resource", "table/music"));
      fill_context(group, keys, access.context);
      fill_context(request, keys, access.context);
      const Principal principal{.arn = "arn:aws:iam::000000000000:user/" + text_of(request, "user", "alice"),
                                .account = "000000000000"};
      EXPECT_EQ(decision_text(decide(identity, resource.get(), access, principal)), row.at(2).get_string().value());
      ++count;
    }
  }
  EXPECT_GT(count, 100u);
}

TEST(PolicyCases, denials_have_dynamodbs_messages) {
  const Access access{.action = "dynamodb:GetItem", .resource = "arn:aws:dynamodb:us-east-1:000000000000:table/T"};
  const Principal alice{.arn = "arn:aws:iam::000000000000:user/alice", .account = "000000000000"};
  const std::string who =
      "User: arn:aws:iam::000000000000:user/alice is not authorized to perform: dynamodb:GetItem on resource: "
      "arn:aws:dynamodb:us-east-1:000000000000:table/T";
  EXPECT_EQ(denial_message(Decision::kNotAllowed, access, alice),
            who + " because no identity-based policy allows the dynamodb:GetItem action");
  EXPECT_EQ(denial_message(Decision::kDeniedByIdentity, access, alice),
            who + " with an explicit deny in an identity-based policy");
  EXPECT_EQ(denial_message(Decision::kDeniedByResource, access, alice),
            who + " with an explicit deny in a resource-based policy");
}

}  // namespace
}  // namespace trestle
