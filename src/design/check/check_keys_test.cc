// Remarks in a design that suppress findings.
#include <gtest/gtest.h>

#include "design/check/finding_codes_for_test.h"

namespace trestle::design {
namespace {

TEST(CheckKeys, a_finding_is_suppressed_only_by_a_reason_on_its_line) {
  const auto report =
      check_text(around("entities:\n  A:\n    # trestle: allow T104 because one a second is all there is\n    key: "
                        "[\"A#{site}\", \"T#{at}\"]\n    fields: {site: ulid, at: time}\n"));
  EXPECT_EQ(report.suppressed.size(), 1U);
  EXPECT_EQ(report.suppressed[0].reason, "one a second is all there is");
  EXPECT_TRUE(has("T006",
                  "entities:\n  A:\n    # trestle: allow T104\n    key: [\"A#{site}\", \"T#{at}\"]\n    fields: {site: "
                  "ulid, at: time}\n"));
  EXPECT_TRUE(has("T104",
                  "entities:\n  A:\n    # trestle: allow T104\n    key: [\"A#{site}\", \"T#{at}\"]\n    fields: {site: "
                  "ulid, at: time}\n"));
  EXPECT_TRUE(has("T007",
                  "entities:\n  A:\n    # trestle: allow T104 because of nothing\n    key: [\"A#{site}\", X]\n    "
                  "fields: {site: ulid, at: time}\n"));
}

}  // namespace
}  // namespace trestle::design
