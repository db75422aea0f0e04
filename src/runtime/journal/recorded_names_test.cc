#include "runtime/journal/recorded_names.h"

#include <gtest/gtest.h>

namespace trestle::runtime {
namespace {

// A resumed call compares times as the call that was interrupted.
TEST(RecordedNames, times_keep_their_forms) {
  const design::Design design;
  CallState state;
  const auto time = [](Plain value, Plain::TimeForm form) {
    value.set_time_form(form);
    return value;
  };
  state.names["at"] = time(Plain::text("2026-01-15T12:00:00Z"), Plain::TimeForm::kText);
  state.names["found"] = Plain::map({{"until", time(Plain::number(5000), Plain::TimeForm::kMilliseconds)},
                                     {"title", Plain::text("2026-01-15T12:00:00Z")}});
  const auto recorded = decode_names(design, encode_names(state));
  ASSERT_TRUE(recorded.has_value());
  EXPECT_EQ(recorded->names.at("at"), state.names["at"]);
  EXPECT_EQ(recorded->names.at("at").time_form(), Plain::TimeForm::kText);
  const Plain& found = recorded->names.at("found");
  EXPECT_EQ(found.member("until"), Plain::number(5000));
  EXPECT_EQ(found.member("until").time_form(), Plain::TimeForm::kMilliseconds);
  EXPECT_EQ(found.member("title").time_form(), Plain::TimeForm::kNone);
}

}  // namespace
}  // namespace trestle::runtime
