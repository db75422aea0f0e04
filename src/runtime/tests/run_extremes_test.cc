// Tallies of least and greatest values: in the writer's transaction and through the stream, and their verification.
#include <fmt/format.h>

#include <map>
#include <thread>
#include <vector>

#include "runtime/background/stream_tallies.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

std::string scores(const std::string& through, const std::string& when = "") {
  return fmt::format(R"y(design: scores
version: 1
tables:
  things: {{key: [PK, SK], type: Type, stream: new-and-old, indexes: {{byPoints: {{local: true, key: [PK, L1]}}}}}}
types: {{Name: "string([a-z], 1..9)"}}
entities:
  Player:
    key: ["PLAYER#{{player}}", PLAYER]
    fields: {{player: Name, best: int optional, worst: int optional, record: max<int> optional, lastGame: Name optional, games: counter, rev: revision}}
  Score:
    key: ["PLAYER#{{player}}", "SCORE#{{game}}"]
    fields: {{player: Name, game: Name, points: int(0..999) optional, fair: bool = true, rev: revision}}
    index: {{byPoints: {{on: byPoints, key: ["PLAYER#{{player}}", "{{points:03}}"]}}}}
tallies:
  points: {{of: Score, into: Player, by: {{player: player}}, add: {{games: 1}}, max: {{best: points, record: points, lastGame: game}}, min: {{worst: points}}{}{}}}
reads:
  player: {{get: Player, consistent: true}}
  scores: {{query: Score}}
  ranked: {{query: Score.byPoints}}
writes:
  play: {{put: Score}}
  change: {{update: Score, else: 404}}
  move:
    takes: {{player: Name, game: Name, to: Name}}
    steps:
      - {{get: Score, consistent: true, as: score, none: 404}}
      - atomic:
          - {{delete: Score, if: present, else: 404}}
          - {{put: Score, from: $score, set: {{player: $to}}, if: absent, else: 409}}
  remove: {{delete: Score, if: present, else: 404}}
  swap:
    takes: {{player: Name, game: Name, other: Name, points: Score.points}}
    atomic:
      - {{delete: Score, if: present, else: 404}}
      - {{put: Score, set: {{game: $other, points: $points, fair: true}}, if: absent, else: 409}}
  playFair:
    takes: {{player: Name, game: Name, points: Score.points, most: int}}
    atomic:
      - {{check: Player, if: games < $most, else: {{status: 422}}}}
      - {{put: Score, set: {{fair: true}}, if: absent, else: 409}}
  renew:
    takes: {{player: Name, game: Name}}
    atomic:
      - {{delete: Score, if: present, else: 404}}
      - {{put: Player}}
  renewAll:
    takes: {{player: Name, games: "list<Name>(1..5)"}}
    atomic:
      - {{put: Player}}
      - {{for: $games, as: one, do: [{{delete: Score, by: {{player: $player, game: $one}}, if: present, else: 404}}]}}
  renewWith:
    takes: {{player: Name, game: Name, other: Name, points: Score.points}}
    atomic:
      - {{delete: Score, if: present, else: 404}}
      - {{put: Score, set: {{game: $other, points: $points, fair: true}}, if: absent, else: 409}}
      - {{put: Player}}
  renewFirst:
    takes: {{player: Name, game: Name, other: Name, points: Score.points}}
    atomic:
      - {{put: Player}}
      - {{delete: Score, if: present, else: 404}}
      - {{put: Score, set: {{game: $other, points: $points, fair: true}}, if: absent, else: 409}}
  renewChanged:
    takes: {{player: Name, game: Name, other: Name, points: Score.points}}
    atomic:
      - {{put: Player}}
      - {{delete: Score, if: present, else: 404}}
      - {{update: Score, by: {{player: $player, game: $other}}, set: {{points: $points}}, if: present, else: 404}}
)y",
                     when.empty() ? "" : ", when: " + when, through.empty() ? "" : ", through: " + through);
}

class Extremes : public testing::TestWithParam<const char*> {
 protected:
  void start(const std::string& when = "") { world_ = std::make_unique<DesignWorld>(scores(GetParam(), when)); }
  void drain() {
    const ItemCodec codec(world_->reading->design, world_->keys.get(), &world_->blobs);
    ItemForm form(world_->reading->design, world_->database, codec);
    StreamTallies tallies(world_->reading->design, world_->database, codec, form);
    const auto drained = tallies.drain(world_->clock.now_ms());
    EXPECT_TRUE(drained.has_value()) << (drained ? "" : drained.error().message);
  }
  void play(const std::string& player, const std::string& game, int points) {
    world_->ok("play", fmt::format(R"({{"player":"{}","game":"{}","points":{}}})", player, game, points));
  }
  void remove(const std::string& game) { world_->ok("remove", fmt::format(R"({{"player":"p","game":"{}"}})", game)); }
  // Best, worst, record and last game.
  std::string figures(const std::string& player = "p") {
    drain();
    const Reply reply = world_->ok("player", fmt::format(R"({{"player":"{}"}})", player));
    std::string out;
    for (const char* name : {"best", "worst", "record", "lastGame"}) {
      const Plain& value = reply["item"].member(name);
      out += (out.empty() ? "" : " ") + (value.exists() ? value.string() : std::string("-"));
    }
    return out;
  }
  void expect_sound() { EXPECT_EQ(fmt::format("{}", fmt::join(world_->faults(), "\n")), ""); }

  std::unique_ptr<DesignWorld> world_;
};
INSTANTIATE_TEST_SUITE_P(Tallies, Extremes, testing::Values("", "stream"),
                         [](const auto& one) { return std::string(one.param).empty() ? "transaction" : "stream"; });

TEST_P(Extremes, follow_every_change) {
  start();
  play("p", "a", 5);
  EXPECT_EQ(figures(), "5 5 5 a");
  play("p", "b", 9);
  play("p", "c", 2);
  EXPECT_EQ(figures(), "9 2 9 c");
  remove("b");
  EXPECT_EQ(figures(), "5 2 9 c");
  world_->ok("change", R"({"player":"p","game":"a","points":1})");
  EXPECT_EQ(figures(), "2 1 9 c");
  world_->ok("change", R"({"player":"p","game":"c","points":null})");
  EXPECT_EQ(figures(), "1 1 9 c");
  world_->ok("swap", R"({"player":"p","game":"c","other":"b","points":7})");
  EXPECT_EQ(figures(), "7 1 9 b");
  play("p", "b", 3);  // replaces game b
  EXPECT_EQ(figures(), "3 1 9 b");
  world_->ok("move", R"({"player":"p","game":"b","to":"q"})");
  EXPECT_EQ(figures(), "1 1 9 a");
  EXPECT_EQ(figures("q"), "3 3 3 b");
  remove("a");
  EXPECT_EQ(figures(), "- - 9 -");
  expect_sound();
}

TEST_P(Extremes, follow_where_their_item_is_put_in_the_same_transaction) {
  start();
  for (const auto& [game, points] : std::map<std::string, int>{{"a", 5}, {"b", 9}, {"c", 2}, {"d", 7}})
    play("p", game, points);
  EXPECT_EQ(figures(), "9 2 9 d");
  CallContext once;
  once.idempotency_key = "once";
  for (const char* which : {"first", "repeated"}) {
    const Reply renewed = world_->ok("renew", R"({"player":"p","game":"b"})", once);
    if (std::string(GetParam()) == "stream") continue;
    EXPECT_EQ(renewed["item"].member("best").string(), "7") << which;
    EXPECT_EQ(renewed["item"].member("games").string(), "3") << which;
  }
  EXPECT_EQ(figures(), "7 2 9 d");
  world_->ok("renewWith", R"({"player":"p","game":"c","other":"e","points":1})");
  EXPECT_EQ(figures(), "7 1 9 e");
  play("p", "f", 8);
  world_->ok("renewFirst", R"({"player":"p","game":"f","other":"g","points":6})");
  EXPECT_EQ(figures(), "7 1 9 g");
  world_->ok("renewFirst", R"({"player":"p","game":"d","other":"f","points":6})");
  EXPECT_EQ(figures(), "6 1 9 g");
  world_->ok("renewAll", R"({"player":"p","games":["f","g","e"]})");
  EXPECT_EQ(figures(), "5 5 9 a");
  play("p", "b", 8);
  play("p", "c", 7);
  world_->ok("renewChanged", R"({"player":"p","game":"b","other":"c","points":6})");
  EXPECT_EQ(figures(), "6 5 9 c");
  play("p", "b", 8);
  world_->ok("renewChanged", R"({"player":"p","game":"b","other":"c","points":4})");
  EXPECT_EQ(figures(), "5 4 9 c");
  remove("c");
  EXPECT_EQ(figures(), "5 5 9 a");
  world_->ok("renew", R"({"player":"p","game":"a"})");
  EXPECT_EQ(figures(), "- - 9 -");
  expect_sound();
}

TEST_P(Extremes, count_only_what_satisfies_the_condition) {
  start("fair = true");
  play("p", "a", 5);
  play("p", "b", 9);
  EXPECT_EQ(figures(), "9 5 9 b");
  world_->ok("change", R"({"player":"p","game":"b","fair":false})");
  EXPECT_EQ(figures(), "5 5 9 a");
  world_->ok("change", R"({"player":"p","game":"b","points":20})");
  EXPECT_EQ(figures(), "5 5 9 a");
  world_->ok("change", R"({"player":"p","game":"b","fair":true})");
  EXPECT_EQ(figures(), "20 5 20 b");
  expect_sound();
}

TEST_P(Extremes, are_right_after_concurrent_calls) {
  start();
  for (int i = 0; i < 4; ++i) play("p", std::string(1, static_cast<char>('a' + i)), i);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 12; ++i) {
        const std::string key = fmt::format(R"("player":"p","game":"{}")", static_cast<char>('a' + (t + i) % 5));
        const Reply reply = i % 3 == 2
                                ? world_->call("remove", "{" + key + "}")
                                : world_->call("play", fmt::format(R"({{{},"points":{}}})", key, (i * 7 + t) % 10));
        EXPECT_TRUE(reply.status == 200 || reply.status == 404) << reply.status << " " << reply.message;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  drain();
  expect_sound();
}

TEST_P(Extremes, are_verified_and_repaired) {
  start();
  play("p", "a", 5);
  play("p", "b", 9);
  drain();
  UpdateItemRequest request{.table_name = "things",
                            .key = Item({{"PK", Value::string("PLAYER#p")}, {"SK", Value::string("PLAYER")}})};
  request.update_expression = "SET best = :x, #r = :x REMOVE worst";
  request.placeholders.names = NameMap{{"#r", "record"}};
  request.placeholders.values = ValueMap{{":x", Value::number(7)}};
  ASSERT_TRUE(world_->database.update_item(request).has_value());
  const auto faults = world_->faults();
  ASSERT_EQ(faults.size(), 1U);
  for (const char* words : {"best is 7, should be 9", "worst is absent, should be 5", "record is 7, should be 9"})
    EXPECT_NE(faults[0].find(words), std::string::npos) << faults[0];
  world_->faults(true);
  EXPECT_EQ(figures(), "9 5 9 b");
  expect_sound();
}

// The value does not raise the figure, so the first attempt fails; the condition on the item holds nevertheless.
TEST_P(Extremes, do_not_hide_whether_a_condition_on_their_item_holds) {
  start();
  play("p", "a", 5);
  drain();
  world_->ok("playFair", R"({"player":"p","game":"b","points":3,"most":9})");
  world_->ok("playFair", R"({"player":"p","game":"c","points":4,"most":9})");
  drain();
  EXPECT_EQ(world_->call("playFair", R"({"player":"p","game":"d","points":1,"most":3})").status, 422);
  EXPECT_EQ(figures(), "5 3 5 c");
  expect_sound();
}

// An item without a revision was written by another program.
TEST_P(Extremes, let_an_item_be_put_that_has_no_revision) {
  start();
  play("p", "a", 5);
  drain();
  UpdateItemRequest request{.table_name = "things",
                            .key = Item({{"PK", Value::string("PLAYER#p")}, {"SK", Value::string("PLAYER")}})};
  request.update_expression = "REMOVE rev";
  ASSERT_TRUE(world_->database.update_item(request).has_value());
  world_->ok("renew", R"({"player":"p","game":"a"})");
  EXPECT_EQ(figures(), "- - 5 -");
  expect_sound();
}

// The revision that the caller sends is that of the score, not of the player.
TEST_P(Extremes, leave_the_revision_of_the_caller_alone) {
  start();
  play("p", "a", 5);
  play("p", "b", 9);
  CallContext context;
  context.if_match = "1";
  const Reply reply = world_->call("change", R"({"player":"p","game":"a","points":6})", context);
  EXPECT_EQ(reply.status, 200) << reply.message;
  EXPECT_EQ(figures(), "9 6 9 b");
}

}  // namespace
}  // namespace trestle::runtime
