// Cascades: the deletion, page by page, of everything that belongs to an item.
#include <algorithm>

#include "runtime/call/execution.h"
#include "runtime/requests/request_values.h"

namespace trestle::runtime {

using design::PlanStep;

namespace {

constexpr int64_t kCascadePage = 200;
constexpr int kCascadeRoundsMax = 20;

}  // namespace

Outcome<void> Execution::cascade_step(const PlanStep& step) {
  const PreparedRequest& query = plan_.of(step.requests[0]);
  const bool alone = step.requests.size() == 2 && step.requests[1].pieces.empty();
  PageBounds bounds{.limit = kCascadePage, .descending = false, .position = {}};
  int rounds = 0;
  for (;;) {
    TRY_INTO(const Page page, read_page(reads(), query, bounds));
    std::vector<Item> keys;
    bool changed_meanwhile = false;
    for (const Item& item : page.items) {
      TRY_INTO(state_.names["item"], fields_found("item", query, item));
      if (alone) {
        const PreparedRequest& removal = plan_.of(step.requests[1]);
        TRY_INTO(const Plain fields, fields_of(requests(), removal));
        TRY_INTO(auto key, key_of(requests(), removal, fields));
        if (key && std::find(keys.begin(), keys.end(), *key) == keys.end()) keys.push_back(std::move(*key));
        continue;
      }
      // With guards or children: each in a separate transaction. An item that changed meanwhile is found again.
      PlanStep removal{.kind = PlanStep::Kind::kWrite};
      TRY_INTO(auto actions, actions_of(std::span(step.requests).subspan(1)));
      TRY(merge_writes(actions));
      ++state_.at.depth;
      auto done = write(removal, actions);
      --state_.at.depth;
      if (!done && may_run_again(done.error()))
        changed_meanwhile = true;
      else if (!done && done.error().status != 404)
        return std::unexpected(std::move(done.error()));
    }
    state_.names.erase("item");
    TRY(sender_.delete_all(step.requests[1].table, std::move(keys)));
    bounds.position = page.position;
    if (!page.position.empty()) continue;
    if (!changed_meanwhile || ++rounds > kCascadeRoundsMax) return {};
  }
}

}  // namespace trestle::runtime
