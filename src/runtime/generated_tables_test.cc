// Calls on the generated tables whose fields are keys, and the model of them.
#include "runtime/generated_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace trestle::runtime {

void GeneratedTables::accounts() {
  const std::string handle = pick({"alice", "bob", "carol"});
  const auto holder = std::ranges::find(accounts_, handle, [](const auto& one) { return one.second.handle; });
  const bool taken = holder != accounts_.end();
  if (accounts_.empty() || random_() % 3 == 0) {
    const bool nick = random_() % 2;
    const Reply reply =
        world_.call("join", fmt::format(R"({{"handle":"{}","level":1{}}})", handle, nick ? R"(,"nick":"al")" : ""));
    expect_reply(reply, taken ? std::set{409} : std::set<int>{}, "join " + handle);
    if (reply.status == 200) accounts_[reply["item"].member("id").string()] = {handle, nick, 1};
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
  const std::string call = "{" + key + (value ? fmt::format(R"(,"value":{}}})", *value) : "}");
  expect_reply(world_.call("measure", call), {}, "measure " + call);
  readings_[{device, at}] = value;
  if (value) ever_[device] = std::max(ever_.try_emplace(device, *value).first->second, *value);
}
void GeneratedTables::compare() {
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
    for (const auto& [key, value] : readings_) {
      if (key.first != device) continue;
      latest = std::max(latest.value_or(key.second), key.second);
      if (!value) continue;
      highest = std::max(highest.value_or(*value), *value);
      lowest = std::min(lowest.value_or(*value), *value);
    }
    const Reply reply = world_.call("device", fmt::format(R"({{"device":"{}"}})", device));
    if (reply.status == 404) {
      EXPECT_FALSE(latest) << device;
      continue;
    }
    const auto is = [&](const char* name) {
      const Plain& value = reply["item"].member(name);
      return value.exists() ? value.string() : "none";
    };
    const auto should = [](const std::optional<int>& value) { return value ? std::to_string(*value) : "none"; };
    EXPECT_EQ(is("high"), should(highest)) << device;
    EXPECT_EQ(is("low"), should(lowest)) << device;
    EXPECT_EQ(is("last"), should(latest)) << device;
    EXPECT_EQ(is("record"), ever_.contains(device) ? std::to_string(ever_[device]) : "none") << device;
  }
}

}  // namespace trestle::runtime
