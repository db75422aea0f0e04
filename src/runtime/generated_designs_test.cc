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
#include "design/plan/stored_attributes.h"
#include "remote/remote_database.h"
#include "runtime/background/stream_tallies.h"
#include "runtime/design_world.h"
#include "runtime/dying_database.h"
#include "runtime/generated_design.h"

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
    write_as_another_program();
    world_.faults(true);
    expect_extras();
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
        for (int i = 0; i < calls; ++i) one_of_many(random);
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
  void expect(const Reply& reply, const std::set<int>& refusals, const std::string& call) {
    if (refusals.empty())
      EXPECT_EQ(reply.status, 200) << call << ": " << reply.message;
    else
      EXPECT_TRUE(refusals.contains(reply.status)) << call << ": " << reply.status << " " << reply.message;
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
        return accounts();
      case 20:
        return readings();
      case 0:
      case 1: {
        if (exists || is_taken(key, item)) refusals.insert(409);
        if (lacks_parent(key.first)) refusals.insert(404);
        const std::string call = json(key, item);
        expect(world_.call("create", call), refusals, "create " + call);
        if (refusals.empty()) items_[key] = item;
        break;
      }
      case 2: {
        if (is_taken(key, item)) refusals.insert(409);
        if (lacks_parent(key.first)) refusals.insert(404);
        const std::string call = json(key, item);
        expect(world_.call("replace", call), refusals, "replace " + call);
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
        expect(reply, refusals, "change " + call);
        if (reply.status == 200) items_[key] = changed;
        break;
      }
      case 6: {
        if (!exists) refusals.insert(404);
        const std::string call = "{" + key_json(key) + "}";
        expect(world_.call("remove", call), refusals, "remove " + call);
        items_.erase(key);
        break;
      }
      case 7: {
        const std::string call = "{" + key_json(key) + "}";
        expect(world_.call("drop", call), {}, "drop " + call);
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
        expect(world_.call(name, call), refusals, name + " " + call);
        if (refusals.empty()) found->second.w = w;
        break;
      }
      case 9: {
        const int d = static_cast<int>(random_() % 3) + 1;
        const int w = exists ? found->second.w * d : 0;
        if (!exists) refusals.insert(404);
        if (exists && w > 50) refusals.insert(422);
        const std::string call = fmt::format(R"({{{},"d":{}}})", key_json(key), d);
        expect(world_.call("grow", call), refusals, "grow " + call);
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
        if (made_.parent_required) expect(reply, refusals, "parent " + call);
        if (reply.status == 200) parents_.insert(key.first);
        break;
      }
      case 11: {
        const std::string k = pick({"ka", "kb"});
        const std::string call = fmt::format(R"({{"a":"{}","k":"{}"}})", key.first, k);
        if (random_() % 2) {
          const bool lacks = made_.parent_required && marks_in_transaction() && !parents_.contains(key.first);
          if (lacks) refusals.insert(404);
          expect(world_.call("mark", call), refusals, "mark " + call);
          if (refusals.empty()) marks_.insert({key.first, k});
        } else {
          expect(world_.call("unmark", call), {}, "unmark " + call);
          marks_.erase({key.first, k});
        }
        break;
      }
      case 12: {
        const int v = static_cast<int>(random_() % 100);
        expect(world_.call("note", fmt::format(R"({{"a":"{}","v":{}}})", key.first, v)), {}, "note");
        Record& record = records_.try_emplace(key.first, Record{.least = v, .most = v}).first->second;
        record.least = std::min(record.least, v);
        record.most = std::max(record.most, v);
        ++record.times;
        break;
      }
      case 13: {
        const auto record = records_.find(key.first);
        if (record == records_.end()) refusals.insert(404);
        const Reply reply = world_.call("number", fmt::format(R"({{"a":"{}"}})", key.first));
        expect(reply, refusals, "number");
        if (refusals.empty()) {
          EXPECT_EQ(reply.text("number"), std::to_string(++record->second.last));
        }
        break;
      }
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
        expect(reply, refusals, "shift " + call);
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
          expect(world_.call("clear", fmt::format(R"({{"a":"{}"}})", key.first)), {}, "clear");
          std::erase_if(items_, [&](const auto& one) { return one.first.first == key.first; });
        } else if (random_() % 3 == 0) {
          expect(world_.call("clearMarks", fmt::format(R"({{"a":"{}"}})", key.first)), {}, "clearMarks");
          std::erase_if(marks_, [&](const auto& one) { return one.first == key.first; });
        } else {
          item = {.s = item.s, .w = item.w};
          const std::string k = pick({"ka", "kb"});
          const std::string call = fmt::format(R"({{{},"s":"{}","w":{},"k":"{}"}})", key_json(key), item.s, item.w, k);
          const Reply reply = world_.call("createIn", call);
          if (exists) refusals.insert(409);
          if (made_.parent_required && !parents_.contains(key.first)) refusals.insert(404);
          if (made_.parent_required || exists) expect(reply, refusals.empty() ? refusals : with(refusals, 404), call);
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
  void accounts() {
    const std::string handle = pick({"alice", "bob", "carol"});
    const auto holder = std::ranges::find(accounts_, handle, [](const auto& one) { return one.second.handle; });
    const bool taken = holder != accounts_.end();
    if (accounts_.empty() || random_() % 3 == 0) {
      const bool nick = random_() % 2;
      const Reply reply =
          world_.call("join", fmt::format(R"({{"handle":"{}","level":1{}}})", handle, nick ? R"(,"nick":"al")" : ""));
      expect(reply, taken ? std::set{409} : std::set<int>{}, "join " + handle);
      if (reply.status == 200) accounts_[reply["item"].member("id").string()] = {handle, nick, 1};
      return;
    }
    auto one = accounts_.begin();
    std::advance(one, static_cast<long>(random_() % accounts_.size()));
    const std::string id = fmt::format(R"({{"id":"{}"}})", one->first);
    const auto what = random_() % 5;
    if (what == 0) {
      const bool top = one->second.level >= 4;
      expect(world_.call("promote", id), top ? std::set{422} : std::set<int>{}, "promote " + id);
      if (!top) ++one->second.level;
    } else if (what == 1) {
      one->second.nick = !one->second.nick;
      const std::string call =
          fmt::format(R"({{"id":"{}","nick":{}}})", one->first, one->second.nick ? R"("al")" : "null");
      expect(world_.call("rename", call), {}, "rename " + call);
    } else if (what == 2) {
      const bool first = one->second.level == 1;
      expect(world_.call("dismiss", id), first ? std::set{422} : std::set<int>{}, "dismiss " + id);
      if (first) return;
      accounts_.erase(one);
      expect(world_.call("dismiss", id), {422}, "dismiss again " + id);
    } else if (what == 3) {
      const Reply reply = world_.call("rename", fmt::format(R"({{"id":"{}","handle":"{}"}})", one->first, handle));
      expect(reply, taken && holder->first != one->first ? std::set{409} : std::set<int>{}, "rename " + handle);
      if (reply.status == 200) one->second.handle = handle;
    } else {
      expect(world_.call("leave", id), {}, "leave " + id);
      accounts_.erase(one);
    }
  }
  void readings() {
    const std::string device = pick({"da", "db"});
    const int at = static_cast<int>(random_() % 5) * 7;
    const std::string key = fmt::format(R"("device":"{}","at":{})", device, at);
    if (random_() % 4 == 0) {
      expect(world_.call("forget", "{" + key + "}"), {}, "forget " + key);
      readings_.erase({device, at});
      return;
    }
    std::optional<int> value;
    if (random_() % 3) value = static_cast<int>(random_() % 199) - 99;
    const std::string call = "{" + key + (value ? fmt::format(R"(,"value":{}}})", *value) : "}");
    expect(world_.call("measure", call), {}, "measure " + call);
    readings_[{device, at}] = value;
  }
  void compare_plain_tables() {
    std::vector<std::string> levels, found;
    for (const auto& [id, account] : accounts_) {
      const std::string& handle = account.handle;
      const Reply reply = world_.ok("account", fmt::format(R"({{"id":"{}"}})", id));
      EXPECT_EQ(reply["item"].member("handle").string(), handle);
      EXPECT_EQ(reply["item"].member("level").string(), std::to_string(account.level));
      if (account.nick) levels.push_back(std::to_string(account.level));
      EXPECT_EQ(world_.ok("accountOf", fmt::format(R"({{"handle":"{}"}})", handle))["item"].member("id").string(), id);
    }
    std::ranges::sort(levels);
    for (const Plain& item : world_.walk("byNick", R"({"nick":"al"})", 2))
      found.push_back(item.member("level").string());
    EXPECT_EQ(found, levels);
    for (const char* device : {"da", "db"}) {
      std::vector<int> times, values;
      for (const auto& [key, value] : readings_) {
        if (key.first != device) continue;
        times.push_back(key.second);
        if (value) values.push_back(*value);
      }
      std::ranges::sort(values, std::greater<>());
      const auto numbers = [&](const char* read, const char* field, bool descending) {
        std::vector<int> found;
        for (const Plain& item : world_.walk(read, fmt::format(R"({{"device":"{}"}})", device), 2, descending))
          found.push_back(std::atoi(item.member(field).string().c_str()));
        return found;
      };
      EXPECT_EQ(numbers("readings", "at", false), times) << device;
      EXPECT_EQ(numbers("highest", "value", true), values) << device;
    }
  }
  void one_of_many(std::mt19937_64& random) {
    const auto pick_of = [&](std::initializer_list<const char*> list) {
      return std::string(*(list.begin() + static_cast<long>(random() % list.size())));
    };
    const std::string a = pick_of({"a", "b"});
    const auto n = random() % 3;
    const std::string key = fmt::format(R"("a":"{}","n":{})", a, n);
    const std::string whole =
        fmt::format(R"({},"s":"{}","w":{},"u":"{}","o":"{}","p":"{}"{})", key, pick_of({"x", "y", "z"}), random() % 51,
                    pick_of({"ua", "ub", "uc"}), pick_of({"oa", "ob"}), std::string(random() % 100 + 1, 'p'),
                    made_.has_children ? fmt::format(R"(,"l":["{}"])", pick_of({"la", "lb"})) : "");
    Reply reply;
    switch (random() % 9) {
      case 0:
        reply = world_.call("create", "{" + whole + "}");
        break;
      case 1:
        reply = world_.call("replace", "{" + whole + "}");
        break;
      case 2:
        reply = world_.call("change", "{" + whole + "}");
        break;
      case 3:
        reply = world_.call("drop", "{" + key + "}");
        break;
      case 4:
        reply = world_.call("more", fmt::format(R"({{{},"d":{}}})", key, random() % 9));
        break;
      case 5:
        reply = world_.call(random() % 2 ? "mark" : "unmark", fmt::format(R"({{"a":"{}","k":"ka"}})", a));
        break;
      case 6:
        reply = world_.call("shift", fmt::format(R"({{{},"to":{},"d":{}}})", key, (n + 1) % 3, random() % 9));
        break;
      case 7:
        reply = world_.call("createAll", fmt::format(R"({{"a":"{}","ns":[0,1],"s":"x","w":3,"k":"kb"}})", a));
        break;
      default:
        reply = world_.call("removeAll", fmt::format(R"({{"a":"{}","ns":[1,2]}})", a));
        break;
    }
    EXPECT_LT(reply.status, 500) << reply.message;
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
        expect(reply, refusals, "growAll " + call);
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
        expect(reply, refusals, "createAll " + call);
        if (reply.status != 200) return;
        for (const int n : ns) items_[{a, n}] = {.s = like.s, .w = like.w};
        marks_.insert({a, "ka"});
        return;
      }
      default: {
        if (!all) refusals.insert(404);
        const std::string call = fmt::format(R"({{"a":"{}","ns":[{}]}})", a, list);
        const Reply reply = world_.call("removeAll", call);
        expect(reply, refusals, "removeAll " + call);
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

  // Makes items as another program might have written them: without type and index attributes, with attributes of its
  // own. Operations read and change them, and verification gives them what they lack.
  void write_as_another_program() {
    for (const design::Table& table : world_.reading->design.tables) {
      ScanRequest scan;
      scan.table_name = table.name;
      const auto page = world_.database.scan(scan);
      ASSERT_TRUE(page.has_value());
      for (size_t i = 0; i < page->items.size(); ++i) {
        const ItemView item = page->items[i];
        const ItemKind kind = kind_of(world_.reading->design, table, item);
        if (kind.entity == nullptr || kind.guard != nullptr || random_() % 2 == 0) continue;
        UpdateItemRequest request{.table_name = table.name, .key = key_of(table, item)};
        NameMap names{{"#extra", "extra"}};
        std::string remove;
        const auto drop = [&](const std::string& name) {
          if (name.empty() || table.key.contains(name) || kind.entity->field(name) != nullptr) return;
          const std::string placeholder = fmt::format("#n{}", names.size());
          names.emplace_back(placeholder, name);
          remove += (remove.empty() ? " REMOVE " : ", ") + placeholder;
        };
        drop(table.type_attribute);
        for (const KeyAttribute& attribute : design::key_attributes(table)) drop(attribute.name);
        request.update_expression = "SET #extra = :extra" + remove;
        request.placeholders.names = std::move(names);
        request.placeholders.values = ValueMap{{":extra", Value::string("kept")}};
        ASSERT_TRUE(world_.database.update_item(request).has_value());
        changed_.emplace_back(table.name, key_of(table, item));
      }
    }
  }
  void expect_extras() {
    for (const auto& [table, key] : changed_) {
      const auto found = world_.database.get_item({.table_name = table, .key = key});
      ASSERT_TRUE(found.has_value());
      if (found->item) {
        EXPECT_TRUE(found->item->find("extra").has_value());
      }
    }
  }

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
    EXPECT_EQ(fmt::format("{}", fmt::join(world_.faults(), "\n")), "");
  }
  void compare_others() {
    compare_plain_tables();
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
    for (const auto& [a, record] : records_) {
      const Reply reply = world_.ok("record", fmt::format(R"({{"a":"{}"}})", a));
      const Plain& is = reply["item"];
      EXPECT_EQ(fmt::format("{} {} {} {}", is.member("least").string(), is.member("most").string(),
                            is.member("times").string(), is.member("last").string()),
                fmt::format("{} {} {} {}", record.least, record.most, record.times, record.last));
    }
    if (made_.has_shards) {
      EXPECT_EQ(world_.walk("spread", "{}", 2).size(), items_.size());
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
  struct Record {
    int least = 0, most = 0, times = 0, last = 0;
  };
  std::map<std::string, Record> records_;
  struct Account {
    std::string handle;
    bool nick = false;
    int level = 1;
  };
  std::map<std::string, Account> accounts_;                             // by id
  std::map<std::pair<std::string, int>, std::optional<int>> readings_;  // values by device and time
  std::vector<std::pair<std::string, Item>> changed_;                   // by write_as_another_program()
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
