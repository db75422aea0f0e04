// A field that is the digest of an input that is not itself stored.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kDocs = R"y(design: docs
tables: {tbl: {key: [PK, SK], type: Type, indexes: {i01: {key: [a01, b01]}}}}
types: {Name: "string([a-z0-9], 1..12)"}
entities:
  Doc:
    key: ["D#{doc}", D]
    fields: {doc: Name, key: sha256 of token optional, note: string(..9) optional}
    index: {byKey: {on: i01, key: ["K#{key}", "{doc}"]}}
    additional: true
reads:
  doc: {get: Doc}
  byKey:
    takes: {token: "string(1..50)"}
    steps: [{query: Doc.byKey, by: {key: sha256($token)}, as: f, all: true}]
    returns: {docs: count($f)}
writes:
  put: {put: Doc, if: absent, else: 409}
  edit: {update: Doc, else: 404}
  save: {upsert: Doc}
  copy:
    takes: {doc: Name, to: Name}
    steps:
      - {get: Doc, as: x, none: 404}
      - {put: Doc, from: $x, set: {doc: $to}, if: absent, else: 409}
  move:
    takes: {doc: Name, to: Name}
    steps:
      - {get: Doc, as: x, none: 404}
      - atomic:
          - {delete: Doc}
          - {put: Doc, from: $x, set: {doc: $to}, if: absent, else: 409}
)y";

class Digest : public testing::Test {
 protected:
  std::string found(const std::string& token) {
    return world_.ok("byKey", fmt::format(R"({{"token":"{}"}})", token)).text("docs");
  }
  DesignWorld world_{std::string(kDocs)};
};

TEST_F(Digest, stays_in_a_copy) {
  world_.ok("put", R"({"doc":"a","token":"tok"})");
  world_.ok("copy", R"({"doc":"a","to":"b"})");
  EXPECT_EQ(found("tok"), "2");
  world_.ok("move", R"({"doc":"b","to":"c"})");
  EXPECT_EQ(found("tok"), "2");
  EXPECT_EQ(world_.faults(), std::vector<std::string>());
}

TEST_F(Digest, follows_its_input_in_the_short_forms_which_store_it_nowhere) {
  world_.ok("put", R"({"doc":"a","token":"one"})");
  for (const char* name : {"edit", "save"}) {
    world_.ok(name, R"({"doc":"a","token":"two"})");
    EXPECT_EQ(found("one") + found("two"), "01") << name;
    EXPECT_EQ(world_.attribute("tbl", "D#a", "D", "token"), "");
    world_.ok(name, R"({"doc":"a","token":"one"})");
    EXPECT_EQ(found("one") + found("two"), "10") << name;
  }
  world_.ok("edit", R"({"doc":"a","note":"n"})");
  EXPECT_EQ(found("one"), "1");
  world_.ok("edit", R"({"doc":"a","token":null})");
  EXPECT_EQ(found("one"), "0");
  EXPECT_EQ(world_.attribute("tbl", "D#a", "D", "key"), "");
  EXPECT_EQ(world_.faults(), std::vector<std::string>());
  world_.refused(400, "edit", R"({"doc":"a","key":"x"})");
  world_.refused(400, "copy", R"({"doc":"a","to":"b","token":"t"})");
}

}  // namespace
}  // namespace trestle::runtime
