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

#include "runtime/design_world.h"
#include "runtime/generated_design.h"
#include "runtime/generated_tables.h"
#include "runtime/other_program.h"

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
    // The stream's reader counts nothing in a parent that is not there yet.
    for (const char* a : {"a", "b"}) {
      if (!generated_.parent_required || !generated_.has_stream) continue;
      world_.ok("makeParent", fmt::format(R"({{"a":"{}","name":"n"}})", a));
      parents_.insert(a);
    }
  }

  // The findings that keep it from being served.
  std::string errors();

  void run(int calls);
  // Calls of several threads on few items. What each of them leaves is not known, but everything must fit together.
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
  // Along the flow, if there is one.
  bool may_become(const std::string& from, const std::string& to) const;
  // Empty: it has none.
  std::string revision_of(const Key& key);
  // Whether a write that counts the item, or takes it out, needs a parent that is not there.
  bool lacks_parent(const std::string& a) const {
    return generated_.parent_required && generated_.counts_in_transaction && !parents_.contains(a);
  }

  // Elsewhere items would be removed by a clock that is ahead of ours.
  bool expires_soon() const { return generated_.has_expiry && world_.engine != nullptr; }
  int64_t some_expiry();
  // What expires is gone, whether it was removed or not.
  void pass_time();
  // Removes some items that have expired, each alone, as TTL does.
  void sweep(const std::string& table);

  void one_call();
  // The parent is put in the transaction that removes or replaces what it counts.
  void renew(const Key& key, MainItem item);
  // A call during which the process dies after some writes. The next process ends what it left.
  void killed_call();
  std::map<int, MainItem> items_of(const std::string& a) const;
  // Takes over what is stored under `a`.
  void read_again(const std::string& a);
  // A loop within a transaction: for all or for none.
  void many(const std::string& a, const MainItem& like);
  static std::set<int> with(std::set<int> set, int more) {
    set.insert(more);
    return set;
  }
  bool marks_in_transaction() const { return generated_.yaml.find("add: {marks: 1}}") != std::string::npos; }

  void compare();
  void compare_others();
  // The least and greatest values that the parents have. Of what has expired nothing is removed, so it counts.
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
  std::map<std::string, int> heaviest_;  // the greatest weight that a parent had when it was last looked at
};

}  // namespace trestle::runtime
