#include "runtime/requests/failed_writes.h"

#include <algorithm>
#include <iterator>

#include "runtime/values/plain_json.h"

namespace trestle::runtime {

using design::Cause;
using design::Request;
using design::RequestKind;

namespace {

std::optional<ItemView> view_of(const std::shared_ptr<const Item>& item) {
  if (item == nullptr || item->bytes().empty()) return std::nullopt;
  return item->view();
}

}  // namespace

std::vector<FailedAction> failed_actions(std::vector<WriteAction>& actions, const Error& error, int64_t now_s) {
  std::vector<FailedAction> failed;
  const auto add = [&](WriteAction& action, const std::shared_ptr<const Item>& item) {
    const auto old = view_of(item);
    if (action.prepared == nullptr) return failed.push_back({&action, old, Cause::kPresent});
    std::vector<WriteAction*> parts = {&action};
    for (WriteAction& part : action.parts) parts.push_back(&part);
    const size_t before = failed.size();
    for (WriteAction* part : parts) {
      if (const auto cause = cause_of(*part, old, now_s)) failed.push_back({part, old, *cause});
    }
    if (failed.size() == before) failed.push_back({&action, old, Cause::kCondition});
    // If another part has a condition on the number that would leave its range, prefer the refusal of that condition,
    // which is more specific.
    const auto begin = failed.begin() + static_cast<std::ptrdiff_t>(before);
    const auto range = std::ranges::find(begin, failed.end(), Cause::kRange, &FailedAction::cause);
    if (range != failed.end()) {
      const std::string_view number = out_of_range(*range->action, old);
      const auto says = [&](const FailedAction& failed_action) {
        return failed_action.cause == Cause::kCondition && is_in_condition(*failed_action.action, number);
      };
      if (const auto better = std::ranges::find_if(begin, failed.end(), says); better != failed.end() && better > range)
        std::iter_swap(range, better);
    }
    // Only if the forms of all parts fit the item, a design's own condition must be what failed.
    const std::ranges::subrange of_action(failed.begin() + static_cast<std::ptrdiff_t>(before), failed.end());
    if (std::ranges::find(of_action, Cause::kForm, &FailedAction::cause) == of_action.end()) return;
    const auto unknown = std::ranges::remove_if(of_action, [](const FailedAction& failed_action) {
      return failed_action.cause == Cause::kCondition || failed_action.cause == Cause::kFlow;
    });
    failed.erase(unknown.begin(), unknown.end());
  };
  if (error.code == ErrorCode::kConditionalCheckFailed) {
    add(actions[0], error.item);
  } else if (error.code == ErrorCode::kTransactionCanceled && error.reasons != nullptr) {
    size_t at = 0;
    for (WriteAction& action : actions) {
      const bool sent = action.kind != RequestKind::kUpdateItem || !action.update.empty() || !action.condition.empty();
      if (!sent) continue;
      if (at >= error.reasons->size()) break;
      const CancellationReason& reason = (*error.reasons)[at++];
      if (reason.code == "ConditionalCheckFailed") add(action, reason.item);
    }
  }
  return failed;
}

const design::Refusal* refusal_for(const WriteAction& action, Cause cause, const std::optional<ItemView>& old) {
  if (cause == Cause::kRange) {
    const std::string_view attribute = out_of_range(action, old);
    for (const design::Refusal& refusal : action.prepared->request.refusals) {
      if (refusal.cause == cause && !attribute.empty() && refusal.attribute == attribute) return &refusal;
    }
  }
  for (const design::Refusal& refusal : action.prepared->request.refusals) {
    if (refusal.cause == cause) return &refusal;
  }
  return nullptr;
}

bool is_obsolete(const WriteAction& action, Cause cause) {
  const Request& request = action.prepared->request;
  if (request.guard != nullptr) return cause == Cause::kGuard && action.kind == RequestKind::kDeleteItem;
  if (request.each != nullptr) return cause == Cause::kAbsent;
  return request.tally != nullptr && request.follows == Request::Follows::kOldValue && cause == Cause::kAbsent;
}

void remove_obsolete(std::vector<WriteAction>& actions, const std::vector<FailedAction>& failed) {
  // `failed` points into `actions`, so the actions are moved only here, after all failures have been handled.
  std::vector<const WriteAction*> gone;
  for (const FailedAction& failed_action : failed) {
    if (is_obsolete(*failed_action.action, failed_action.cause)) gone.push_back(failed_action.action);
  }
  // Replaces an obsolete deletion by its next alternative. Returns true if the action is obsolete and has none.
  const auto is_gone_after_replacing = [&](WriteAction& action) {
    if (std::ranges::find(gone, &action) == gone.end()) return false;
    if (action.alternatives.empty()) return true;
    std::vector<WriteAction> others = std::move(action.alternatives);
    WriteAction next = std::move(others[0]);
    next.alternatives.assign(std::make_move_iterator(others.begin() + 1), std::make_move_iterator(others.end()));
    next.parts = std::move(action.parts);
    action = std::move(next);
    return false;
  };
  std::vector<WriteAction> left;
  for (WriteAction& action : actions) {
    std::vector<WriteAction> parts;
    for (WriteAction& part : action.parts) {
      if (!is_gone_after_replacing(part)) parts.push_back(std::move(part));
    }
    const bool stays = !is_gone_after_replacing(action);
    // The deletion that would have freed the guard was dropped: the put gets its own condition back.
    if (stays && parts.size() < action.parts.size() && action.prepared != nullptr) {
      const auto& pieces = action.prepared->request.pieces;
      for (size_t i = 0; i < pieces.size(); ++i) {
        if (action.prepared->request.guard != nullptr && pieces[i].cause == Cause::kGuard) action.chosen[i] = 0;
      }
    }
    if (!stays && parts.empty()) continue;
    if (stays) {
      action.parts = std::move(parts);
      left.push_back(std::move(action));
      continue;
    }
    WriteAction base = std::move(parts[0]);
    base.parts.assign(std::make_move_iterator(parts.begin() + 1), std::make_move_iterator(parts.end()));
    left.push_back(std::move(base));
  }
  actions = std::move(left);
}

Refused refused_write(const std::vector<WriteAction>& actions, const Error& error) {
  Refused refused = refused_by(error);
  if (refused.status != 400 || !is_item_too_large(refused.message)) return refused;
  std::string largest;
  size_t most = 0;
  for (const WriteAction& action : actions) {
    if (!action.fields.is(Plain::Kind::kMap)) continue;
    for (const auto& [name, value] : action.fields.members()) {
      const size_t bytes = plain_json(value).size();
      if (bytes > most) largest = name;
      most = std::max(most, bytes);
    }
  }
  if (!largest.empty())
    refused.fields.push_back({.field = largest, .reason = "makes the item larger than the limit of 400 KB"});
  return refused;
}

}  // namespace trestle::runtime
