// The state of a call: its inputs, the results of its steps so far, and which step is running. Plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/expressions/scope.h"
#include "runtime/items/shard_counts.h"
#include "runtime/requests/prepared_plan.h"

namespace trestle::runtime {

using EntityByName = std::map<std::string, const design::Entity*, std::less<>>;

// The written item that the answer contains.
struct WrittenItem {
  const design::Entity* entity = nullptr;
  Plain fields;  // a map; absent: there is none
  // The request whose item must be read for the answer, because a transaction returns no items. Null: `fields` has it.
  const PreparedRequest* read = nullptr;
  Item key;
};

struct StepPosition {
  std::vector<size_t> path;       // index of the step; within `for`, also index of the member and of the inner step
  int depth = 0;                  // nesting depth of steps
  int also_depth = 0;             // nesting depth of `also`, whose steps run before a refusal is answered
  std::optional<size_t> undoing;  // the step whose undo is running
};

struct CallState {
  int64_t now_ms = 0;  // when the call began; for a resumed call, when it first began
  Names names;         // inputs, lets, results of steps
  // By step: the stored items that later steps write, for conditions that they have not changed since they were read.
  std::map<std::string, Item, std::less<>> stored;
  // By step: the stored items of a list whose members a loop writes or copies, in the order of the list. Within the
  // loop, `stored` has the current member under the loop's name.
  std::map<std::string, std::vector<Item>, std::less<>> stored_lists;
  EntityByName entity_of;  // of the items that steps found
  std::map<std::string, std::shared_ptr<const ShardCounts>, std::less<>> shard_counts;
  std::optional<int64_t> expires_s;  // when the first of the items that steps found expires
  std::optional<WrittenItem> written;
  std::optional<std::string> position;  // continuation token of the list
  StepPosition at;

  void forget_stored(const std::string& name) {
    stored.erase(name);
    stored_lists.erase(name);
  }
  // Whether the step found an item.
  bool was_found(const std::string& step) const {
    const auto found = step.empty() ? names.end() : names.find(step);
    return found != names.end() && found->second.exists();
  }
};

// Whether one of the inputs is present, even as null; true if `inputs` is empty.
inline bool has_one_of(const Names& names, const std::vector<std::string>& inputs) {
  if (inputs.empty()) return true;
  return std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    const auto name = names.find(input);
    return name != names.end() && !name->second.is_absent();
  });
}

}  // namespace trestle::runtime
