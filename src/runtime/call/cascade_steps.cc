// Cascades: the deletion, page by page, of everything that belongs to an item.
#include <algorithm>

#include "runtime/call/execution.h"
#include "runtime/items/item_form.h"
#include "runtime/journal/deleted_items.h"
#include "runtime/requests/request_values.h"

namespace trestle::runtime {

using design::PlanStep;

namespace {

constexpr int64_t kCascadePage = 200;
constexpr int kCascadeRoundsMax = 20;

}  // namespace

// Whether an item that the call deleted before its cascade is there again. What is found then belongs to the new item:
// items that a page has found before this answers false were there while there was no owner.
Outcome<bool> Execution::is_owner_there_again() {
  if (!resumes_job_ && !record_.is_resumed()) return false;
  for (const DeletedItem& deleted : deleted_items(state_.names)) {
    const design::Table* table = core_.design.table(deleted.table);
    if (table == nullptr) continue;
    GetItemRequest request{.table_name = deleted.table, .key = deleted.key};
    request.consistent_read = true;
    const auto found = sender_.send(&Database::get_item, request);
    if (!found) return std::unexpected(refused_by(found.error()));
    if (found->item && !has_expired(*table, *found->item, core_.now_ms())) return true;
  }
  return false;
}

Outcome<void> Execution::cascade_step(const PlanStep& step) {
  const PreparedRequest& query = plan_.of(step.requests[0]);
  const bool alone = step.requests.size() == 2 && step.requests[1].pieces.empty();
  PageBounds bounds{.limit = kCascadePage, .descending = false, .position = {}};
  int rounds = 0;
  for (;;) {
    TRY_INTO(const Page page, read_page(reads(), query, bounds));
    if (!page.items.empty()) {
      TRY_INTO(const bool again, is_owner_there_again());
      if (again) return {};
    }
    std::vector<Item> keys;
    bool changed_meanwhile = false;
    for (const Item& item : page.items) {
      TRY_INTO(state_.names["$item"], fields_found("$item", query, item));
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
    state_.names.erase("$item");
    TRY(sender_.delete_all(step.requests[1].table, std::move(keys)));
    bounds.position = page.position;
    if (!page.position.empty()) continue;
    if (!changed_meanwhile || ++rounds > kCascadeRoundsMax) return {};
  }
}

}  // namespace trestle::runtime
