// `pack: {field: {figures: ...}}`: figures of packing, in fields of their names or of the names that the design gives.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

std::string documents(std::string_view figures) {
  return fmt::format(R"y(design: documents
version: 1
tables:
  documents: {{key: [PK, SK], type: Type}}
entities:
  Document:
    key: ["D#{{id}}", DOCUMENT]
    fields:
      id: string(1..9)
      body: string(..4000)
      note: string(..4000) optional
      compressed: bool optional
      is_packed: bool optional
      method: string(..9) optional
      original_size: int optional
      bytes: int optional
      share: number optional
      noted: bool optional
    pack: {{body: {{over: 100B, saves: 10%, figures: {}}}, note: {{over: 100B, saves: 10%, figures: {{compressed: noted}}}}}}
reads:
  document: {{get: Document}}
writes:
  make: {{put: Document, takes: {{id: Document.id, body: Document.body, note: string(..4000) optional}}}}
  change: {{update: Document, takes: {{id: Document.id, body: Document.body}}, else: 404}}
)y",
                     figures);
}

constexpr std::string_view kMap =
    "{compressed: is_packed, compression_algorithm: method, original_size: bytes, compression_ratio: share}";

TEST(PackFigures, true_sets_the_fields_of_their_names_that_the_entity_has) {
  DesignWorld world{documents("true")};
  world.ok("make", fmt::format(R"({{"id":"a","body":"{}"}})", std::string(1000, 'x')));
  const Plain item = world.ok("document", R"({"id":"a"})")["item"];
  EXPECT_EQ(item.member("compressed"), Plain::boolean(true));
  EXPECT_EQ(item.member("original_size"), Plain::number(1000));
  EXPECT_FALSE(item.member("is_packed").exists());
  EXPECT_FALSE(item.member("bytes").exists());
}

TEST(PackFigures, a_map_names_the_field_of_each_figure) {
  DesignWorld world{documents(kMap)};
  world.ok("make", fmt::format(R"({{"id":"a","body":"{}","note":"short"}})", std::string(1000, 'x')));
  Plain item = world.ok("document", R"({"id":"a"})")["item"];
  EXPECT_EQ(item.member("is_packed"), Plain::boolean(true));
  EXPECT_EQ(item.member("method"), Plain::text("gzip"));
  EXPECT_EQ(item.member("bytes"), Plain::number(1000));
  EXPECT_TRUE(item.member("share").exists());
  EXPECT_EQ(item.member("noted"), Plain::boolean(false)) << "the figures of another field";
  EXPECT_FALSE(item.member("compressed").exists());
  EXPECT_FALSE(item.member("original_size").exists());

  world.ok("change", R"({"id":"a","body":"brief"})");
  item = world.ok("document", R"({"id":"a"})")["item"];
  EXPECT_EQ(item.member("is_packed"), Plain::boolean(false));
  EXPECT_EQ(item.member("bytes"), Plain::number(5));
  EXPECT_FALSE(item.member("method").exists());
  EXPECT_FALSE(item.member("share").exists());
  EXPECT_EQ(item.member("noted"), Plain::boolean(false));
}

}  // namespace
}  // namespace trestle::runtime
