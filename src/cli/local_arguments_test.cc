#include "cli/local_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trestle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(LocalArguments, the_command_line_of_dynamodb_local_is_a_serve_command) {
  const auto served = [](const Words& words) { return translate_dynamodb_local(words); };
  EXPECT_THAT(*served({"-jar", "DynamoDBLocal.jar", "-sharedDb", "-dbPath", "./data"}),
              ElementsAre("serve", "--data=./data/trestle"));
  EXPECT_THAT(
      *served({"-Djava.library.path=./DynamoDBLocal_lib", "-Xmx256m", "-jar", "DynamoDBLocal.jar", "-inMemory"}),
      ElementsAre("serve", "--memory-store", "--isolate"));
  EXPECT_THAT(*served({"-jar", "x.jar", "-port", "9000", "-cors", "http://a,http://b", "-sharedDb", "-inMemory",
                       "-delayTransientStatuses", "-optimizeDbBeforeStartup", "-disableTelemetry"}),
              ElementsAre("serve", "--port=9000", "--cors=http://a", "--cors=http://b", "--transient-statuses=500",
                          "--memory-store"));
  EXPECT_THAT(*served({"-jar", "x.jar", "-version"}), ElementsAre("--version"));
  EXPECT_THAT(served({"-jar", "x.jar", "-shardDb"}).error(), HasSubstr("`-shardDb` is not a flag of DynamoDB Local"));
  EXPECT_THAT(served({"-jar", "x.jar", "-port"}).error(), HasSubstr("`-port` needs a value"));
  EXPECT_THAT(served({"-jar"}).error(), HasSubstr("-jar needs a value"));
}

TEST(LocalArguments, other_commands_are_not_for_dynamodb_local) {
  EXPECT_TRUE(is_for_dynamodb_local({"-jar", "DynamoDBLocal.jar"}));
  EXPECT_TRUE(is_for_dynamodb_local({"-Xmx1g", "-jar", "DynamoDBLocal.jar"}));
  EXPECT_FALSE(is_for_dynamodb_local({"serve", "--data", "-jar"}));
  EXPECT_FALSE(is_for_dynamodb_local({"serve"}));
  EXPECT_FALSE(is_for_dynamodb_local({}));
}

}  // namespace
}  // namespace trestle
