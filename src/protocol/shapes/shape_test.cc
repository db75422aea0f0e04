// Tests code that is derived from shapes, using shapes of the API. client_json_test.cc tests that reading and writing
// are inverse.
#include <gtest/gtest.h>

#include <set>

#include "protocol/client/client_json.h"
#include "protocol/shapes/random_requests_for_test.h"
#include "protocol/shapes/server_json.h"
#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

// Collects the names of the required members.
class RequiredNames {
 public:
  template <class Owner, class Field, class... Rules>
  void member(std::string_view name, Field Owner::*, const Rules&...) {
    note<Rules...>(name);
  }
  template <class Members, class... Rules>
  void structure(std::string_view name, Members, const Rules&...) {
    note<Rules...>(name);
  }
  template <class Owner, class Field>
  void inlined(Field Owner::*) {}
  template <class Field, class... Rules>
  void unused(std::string_view, Field, const Rules&...) {}

  std::set<std::string, std::less<>> names;

 private:
  template <class... Rules>
  void note(std::string_view name) {
    if (has_rule<rules::Required, Rules...> || has_rule<rules::Needed, Rules...>) names.emplace(name);
  }
};

std::string without_member(const JsonInput& input, std::string_view name) {
  std::string out;
  JsonOutput json(out);
  json.begin_object();
  for (const JsonMember member : input) {
    if (member.name != name) json.key(member.name).text().append(simdjson::minify(member.value));
  }
  json.end_object();
  return out;
}

template <class Request>
void check_required_members(std::string_view operation, Result<Request> (*read_json)(JsonInput)) {
  if constexpr (Shaped<Request> && !requires { read_request_by_hand(JsonInput(), Of<Request>()); }) {
    // These require one of two members, or a member that depends on another's value.
    if (operation == "RestoreTableToPointInTime" || operation == "GetShardIterator") return;
    RequiredNames required;
    Shape<Request>::members(required);
    const uint64_t seed = std::random_device{}();
    RequestMaker maker(seed);
    for (int round = 0; round < 20; ++round) {
      Request request;
      maker.fill(request);
      std::string body;
      write_request_json(request, body);
      std::vector<std::string> names;
      const auto whole = parse_body(body);
      for (const JsonMember member : *whole) names.emplace_back(member.name);
      for (const std::string& name : names) {
        const std::string less = without_member(*parse_body(body), name);
        EXPECT_EQ(refusal(read_json, less) == "accepted", !required.names.contains(name))
            << operation << " without " << name << ": " << refusal(read_json, less) << ", seed " << seed;
      }
    }
  }
}

TEST(Shape, a_request_is_refused_exactly_without_what_it_must_have){
#define TRESTLE_CHECK(Name, name) check_required_members<Name##Request>(#Name, read_##name##_json);
    TRESTLE_OPERATIONS(TRESTLE_CHECK)
#undef TRESTLE_CHECK
}

TEST(Shape, a_word_that_is_unknown_leaves_the_client_its_default) {
  DescribeStreamResponse response;
  response.stream.view_type = StreamViewType::kNewImage;
  ASSERT_TRUE(read_response_json(*parse_reply(R"({"StreamDescription":{"StreamViewType":"NEW"}})"), response));
  EXPECT_EQ(response.stream.view_type, StreamViewType::kNewImage);
}

TEST(Shape, members_that_the_model_ignores_are_checked) {
  EXPECT_EQ(refusal(read_update_global_table_settings_json, R"({"GlobalTableName":"abc","ReplicaSettingsUpdate":[
      {"ReplicaGlobalSecondaryIndexSettingsUpdate":[{"IndexName":"i","ProvisionedReadCapacityUnits":0}]}]})"),
            "3 validation errors detected: Value null at 'replicaSettingsUpdate.1.member.regionName' failed to satisfy "
            "constraint: Member must not be null; Value 'i' at "
            "'replicaSettingsUpdate.1.member.replicaGlobalSecondaryIndexSettingsUpdate.1.member.indexName' failed to "
            "satisfy constraint: Member must have length greater than or equal to 3; Value '0' at "
            "'replicaSettingsUpdate.1.member.replicaGlobalSecondaryIndexSettingsUpdate.1.member."
            "provisionedReadCapacityUnits' failed to satisfy constraint: Member must have value greater than or equal "
            "to 1");
  EXPECT_EQ(refusal(read_update_table_replica_auto_scaling_json,
                    R"({"TableName":"abc","ReplicaUpdates":[{"RegionName":1}]})"),
            "SerializationException: NUMBER_VALUE cannot be converted to String");
}

TEST(Shape, the_last_of_two_members_of_one_name_counts) {
  const auto request = read(read_list_tables_json, R"({"Limit":500,"Limit":7})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->limit, 7);
}

}  // namespace
}  // namespace trestle
