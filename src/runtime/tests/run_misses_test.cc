// Calls on an event loop, any of whose requests misses: the effect is that of the same call without a miss.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

// Each write operation sends several requests. No item contains a random id, so the effects of two runs can be
// compared.
constexpr std::string_view kWrites = R"y(design: misses
version: 3
tables: {t: {key: [PK, SK], type: Type}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Account:
    key: ["A#{name}", ACCOUNT]
    fields: {name: Name, tries: counter, faults: counter, last: counter, posted: counter, state: "enum(open, closed) = open"}
  Posting: {key: ["A#{name}", "P#{number}"], fields: {name: Name, number: "int(0..999)", cents: "int(-9..9)"}}
  Total: {key: ["T#{name}", TOTAL], fields: {name: Name, sum: counter}}
  Fault: {key: ["F#{name}", FAULT], fields: {name: Name, count: counter}}
tallies:
  posted: {of: Posting, into: Account, by: {name: name}, add: {posted: 1}}
reads:
  account: {get: Account}
  total: {get: Total, cache: 5m}
writes:
  open: {put: Account, if: absent, else: 409}
  post: {put: Posting, if: absent, else: 409}
  # Both inputs may be invalid: two refusals, each with a write.
  check:
    takes: {name: Name, x: "int(1..5)", y: "int(1..5)", z: "int(1..5)"}
    bad:
      x: {status: 400, also: [{update: Account, by: {name: $name}, add: {tries: 1}}]}
      y: {status: 400, also: [{upsert: Fault, by: {name: $name}, add: {count: 1}}]}
      z: {status: 400, also: [{upsert: Total, by: {name: $name}, add: {sum: 1}}]}
    steps: [{put: Total, set: {name: $name}}]
  close:
    takes: {name: Name}
    steps:
      - get: Account
        by: [name]
        as: account
        none: 404
      - require: $account.posted = 0
        else: {status: 409, also: [{update: Account, by: {name: $name}, add: {faults: 1}}, {upsert: Fault, by: {name: $name}, add: {count: 1}}]}
      - {update: Account, by: {name: $name}, set: {state: closed}, else: 404}
  number:
    takes: {name: Name}
    steps:
      - {next: Account.last, as: number, else: 404}
      - {get: Total, by: [name], as: total}
      - {put: Posting, set: {name: $name, number: $number, cents: 1}, if: absent, else: 409}
      - {upsert: Total, by: {name: $name}, add: {sum: 1}}
    returns: {number: $number}
  spread:
    takes: {names: list<Name>}
    steps:
      - {for: $names, as: one, do: [{upsert: Total, by: {name: $one}, add: {sum: 1}}, {upsert: Fault, by: {name: $one}, add: {count: 1}}]}
  move:
    takes: {name: Name, to: Name}
    steps:
      - {update: Account, by: {name: $name}, add: {tries: 1}, else: 404, undo: [{update: Account, by: {name: $name}, add: {tries: -1}}]}
      - {upsert: Total, by: {name: $name}, add: {sum: 1}, undo: [{upsert: Total, by: {name: $name}, add: {sum: -1}}]}
      - {update: Account, by: {name: $to}, set: {state: closed}, if: state = open, else: 409}
)y";

struct MissedCall {
  std::string operation;
  std::string inputs;
};

const std::vector<MissedCall> kCalls = {
    {"check", R"({"name":"a","x":99,"y":99,"z":99})"},
    {"check", R"({"name":"a","x":1,"y":99,"z":99})"},
    {"check", R"({"name":"a","x":1,"y":1,"z":1})"},
    {"close", R"({"name":"a"})"},
    {"close", R"({"name":"b"})"},
    {"number", R"({"name":"a"})"},
    {"number", R"({"name":"nobody"})"},
    {"spread", R"({"names":["a","b","a"]})"},
    {"move", R"({"name":"a","to":"b"})"},
    {"move", R"({"name":"a","to":"nobody"})"},
    {"open", R"({"name":"a"})"},
    {"post", R"({"name":"b","number":7,"cents":1})"},
};

// The items of the table. The records of calls, whose keys are random, are in another.
std::vector<std::string> stored_items(DesignWorld& world) {
  std::vector<std::string> items;
  ScanRequest scan;
  scan.table_name = "t";
  const auto page = world.engine->scan(scan);
  EXPECT_TRUE(page.has_value() && !page->last_evaluated_key);
  for (size_t i = 0; page && i < page->items.size(); ++i) items.emplace_back(page->items[i].bytes());
  std::ranges::sort(items);
  return items;
}

struct Effect {
  std::string reply;
  std::vector<std::string> items;
  bool operator==(const Effect&) const = default;
};

// The effect of a call whose `missing` request misses, and whether there was such a request.
std::pair<Effect, bool> effect_of(const MissedCall& call, int missing) {
  DesignWorld world{std::string(kWrites)};
  world.cold.miss_only(0);
  for (const char* name : {"a", "b"}) world.ok("open", std::string(R"({"name":")") + name + "\"}");
  world.ok("post", R"({"name":"a","number":500,"cents":1})");
  const design::Operation& operation = world.operation(call.operation);
  const Plain inputs = *parse_plain_json(call.inputs);
  world.cold.miss_only(missing);
  const int writes_before = ColdDatabase::writes_without_wait;
  Call on_loop;
  on_loop.cached_reads_only = true;
  auto answer = world.runtime->call(operation, inputs, {}, {}, on_loop);
  const bool missed = world.cold.requests_without_wait() >= missing;
  if (on_loop.needs_disk) {
    EXPECT_EQ(ColdDatabase::writes_without_wait, writes_before) << call.operation << ", request " << missing;
    Call on_worker;
    answer = world.runtime->call(operation, inputs, {}, {}, on_worker);
  }
  EXPECT_TRUE(world.faults().empty()) << call.operation;
  return {{.reply = answer ? plain_json(answer->body) : std::to_string(answer.error().status) + answer.error().message,
           .items = stored_items(world)},
          missed};
}

TEST(Misses, a_call_has_its_effect_once_whichever_of_its_requests_misses) {
  for (const MissedCall& call : kCalls) {
    const Effect expected = effect_of(call, 0).first;
    for (int missing = 1;; ++missing) {
      const auto [effect, missed] = effect_of(call, missing);
      EXPECT_TRUE(effect == expected) << call.operation << call.inputs << ", request " << missing << ": "
                                      << effect.reply << " instead of " << expected.reply;
      if (!missed) break;
      ASSERT_LT(missing, 40) << call.operation;
    }
  }
}

// Before its first effect, a call sends only so many requests; afterwards, it may wait, because it cannot be repeated.
TEST(Misses, a_call_with_an_effect_is_completed_by_its_thread) {
  DesignWorld world{std::string(kWrites)};
  world.cold.miss_only(0);
  world.ok("open", R"({"name":"a"})");
  Call call;
  call.cached_reads_only = true;
  world.cold.miss_only(2);
  const auto answer =
      world.runtime->call(world.operation("number"), *parse_plain_json(R"({"name":"a"})"), {}, {}, call);
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_FALSE(call.needs_disk);
  EXPECT_EQ(world.cold.requests_without_wait(), 1);
}

}  // namespace
}  // namespace trestle::runtime
