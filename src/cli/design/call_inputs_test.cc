#include "cli/design/call_inputs.h"

#include <gtest/gtest.h>

#include "design/language/reader.h"
#include "runtime/values/plain_json.h"

namespace trestle {
namespace {

using runtime::Plain;

constexpr std::string_view kNotebook = R"(design: notes
version: 1
tables:
  notes: {key: [PK, SK], type: Type}
entities:
  Note:
    key: ["NOTE#{id}", NOTE]
    fields: {id: string, size: int, tags: "list<string>", text: string optional}
writes:
  note:
    takes: {id: string, size: int, tags: "list<string>", text: string optional}
    put: Note
)";

std::string read_inputs(const std::vector<std::string>& words) {
  const auto inputs = inputs_of(words);
  return inputs ? runtime::plain_json(*inputs) : inputs.error();
}

TEST(CallInputs, both_forms_of_a_flag_are_read_as_text) {
  EXPECT_EQ(read_inputs({"--id", "a", "--size=5"}), R"({"id":"a","size":"5"})");
  EXPECT_EQ(read_inputs({"--text=a=b"}), R"({"text":"a=b"})");
  EXPECT_EQ(read_inputs({"--text="}), R"({"text":""})");
  EXPECT_EQ(read_inputs({"--text", "--id"}), R"({"text":"--id"})");
}

TEST(CallInputs, words_without_a_flag_and_flags_without_a_value_are_refused) {
  EXPECT_EQ(read_inputs({"id"}), "expected --field value, got `id`");
  EXPECT_EQ(read_inputs({"--"}), "expected --field value, got `--`");
  EXPECT_EQ(read_inputs({"--id"}), "--id has no value");
}

TEST(CallInputs, inputs_become_values_of_the_types_of_the_operation) {
  const design::Reading reading = design::read_design(kNotebook);
  const design::Operation* operation = reading.design.operation("note");
  ASSERT_NE(operation, nullptr);
  Plain inputs = Plain::map({{"id", Plain::text("1")},
                             {"size", Plain::text("5")},
                             {"tags", Plain::text(R"(["a"])")},
                             {"text", Plain::text("null")},
                             {"other", Plain::text("7")}});
  shape_inputs(*operation, inputs);
  EXPECT_EQ(inputs.member("id").string(), "1");
  EXPECT_TRUE(inputs.member("size").is(Plain::Kind::kNumber));
  EXPECT_EQ(runtime::plain_json(inputs.member("tags")), R"(["a"])");
  EXPECT_EQ(runtime::plain_json(inputs.member("text")), "null");
  EXPECT_EQ(inputs.member("other").string(), "7");
}

TEST(CallInputs, text_that_is_not_json_remains_text) {
  const design::Reading reading = design::read_design(kNotebook);
  Plain inputs = Plain::map({{"size", Plain::text("many")}});
  shape_inputs(*reading.design.operation("note"), inputs);
  EXPECT_EQ(inputs.member("size").string(), "many");
}

TEST(CallInputs, options_of_a_list_are_removed) {
  Plain inputs =
      Plain::map({{"limit", Plain::text("5")}, {"descending", Plain::text("true")}, {"id", Plain::text("a")}});
  const runtime::ListOptions list = take_list_options(inputs);
  EXPECT_EQ(list.limit, 5);
  EXPECT_EQ(list.descending, true);
  EXPECT_EQ(runtime::plain_json(inputs), R"({"id":"a"})");
  const runtime::ListOptions none = take_list_options(inputs);
  EXPECT_EQ(none.limit, runtime::ListOptions().limit);
  EXPECT_EQ(none.descending, runtime::ListOptions().descending);
}

}  // namespace
}  // namespace trestle
