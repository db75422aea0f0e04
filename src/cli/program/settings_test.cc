#include "cli/program/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <map>

#include "cli/program/program.h"

namespace trestle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

struct Settings : testing::Test {
  Settings() { add_commands(app, exit_status); }
  CLI::App& command(const Words& words) { return *selected_command(app, words).app; }

  int exit_status = 0;
  CLI::App app{"Trestle", "trestle"};
};

TEST_F(Settings, flags_come_from_the_environment_unless_they_are_on_the_command_line) {
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

TEST_F(Settings, flags_come_from_a_file) {
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

TEST_F(Settings, a_short_name_on_the_command_line_takes_precedence_too) {
  CLI::App program{"", "program"};
  bool loud = false;
  CLI::App& run = *program.add_subcommand("run");
  run.add_flag("-l,--loud", loud);
  const auto variable = [](const std::string& name) { return name == "TRESTLE_RUN_LOUD" ? "true" : nullptr; };
  EXPECT_THAT(arguments_from_environment(run, {"run"}, variable), ElementsAre("--loud=true"));
  EXPECT_THAT(arguments_from_environment(run, {"run", "-l"}, variable), IsEmpty());
  EXPECT_THAT(*arguments_from_file(run, {"run", "-l"}, "loud"), IsEmpty());
}

TEST_F(Settings, the_config_file_is_taken_out_of_the_words) {
  Words words = {"serve", "--config", "a.conf", "--port", "1"};
  EXPECT_EQ(take_config_file(words), "a.conf");
  EXPECT_THAT(words, ElementsAre("serve", "--port", "1"));
  words = {"serve", "--config=b.conf"};
  EXPECT_EQ(take_config_file(words), "b.conf");
  EXPECT_THAT(words, ElementsAre("serve"));
  EXPECT_EQ(take_config_file(words), std::nullopt);
}

}  // namespace
}  // namespace trestle
