// Reads of a table as of a moment, compared with a model that keeps all states.
#include "engine/recovery/table_at.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>

#include "base/scratch_folder.h"
#include "engine/quiet_engine.h"

namespace trestle {
namespace {

using TableContent = std::map<std::string, int64_t>;  // key -> value

struct TableAtFixture : QuietTable {
  explicit TableAtFixture(std::string in = {}) : QuietTable(std::move(in)) { open(); }
  void open() { QuietTable::open(options()); }
  void create(bool recovery = true) const {
    QuietTable::create({});
    if (!recovery) return;
    ASSERT_TRUE(engine->update_continuous_backups({.table_name = "table", .enabled = true}).has_value());
  }
};

int64_t value_of(ItemView item) { return std::stoll(std::string(item.find("v")->scalar())); }
std::string key_of(ItemView item) { return std::string(item.find("pk")->scalar()); }

// Reads the whole table in pages of `keys_max`, and checks the order.
TableContent read_all(const TableAt& table, size_t keys_max, std::string cursor = {}) {
  TableContent content;
  std::string last;
  for (bool done = false; !done;) {
    const auto step = table.read(cursor, {.keys_max = keys_max}, [&](std::string_view key, ItemView item) {
      EXPECT_LT(last, key);
      last = key;
      EXPECT_TRUE(content.emplace(key_of(item), value_of(item)).second);
    });
    EXPECT_TRUE(step.has_value());
    if (!step.has_value()) break;
    cursor = step->cursor;
    done = step->done;
  }
  return content;
}

TEST(TableAt, a_random_history_is_as_it_was_at_every_time) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  TableAtFixture db;
  db.create();
  std::map<int64_t, TableContent> states;  // at the end of each ms
  TableContent now;
  for (int i = 0; i < 3000; ++i) {
    if (random() % 3 == 0) db.clock->advance_ms(static_cast<int64_t>(random() % 3));
    // One key is hot, so that it has many records.
    const std::string pk = random() % 4 == 0 ? "hot" : "k" + std::to_string(random() % 60);
    if (random() % 4 == 0) {
      db.erase(pk);
      now.erase(pk);
    } else {
      const auto v = static_cast<int64_t>(random() % 5);
      db.put(pk, v);
      now[pk] = v;
    }
    states[db.clock->now_ms()] = now;
  }
  for (int i = 0; i < 40; ++i) {
    auto at = states.begin();
    std::advance(at, static_cast<long>(random() % states.size()));
    const auto hold = db->hold_history("table", "test", at->first);
    ASSERT_TRUE(hold.has_value()) << hold.error().message;
    EXPECT_EQ(read_all(TableAt(db->store(), *hold), 1 + random() % 50), at->second) << at->first;
    ASSERT_TRUE(db->release_history(hold->id).has_value());
  }
}

TEST(TableAt, changes_between_two_times_have_both_states) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  TableAtFixture db;
  db.create();
  struct Write {
    int64_t time_ms;
    std::string pk;
  };
  std::vector<Write> writes;
  std::map<int64_t, TableContent> states;
  TableContent now;
  for (int i = 0; i < 1500; ++i) {
    db.clock->advance_ms(1);
    const std::string pk = "k" + std::to_string(random() % 80);
    const auto v = static_cast<int64_t>(i);
    if (random() % 4 == 0 && now.contains(pk)) {
      db.erase(pk);
      now.erase(pk);
    } else {
      db.put(pk, v);
      now[pk] = v;
    }
    writes.push_back({db.clock->now_ms(), pk});
    states[db.clock->now_ms()] = now;
  }
  for (int round = 0; round < 20; ++round) {
    size_t a = random() % writes.size();
    size_t b = random() % writes.size();
    if (a > b) std::swap(a, b);
    const int64_t from_ms = writes[a].time_ms;
    const int64_t to_ms = writes[b].time_ms;
    std::map<std::string, int64_t> expected;  // key -> when it was last written
    for (const Write& write : writes) {
      if (write.time_ms > from_ms && write.time_ms <= to_ms) expected[write.pk] = write.time_ms;
    }
    const auto hold = db->hold_history("table", "test", to_ms);
    ASSERT_TRUE(hold.has_value());
    const TableAt table(db->store(), *hold);
    std::map<std::string, int64_t> reported;
    size_t came_and_went = 0;
    std::string cursor;
    for (bool done = false; !done;) {
      const auto step = table.read_changes({.time_ms = from_ms}, cursor, {.keys_max = 7}, [&](const auto& changed) {
        if (changed.before.empty() && changed.after.empty()) {
          ++came_and_went;
          return;
        }
        const std::string pk = key_of(changed.before.empty() ? changed.after : changed.before);
        reported[pk] = changed.written_ms;
        const auto state = [&](ItemView item, const TableContent& content) {
          const auto found = content.find(pk);
          EXPECT_EQ(item.empty(), found == content.end()) << pk;
          if (item.empty() || found == content.end()) return;
          EXPECT_EQ(value_of(item), found->second);
        };
        state(changed.before, states[from_ms]);
        state(changed.after, states[to_ms]);
      });
      ASSERT_TRUE(step.has_value());
      cursor = step->cursor;
      done = step->done;
    }
    // An item that was created and deleted in between has no state at either moment.
    const size_t gone = std::erase_if(expected, [&](const auto& entry) {
      return !states[from_ms].contains(entry.first) && !states[to_ms].contains(entry.first);
    });
    EXPECT_EQ(reported, expected);
    EXPECT_EQ(came_and_went, gone);
    ASSERT_TRUE(db->release_history(hold->id).has_value());
  }
}

// Two items are always written together. Every read as of a moment sees them equal, despite concurrent writes.
TEST(TableAt, a_hold_is_one_moment_despite_concurrent_writers) {
  TableAtFixture db;
  db.create(false);
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int w = 0; w < 3; ++w) {
    writers.emplace_back([&, w] {
      for (int64_t v = 1; !stop; ++v) {
        TransactWriteItemsRequest request;
        for (const char* side : {"left", "right"}) {
          TransactWrite& write = request.writes.emplace_back();
          write.kind = TransactWrite::Kind::kPut;
          write.table_name = "table";
          write.item = Item{{"pk", Value::string(side + std::to_string(w))}, {"v", Value::number(v)}};
        }
        (void)db->transact_write_items(request);
      }
    });
  }
  for (int round = 0; round < 30; ++round) {
    const auto hold = db->hold_history("table", "test", std::nullopt);
    ASSERT_TRUE(hold.has_value());
    const TableAt table(db->store(), *hold);
    const TableContent first = read_all(table, 1);
    for (int w = 0; w < 3; ++w) {
      const std::string number = std::to_string(w);
      ASSERT_EQ(first.contains("left" + number), first.contains("right" + number));
      if (!first.contains("left" + number)) continue;
      EXPECT_EQ(first.at("left" + number), first.at("right" + number));
    }
    EXPECT_EQ(read_all(table, 2), first) << "the same moment is the same when read again";
    ASSERT_TRUE(db->release_history(hold->id).has_value());
  }
  stop = true;
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(db->catalog().find("table")->description.history_keyspace, 0u);
}

TEST(TableAt, a_cursor_continues_after_a_restart) {
  const ScratchFolder folder;
  TableAtFixture db(folder.path());
  db.create(false);
  TableContent expected;
  for (int i = 0; i < 100; ++i) {
    db.put("k" + std::to_string(i), i);
    expected["k" + std::to_string(i)] = i;
  }
  const auto hold = db->hold_history("table", "test", std::nullopt);
  ASSERT_TRUE(hold.has_value());
  for (int i = 0; i < 100; i += 2) db.erase("k" + std::to_string(i));
  TableContent content;
  std::string cursor;
  const auto take = [&](std::string_view, ItemView item) { content[key_of(item)] = value_of(item); };
  for (int page = 0; page < 3; ++page) {
    cursor = TableAt(db->store(), *hold).read(cursor, {.keys_max = 10}, take)->cursor;
  }
  db.open();
  for (int i = 1; i < 100; i += 2) db.put("k" + std::to_string(i), -1);
  const auto again = db->catalog().recovery().hold(hold->id);
  ASSERT_NE(again, nullptr);
  content.merge(read_all(TableAt(db->store(), *again), 10, cursor));
  EXPECT_EQ(content, expected);
}

}  // namespace
}  // namespace trestle
