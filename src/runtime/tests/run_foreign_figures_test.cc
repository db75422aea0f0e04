// Tallies over items that other programs wrote: without a revision, with a list where the design has a set.
#include <fmt/format.h>

#include "runtime/background/stream_tallies.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

std::string posts(const std::string& through) {
  return fmt::format(R"y(design: posts
version: 1
tables: {{things: {{key: [PK, SK], type: Type, stream: new-and-old}}}}
types: {{Name: "string([a-z], 1..9)"}}
entities:
  User:
    key: ["USER#{{user}}", USER]
    fields: {{user: Name, tags: set<Name> optional, posts: counter, labels: counter, rev: revision}}
  Post:
    key: ["USER#{{user}}", "POST#{{post}}"]
    fields: {{user: Name, post: Name, labels: set<Name>, rev: revision}}
tallies:
  posts: {{of: Post, into: User, by: {{user: user}}, add: {{posts: 1, labels: size(labels)}}{}}}
reads:
  user: {{get: User, consistent: true}}
  posts: {{query: Post}}
writes:
  change: {{update: User, else: 404}}
  publish: {{put: Post, if: absent, else: 409}}
  label: {{update: Post, takes: {{user: Name, post: Name, label: set<Name>}}, by: [user, post], add: {{labels: $label}}, else: 404}}
  remove: {{delete: Post, if: present, else: 404}}
)y",
                     through.empty() ? "" : ", through: " + through);
}

class ForeignFigures : public testing::TestWithParam<const char*> {
 protected:
  ForeignFigures() : world_(posts(GetParam())) {}
  // Puts an item as another program would write it: without type, revision and counters.
  void put(const std::string& sk, const std::string& name, const std::string& list, const std::string& members) {
    const Value pk = Value::string("USER#u"), key = Value::string(sk);
    std::vector<Value> texts;
    for (const char c : members) texts.push_back(Value::string(std::string(1, c)));
    std::vector<ValueView> views(texts.begin(), texts.end());
    const Value value = Value::list(views);
    const Value user = Value::string("u"), own = Value::string(sk.substr(sk.find('#') + 1));
    std::vector<Field> fields = {{"PK", pk}, {"SK", key}, {list, value}, {"user", user}};
    if (!name.empty()) fields.push_back({name, own});
    ASSERT_TRUE(world_.database.put_item({.table_name = "things", .item = Item(std::move(fields))}).has_value());
  }
  void drain() {
    const ItemCodec codec(world_.reading->design, world_.keys.get(), &world_.blobs);
    ItemForm form(world_.reading->design, world_.database, codec);
    StreamTallies tallies(world_.reading->design, world_.database, codec, form);
    EXPECT_TRUE(tallies.drain(world_.clock.now_ms()).has_value());
  }
  std::string figures() {
    drain();
    const Reply reply = world_.ok("user", R"({"user":"u"})");
    return reply["item"].member("posts").string() + " " + reply["item"].member("labels").string();
  }
  std::string tags() {
    std::string out;
    for (const Plain& tag : world_.ok("user", R"({"user":"u"})")["item"].member("tags").elements()) out += tag.string();
    return out;
  }

  DesignWorld world_;
};
INSTANTIATE_TEST_SUITE_P(Tallies, ForeignFigures, testing::Values("", "stream"),
                         [](const auto& one) { return std::string(one.param).empty() ? "transaction" : "stream"; });

TEST_P(ForeignFigures, a_target_without_revision_has_revision_0) {
  put("USER", "", "tags", "ab");
  CallContext context;
  context.if_match = "0";
  EXPECT_EQ(world_.call("change", R"({"user":"u","tags":["a","c"]})", context).status, 200);
  EXPECT_EQ(world_.call("change", R"({"user":"u","tags":["a"]})", context).status, 409);
  put("USER", "", "tags", "ab");
  world_.ok("publish", R"({"user":"u","post":"p","labels":["x","y"]})");
  EXPECT_EQ(figures(), "1 2");
}

TEST_P(ForeignFigures, a_target_with_a_list_is_counted_in_and_keeps_its_members) {
  put("USER", "", "tags", "ab");
  world_.ok("publish", R"({"user":"u","post":"p","labels":["x","y"]})");
  world_.ok("publish", R"({"user":"u","post":"q","labels":["x"]})");
  EXPECT_EQ(figures(), "2 3");
  EXPECT_EQ(tags(), "ab");
}

TEST_P(ForeignFigures, a_counted_item_with_a_list_counts_as_its_set) {
  put("POST#f", "post", "labels", "xyz");
  world_.ok("publish", R"({"user":"u","post":"p","labels":["x"]})");
  drain();
  // Figures that are updated in the writer's transaction do not contain what the other program wrote, until a repair.
  if (std::string(GetParam()).empty()) world_.faults(true);
  EXPECT_EQ(figures(), "2 4");
  CallContext context;
  context.if_match = "0";
  EXPECT_EQ(world_.call("label", R"({"user":"u","post":"f","label":["v"]})", context).status, 200);
  EXPECT_EQ(figures(), "2 5");
  put("POST#g", "post", "labels", "xy");
  if (std::string(GetParam()).empty()) world_.faults(true);
  EXPECT_EQ(figures(), "3 7");
  world_.ok("remove", R"({"user":"u","post":"g"})");
  EXPECT_EQ(figures(), "2 5");
  world_.ok("remove", R"({"user":"u","post":"f"})");
  EXPECT_EQ(figures(), "1 1");
}

}  // namespace
}  // namespace trestle::runtime
