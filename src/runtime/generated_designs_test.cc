// Designs made at random, run with random calls, against a plain model; then verification must find nothing.
// TRESTLE_GENERATED_DESIGNS says how many, TRESTLE_GENERATED_SEED with which seed they begin, TRESTLE_GENERATED_ON the
// URL of a DynamoDB endpoint to run on; its tables first, second, accounts, readings and trestle-journal
// are deleted.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "design/check/check.h"
#include "remote/remote_database.h"
#include "runtime/background/stream_tallies.h"
#include "runtime/design_world.h"
#include "runtime/dying_database.h"
#include "runtime/generated_design.h"
#include "runtime/generated_tables.h"
#include "runtime/other_program.h"

namespace trestle::runtime {

namespace {

struct MainItem {
  std::string s = "x";
  int w = 0;
  std::optional<std::string> u, o, p;
  std::optional<int64_t> e;
  std::vector<std::string> l;
  bool operator==(const MainItem&) const = default;
};

class GeneratedRun {
 public:
  GeneratedRun(uint64_t seed, Database* elsewhere)
      : made_(seed), random_(seed * 7919 + 1), world_(made_.yaml, elsewhere) {
    // The stream's reader counts nothing in a parent that is not there yet.
    for (const char* a : {"a", "b"}) {
      if (!made_.parent_required || !made_.has_stream) continue;
      world_.ok("makeParent", fmt::format(R"({{"a":"{}","name":"n"}})", a));
      parents_.insert(a);
    }
  }

  // The findings that keep it from being served.
  std::string errors() {
    std::string text;
    for (const auto& finding : design::check_design(*world_.reading).findings) {
      if (finding.severity == design::Severity::kError) text += finding.code + ": " + finding.message + "\n";
    }
    return text;
  }

  void run(int calls) {
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
  // Calls of several threads on few items. What each of them leaves is not known, but everything must fit together.
  void run_together(int threads, int calls) {
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t) {
      running.emplace_back([this, calls, seed = random_()] {
        std::mt19937_64 random(seed);
        for (int i = 0; i < calls; ++i) {
          const Reply reply = some_call(world_, made_, random);
          EXPECT_LT(reply.status, 500) << reply.message;
        }
      });
    }
    for (std::thread& thread : running) thread.join();
    drain();
    EXPECT_EQ(fmt::format("{}", fmt::join(world_.faults(), "\n")), "") << "after concurrent calls";
  }
  const std::string& yaml() const { return made_.yaml; }

 private:
  using Key = std::pair<std::string, int>;
  std::string pick(std::initializer_list<const char*> list) {
    return *(list.begin() + static_cast<long>(random_() % list.size()));
  }
  Key some_key() { return {pick({"a", "b"}), static_cast<int>(random_() % 3)}; }
  MainItem some_item() {
    MainItem item{.s = pick({"x", "y", "z"}), .w = static_cast<int>(random_() % 51)};
    if (random_() % 2) item.u = pick({"ua", "ub", "uc"});
    if (random_() % 2) item.o = pick({"oa", "ob"});
    if (random_() % 2) item.p = std::string(random_() % 200 + 1, 'p');
    if (made_.has_expiry && random_() % 2) item.e = some_expiry();
    if (made_.has_children) {
      for (const char* part : {"la", "lb", "lc"}) {
        if (random_() % 3 == 0) item.l.push_back(part);
      }
    }
    return item;
  }
  static std::string text(const std::optional<std::string>& value) { return value ? '"' + *value + '"' : "null"; }
  std::string key_json(const Key& key) const { return fmt::format(R"("a":"{}","n":{})", key.first, key.second); }
  std::string list_json(const MainItem& item) const {
    return item.l.empty() ? "null" : fmt::format(R"(["{}"])", fmt::join(item.l, R"(",")"));
  }
  std::string json(const Key& key, const MainItem& item) const {
    std::string out = fmt::format(R"({{{},"s":"{}","w":{})", key_json(key), item.s, item.w);
    if (item.u) out += R"(,"u":)" + text(item.u);
    if (item.o) out += R"(,"o":)" + text(item.o);
    if (item.p) out += R"(,"p":)" + text(item.p);
    if (item.e) out += fmt::format(R"(,"e":{})", *item.e);
    if (!item.l.empty()) out += R"(,"l":)" + list_json(item);
    return out + "}";
  }
  bool is_taken(const Key& key, const MainItem& item) const {
    for (const auto& [other, its] : items_) {
      if (other == key || !item.u || its.u != item.u) continue;
      if (made_.unique_one || (made_.unique_two && its.s == item.s)) return true;
    }
    return false;
  }
  // Whether a write that counts the item, or takes it out, needs a parent that is not there.
  bool lacks_parent(const std::string& a) const {
    return made_.parent_required && made_.counts_in_transaction && !parents_.contains(a);
  }

  // Elsewhere items would be removed by a clock that is ahead of ours.
  bool expires_soon() const { return made_.has_expiry && world_.engine != nullptr; }
  int64_t some_expiry() {
    const bool soon = expires_soon() && random_() % 2;
    return world_.clock.now_ms() / 1000 + (soon ? 5 : 400'000'000) + static_cast<int64_t>(random_() % 60);
  }
  // What expires is gone, though nothing removes it.
  void pass_time() {
    if (!expires_soon() || random_() % 5 != 0) return;
    world_.clock.advance_ms(15'000);
    std::erase_if(items_,
                  [&](const auto& one) { return one.second.e && *one.second.e <= world_.clock.now_ms() / 1000; });
  }

  void one_call() {
    pass_time();
    const Key key = some_key();
    const auto found = items_.find(key);
    const bool exists = found != items_.end();
    MainItem item = some_item();
    std::set<int> refusals;
    switch (random_() % 22) {
      case 18:
      case 19:
        return tables_.accounts();
      case 20:
        return tables_.readings();
      case 0:
      case 1: {
        if (exists || is_taken(key, item)) refusals.insert(409);
        if (lacks_parent(key.first)) refusals.insert(404);
        const std::string call = json(key, item);
        expect_reply(world_.call("create", call), refusals, "create " + call);
        if (refusals.empty()) items_[key] = item;
        break;
      }
      case 2: {
        if (is_taken(key, item)) refusals.insert(409);
        if (lacks_parent(key.first)) refusals.insert(404);
        const std::string call = json(key, item);
        expect_reply(world_.call("replace", call), refusals, "replace " + call);
        if (refusals.empty()) items_[key] = item;
        break;
      }
      case 3:
      case 4:
      case 5: {
        MainItem changed = exists ? found->second : MainItem{};
        std::string call = "{" + key_json(key);
        if (random_() % 2) call += fmt::format(R"(,"s":"{}")", changed.s = item.s);
        if (random_() % 2) call += fmt::format(R"(,"w":{})", changed.w = item.w);
        if (random_() % 2) call += R"(,"u":)" + text(changed.u = item.u);
        if (random_() % 2) call += R"(,"o":)" + text(changed.o = item.o);
        if (random_() % 3 == 0) call += R"(,"p":)" + text(changed.p = item.p);
        if (made_.has_expiry && random_() % 2) {
          changed.e = item.e;
          call += item.e ? fmt::format(R"(,"e":{})", *item.e) : R"(,"e":null)";
        }
        if (made_.has_children && random_() % 2) {
          changed.l = item.l;
          call += R"(,"l":)" + list_json(item);
        }
        call += "}";
        if (!exists) {
          refusals.insert(404);
        } else {
          const std::string& from = found->second.s;
          const bool leads =
              from == changed.s || (from == "x" && changed.s == "y") || (from == "y" && changed.s == "z");
          if (made_.has_flow && !leads) refusals.insert(409);
          if (is_taken(key, changed)) refusals.insert(409);
          if (lacks_parent(key.first) && (found->second.s != changed.s || found->second.w != changed.w))
            refusals.insert({404, 200});
        }
        const Reply reply = world_.call("change", call);
        expect_reply(reply, refusals, "change " + call);
        if (reply.status == 200) items_[key] = changed;
        break;
      }
      case 6: {
        if (!exists) refusals.insert(404);
        const std::string call = "{" + key_json(key) + "}";
        expect_reply(world_.call("remove", call), refusals, "remove " + call);
        items_.erase(key);
        break;
      }
      case 7: {
        const std::string call = "{" + key_json(key) + "}";
        expect_reply(world_.call("drop", call), {}, "drop " + call);
        items_.erase(key);
        break;
      }
      case 8: {
        const int d = static_cast<int>(random_() % 19) - 9;
        const bool adds = random_() % 2;
        const std::string name = adds ? "more" : "less";
        const int w = (exists ? found->second.w : 0) + (adds ? d : -d);
        if (!exists) refusals.insert(404);
        if (exists && (w < 0 || w > 50)) refusals.insert({400, 409});
        const std::string call = fmt::format(R"({{{},"d":{}}})", key_json(key), d);
        expect_reply(world_.call(name, call), refusals, name + " " + call);
        if (refusals.empty()) found->second.w = w;
        break;
      }
      case 9: {
        const int d = static_cast<int>(random_() % 3) + 1;
        const int w = exists ? found->second.w * d : 0;
        if (!exists) refusals.insert(404);
        if (exists && w > 50) refusals.insert(422);
        const std::string call = fmt::format(R"({{{},"d":{}}})", key_json(key), d);
        expect_reply(world_.call("grow", call), refusals, "grow " + call);
        if (refusals.empty()) found->second.w = w;
        break;
      }
      case 10: {
        const bool resets = random_() % 2;
        if (!resets && parents_.contains(key.first)) refusals.insert(409);
        const std::string call =
            fmt::format(R"({{"a":"{}"{}}})", key.first, made_.parent_required ? R"(,"name":"n")" : "");
        const Reply reply = world_.call(resets ? "resetParent" : "makeParent", call);
        // An item that a tally may create exists as soon as something was counted.
        if (made_.parent_required) expect_reply(reply, refusals, "parent " + call);
        if (reply.status == 200) parents_.insert(key.first);
        break;
      }
      case 11: {
        const std::string k = pick({"ka", "kb"});
        const std::string call = fmt::format(R"({{"a":"{}","k":"{}"}})", key.first, k);
        if (random_() % 2) {
          const bool lacks = made_.parent_required && marks_in_transaction() && !parents_.contains(key.first);
          if (lacks) refusals.insert(404);
          expect_reply(world_.call("mark", call), refusals, "mark " + call);
          if (refusals.empty()) marks_.insert({key.first, k});
        } else {
          expect_reply(world_.call("unmark", call), {}, "unmark " + call);
          marks_.erase({key.first, k});
        }
        break;
      }
      case 12:
        return tables_.note(key.first);
      case 13:
        return tables_.number(key.first);
      case 14: {
        // Two steps; the first is taken back when the second refuses.
        const Key to{key.first, (key.second + 1) % 3};
        const int d = static_cast<int>(random_() % 31);
        const auto target = items_.find(to);
        const bool both = exists && target != items_.end();
        if (!both) refusals.insert(404);
        if ((exists && found->second.w - d < 0) || (target != items_.end() && target->second.w + d > 50))
          refusals.insert({400, 409});
        if (lacks_parent(key.first)) refusals.insert({200, 404});
        const std::string call = fmt::format(R"({{{},"to":{},"d":{}}})", key_json(key), to.second, d);
        const Reply reply = world_.call("shift", call);
        expect_reply(reply, refusals, "shift " + call);
        if (reply.status == 200 && both) {
          found->second.w -= d;
          target->second.w += d;
        }
        break;
      }
      case 15:
      case 16:
      case 17: {
        many(key.first, item);
        break;
      }
      default: {
        if (random_() % 3 == 0) {
          expect_reply(world_.call("clear", fmt::format(R"({{"a":"{}"}})", key.first)), {}, "clear");
          std::erase_if(items_, [&](const auto& one) { return one.first.first == key.first; });
        } else if (random_() % 3 == 0) {
          expect_reply(world_.call("clearMarks", fmt::format(R"({{"a":"{}"}})", key.first)), {}, "clearMarks");
          std::erase_if(marks_, [&](const auto& one) { return one.first == key.first; });
        } else {
          item = {.s = item.s, .w = item.w};
          const std::string k = pick({"ka", "kb"});
          const std::string call = fmt::format(R"({{{},"s":"{}","w":{},"k":"{}"}})", key_json(key), item.s, item.w, k);
          const Reply reply = world_.call("createIn", call);
          if (exists) refusals.insert(409);
          if (made_.parent_required && !parents_.contains(key.first)) refusals.insert(404);
          if (made_.parent_required || exists)
            expect_reply(reply, refusals.empty() ? refusals : with(refusals, 404), call);
          if (reply.status == 200) {
            items_[key] = item;
            marks_.insert({key.first, k});
          }
        }
      }
    }
  }
  // A call during which the process dies after some writes. The next process ends what it left.
  void killed_call() {
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
    // On another endpoint the call may still run in another process, which is waited for.
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
  std::map<int, MainItem> items_of(const std::string& a) const {
    std::map<int, MainItem> found;
    for (const auto& [key, item] : items_) {
      if (key.first == a) found[key.second] = item;
    }
    return found;
  }
  // Takes over what is stored under `a`.
  void read_again(const std::string& a) {
    std::erase_if(items_, [&](const auto& one) { return one.first.first == a; });
    std::erase_if(marks_, [&](const auto& one) { return one.first == a; });
    for (const Plain& is : world_.walk("both", fmt::format(R"({{"a":"{}"}})", a), 2)) {
      if (is.member("_entity").string() == "Mark") {
        marks_.insert({a, is.member("k").string()});
        continue;
      }
      const auto maybe = [&](const char* name) {
        return is.member(name).exists() ? std::optional(is.member(name).string()) : std::nullopt;
      };
      MainItem item{.s = is.member("s").string(), .w = std::atoi(is.member("w").string().c_str())};
      item.u = maybe("u");
      item.o = maybe("o");
      item.p = maybe("p");
      if (is.member("e").exists()) item.e = std::atoll(is.member("e").string().c_str());
      if (is.member("l").exists()) {
        for (const Plain& part : is.member("l").elements()) item.l.push_back(part.string());
      }
      items_[{a, std::atoi(is.member("n").string().c_str())}] = item;
    }
  }
  // A loop within a transaction: for all or for none.
  void many(const std::string& a, const MainItem& like) {
    std::vector<int> ns;
    for (int n = 0; n < 3; ++n) {
      if (random_() % 2) ns.push_back(n);
    }
    if (ns.empty()) ns.push_back(1);
    const std::string list = fmt::format("{}", fmt::join(ns, ","));
    std::set<int> refusals;
    const auto at = [&](int n) { return items_.find({a, n}); };
    const bool all = std::all_of(ns.begin(), ns.end(), [&](int n) { return at(n) != items_.end(); });
    const bool any = std::any_of(ns.begin(), ns.end(), [&](int n) { return at(n) != items_.end(); });
    switch (random_() % 3) {
      case 0: {
        const int d = static_cast<int>(random_() % 19) - 9;
        if (!all) refusals.insert(404);
        for (const int n : ns) {
          if (at(n) != items_.end() && (at(n)->second.w + d < 0 || at(n)->second.w + d > 50))
            refusals.insert({400, 409});
        }
        if (lacks_parent(a)) refusals.insert({200, 404});
        const std::string call = fmt::format(R"({{"a":"{}","ns":[{}],"d":{}}})", a, list, d);
        const Reply reply = world_.call("growAll", call);
        expect_reply(reply, refusals, "growAll " + call);
        if (reply.status != 200) return;
        for (const int n : ns) at(n)->second.w += d;
        return;
      }
      case 1: {
        if (any) refusals.insert(409);
        if (lacks_parent(a)) refusals.insert(404);
        if (made_.parent_required && marks_in_transaction() && !parents_.contains(a)) refusals.insert(404);
        const std::string call =
            fmt::format(R"({{"a":"{}","ns":[{}],"s":"{}","w":{},"k":"ka"}})", a, list, like.s, like.w);
        const Reply reply = world_.call("createAll", call);
        expect_reply(reply, refusals, "createAll " + call);
        if (reply.status != 200) return;
        for (const int n : ns) items_[{a, n}] = {.s = like.s, .w = like.w};
        marks_.insert({a, "ka"});
        return;
      }
      default: {
        if (!all) refusals.insert(404);
        const std::string call = fmt::format(R"({{"a":"{}","ns":[{}]}})", a, list);
        const Reply reply = world_.call("removeAll", call);
        expect_reply(reply, refusals, "removeAll " + call);
        if (reply.status != 200) return;
        for (const int n : ns) items_.erase({a, n});
      }
    }
  }
  static std::set<int> with(std::set<int> set, int more) {
    set.insert(more);
    return set;
  }
  bool marks_in_transaction() const { return made_.yaml.find("add: {marks: 1}}") != std::string::npos; }

  void compare() {
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
        const Plain& is = found[key.second];
        const auto same = [&](const char* name, const std::optional<std::string>& value) {
          const std::string has = is.member(name).is(Plain::Kind::kText) ? is.member(name).string() : "";
          EXPECT_EQ(has, value.value_or("")) << name << " of " << key.first << key.second;
        };
        same("s", item.s);
        same("u", item.u);
        same("o", item.o);
        same("p", item.p);
        EXPECT_EQ(is.member("w").string(), std::to_string(item.w)) << key.first << key.second;
        EXPECT_EQ(is.member("e").exists(), item.e.has_value());
      }
      for (const auto& [n, item] : found) EXPECT_TRUE(wanted.contains(n)) << "left over " << a << n;
    }
    compare_others();
    drain();
    compare_extremes();
    EXPECT_EQ(fmt::format("{}", fmt::join(world_.faults(), "\n")), "");
  }
  void compare_others() {
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
    if (made_.has_shards) {
      EXPECT_EQ(world_.walk("spread", "{}", 2).size(), items_.size());
    }
  }
  // The least and greatest values that the parents have. Of what has expired nothing is removed, so it counts.
  void compare_extremes() {
    tables_.compare_figures();
    for (const char* a : {"a", "b"}) {
      const Reply reply = world_.call("parent", fmt::format(R"({{"a":"{}"}})", a));
      const auto is = [&](const char* name) {
        const Plain& value = reply["item"].member(name);
        return reply.status == 200 && value.exists() ? std::atoi(value.string().c_str()) : -1;
      };
      int heaviest = -1, lightest = -1, last = -1;
      for (const auto& [key, item] : items_) {
        if (key.first != a) continue;
        last = std::max(last, key.second);
        if (made_.counts_only_x && item.s != "x") continue;
        heaviest = std::max(heaviest, item.w);
        lightest = lightest < 0 ? item.w : std::min(lightest, item.w);
      }
      if (!expires_soon()) {
        EXPECT_EQ(is("heaviest"), heaviest) << a;
        EXPECT_EQ(is("lightest"), lightest) << a;
        if (made_.has_last) {
          EXPECT_EQ(is("lastNumber"), last) << a;
        }
      }
      // It never comes back.
      int& record = heaviest_.try_emplace(a, -1).first->second;
      EXPECT_GE(is("record"), std::max(heaviest, record)) << a;
      record = is("record");
    }
  }
  void drain() {
    if (made_.has_stream) {
      const ItemCodec codec(world_.reading->design, world_.keys.get(), &world_.blobs);
      ItemForm form(world_.reading->design, world_.database, codec);
      StreamTallies tallies(world_.reading->design, world_.database, codec, form);
      const auto drained = tallies.drain(world_.clock.now_ms());
      EXPECT_TRUE(drained.has_value()) << (drained ? "" : drained.error().message);
    }
  }

  GeneratedDesign made_;
  std::mt19937_64 random_;
  DesignWorld world_;
  std::map<Key, MainItem> items_;
  std::set<std::string> parents_;
  std::set<std::pair<std::string, std::string>> marks_;
  GeneratedTables tables_{world_, random_};
  OtherProgram other_program_{world_, random_};
  std::map<std::string, int> heaviest_;  // the greatest weight that a parent had when it was last looked at
};

// The tables of the run before.
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
