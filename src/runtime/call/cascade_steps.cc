// Cascades: delete everything that belongs to an item, page by page.
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

// Whether an item that the call deleted before its cascade has been put again, so that what is found from then on may
// belong to the new item. Call this after reading a page: if it returns false, the items of the page existed while
// there was no owner.
Outcome<bool> Execution::was_owner_put_again() {
  if (!resumes_job_ && !record_.is_resumed()) return false;
  for (const DeletedItem& deleted : deleted_items(state_.names)) {
    const design::Table* table = shared_.design.table(deleted.table);
    if (table == nullptr) continue;
    GetItemRequest request{.table_name = deleted.table, .key = deleted.key};
    request.consistent_read = true;
    const auto found = sender_.send(&Database::get_item, request);
    if (!found) return std::unexpected(refused_by(found.error()));
    if (found->item && !has_expired(*table, *found->item, shared_.now_ms())) return true;
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
      TRY_INTO(const bool was_put_again, was_owner_put_again());
      if (was_put_again) return {};
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
      // An item with guards or children is deleted in its own transaction. If it has changed since it was read, the
      // next round finds it again.
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
