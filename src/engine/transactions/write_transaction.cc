#include "engine/transactions/write_transaction.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/items/admission.h"
#include "engine/items/item_changes.h"
#include "engine/items/item_key.h"
#include "engine/tables/find_table.h"
#include "engine/transactions/cancellation.h"
#include "engine/vectors/vector_entry.h"
#include "model/limits.h"
#include "storage/cached_reads.h"

namespace trestle {
namespace {

using Kind = TransactWrite::Kind;

// The name of a token's lock. It differs from all encoded item keys, which are longer and begin differently.
std::string token_lock(std::string_view token) { return std::string("token ").append(token); }

// The bytes of an action that count towards the limit of 4 MB: its item or key, its expressions, and their values.
size_t payload_bytes(const TransactWrite& write) {
  size_t bytes = write.item.size_bytes();
  if (write.update_expression) bytes += write.update_expression->size();
  if (write.condition.expression) bytes += write.condition.expression->size();
  if (write.placeholders.values) {
    for (const auto& [key, value] : *write.placeholders.values) bytes += value.view().size_bytes();
  }
  return bytes;
}

}  // namespace

// ---- Validation

Result<void> WriteTransaction::prepare() {
  TRY(compile());
  TRY(open_tables());
  if (tables_.size() == 1) call_.table_name = tables_.front()->description.name;
  TRY(check_keys());
  TRY(check_distinct());
  size_t bytes = 0;
  for (const TransactWrite& write : request_.writes) bytes += payload_bytes(write);
  if (bytes > kTransactionBytesMax) {
    return invalid(fmt::format("Transaction payload size cannot exceed 4MB. Payload Size: {}", bytes));
  }
  return {};
}

// Checks values and compiles expressions, action by action, before any table is looked up.
Result<void> WriteTransaction::compile() {
  actions_.resize(request_.writes.size());
  for (size_t i = 0; i < actions_.size(); ++i) {
    const TransactWrite& write = request_.writes[i];
    if (write.fault) return invalid(*write.fault);
    TRY(compile(write, actions_[i]));
    if (write.key_fault) return invalid(*write.key_fault);
  }
  return {};
}

Result<void> WriteTransaction::compile(const TransactWrite& write, Action& action) {
  // Names and values without any expression are not validated.
  if (!write.update_expression && !write.condition.expression) return {};
  TRY_INTO(Binding binding, Binding::make(write.placeholders, true));
  if (write.update_expression) {
    TRY_INTO(action.update, compile_update(*write.update_expression, binding));
  }
  TRY_INTO(action.condition, CompiledCondition::compile(write.condition, binding));
  return binding.all_used();
}

Result<void> WriteTransaction::open_tables() {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < actions_.size(); ++i) {
    const std::string_view name_or_arn = request_.writes[i].table_name;
    const std::string_view name = table_name_of(name_or_arn).value_or(name_or_arn);
    const auto known = std::find(names.begin(), names.end(), name);
    actions_[i].table = static_cast<size_t>(known - names.begin());
    if (known != names.end()) continue;
    TRY_INTO(WritableTable table, open_table(parts_, name));
    tables_.push_back(std::move(table));
    names.push_back(name);
  }
  return {};
}

// An empty key value rejects the request; any other error in a key cancels the transaction.
Result<void> WriteTransaction::check_keys() {
  for (size_t i = 0; i < actions_.size(); ++i) TRY(check_no_empty_key(table_of(i), request_.writes[i].item));
  Cancellation cancellation(actions_.size());
  for (size_t i = 0; i < actions_.size(); ++i) {
    if (const auto checked = check_action(i); !checked.has_value()) cancellation.set_invalid(i, checked.error());
  }
  if (cancellation.any()) return cancellation.error();
  for (size_t i = 0; i < actions_.size(); ++i) {
    actions_[i].key = encode_table_key(table_of(i).keyspace, table_of(i).key, request_.writes[i].item);
  }
  return {};
}

Result<void> WriteTransaction::check_action(size_t action) const {
  const TransactWrite& write = request_.writes[action];
  const TableDescription& table = table_of(action);
  if (write.kind == Kind::kPut) return check_item(table, write.item);
  TRY(check_key(table, write.item));
  if (!actions_[action].update) return {};
  TRY(check_key_not_updated(table, *actions_[action].update));
  TRY(check_written_index_types(table, *actions_[action].update));
  return check_nested_paths(table, actions_[action].update->nested_attributes());
}

Result<void> WriteTransaction::check_distinct() const {
  std::vector<std::string_view> keys;
  for (const Action& action : actions_) keys.push_back(action.key);
  if (!has_duplicates(std::move(keys))) return {};
  return invalid(kSameItemTwice);
}

// ---- Execution

TransactionRegistry::Use WriteTransaction::use_of(size_t action) const {
  return request_.writes[action].kind == Kind::kConditionCheck ? TransactionRegistry::Use::kRead
                                                               : TransactionRegistry::Use::kWrite;
}

Result<TransactWriteItemsResponse> WriteTransaction::run(const std::optional<RequestToken>& token) {
  const size_t count = actions_.size();
  std::vector<TransactionRegistry::ItemClaims::ClaimRequest> claim_requests;
  for (size_t i = 0; i < count; ++i) claim_requests.push_back({.key = actions_[i].key, .use = use_of(i)});
  const TransactionRegistry::ItemClaims claims(*parts_.transactions, std::move(claim_requests));
  std::vector<std::string> lock_names;
  for (size_t i = 0; i < count; ++i) {
    if (!claims.is_refused(i)) lock_names.push_back(actions_[i].key);
  }
  if (token) lock_names.push_back(token_lock(*request_.client_request_token));
  const auto locks = parts_.locks.lock_all(lock_names);
  if (CachedReads::missed()) return failure(ErrorCode::kServiceUnavailable, "another thread repeats the call");

  std::vector<PinnedBytes> old_items(count);  // this and `outcomes` must outlive `changes`, which refers to them
  std::vector<Outcome> outcomes(count);
  std::vector<ItemView> before(count);
  Cancellation cancellation(count);
  for (size_t i = 0; i < count; ++i) {
    if (claims.is_refused(i)) {
      cancellation.set_conflict(i);
      continue;
    }
    if (const uint64_t held = parts_.transactions->conflicting_commit(actions_[i].key, use_of(i))) {
      // As for a single write, the error response waits until the other commit is durable, so that a retry can succeed.
      call_.commit = std::max(call_.commit, held);
      cancellation.set_conflict(i);
      continue;
    }
    TRY_INTO(const bool found, parts_.store->get(Space::kItems, actions_[i].key, old_items[i]));
    call_.commit = std::max(call_.commit, parts_.store->commit_seen(actions_[i].key));
    if (found) before[i] = ItemView(old_items[i].view());
    TRY(decide(i, before[i], outcomes[i], cancellation));
    if (const auto admitted = admit_write(parts_, table_of(i), request_.writes[i].item, before[i], outcomes[i].after);
        !admitted.has_value()) {
      cancellation.set_throttled(i, admitted.error());
      continue;
    }
    outcomes[i].prepared = true;
  }
  if (cancellation.any()) {
    charge_preparation(outcomes, before);
    return cancellation.error();
  }

  ItemChanges changes(parts_);
  std::vector<CapacityMeter> used = meters(CapacityKind::kTransactionWrite);
  for (size_t i = 0; i < count; ++i) {
    CapacityMeter& meter = used[actions_[i].table];
    if (outcomes[i].changes) {
      changes.add(*tables_[actions_[i].table], actions_[i].key, before[i], outcomes[i].after, meter);
    } else {
      meter.add_table(write_units(billed_bytes(table_of(i), before[i])));
    }
  }
  if (token) {
    put_token(changes.batch(), *request_.client_request_token, with_read_units(*token, outcomes, before));
  }
  Call own_call;
  TRY(changes.commit(own_call));
  commit_ = own_call.commit;
  call_.commit = std::max(call_.commit, commit_);
  hold_items();
  return response(used);
}

// Decides the effect of an action on its item, or the reason why it fails.
Result<void> WriteTransaction::decide(size_t action, ItemView before, Outcome& outcome,
                                      Cancellation& cancellation) const {
  const TransactWrite& write = request_.writes[action];
  if (!actions_[action].condition.holds(before)) {
    cancellation.set_condition_failed(action, write.condition.return_item_on_failure ? before : ItemView());
    return {};
  }
  outcome.changes = write.kind != Kind::kConditionCheck;
  if (write.kind == Kind::kPut) outcome.after = write.item.view();
  if (write.kind != Kind::kUpdate) return {};

  const Update& update = *actions_[action].update;
  if (before.empty() && update.only_removes()) {
    outcome.changes = false;
    return {};
  }
  auto result = updated(action, before);
  if (!result.has_value()) {
    cancellation.set_invalid(action, without_nesting_detail(result.error()));
    return {};
  }
  TRY(check_no_empty_updated_key(table_of(action), update, *result));
  auto checked = before.empty() ? check_new_key(table_of(action), write.item) : Result<void>();
  if (checked.has_value()) checked = check_updated_index_keys(table_of(action), update, *result);
  if (!checked.has_value()) cancellation.set_invalid(action, checked.error());
  outcome.new_item = std::move(*result);
  outcome.after = outcome.new_item->view();
  return {};
}

Result<Item> WriteTransaction::updated(size_t action, ItemView before) const {
  const ItemView base = before.empty() ? request_.writes[action].item.view() : before;
  TRY_INTO(Item item, actions_[action].update->apply(base));
  if (item.size_bytes() > kItemBytesMax) {
    return invalid(kUpdatedItemTooLarge);
  }
  return item;
}

// A transaction costs two writes of each item, one to prepare and one to commit. A cancelled transaction is charged for
// preparing the items that it reached, with their old sizes.
void WriteTransaction::charge_preparation(const std::vector<Outcome>& outcomes, const std::vector<ItemView>& before) {
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].prepared) continue;
    const double units = write_units(billed_bytes(table_of(i), before[i]));
    parts_.throughput.charge(table_of(i), nullptr, UnitKind::kWrite, units);
    count_consumed(*tables_[actions_[i].table], nullptr, UnitKind::kWrite, units);
  }
}

RequestToken WriteTransaction::with_read_units(RequestToken token, const std::vector<Outcome>& outcomes,
                                               const std::vector<ItemView>& before) const {
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const size_t bytes = std::max(billed_bytes(table_of(i), before[i]), billed_bytes(table_of(i), outcomes[i].after));
    token.read_units.push_back(static_cast<uint32_t>(read_units(bytes, true)));
  }
  return token;
}

void WriteTransaction::hold_items() const {
  for (size_t i = 0; i < actions_.size(); ++i) parts_.transactions->hold(actions_[i].key, use_of(i), commit_);
}

// ---- Response

TransactWriteItemsResponse WriteTransaction::replay(const RequestToken& earlier) {
  std::vector<CapacityMeter> used = meters(CapacityKind::kTransactionRead);
  for (size_t i = 0; i < actions_.size(); ++i) {
    used[actions_[i].table].add_table(i < earlier.read_units.size() ? earlier.read_units[i] : read_units(0, true));
  }
  call_.commit = std::max(call_.commit, parts_.store->commit_seen());
  return response(used);
}

std::vector<CapacityMeter> WriteTransaction::meters(CapacityKind kind) const {
  std::vector<CapacityMeter> meters;
  for (const WritableTable& table : tables_) {
    meters.emplace_back(table->description.name, request_.return_consumed_capacity, kind);
    meters.back().charge_to(parts_.throughput, *table,
                            kind == CapacityKind::kTransactionRead ? UnitKind::kRead : UnitKind::kWrite);
  }
  return meters;
}

TransactWriteItemsResponse WriteTransaction::response(const std::vector<CapacityMeter>& used) const {
  TransactWriteItemsResponse response;
  for (size_t t = 0; t < tables_.size(); ++t) {
    if (auto consumed = used[t].consumed()) response.consumed_capacity.push_back(std::move(*consumed));
    if (!request_.return_item_collection_metrics) continue;
    std::vector<ItemCollectionMetrics> metrics;
    for (size_t i = 0; i < actions_.size(); ++i) {
      if (actions_[i].table != t || use_of(i) == TransactionRegistry::Use::kRead) continue;
      auto collection = collection_metrics(true, table_of(i), request_.writes[i].item);
      if (!collection) continue;
      const auto same = [&](const ItemCollectionMetrics& m) { return m.collection_key == collection->collection_key; };
      if (std::none_of(metrics.begin(), metrics.end(), same)) metrics.push_back(std::move(*collection));
    }
    if (!metrics.empty())
      response.item_collection_metrics.emplace_back(tables_[t]->description.name, std::move(metrics));
  }
  return response;
}

// ---- Expired tokens

JobOutcome trim_request_tokens(ItemParts& parts) {
  constexpr size_t kTokensPerStep = 256;
  const auto expired = expired_tokens(*parts.store, parts.options.clock->now_ms(), kTokensPerStep);
  if (!expired.has_value()) return JobOutcome::failed();
  if (expired->empty()) return JobOutcome::idle();
  std::vector<std::string> lock_names;
  for (const ExpiredToken& token : *expired) lock_names.push_back(token_lock(token.token));
  const auto locks = parts.locks.lock_all(lock_names);
  Batch batch(*parts.store);
  for (const ExpiredToken& token : *expired) {
    if (!erase_token(*parts.store, token, batch).has_value()) return JobOutcome::failed();
  }
  return parts.store->commit(batch).has_value() ? JobOutcome::worked() : JobOutcome::failed();
}

}  // namespace trestle
