#include "cli/program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/program/completion.h"
#include "cli/program/manual.h"

namespace trestle {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

struct Program : testing::Test {
  Program() { add_commands(app, exit_status); }
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
