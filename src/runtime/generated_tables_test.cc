// Random calls on the generated tables whose keys are fields, and their model.
#include "runtime/generated_tables_for_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace trestle::runtime {

void GeneratedTables::note(const std::string& a) {
  const int v = static_cast<int>(random_() % 100);
  expect_reply(world_.call("note", fmt::format(R"({{"a":"{}","v":{}}})", a, v)), {}, "note");
  Record& record = records_.try_emplace(a, Record{.least = v, .most = v}).first->second;
  record.least = std::min(record.least, v);
  record.most = std::max(record.most, v);
  ++record.times;
  ++record.writes;
}

void GeneratedTables::scores(const std::string& a) {
  constexpr size_t kMost = 2;
  const auto found = records_.find(a);
  Record record = found == records_.end() ? Record() : found->second;
  std::set<int> refusals;
  const std::string k = pick({"ka", "kb", "kc"}), m = pick({"ka", "kb", "kc"});
  const int v = static_cast<int>(random_() % 9);
  bool leaves_range = false;
  const std::string name = pick({"score", "scoreMore", "scoreAll", "name", "unname"});
  std::string call = fmt::format(R"({{"a":"{}","k":"{}","v":{})", a, k, v);
  if (name == "score") {
    const bool removes = random_() % 3 == 0;
    if (removes) {
      call = fmt::format(R"({{"a":"{}","k":"{}","v":null)", a, k);
      record.scores.erase(k);
    } else {
      record.scores[k] = v;
    }
  } else if (name == "scoreMore") {
    const int more = v - 4;
    call = fmt::format(R"({{"a":"{}","k":"{}","v":{})", a, k, more);
    record.scores[k] += more;
    leaves_range = record.scores[k] < -3 || record.scores[k] > 9;
  } else if (name == "scoreAll") {
    const std::set<std::string> keys = {k, m};
    call = fmt::format(R"({{"a":"{}","ks":["{}"],"v":{})", a, fmt::join(keys, R"(",")"), v);
    for (const std::string& one : keys) record.scores[one] = v;
    record.times += static_cast<int>(keys.size());
  } else {
    call = fmt::format(R"({{"a":"{}","named":["{}","{}"])", a, k, m);
    for (const std::string& one : {k, m}) {
      if (name == "name")
        record.named.insert(one);
      else
        record.named.erase(one);
    }
    if (k == m) call = fmt::format(R"({{"a":"{}","named":["{}"])", a, k);
  }
  ++record.writes;
  if (found == records_.end()) refusals = {404};
  if (record.scores.size() > kMost || record.named.size() > kMost || leaves_range) refusals.insert(409);
  expect_reply(world_.call(name, call + "}"), refusals, name + " " + call);
  if (refusals.empty()) found->second = record;
}

void GeneratedTables::number(const std::string& a) {
  const auto record = records_.find(a);
  const Reply reply = world_.call("number", fmt::format(R"({{"a":"{}"}})", a));
  expect_reply(reply, record == records_.end() ? std::set{404} : std::set<int>{}, "number");
  if (record != records_.end()) {
    EXPECT_EQ(reply.text("number"), std::to_string(++record->second.last));
    ++record->second.writes;
  }
}

void GeneratedTables::accounts() {
  if (!accounts_.empty() && random_() % 4 == 0) return ranks();
  const std::string handle = pick({"alice", "bob", "carol"});
  const auto holder = std::ranges::find(accounts_, handle, [](const auto& one) { return one.second.handle; });
  const bool taken = holder != accounts_.end();
  if (accounts_.empty() || random_() % 3 == 0) {
    const bool nick = random_() % 2;
    const Reply reply = world_.call("join", fmt::format(R"({{"handle":"{}","level":1,"ranks":{{"ra":1}}{}}})", handle,
                                                        nick ? R"(,"nick":"al")" : ""));
    expect_reply(reply, taken ? std::set{409} : std::set<int>{}, "join " + handle);
    if (reply.status == 200) accounts_[reply["item"].member("id").string()] = {.handle = handle, .nick = nick};
    return;
  }
  auto one = accounts_.begin();
  std::advance(one, static_cast<long>(random_() % accounts_.size()));
  const std::string id = fmt::format(R"({{"id":"{}"}})", one->first);
  const auto what = random_() % 5;
  if (what == 0) {
    const bool top = one->second.level >= 4;
    expect_reply(world_.call("promote", id), top ? std::set{422} : std::set<int>{}, "promote " + id);
    if (!top) ++one->second.level;
  } else if (what == 1) {
    one->second.nick = !one->second.nick;
    const std::string call =
        fmt::format(R"({{"id":"{}","nick":{}}})", one->first, one->second.nick ? R"("al")" : "null");
    expect_reply(world_.call("rename", call), {}, "rename " + call);
  } else if (what == 2) {
    const bool first = one->second.level == 1;
    expect_reply(world_.call("dismiss", id), first ? std::set{422} : std::set<int>{}, "dismiss " + id);
    if (first) return;
    accounts_.erase(one);
    expect_reply(world_.call("dismiss", id), {422}, "dismiss again " + id);
  } else if (what == 3) {
    const Reply reply = world_.call("rename", fmt::format(R"({{"id":"{}","handle":"{}"}})", one->first, handle));
    expect_reply(reply, taken && holder->first != one->first ? std::set{409} : std::set<int>{}, "rename " + handle);
    if (reply.status == 200) one->second.handle = handle;
  } else {
    expect_reply(world_.call("leave", id), {}, "leave " + id);
    accounts_.erase(one);
  }
}

// The map is required, has one or two members, and its members have a range.
void GeneratedTables::ranks() {
  auto one = accounts_.begin();
  std::advance(one, static_cast<long>(random_() % accounts_.size()));
  const std::string k = pick({"ra", "rb", "rc"});
  const int v = static_cast<int>(random_() % 9) - 1;
  const auto what = random_() % 3;
  std::map<std::string, int> after = one->second.ranks;
  if (what == 0)
    after.erase(k);
  else
    after[k] = what == 1 ? v : after[k] + v;
  const bool leaves_range = after.contains(k) && (after[k] < 0 || after[k] > 5);
  std::set<int> refusals;
  if (leaves_range) refusals = {what == 1 ? 400 : 409};
  if (after.empty() || after.size() > 2) refusals.insert(409);
  const std::string call = fmt::format(R"({{"id":"{}","k":"{}","v":{}}})", one->first, k,
                                       what == 0 ? std::string("null") : std::to_string(v));
  const std::string name = what == 2 ? "rankMore" : "rank";
  expect_reply(world_.call(name, call), refusals, name + " " + call);
  if (refusals.empty()) one->second.ranks = after;
}

void GeneratedTables::scrap() {
  const std::string device = pick({"da", "db"});
  expect_reply(world_.call("scrap", fmt::format(R"({{"device":"{}"}})", device)), {}, "scrap " + device);
  std::erase_if(readings_, [&](const auto& one) { return one.first.first == device; });
  ever_.erase(device);
}

void GeneratedTables::readings() {
  const std::string device = pick({"da", "db"});
  const int at = static_cast<int>(random_() % 5) * 7;
  const std::string key = fmt::format(R"("device":"{}","at":{})", device, at);
  if (random_() % 4 == 0) {
    expect_reply(world_.call("forget", "{" + key + "}"), {}, "forget " + key);
    readings_.erase({device, at});
    return;
  }
  std::optional<int> value;
  if (random_() % 3) value = static_cast<int>(random_() % 199) - 99;
  if (random_() % 4 == 0) {
    // The new value is computed, and may be absent.
    const auto found = readings_.find({device, at});
    const std::string call = fmt::format(R"({{{},"v":{},"keep":{}}})", key, value.value_or(1), value ? 1 : 0);
    expect_reply(world_.call("correct", call), found == readings_.end() ? std::set<int>{404} : std::set<int>{},
                 "correct " + call);
    if (found == readings_.end()) return;
    found->second = value;
    if (value) ever_[device] = std::max(ever_.try_emplace(device, *value).first->second, *value);
    return;
  }
  const std::string call = "{" + key + (value ? fmt::format(R"(,"value":{}}})", *value) : "}");
  expect_reply(world_.call("measure", call), {}, "measure " + call);
  readings_[{device, at}] = value;
  if (value) ever_[device] = std::max(ever_.try_emplace(device, *value).first->second, *value);
}
void GeneratedTables::compare() {
  for (const auto& [a, record] : records_) {
    const Reply reply = world_.ok("record", fmt::format(R"({{"a":"{}"}})", a));
    const Plain& stored = reply["item"];
    EXPECT_EQ(fmt::format("{} {} {} {}", stored.member("least").string(), stored.member("most").string(),
                          stored.member("times").string(), stored.member("last").string()),
              fmt::format("{} {} {} {}", record.least, record.most, record.times, record.last));
    EXPECT_EQ(stored.member("writes").string(), std::to_string(record.writes));
    std::map<std::string, int> scores;
    if (stored.member("scores").exists()) {
      for (const auto& [name, value] : stored.member("scores").members())
        scores[name] = std::atoi(value.string().c_str());
    }
    EXPECT_EQ(scores, record.scores);
    std::set<std::string> named;
    if (stored.member("named").exists()) {
      for (const Plain& one : stored.member("named").elements()) named.insert(one.string());
    }
    EXPECT_EQ(named, record.named);
  }
  std::vector<std::string> levels, found;
  for (const auto& [id, account] : accounts_) {
    const std::string& handle = account.handle;
    const Reply reply = world_.ok("account", fmt::format(R"({{"id":"{}"}})", id));
    EXPECT_EQ(reply["item"].member("handle").string(), handle);
    EXPECT_EQ(reply["item"].member("level").string(), std::to_string(account.level));
    std::map<std::string, int> ranks;
    for (const auto& [name, value] : reply["item"].member("ranks").members())
      ranks[name] = std::atoi(value.string().c_str());
    EXPECT_EQ(ranks, account.ranks);
    if (account.nick) levels.push_back(std::to_string(account.level));
    EXPECT_EQ(world_.ok("accountOf", fmt::format(R"({{"handle":"{}"}})", handle))["item"].member("id").string(), id);
  }
  std::ranges::sort(levels);
  for (const Plain& item : world_.walk("byNick", R"({"nick":"al"})", 2)) found.push_back(item.member("level").string());
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

void GeneratedTables::compare_figures() {
  for (const char* device : {"da", "db"}) {
    std::optional<int> highest, lowest, latest;
    int balance = 0;
    for (const auto& [key, value] : readings_) {
      if (key.first != device) continue;
      latest = std::max(latest.value_or(key.second), key.second);
      if (!value) continue;
      balance += *value;
      highest = std::max(highest.value_or(*value), *value);
      lowest = std::min(lowest.value_or(*value), *value);
    }
    const std::string key = fmt::format(R"({{"device":"{}"}})", device);
    const Reply sum = world_.call("balance", key);
    EXPECT_EQ(sum.status == 200 ? plain_json(sum["item"].member("balance")) : "0", std::to_string(balance)) << device;
    EXPECT_EQ(world_.walk("balances", key, 2).size(), sum.status == 200 ? 1U : 0U) << device;
    const Reply reply = world_.call("device", key);
    if (reply.status == 404) {
      EXPECT_FALSE(latest) << device;
      continue;
    }
    const auto stored = [&](const char* name) {
      const Plain& value = reply["item"].member(name);
      return value.exists() ? value.string() : "none";
    };
    const auto expected = [](const std::optional<int>& value) { return value ? std::to_string(*value) : "none"; };
    EXPECT_EQ(stored("high"), expected(highest)) << device;
    EXPECT_EQ(stored("low"), expected(lowest)) << device;
    EXPECT_EQ(stored("last"), expected(latest)) << device;
    EXPECT_EQ(stored("record"), ever_.contains(device) ? std::to_string(ever_[device]) : "none") << device;
  }
}

Reply some_call(DesignWorld& world, const GeneratedDesign& result, std::mt19937_64& random) {
  const auto pick_of = [&](std::initializer_list<const char*> list) {
    return std::string(*(list.begin() + static_cast<long>(random() % list.size())));
  };
  const std::string a = pick_of({"a", "b"});
  const auto n = random() % 3;
  const std::string key = fmt::format(R"("a":"{}","n":{})", a, n);
  const std::string whole =
      fmt::format(R"({},"s":"{}","w":{},"u":"{}","o":"{}","p":"{}"{})", key, pick_of({"x", "y", "z"}), random() % 51,
                  pick_of({"ua", "ub", "uc"}), pick_of({"oa", "ob"}), std::string(random() % 100 + 1, 'p'),
                  result.has_children ? fmt::format(R"(,"l":["{}"])", pick_of({"la", "lb"})) : "");
  Reply reply;
  switch (random() % 10) {
    case 0:
      reply = world.call("create", "{" + whole + "}");
      break;
    case 1:
      reply = world.call("replace", "{" + whole + "}");
      break;
    case 2:
      reply = world.call("change", "{" + whole + "}");
      break;
    case 3:
      reply = world.call("drop", "{" + key + "}");
      break;
    case 4:
      reply = world.call("more", fmt::format(R"({{{},"d":{}}})", key, random() % 9));
      break;
    case 5:
      reply = world.call(random() % 2 ? "mark" : "unmark", fmt::format(R"({{"a":"{}","k":"ka"}})", a));
      break;
    case 6:
      reply = world.call("shift", fmt::format(R"({{{},"to":{},"d":{}}})", key, (n + 1) % 3, random() % 9));
      break;
    case 7:
      reply = world.call("createAll", fmt::format(R"({{"a":"{}","ns":[0,1],"s":"x","w":3,"k":"kb"}})", a));
      break;
    case 8:
      reply = random() % 3 == 0
                  ? world.call("forget", fmt::format(R"({{"device":"dc","at":{}}})", n))
                  : world.call("measure", fmt::format(R"({{"device":"dc","at":{},"value":{}}})", n, random() % 5));
      break;
    default:
      reply = world.call("removeAll", fmt::format(R"({{"a":"{}","ns":[1,2]}})", a));
      break;
  }
  return reply;
}

}  // namespace trestle::runtime
