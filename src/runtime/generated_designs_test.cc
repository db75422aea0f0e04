// Random designs, run with random calls and compared with a plain model; then verification must find no fault.
// TRESTLE_GENERATED_DESIGNS is the number of designs, TRESTLE_GENERATED_SEED the first seed, TRESTLE_GENERATED_ON the
// URL of a DynamoDB endpoint to run on; its tables first, second, accounts, readings and trestle-journal are deleted.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "design/check/check.h"
#include "remote/remote_database.h"
#include "runtime/background/stream_tallies.h"
#include "runtime/failing_databases_for_test.h"
#include "runtime/generated_run_for_test.h"

namespace trestle::runtime {

std::string GeneratedRun::errors() {
  std::string text;
  for (const auto& finding : design::check_design(*world_.reading).findings) {
    if (finding.severity == design::Severity::kError) text += finding.code + ": " + finding.message + "\n";
  }
  return text;
}

void GeneratedRun::run(int calls) {
  for (int i = 0; i < calls && !testing::Test::HasFailure(); ++i) {
    one_call();
    if (i % 8 == 7) compare();
    if (i % 20 == 19) killed_call();
  }
  compare();
  other_program_.write();
  world_.faults(true);
  other_program_.expect_extras();
  compare();
  for (int i = 0; i < calls / 4 && !testing::Test::HasFailure(); ++i) one_call();
  compare();
}

void GeneratedRun::run_together(int threads, int calls) {
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([this, calls, seed = random_()] {
      std::mt19937_64 random(seed);
      for (int i = 0; i < calls; ++i) {
        const Reply reply = some_call(world_, generated_, random);
        EXPECT_LT(reply.status, 500) << reply.message;
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  drain();
  EXPECT_EQ(fmt::format("{}", fmt::join(world_.faults(), "\n")), "") << "after concurrent calls";
}

void GeneratedRun::killed_call() {
  const Key key = some_key();
  const MainItem item = some_item();
  const auto before = items_of(key.first);
  const std::string name = pick({"replace", "drop", "clear", "shift", "createAll", "removeAll"});
  const std::string a = fmt::format(R"("a":"{}")", key.first);
  const std::string call =
      name == "replace" ? json(key, item)
      : name == "drop"  ? "{" + key_json(key) + "}"
      : name == "clear" ? "{" + a + "}"
      : name == "shift" ? fmt::format(R"({{{},"to":{},"d":{}}})", key_json(key), (key.second + 1) % 3, random_() % 31)
      : name == "createAll" ? fmt::format(R"({{{},"ns":[0,2],"s":"{}","w":{},"k":"ka"}})", a, item.s, item.w)
                            : fmt::format(R"({{{},"ns":[1,2]}})", a);
  DyingDatabase dying(world_.database);
  auto doomed = world_.open(dying);
  dying.left = static_cast<int>(random_() % 5);
  const Reply reply = world_.call(name, call, {}, {}, doomed.get());
  doomed.reset();
  world_.runtime = world_.open(world_.database);
  // On another endpoint the call could still be running in another process, so resume() waits for a while.
  if (world_.engine == nullptr) world_.clock.advance_ms(120'000);
  const auto resumed = world_.runtime->resume();
  ASSERT_TRUE(resumed.has_value()) << resumed.error().message;
  read_again(key.first);
  const auto after = items_of(key.first);
  const auto weight = [](const auto& items) {
    int sum = 0;
    for (const auto& [n, one] : items) sum += one.w;
    return sum;
  };
  const std::string what = fmt::format("killed {} {} answered {} {}", name, call, reply.status, reply.message);
  if (name == "clear") {
    EXPECT_TRUE(after.empty() || (after == before && reply.status != 200))
        << what << ": " << after.size() << " of " << before.size() << " are left";
  }
  if (name == "shift") {
    EXPECT_EQ(weight(after), weight(before)) << what;
  }
  if (name == "createAll" && after != before) {
    EXPECT_EQ(after.size(), before.size() + 2) << what;
  }
  if (name == "removeAll" && after != before) {
    EXPECT_EQ(after.size() + 2, before.size()) << what;
  }
}

std::map<int, MainItem> GeneratedRun::items_of(const std::string& a) const {
  std::map<int, MainItem> found;
  for (const auto& [key, item] : items_) {
    if (key.first == a) found[key.second] = item;
  }
  return found;
}

void GeneratedRun::read_again(const std::string& a) {
  std::erase_if(items_, [&](const auto& one) { return one.first.first == a; });
  std::erase_if(marks_, [&](const auto& one) { return one.first == a; });
  for (const Plain& stored : world_.walk("both", fmt::format(R"({{"a":"{}"}})", a), 2)) {
    if (stored.member("_entity").string() == "Mark") {
      marks_.insert({a, stored.member("k").string()});
      continue;
    }
    const auto maybe = [&](const char* name) {
      return stored.member(name).exists() ? std::optional(stored.member(name).string()) : std::nullopt;
    };
    MainItem item{.s = stored.member("s").string(), .w = std::atoi(stored.member("w").string().c_str())};
    item.u = maybe("u");
    item.o = maybe("o");
    item.p = maybe("p");
    if (stored.member("e").exists()) item.e = std::atoll(stored.member("e").string().c_str());
    if (stored.member("l").exists()) {
      for (const Plain& part : stored.member("l").elements()) item.l.push_back(part.string());
    }
    items_[{a, std::atoi(stored.member("n").string().c_str())}] = item;
  }
}

void GeneratedRun::compare() {
  // No call may be left unfinished, not even a refused one.
  const auto resumed = world_.runtime->resume();
  EXPECT_TRUE(resumed.has_value()) << resumed.error().message;
  EXPECT_EQ(resumed.value_or(0), 0);
  for (const char* a : {"a", "b"}) {
    std::map<int, Plain> found;
    for (const Plain& item : world_.walk("ofA", fmt::format(R"({{"a":"{}"}})", a), 2)) {
      if (item.member("w").exists()) found[std::atoi(item.member("n").string().c_str())] = item;
    }
    std::set<int> wanted;
    for (const auto& [key, item] : items_) {
      if (key.first != a) continue;
      wanted.insert(key.second);
      if (!found.contains(key.second)) {
        ADD_FAILURE() << "lost " << key.first << key.second;
        continue;
      }
      const Plain& stored = found[key.second];
      const auto same = [&](const char* name, const std::optional<std::string>& value) {
        const std::string has = stored.member(name).is(Plain::Kind::kText) ? stored.member(name).string() : "";
        EXPECT_EQ(has, value.value_or("")) << name << " of " << key.first << key.second;
      };
      same("s", item.s);
      same("u", item.u);
      same("o", item.o);
      same("p", item.p);
      EXPECT_EQ(stored.member("w").string(), std::to_string(item.w)) << key.first << key.second;
      EXPECT_EQ(stored.member("e").exists(), item.e.has_value());
    }
    for (const auto& [n, item] : found) EXPECT_TRUE(wanted.contains(n)) << "left over " << a << n;
  }
  compare_others();
  drain();
  compare_extremes();
  EXPECT_EQ(fmt::format("{}", fmt::join(world_.faults(), "\n")), "");
}

void GeneratedRun::compare_others() {
  tables_.compare();
  for (const char* a : {"a", "b"}) {
    std::map<std::string, size_t> kinds;
    for (const Plain& item : world_.walk("both", fmt::format(R"({{"a":"{}"}})", a), 2))
      ++kinds[item.member("_entity").string()];
    const auto of_a = [&](const auto& one) { return one.first.first == a; };
    EXPECT_EQ(kinds["Main"], static_cast<size_t>(std::count_if(items_.begin(), items_.end(), of_a)));
    EXPECT_EQ(kinds["Mark"], static_cast<size_t>(std::count_if(marks_.begin(), marks_.end(),
                                                               [&](const auto& one) { return one.first == a; })));
    EXPECT_EQ(kinds.size(), 2u);
  }
  if (generated_.has_shards) {
    EXPECT_EQ(world_.walk("spread", "{}", 2).size(), items_.size());
  }
}

void GeneratedRun::compare_extremes() {
  tables_.compare_figures();
  for (const char* a : {"a", "b"}) {
    const Reply reply = world_.call("parent", fmt::format(R"({{"a":"{}"}})", a));
    const auto stored = [&](const char* name) {
      const Plain& value = reply["item"].member(name);
      return reply.status == 200 && value.exists() ? std::atoi(value.string().c_str()) : -1;
    };
    int heaviest = -1, lightest = -1, last = -1;
    for (const auto& [key, item] : items_) {
      if (key.first != a) continue;
      last = std::max(last, key.second);
      if (generated_.counts_only_x && item.s != "x") continue;
      heaviest = std::max(heaviest, item.w);
      lightest = lightest < 0 ? item.w : std::min(lightest, item.w);
    }
    if (!expires_soon()) {
      EXPECT_EQ(stored("heaviest"), heaviest) << a;
      EXPECT_EQ(stored("lightest"), lightest) << a;
      if (generated_.has_last) {
        EXPECT_EQ(stored("lastNumber"), last) << a;
      }
    }
    // `record` never decreases.
    int& record = heaviest_.try_emplace(a, -1).first->second;
    EXPECT_GE(stored("record"), std::max(heaviest, record)) << a;
    record = stored("record");
  }
}

void GeneratedRun::drain() {
  if (generated_.has_stream) {
    const ItemCodec codec(world_.reading->design, world_.keys.get(), &world_.blobs);
    ItemForm form(world_.reading->design, world_.database, codec);
    StreamTallies tallies(world_.reading->design, world_.database, codec, form);
    const auto drained = tallies.drain(world_.clock.now_ms());
    EXPECT_TRUE(drained.has_value()) << (drained ? "" : drained.error().message);
  }
}

namespace {

// Deletes the tables of the previous run.
void drop_tables(Database& database) {
  for (const char* name : {"first", "second", "accounts", "readings", "trestle-journal"}) {
    (void)database.delete_table({.table_name = name});
    const auto gone = [&] { return !database.describe_table({.table_name = name}).has_value(); };
    for (int i = 0; i < 5000 && !gone(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(GeneratedDesigns, run_as_a_plain_model_says_and_verify_clean) {
  const uint64_t count = setting("TRESTLE_GENERATED_DESIGNS", 12);
  const uint64_t first = setting("TRESTLE_GENERATED_SEED", 1);
  std::unique_ptr<RemoteDatabase> remote;
  if (const char* url = std::getenv("TRESTLE_GENERATED_ON")) {
    auto opened = RemoteDatabase::open({.endpoint = url});
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    remote = std::move(*opened);
  }
  for (uint64_t seed = first; seed < first + count; ++seed) {
    if (remote != nullptr) drop_tables(*remote);
    GeneratedRun run(seed, remote.get());
    ASSERT_EQ(run.errors(), "") << "seed " << seed << "\n" << run.yaml();
    run.run(120);
    if (!HasFailure() && seed % 4 == 0) run.run_together(3, 25);
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << run.yaml();
  }
}

}  // namespace
}  // namespace trestle::runtime
