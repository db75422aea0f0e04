// For tests: the part of a generated design whose tables have fields as keys: accounts with unique handles, and
// readings with the least and greatest values of their device; against a plain model.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "runtime/design_world_for_test.h"
#include "runtime/generated_design_for_test.h"

namespace trestle::runtime {

// Expects one of the refusals, or success if there are none.
inline void expect_reply(const Reply& reply, const std::set<int>& refusals, const std::string& call) {
  if (refusals.empty())
    EXPECT_EQ(reply.status, 200) << call << ": " << reply.message;
  else
    EXPECT_TRUE(refusals.contains(reply.status)) << call << ": " << reply.status << " " << reply.message;
}

// A random call, for tests in which several threads work on a few items.
Reply some_call(DesignWorld& world, const GeneratedDesign& result, std::mt19937_64& random);

class GeneratedTables {
 public:
  // The arguments must outlive this object.
  GeneratedTables(DesignWorld& world, std::mt19937_64& random) : world_(world), random_(random) {}

  // Each makes one random call and updates the model.
  void accounts();
  void ranks();
  void readings();
  // Deletes a device with its readings and figures, which may be created again.
  void scrap();
  void note(const std::string& a);
  void number(const std::string& a);
  // Changes members of the record's map and set, within their limits.
  void scores(const std::string& a);
  void compare();
  // The streams must have been read.
  void compare_figures();

 private:
  std::string pick(std::initializer_list<const char*> list) {
    return *(list.begin() + static_cast<long>(random_() % list.size()));
  }

  DesignWorld& world_;
  std::mt19937_64& random_;
  struct Record {
    int least = 0, most = 0, times = 0, last = 0, writes = 0;
    std::map<std::string, int> scores;
    std::set<std::string> named;
  };
  std::map<std::string, Record> records_;
  struct Account {
    std::string handle;
    bool nick = false;
    int level = 1;
    std::map<std::string, int> ranks = {{"ra", 1}};
  };
  std::map<std::string, Account> accounts_;                             // by id
  std::map<std::pair<std::string, int>, std::optional<int>> readings_;  // values by device and time
  std::map<std::string, int> ever_;                                     // the greatest value each device ever had
};

}  // namespace trestle::runtime
