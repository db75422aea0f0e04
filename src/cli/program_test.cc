#include "cli/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <map>

#include "cli/completion.h"
#include "cli/local_arguments.h"
#include "cli/manual.h"
#include "cli/settings.h"

namespace trestle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

struct Program : testing::Test {
  Program() { add_commands(app, exit_status); }
  CLI::App& command(const Words& words) { return *selected_command(app, words).app; }
  std::string complaint(const Words& words) { return unknown_name(app, words).value_or(""); }

  int exit_status = 0;
  CLI::App app{"Trestle", "trestle"};
};

TEST_F(Program, wrong_names_are_refused_with_the_nearest_right_one) {
  EXPECT_THAT(complaint({"srve"}), HasSubstr("no command `srve`; did you mean `serve`?"));
  EXPECT_THAT(complaint({"design", "chek"}), HasSubstr("did you mean `check`? (`trestle design --help`"));
  EXPECT_THAT(complaint({"serve", "--prot", "1"}),
              HasSubstr("`trestle serve` has no flag `--prot`; did you mean `--port`?"));
  EXPECT_THAT(complaint({"serve", "--memory-stor=true"}), HasSubstr("did you mean `--memory-store`?"));
  EXPECT_EQ(complaint({"serve", "--port", "1"}), "");
  EXPECT_EQ(complaint({"serve", "--region", "--odd"}), "") << "a value";
  EXPECT_EQ(complaint({"design", "check", "--", "--file"}), "");
  EXPECT_EQ(complaint({"design", "call", "shop", "buy", "--quantity", "1"}), "") << "an input";
  EXPECT_EQ(complaint({"--version"}), "");
}

TEST_F(Program, flags_come_from_the_environment_unless_they_are_on_the_command_line) {
  const std::map<std::string, std::string> variables = {{"TRESTLE_SERVE_PORT", "9000"},
                                                        {"TRESTLE_SERVE_CACHE_MB", "64"},
                                                        {"TRESTLE_SERVE_CORS", "http://a,http://b"},
                                                        {"TRESTLE_SERVE_MEMORY_STORE", "true"},
                                                        {"TRESTLE_SERVE_DATA", ""},
                                                        {"TRESTLE_PORT", "1"}};
  const auto arguments = [&](const Words& words) {
    return arguments_from_environment(command({"serve"}), words, [&](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_THAT(arguments({"serve"}), testing::UnorderedElementsAre("--port=9000", "--cache-mb=64", "--cors=http://a",
                                                                  "--cors=http://b", "--memory-store=true"));
  EXPECT_THAT(arguments({"serve", "--port=1", "--cache-mb", "8", "--cors", "*", "--memory-store"}), IsEmpty());
  EXPECT_EQ(variable_name(command({"design", "call"}), "--at"), "TRESTLE_DESIGN_CALL_AT");
}

TEST_F(Program, flags_come_from_a_file) {
  const auto arguments = [&](std::string_view text) {
    return arguments_from_file(command({"serve"}), {"--port=1"}, text);
  };
  EXPECT_THAT(*arguments("# a comment\n\n port = 9 \ndata = /srv/my data\r\nmemory-store\ncors = a\ncors=b"),
              ElementsAre("--data=/srv/my data", "--memory-store=true", "--cors=a", "--cors=b"));
  EXPECT_THAT(*arguments(""), IsEmpty());
  EXPECT_THAT(arguments("\nprot = 9").error(),
              HasSubstr("line 2: `trestle serve` has no flag `prot`; did you mean `port`?"));
  EXPECT_THAT(arguments("data").error(), HasSubstr("line 1: `data` needs a value"));
  EXPECT_FALSE(arguments("help = true"));
}

TEST_F(Program, the_config_file_is_taken_out_of_the_words) {
  Words words = {"serve", "--config", "a.conf", "--port", "1"};
  EXPECT_EQ(take_config_file(words), "a.conf");
  EXPECT_THAT(words, ElementsAre("serve", "--port", "1"));
  words = {"serve", "--config=b.conf"};
  EXPECT_EQ(take_config_file(words), "b.conf");
  EXPECT_THAT(words, ElementsAre("serve"));
  EXPECT_EQ(take_config_file(words), std::nullopt);
}

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

TEST_F(Program, completion_and_manual_name_every_command_and_flag) {
  const std::string manual = manual_page(app);
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(app, shell);
    EXPECT_THAT(script, HasSubstr("check")) << shell;
    EXPECT_THAT(script, HasSubstr("memory-store")) << shell;
  }
  EXPECT_EQ(completion_script(app, "tcsh"), "");
  EXPECT_THAT(manual, HasSubstr(".SS trestle design check\n"));
  EXPECT_THAT(manual, HasSubstr("\\-\\-memory\\-store"));
}

}  // namespace
}  // namespace trestle
