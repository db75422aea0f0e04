// Calls with an idempotency key that a crash interrupts at any of their writes: a repeat completes them, and nothing is
// done twice.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"
#include "runtime/failing_databases_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kSteps = R"y(design: steps
version: 1
tables: {t: {key: [PK, SK], type: Type, ttl: ttl, billing: on-demand}}
entities:
  Order:
    table: t
    key: ["ORDER#{order}", META]
    fields: {order: ulid auto, by: string(1..20), state: "enum(open, done) = open", at: time(ms) auto, lines: counter}
    unique: {by: "BY#{by}"}
  Line:
    table: t
    key: ["ORDER#{order}", "LINE#{line}"]
    fields: {order: ulid, line: ulid auto, name: string(1..20), token: token(16), pair: string(..60)}
  Twin:
    table: t
    key: ["TWIN#{pair}", "ORDER#{order}"]
    fields: {pair: string(..60), order: ulid}
  Total: {table: t, key: ["TOTAL#{name}", META], fields: {name: string(1..20), sum: counter}}
  Note: {table: t, key: ["NOTE#{note}", META], fields: {note: string(1..20), text: string(..50)}}
reads:
  lines: {query: Line}
  total: {get: Total}
writes:
  note: {put: Note}
  drop: {delete: Note, if: present, else: 404}
  dropAll:
    takes: {prefix: string(1..20)}
    steps:
      - {scan: Note, all: true, as: notes}
      - {for: $notes, as: one, do: [{delete: Note, by: {note: $one.note}, if: present, else: 404}]}
    returns: {dropped: $notes}
  make:
    takes: {by: string(1..20), names: list<string(1..20)>}
    steps:
      - let: {order: ulid(), token: token(16)}
      - {put: Order, set: {order: $order, by: $by}, if: absent, else: 409}
      - let: {pair: "concat('p-', $token)"}
      - for: $names
        as: name
        do:
          - let: {twin: "concat($pair, $name)"}
          - {put: Line, set: {order: $order, name: $name, token: $token, pair: $twin}}
          - {put: Twin, set: {pair: $twin, order: $order}, if: absent, else: 409}
          - {upsert: Total, by: {name: $name}, add: {sum: 1}}
          - {update: Order, by: {order: $order}, add: {lines: 1}, else: 404}
      - {update: Order, by: {order: $order}, set: {state: done}, if: state = open, else: 409}
  plain:
    takes: {names: list<string(1..20)>}
    steps:
      - {for: $names, as: name, do: [{upsert: Total, by: {name: $name}, add: {sum: 1}}]}
    returns: {counted: $names}
)y";

CallContext under(const std::string& key) {
  CallContext context;
  context.idempotency_key = key;
  return context;
}

TEST(Idempotence, a_call_cut_short_at_any_write_is_ended_by_its_repeat) {
  const std::string inputs = R"({"by":"me","names":["a","b","c"]})";
  int ended_at = -1;
  for (int writes = 0; ended_at < 0; ++writes) {
    ASSERT_LT(writes, 40);
    DesignWorld world{std::string(kSteps)};
    DyingDatabase dying(*world.engine);
    auto doomed = world.open(dying);
    dying.left = writes;
    const Reply cut = world.call("make", inputs, under("k"), {}, doomed.get());
    doomed.reset();
    if (cut.status == 200 && writes > 14) ended_at = writes;
    if (writes > 0 && cut.status != 200) {
      EXPECT_EQ(world.call("make", inputs, under("k")).status, 409) << "it may still run";
    }
    world.clock.advance_ms(11'000);
    const Reply done = world.ok("make", inputs, under("k"));
    EXPECT_EQ(done["item"].member("state").string(), "done") << writes << done.json;
    EXPECT_EQ(done["item"].member("lines").string(), "3") << writes << done.json;
    const std::string order = done["item"].member("order").string();
    const auto lines = world.walk("lines", fmt::format(R"({{"order":"{}"}})", order), 100);
    std::string names;
    for (const Plain& line : lines) {
      names += line.member("name").string();
      EXPECT_EQ(line.member("token").string(), lines[0].member("token").string()) << "one token for the whole call";
      EXPECT_EQ(world.attribute("t", "TWIN#" + line.member("pair").string(), "ORDER#" + order, "order"), order);
    }
    EXPECT_EQ(names, "abc") << writes;
    for (const char* name : {"a", "b", "c"})
      EXPECT_EQ(world.ok("total", fmt::format(R"({{"name":"{}"}})", name))["item"].member("sum").string(), "1")
          << writes << name;
    // Order, its guard, three lines, three twins, three totals.
    EXPECT_EQ(world.count("t"), 11u) << writes;
    EXPECT_EQ(world.ok("make", inputs, under("k")).json, done.json) << writes;
    EXPECT_EQ(world.count("t"), 11u) << writes;
    world.refused(422, "make", R"({"by":"other","names":[]})", under("k"));
  }
  EXPECT_GE(ended_at, 14);
}

constexpr const char* kGroups = R"y(design: groups
version: 1
tables: {t: {key: [PK, SK], billing: on-demand}}
entities:
  Group: {table: t, key: ["GROUP#{name}", META], fields: {name: string(1..20), text: string(..50) optional}}
  Owned: {table: t, key: ["OWNED#{name}", META], fields: {name: string(1..20), owner: string(1..20)}, unique: {owner: "OWNER#{owner}"}}
  Member: {table: t, key: ["GROUP#{name}", "MEMBER#{user}"], fields: {name: string(1..20), user: string(1..20)}}
reads:
  members: {query: Member}
writes:
  addGroup: {put: Group}
  addOwned: {put: Owned, if: absent, else: 409}
  addMember: {put: Member}
  change: {steps: [{update: Group, set: [text], else: 404}, {cascade: Member, by: [name]}], takes: {name: string(1..20), text: string(..50)}}
  remove: {steps: [{delete: Group, if: present, else: 404}, {cascade: Member, by: [name]}], takes: {name: string(1..20)}}
  removeOwned: {steps: [{delete: Owned, if: present, else: 404}, {cascade: Member, by: [name]}], takes: {name: string(1..20)}}
  removeAlone: {delete: Group, if: present, else: 404}
  replace: {steps: [{put: Group}, {cascade: Member, by: [name]}], takes: {name: string(1..20), text: string(..50) optional}}
)y";

void add_groups(DesignWorld& world) {
  world.ok("addGroup", R"({"name":"g","text":"old"})");
  world.ok("addOwned", R"({"name":"g","owner":"ada"})");
  for (const char* user : {"a", "b", "c"}) {
    world.ok("addMember", fmt::format(R"({{"name":"g","user":"{}"}})", user));
  }
}

std::string inputs_of(const std::string& operation) {
  const bool sets = operation == "change" || operation == "replace";
  return sets ? R"({"name":"g","text":"new"})" : R"({"name":"g"})";
}

TEST(Idempotence, a_call_cut_short_at_any_write_answers_as_one_that_is_not) {
  for (const std::string operation : {"change", "remove", "removeOwned", "removeAlone", "replace"}) {
    const std::string inputs = inputs_of(operation);
    std::string expected;
    bool is_cut = true;
    for (int writes = 1000; is_cut; writes = writes == 1000 ? 1 : writes + 1) {
      DesignWorld world{std::string(kGroups)};
      add_groups(world);
      DyingDatabase dying(*world.engine);
      auto doomed = world.open(dying);
      dying.left = writes;
      const Reply cut = world.call(operation, inputs, under("k"), {}, doomed.get());
      if (writes == 1000) {
        expected = cut.json;
        EXPECT_NE(expected.find(R"("name":"g")"), std::string::npos) << operation << expected;
        continue;
      }
      is_cut = cut.status != 200;
      world.clock.advance_ms(11'000);
      EXPECT_EQ(world.ok(operation, inputs, under("k")).json, expected) << operation << " after " << writes;
      ASSERT_LT(writes, 20);
    }
  }
}

// The background work completes the call. Items written since then belong to later calls.
TEST(Idempotence, the_repeat_of_a_call_that_was_ended_meanwhile_does_not_cascade_again) {
  for (const std::string operation : {"change", "remove", "removeOwned", "replace"}) {
    const std::string inputs = inputs_of(operation);
    bool is_cut = true;
    for (int writes = 1; is_cut; ++writes) {
      ASSERT_LT(writes, 20);
      DesignWorld world{std::string(kGroups)};
      add_groups(world);
      DyingDatabase dying(*world.engine);
      auto doomed = world.open(dying);
      dying.left = writes;
      is_cut = world.call(operation, inputs, under("k"), {}, doomed.get()).status != 200;
      doomed.reset();
      world.clock.advance_ms(11'000);
      ASSERT_TRUE(world.runtime->resume().has_value());
      EXPECT_TRUE(world.walk("members", R"({"name":"g"})", 100).empty()) << operation << " after " << writes;
      world.ok("addMember", R"({"name":"g","user":"later"})");
      world.ok(operation, inputs, under("k"));
      EXPECT_EQ(world.walk("members", R"({"name":"g"})", 100).size(), 1u) << operation << " after " << writes;
    }
  }
}

TEST(Idempotence, a_passed_input_counts_even_if_it_has_a_default) {
  DesignWorld world{std::string(R"y(design: pay
version: 1
tables: {t: {key: [PK], billing: on-demand}}
entities:
  Payment: {table: t, key: "{id}", fields: {id: ulid, amount: int, at: time(ms)}}
reads:
  payment: {get: Payment}
writes:
  pay:
    takes: {id: "ulid = ulid()", amount: int = 10, at: time(ms) = now}
    put: Payment
)y")};
  const std::string first = world.ok("pay", R"({"amount":25})", under("k")).json;
  world.clock.advance_ms(60'000);
  EXPECT_EQ(world.ok("pay", R"({"amount":25})", under("k")).json, first) << "defaults made anew are no difference";
  world.refused(422, "pay", R"({"amount":99})", under("k"));
  world.refused(422, "pay", R"({})", under("k"));
}

TEST(Idempotence, a_call_that_writes_only_for_each_of_a_list_counts_each_once) {
  for (int writes = 1; writes < 4; ++writes) {
    DesignWorld world{std::string(kSteps)};
    DyingDatabase dying(*world.engine);
    auto doomed = world.open(dying);
    dying.left = writes;
    const std::string inputs = R"({"names":["a","a","b"]})";
    EXPECT_EQ(world.call("plain", inputs, under("k"), {}, doomed.get()).status, writes < 3 ? 503 : 200);
    world.clock.advance_ms(11'000);
    world.ok("plain", inputs, under("k"));
    world.ok("plain", inputs, under("k"));
    EXPECT_EQ(world.ok("total", R"({"name":"a"})")["item"].member("sum").string(), "2") << writes;
    EXPECT_EQ(world.ok("total", R"({"name":"b"})")["item"].member("sum").string(), "1") << writes;
  }
}

TEST(Idempotence, a_resumed_call_deletes_and_returns_what_it_read_before_the_crash) {
  for (int writes = 1; writes < 4; ++writes) {
    DesignWorld world{std::string(kSteps)};
    for (const char* note : {"a", "b", "c"}) world.ok("note", fmt::format(R"({{"note":"{}","text":"t"}})", note));
    DyingDatabase dying(*world.engine);
    auto doomed = world.open(dying);
    dying.left = writes;
    world.call("dropAll", R"({"prefix":"x"})", under("k"), {}, doomed.get());
    // Items added in the meantime are not part of the call.
    world.ok("note", R"({"note":"d","text":"t"})");
    world.clock.advance_ms(11'000);
    const Reply done = world.ok("dropAll", R"({"prefix":"x"})", under("k"));
    EXPECT_EQ(done["dropped"].elements().size(), 3u) << done.json;
    EXPECT_EQ(world.count("t"), 1u) << writes;
  }
}

TEST(Idempotence, a_call_that_refers_to_the_first_completes_it_with_its_inputs) {
  DesignWorld world{std::string(kSteps)};
  DyingDatabase dying(*world.engine);
  auto doomed = world.open(dying);
  dying.left = 1;
  CallContext first = under("k");
  first.repeats_first_call = true;
  world.call("plain", R"({"names":["a","b"]})", first, {}, doomed.get());
  const Reply done = world.ok("plain", R"({"names":["c"]})", first);
  EXPECT_EQ(done.json, R"({"counted":["a","b"]})");
  EXPECT_EQ(world.ok("plain", R"({"names":["d"]})", first).json, done.json);
  EXPECT_EQ(world.count("t"), 2u);
}

TEST(Idempotence, if_two_resume_a_call_each_write_is_made_once) {
  DesignWorld world{std::string(kSteps)};
  DyingDatabase slow(*world.engine);
  auto first = world.open(slow);
  slow.left = 1;
  CallContext context = under("k");
  context.repeats_first_call = true;
  world.call("plain", R"({"names":["a","a","a"]})", context, {}, first.get());
  slow.left = 1;  // it makes the second write and then stops
  world.call("plain", R"({"names":["a","a","a"]})", context, {}, first.get());
  world.ok("plain", R"({"names":["a","a","a"]})", context);
  slow.left = 100;
  EXPECT_EQ(world.call("plain", R"({"names":["a","a","a"]})", context, {}, first.get()).status, 200);
  EXPECT_EQ(world.ok("total", R"({"name":"a"})")["item"].member("sum").string(), "3");
}

constexpr std::string_view kTransfers = R"y(design: transfers
version: 1
tables: {t: {key: [PK, SK], type: Type, billing: on-demand}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Account:
    key: ["A#{name}", ACCOUNT]
    fields: {name: Name, state: "enum(open, closed) = open", limit: int(0..100) = 0, balance: int(-100..1000) = 0, rev: revision}
  Transfer:
    key: ["T#{transfer}", TRANSFER]
    fields: {transfer: ulid auto, from: Name, cents: int(1..1000), reference: Name optional}
    unique: {reference: "REF#{from}#{reference}"}
  Posting:
    key: ["A#{from}", "P#{transfer}"]
    fields: {from: Name, transfer: ulid, cents: int(1..1000)}
tallies:
  balance: {of: Posting, into: Account, by: {name: from}, add: {balance: 0 - cents}}
reads:
  account: {get: Account, consistent: true}
writes:
  open: {put: Account, takes: {name: Name, limit: Account.limit}, if: absent, else: 409}
  close: {update: Account, takes: {name: Name}, by: [name], set: {state: closed}, else: 404}
  pay:
    takes: {from: Name, cents: Transfer.cents, reference: Transfer.reference optional}
    idempotent: reference
    steps:
      - {require: $cents <> 13, else: 422}
      - let: {transfer: ulid()}
      - atomic:
          - {check: Account, by: {name: $from}, if: state = open AND balance + limit >= $cents, else: 409}
          - {put: Transfer, if: absent}
          - {put: Posting, if: absent}
)y";

TEST(Idempotence, the_designs_own_key_answers_before_the_conditions_of_its_transaction) {
  DesignWorld world{std::string(kTransfers)};
  world.ok("open", R"({"name":"ann","limit":100})");
  const Reply first = world.ok("pay", R"({"from":"ann","cents":80,"reference":"r"})");
  // The balance does not suffice for a second payment.
  const Reply second = world.ok("pay", R"({"from":"ann","cents":80,"reference":"r"})");
  EXPECT_EQ(second.json, first.json);
  EXPECT_TRUE(first["item"].member("reference").exists()) << first.json;
  EXPECT_EQ(world.call("pay", R"({"from":"ann","cents":80,"reference":"s"})").status, 409);
  EXPECT_EQ(world.call("pay", R"({"from":"ann","cents":80})").status, 409);
  EXPECT_EQ(world.ok("account", R"({"name":"ann"})")["item"].member("balance").string(), "-80");
  world.ok("close", R"({"name":"ann"})");
  world.ok("pay", R"({"from":"ann","cents":80,"reference":"r"})");
  // A step before the transaction is evaluated for a repeated call, too.
  EXPECT_EQ(world.call("pay", R"({"from":"ann","cents":13,"reference":"r"})").status, 422);
  EXPECT_EQ(fmt::format("{}", fmt::join(world.faults(), "\n")), "");
}

constexpr std::string_view kOrders = R"y(design: orders
version: 1
tables: {t: {key: [PK, SK], type: Type}}
types: {W: "string([a-z], 1..9)"}
entities:
  Order:
    key: ["O#{id}", ORDER]
    fields: {id: ulid auto, key: W, total: int = 1}
    unique: {key: "IK#{key}"}
  C: {key: ["C#{c}", C], fields: {c: W, n: counter, last: counter}}
reads: {c: {get: C}}
writes:
  make:
    takes: {key: W, fail: bool = false}
    idempotent: key
    steps:
      - {upsert: C, by: {c: "'a'"}, add: {n: 1}, undo: [{upsert: C, by: {c: "'a'"}, add: {n: -1}}]}
      - {require: $fail = false, else: 422}
      - {put: Order, if: absent, else: 409}
      - {upsert: C, by: {c: "'b'"}, add: {n: 1}}
  number:
    takes: {key: W}
    idempotent: key
    steps:
      - {next: C.last, by: {c: "'a'"}, as: no}
      - {put: Order, set: {total: $no}, if: absent, else: 409}
    returns: {no: $no}
  listed:
    takes: {key: W, cs: "list<W>(..3)"}
    idempotent: key
    steps:
      - {for: $cs, as: c, do: [{upsert: C, by: {c: $c}, add: {n: 1}}]}
      - {put: Order, if: absent, else: 409}
)y";

std::string count_of(DesignWorld& world, const char* c, const char* field = "n") {
  return world.ok("c", fmt::format(R"({{"c":"{}"}})", c))["item"].member(field).string();
}

TEST(OwnKeys, a_repeated_call_has_no_effect_before_the_item_with_the_key) {
  DesignWorld world{std::string(kOrders)};
  const Reply first = world.ok("make", R"({"key":"k"})");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(world.ok("make", R"({"key":"k"})").json, first.json);
  EXPECT_EQ(count_of(world, "a"), "1");
  EXPECT_EQ(count_of(world, "b"), "1");
  world.ok("number", R"({"key":"n"})");
  EXPECT_EQ(world.ok("number", R"({"key":"n"})").json, "{}");
  EXPECT_EQ(count_of(world, "a", "last"), "1");
  world.ok("listed", R"({"key":"l","cs":["p","p"]})");
  world.ok("listed", R"({"key":"l","cs":["p","p"]})");
  EXPECT_EQ(count_of(world, "p"), "2");
  // A refused call has used no key.
  world.refused(422, "make", R"({"key":"m","fail":true})");
  EXPECT_EQ(count_of(world, "a"), "1");
  world.ok("make", R"({"key":"m"})");
  EXPECT_EQ(count_of(world, "a"), "2");
  // An answer under the caller's key is kept, too.
  EXPECT_EQ(world.ok("make", R"({"key":"k"})", under("c")).json, first.json);
  EXPECT_EQ(world.ok("make", R"({"key":"k"})", under("c")).json, first.json);
  EXPECT_EQ(count_of(world, "a"), "2");
}

// Lets another call run before the second write.
class RacedDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  std::function<void()> meanwhile;
  int writes = 0;

 protected:
  Result<void> before(bool is_write, const PutItemRequest* /*put*/, Call& /*call*/) override {
    if (is_write && ++writes == 2) meanwhile();
    return {};
  }
};

TEST(OwnKeys, of_two_calls_at_the_same_time_one_undoes_its_steps_and_gets_the_answer_of_the_other) {
  for (const bool has_key : {false, true}) {
    DesignWorld world{std::string(kOrders)};
    RacedDatabase raced(*world.engine);
    auto slow = world.open(raced);
    Reply other;
    raced.meanwhile = [&] { other = world.ok("make", R"({"key":"k"})"); };
    const CallContext context = has_key ? under("c") : CallContext{};
    const Reply reply = world.call("make", R"({"key":"k"})", context, {}, slow.get());
    EXPECT_EQ(reply.status, 200) << reply.message;
    EXPECT_EQ(reply.json, other.json);
    EXPECT_EQ(world.call("make", R"({"key":"k"})", context, {}, slow.get()).json, other.json);
    EXPECT_EQ(count_of(world, "a"), "1");
    EXPECT_EQ(count_of(world, "b"), "1");
  }
}

}  // namespace
}  // namespace trestle::runtime
