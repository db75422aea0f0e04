// For tests: one generated design, run with random calls against a plain model. generated_calls_test.cc has the calls.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/design_world_for_test.h"
#include "runtime/generated_design_for_test.h"
#include "runtime/generated_tables_for_test.h"
#include "runtime/other_program_for_test.h"
#include "runtime/values/plain_json.h"

namespace trestle::runtime {

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
      : generated_(seed), random_(seed * 7919 + 1), world_(generated_.yaml, elsewhere) {
    // The stream reader does not count in a parent that does not exist.
    for (const char* a : {"a", "b"}) {
      if (!generated_.parent_required || !generated_.has_stream) continue;
      world_.ok("makeParent", fmt::format(R"({{"a":"{}","name":"n"}})", a));
      parents_.insert(a);
    }
  }

  // The findings that prevent the design from being served.
  std::string errors();

  void run(int calls);
  // Calls from several threads on a few items. The final items are not predictable, but they must be consistent.
  void run_together(int threads, int calls);
  const std::string& yaml() const { return generated_.yaml; }

 private:
  using Key = std::pair<std::string, int>;
  std::string pick(std::initializer_list<const char*> list) {
    return *(list.begin() + static_cast<long>(random_() % list.size()));
  }
  Key some_key() { return {pick({"a", "b"}), static_cast<int>(random_() % 3)}; }
  MainItem some_item();
  static std::string text(const std::optional<std::string>& value) { return value ? '"' + *value + '"' : "null"; }
  std::string key_json(const Key& key) const { return fmt::format(R"("a":"{}","n":{})", key.first, key.second); }
  std::string list_json(const MainItem& item) const;
  std::string json(const Key& key, const MainItem& item) const;
  bool is_taken(const Key& key, const MainItem& item) const;
  // Whether the flow, if there is one, allows the change.
  bool may_become(const std::string& from, const std::string& to) const;
  // Empty: the item has no revision.
  std::string revision_of(const Key& key);
  // Whether a write that changes what the parent counts needs a parent that does not exist.
  bool lacks_parent(const std::string& a) const {
    return generated_.parent_required && generated_.counts_in_transaction && !parents_.contains(a);
  }

  // Another endpoint would delete items by its own clock, which is ahead of the test's.
  bool expires_soon() const { return generated_.has_expiry && world_.engine != nullptr; }
  int64_t some_expiry();
  // Sometimes advances the clock. Expired items are gone from the model, whether or not they are deleted.
  void pass_time();
  // Deletes some expired items, each in a request of its own, as TTL does.
  void sweep(const std::string& table);

  void one_call();
  // Updates or puts an item with values that name other fields that are set in the same write.
  void mix(const Key& key);
  // Puts the parent in the transaction that deletes or replaces an item that it counts.
  void renew(const Key& key, MainItem item);
  // A call during which the process dies after some writes. The next process resumes it.
  void killed_call();
  std::map<int, MainItem> items_of(const std::string& a) const;
  // Updates the model to the items stored under `a`.
  void read_again(const std::string& a);
  // Moves all items of one parent to the other, with the attributes that another program added.
  void move_all(const std::string& a);
  // A loop within a transaction, which applies to all items or to none.
  void many(const std::string& a, const MainItem& like);
  static std::set<int> with(std::set<int> set, int more) {
    set.insert(more);
    return set;
  }
  bool marks_in_transaction() const { return generated_.yaml.find("add: {marks: 1}}") != std::string::npos; }

  void compare();
  void compare_others();
  // Compares the least and greatest values of the parents. An expired item that was not deleted still counts.
  void compare_extremes();
  void drain();

  GeneratedDesign generated_;
  std::mt19937_64 random_;
  DesignWorld world_;
  std::map<Key, MainItem> items_;
  std::set<std::string> parents_;
  std::set<std::pair<std::string, std::string>> marks_;
  GeneratedTables tables_{world_, random_};
  OtherProgram other_program_{world_, random_};
  std::map<std::string, int> heaviest_;  // the `record` of each parent at the last comparison
};

}  // namespace trestle::runtime
