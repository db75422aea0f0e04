#include "cli/design/design_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>
#include <fstream>

#include "base/scratch_folder.h"

namespace trestle {
namespace {

using testing::HasSubstr;

constexpr std::string_view kNotes = R"(design: notes
version: 1
tables:
  notes: {key: [PK, SK], type: Type}
entities:
  Note:
    key: ["NOTE#{id}", NOTE]
    fields: {id: string, text: string}
reads:
  note: {get: Note}
)";

struct PlaceTest : testing::Test {
  PlaceTest() { std::ofstream(folder.path() + "/notes.yaml") << kNotes; }
  DesignPlace place() const { return {.design = folder.path() + "/notes.yaml", .data = folder.path() + "/data"}; }
  const ScratchFolder folder;
};

TEST_F(PlaceTest, a_design_is_named_by_its_file_or_found_in_designs) {
  EXPECT_EQ(design_file(place().design), place().design);
  EXPECT_EQ(design_file("no such design"), "no such design");
  const auto before = std::filesystem::current_path();
  std::filesystem::create_directory(folder.path() + "/designs");
  std::ofstream(folder.path() + "/designs/shop.yaml") << "design: store\n";
  std::filesystem::current_path(folder.path());
  const std::string found = design_file("shop"), name = design_name("shop");
  std::filesystem::current_path(before);
  EXPECT_EQ(found, "designs/shop.yaml");
  EXPECT_EQ(name, "store");
}

TEST_F(PlaceTest, the_path_on_a_server_has_the_name_in_the_file) {
  EXPECT_EQ(design_name(place().design), "notes");
  EXPECT_EQ(served_path(place()), "/designs/notes");
  EXPECT_EQ(design_name("no such design"), "no such design");
}

TEST_F(PlaceTest, only_commands_that_a_server_can_execute_take_its_address) {
  const auto accepts = [](bool may_be_served, const std::vector<std::string>& words) {
    CLI::App command;
    DesignPlace place;
    add_place(command, place, may_be_served);
    try {
      std::vector<std::string> reversed(words.rbegin(), words.rend());
      command.parse(std::move(reversed));
    } catch (const CLI::ParseError&) {
      return false;
    }
    return true;
  };
  EXPECT_TRUE(accepts(true, {"notes", "--at", "http://127.0.0.1:8000"}));
  EXPECT_FALSE(accepts(false, {"notes", "--at", "http://127.0.0.1:8000"}));
  EXPECT_TRUE(accepts(true, {"notes", "--token", "t"}));
  EXPECT_FALSE(accepts(true, {"notes", "--token", "t", "--api-key", "k"}));
  EXPECT_FALSE(accepts(true, {})) << "the design is missing";
}

TEST_F(PlaceTest, a_design_is_opened_on_its_data_folder) {
  {
    auto opened = open_place(place());
    ASSERT_TRUE(opened.has_value()) << opened.error();
    EXPECT_EQ(opened->runtime().design().name, "notes");
    EXPECT_TRUE(opened->engine->describe_table({.table_name = "notes"}).has_value());
    // The folder has one user at a time.
    const auto second = open_place(place());
    ASSERT_FALSE(second.has_value());
    EXPECT_THAT(second.error(), HasSubstr("if a server runs on " + place().data + ", give its address"));
  }
  EXPECT_TRUE(open_place(place()).has_value());
}

TEST_F(PlaceTest, a_design_with_mistakes_is_not_opened) {
  std::ofstream(folder.path() + "/notes.yaml") << "design: notes\ntables: 7\n";
  EXPECT_FALSE(open_place(place()).has_value());
}

TEST(Place, claims_of_a_caller_are_a_json_object) {
  EXPECT_TRUE(context_of("").has_value());
  const auto context = context_of(R"({"sub": "ann"})");
  ASSERT_TRUE(context.has_value()) << context.error();
  EXPECT_THAT(context_of("{").error(), testing::StartsWith("--caller-claims: "));
}

}  // namespace
}  // namespace trestle
