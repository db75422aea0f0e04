// The random calls of a generated design, each with the result that the plain model expects.
#include <algorithm>

#include "runtime/generated_run_for_test.h"

namespace trestle::runtime {

MainItem GeneratedRun::some_item() {
  MainItem item{.s = pick({"x", "y", "z"}), .w = static_cast<int>(random_() % 51)};
  if (random_() % 2) item.u = pick({"ua", "ub", "uc"});
  if (random_() % 2) item.o = pick({"oa", "ob"});
  if (random_() % 2) item.p = std::string(random_() % 200 + 1, 'p');
  if (generated_.has_expiry && random_() % 2) item.e = some_expiry();
  if (generated_.has_children) {
    for (const char* part : {"la", "lb", "lc"}) {
      if (random_() % 3 == 0) item.l.push_back(part);
    }
  }
  return item;
}

std::string GeneratedRun::list_json(const MainItem& item) const {
  return item.l.empty() ? "null" : fmt::format(R"(["{}"])", fmt::join(item.l, R"(",")"));
}

std::string GeneratedRun::json(const Key& key, const MainItem& item) const {
  std::string out = fmt::format(R"({{{},"s":"{}","w":{})", key_json(key), item.s, item.w);
  if (item.u) out += R"(,"u":)" + text(item.u);
  if (item.o) out += R"(,"o":)" + text(item.o);
  if (item.p) out += R"(,"p":)" + text(item.p);
  if (item.e) out += fmt::format(R"(,"e":{})", *item.e);
  if (!item.l.empty()) out += R"(,"l":)" + list_json(item);
  return out + "}";
}

bool GeneratedRun::is_taken(const Key& key, const MainItem& item) const {
  for (const auto& [other, other_item] : items_) {
    if (other == key || !item.u || other_item.u != item.u) continue;
    if (generated_.unique_one || (generated_.unique_two && other_item.s == item.s)) return true;
  }
  return false;
}

bool GeneratedRun::may_become(const std::string& from, const std::string& to) const {
  return !generated_.has_flow || from == to || (from == "x" && to == "y") || (from == "y" && to == "z");
}

std::string GeneratedRun::revision_of(const Key& key) {
  return world_.call("main", "{" + key_json(key) + "}").revision;
}

int64_t GeneratedRun::some_expiry() {
  const bool soon = expires_soon() && random_() % 2;
  return world_.clock.now_ms() / 1000 + (soon ? 5 : 400'000'000) + static_cast<int64_t>(random_() % 60);
}

void GeneratedRun::pass_time() {
  if (!expires_soon() || random_() % 5 != 0) return;
  world_.clock.advance_ms(15'000);
  std::erase_if(items_, [&](const auto& one) { return one.second.e && *one.second.e <= world_.clock.now_ms() / 1000; });
  // Children that do not expire would become orphans (T513).
  if ((!generated_.has_children || generated_.children_expire) && random_() % 2) sweep("first");
}

void GeneratedRun::sweep(const std::string& table) {
  ScanRequest scan;
  scan.table_name = table;
  const auto page = world_.engine->scan(scan);
  ASSERT_TRUE(page.has_value() && !page->last_evaluated_key);
  const design::Table& where = *world_.reading->design.table(table);
  for (size_t i = 0; i < page->items.size(); ++i) {
    const ItemView item = page->items[i];
    if (!has_expired(where, item, world_.clock.now_ms()) || random_() % 2) continue;
    ASSERT_TRUE(world_.engine->delete_item({.table_name = table, .key = key_of(where, item)}).has_value());
  }
}

void GeneratedRun::one_call() {
  pass_time();
  const Key key = some_key();
  const auto found = items_.find(key);
  const bool exists = found != items_.end();
  MainItem item = some_item();
  std::set<int> refusals;
  switch (random_() % 28) {
    case 18:
    case 19:
      return tables_.accounts();
    case 20:
      if (generated_.has_scrap && random_() % 6 == 0) return tables_.scrap();
      return tables_.readings();
    case 22:
    case 23:
      return tables_.scores(key.first);
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
      if (exists && !may_become(found->second.s, item.s)) refusals.insert(409);
      const std::string call = json(key, item);
      const std::string revision = exists ? revision_of(key) : "";
      expect_reply(world_.call("replace", call), refusals, "replace " + call);
      if (!refusals.empty()) break;
      items_[key] = item;
      if (!revision.empty()) EXPECT_EQ(revision_of(key), std::to_string(std::stoi(revision) + 1)) << call;
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
      if (generated_.has_expiry && random_() % 2) {
        changed.e = item.e;
        call += item.e ? fmt::format(R"(,"e":{})", *item.e) : R"(,"e":null)";
      }
      if (generated_.has_children && random_() % 2) {
        changed.l = item.l;
        call += R"(,"l":)" + list_json(item);
      }
      call += "}";
      if (!exists) {
        refusals.insert(404);
      } else {
        if (!may_become(found->second.s, changed.s)) refusals.insert(409);
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
    case 21:
      return renew(key, item);
    case 10: {
      const bool resets = random_() % 2;
      if (!resets && parents_.contains(key.first)) refusals.insert(409);
      const std::string call =
          fmt::format(R"({{"a":"{}"{}}})", key.first, generated_.parent_required ? R"(,"name":"n")" : "");
      const Reply reply = world_.call(resets ? "resetParent" : "makeParent", call);
      // A parent that a tally may create exists as soon as something has been counted.
      if (generated_.parent_required) expect_reply(reply, refusals, "parent " + call);
      if (reply.status == 200) parents_.insert(key.first);
      break;
    }
    case 11: {
      const std::string k = pick({"ka", "kb"});
      const std::string call = fmt::format(R"({{"a":"{}","k":"{}"}})", key.first, k);
      if (random_() % 2) {
        const bool lacks = generated_.parent_required && marks_in_transaction() && !parents_.contains(key.first);
        if (lacks) refusals.insert(404);
        expect_reply(world_.call("mark", call), refusals, "mark " + call);
        if (refusals.empty()) marks_.insert({key.first, k});
      } else {
        expect_reply(world_.call("unmark", call), {}, "unmark " + call);
        marks_.erase({key.first, k});
      }
      break;
    }
    case 25:
    case 26:
    case 27:
      return mix(key);
    case 12:
      return tables_.note(key.first);
    case 13:
      return tables_.number(key.first);
    case 14: {
      // Two steps. If the second is refused, the first is undone.
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
        if (random_() % 2) {
          expect_reply(world_.call("clear", fmt::format(R"({{"a":"{}"}})", key.first)), {}, "clear");
        } else {
          // Items that the cascade deleted stay deleted if the next step is refused.
          const std::string k = pick({"ka", "kb"});
          if (marks_.erase({key.first, k}) == 0) refusals.insert(404);
          const std::string call = fmt::format(R"({{"a":"{}","k":"{}"}})", key.first, k);
          expect_reply(world_.call("clearBoth", call), refusals, "clearBoth " + call);
        }
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
        if (generated_.parent_required && !parents_.contains(key.first)) refusals.insert(404);
        if (generated_.parent_required || exists)
          expect_reply(reply, refusals.empty() ? refusals : with(refusals, 404), call);
        if (reply.status == 200) {
          items_[key] = item;
          marks_.insert({key.first, k});
        }
      }
    }
  }
}

namespace {

using OptionalText = std::optional<std::string>;

// The field that a mix sets to the value: every name is the value before the update.
void set_mixed(MainItem& item, const MainItem& old, const std::string& field, const std::string& value, int d,
               const std::string& t) {
  const OptionalText text = value == "o"                            ? old.o
                            : value == "u"                          ? old.u
                            : value == "$t"                         ? t
                            : value == "if(w > 25, o, u)"           ? (old.w > 25 ? old.o : old.u)
                            : value == "if(s = 'x', u, $t)"         ? (old.s == "x" ? old.u : t)
                            : value == "concat(s, w)"               ? fmt::format("{}{}", old.s, old.w)
                            : value == "if(w > 25, 'high', p)"      ? (old.w > 25 ? OptionalText("high") : old.p)
                            : value == "if(w > 25, 'y', s)"         ? (old.w > 25 ? "y" : old.s)
                            : value == "if(exists(o), 'z', s)"      ? (old.o ? "z" : old.s)
                            : value == "y"                          ? OptionalText("y")
                            : value == "concat(o, '-', w)" && old.o ? OptionalText(fmt::format("{}-{}", *old.o, old.w))
                                                                    : std::nullopt;
  if (field == "w")
    item.w = value == "$d" ? d : value == "w + $d" ? old.w + d : value == "w - $d" ? old.w - d : old.u ? 7 : old.w;
  else if (field == "s")
    item.s = *text;
  else
    (field == "u" ? item.u : field == "o" ? item.o : item.p) = text;
}

}  // namespace

void GeneratedRun::mix(const Key& key) {
  const auto found = items_.find(key);
  const bool exists = found != items_.end();
  std::set<int> refusals;
  MainItem item;
  std::string name, call;
  if (random_() % 4 == 0) {
    const int d = static_cast<int>(random_() % 51);
    item = {.s = pick({"x", "y", "z"}), .w = d, .o = d > 25 ? "oa" : "ob"};
    item.p = *item.o + std::to_string(d);
    name = "remake";
    call = fmt::format(R"({{{},"s":"{}","d":{}}})", key_json(key), item.s, d);
    if (lacks_parent(key.first)) refusals.insert(404);
    if (exists && !may_become(found->second.s, item.s)) refusals.insert(409);
  } else {
    const size_t which = random_() % generated_.mixes.size();
    const int d = static_cast<int>(random_() % 70) - 9;
    const std::string t = pick({"oa", "oc"});
    name = "mix" + std::to_string(which);
    call = fmt::format(R"({{{},"d":{},"t":"{}"}})", key_json(key), d, t);
    if (d > 60) {
      refusals.insert(400);
    } else if (!exists) {
      refusals.insert(404);
    } else {
      item = found->second;
      for (const auto& [field, value] : generated_.mixes[which]) set_mixed(item, found->second, field, value, d, t);
      if (item.w < 0 || item.w > 50) refusals.insert({400, 409});
      if (!may_become(found->second.s, item.s)) refusals.insert(409);
      if (is_taken(key, item)) refusals.insert(409);
      if (lacks_parent(key.first)) refusals.insert({404, 200});
    }
  }
  const Reply reply = world_.call(name, call);
  expect_reply(reply, refusals, name + " " + call);
  if (reply.status == 200) items_[key] = item;
}

void GeneratedRun::renew(const Key& key, MainItem item) {
  const auto found = items_.find(key);
  const bool removes = random_() % 2;
  item = {.s = item.s, .w = item.w};
  std::set<int> refusals;
  if (removes && found == items_.end()) refusals.insert(404);
  if (!removes && found != items_.end() && !may_become(found->second.s, item.s)) refusals.insert(409);
  std::string call = "{" + key_json(key);
  if (!removes) call += fmt::format(R"(,"s":"{}","w":{})", item.s, item.w);
  call += generated_.parent_required ? R"(,"name":"m"})" : "}";
  expect_reply(world_.call(removes ? "renew" : "renewWith", call), refusals, "renew " + call);
  if (!refusals.empty()) return;
  parents_.insert(key.first);
  if (removes)
    items_.erase(key);
  else
    items_[key] = item;
}

void GeneratedRun::move_all(const std::string& a) {
  const std::string to = a == "a" ? "b" : "a";
  const auto moved = items_of(a);
  std::set<int> refusals;
  for (const auto& [n, item] : moved) {
    if (items_.contains({to, n})) refusals.insert(409);
  }
  if (!moved.empty() && lacks_parent(to)) refusals.insert(404);
  const auto extra = [&](const std::string& of, int n) {
    return plain_json(world_.call("main", "{" + key_json({of, n}) + "}")["item"].member("extra"));
  };
  std::map<int, std::string> extras;
  for (const auto& [n, item] : moved) extras[n] = extra(a, n);
  const std::string call = fmt::format(R"({{"a":"{}","to":"{}"}})", a, to);
  expect_reply(world_.call("moveAll", call), refusals, "moveAll " + call);
  if (!refusals.empty()) return;
  for (const auto& [n, item] : moved) {
    EXPECT_EQ(extra(to, n), extras[n]) << call;
    items_.erase({a, n});
    items_[{to, n}] = item;
  }
}

void GeneratedRun::many(const std::string& a, const MainItem& like) {
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
  switch (random_() % 4) {
    case 3:
      return move_all(a);
    case 0: {
      const int d = static_cast<int>(random_() % 19) - 9;
      if (!all) refusals.insert(404);
      for (const int n : ns) {
        if (at(n) != items_.end() && (at(n)->second.w + d < 0 || at(n)->second.w + d > 50)) refusals.insert({400, 409});
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
      if (generated_.parent_required && marks_in_transaction() && !parents_.contains(a)) refusals.insert(404);
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

}  // namespace trestle::runtime
