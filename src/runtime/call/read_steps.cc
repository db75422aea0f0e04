// Steps that read. The result of a step becomes a name of the call.
#include <algorithm>
#include <unordered_map>

#include "runtime/call/execution.h"
#include "runtime/items/item_form.h"
#include "runtime/requests/found_items.h"
#include "runtime/requests/request_values.h"

namespace trestle::runtime {

using design::PlanStep;
using design::Request;
using design::RequestKind;

// Reads an item through its guard, which contains the owner's key. The guard of an expired item remains until TTL
// deletes it, even if the item's key is used again, so the owner found must have the value.
Outcome<std::optional<Item>> Execution::read_owner(const PlanStep& step) {
  TRY_INTO(const auto guard, read_item(reads(), plan_.of(step.requests[0])));
  if (!guard) return std::nullopt;
  Plain attributes = Plain::map();
  for (const Field& field : guard->attributes()) attributes.set(field.name, to_plain(field.value));
  const Names inner = {{"$guard", std::move(attributes)}};
  TRY_INTO(auto owner, read_item({requests().with(inner), sender_}, plan_.of(step.requests[1])));
  if (!owner) return std::nullopt;
  const Request& request = step.requests[0];
  Plain fields = shared_.codec.decode_plain_fields(*request.entity, *owner);
  const bool closed = std::ranges::any_of(request.guard->key, [&](const design::Template& key) {
    return std::ranges::any_of(request.entity->fields, [&](const design::Field& field) {
      return key.uses(field.name) && design::is_stored_closed(*request.entity, field);
    });
  });
  if (closed) {
    TRY_INTO(fields, shared_.codec.decode(*request.entity, *owner));
  }
  ItemForm form(shared_.design, shared_.database, shared_.codec);
  TRY_INTO(const auto key, form.guard_key(*request.entity, *request.guard, fields, state_.now_ms));
  if (!key || *key != key_of(*plan_.of(request).table, *guard)) return std::nullopt;
  return owner;
}

Outcome<Plain> Execution::fields_found(std::string_view step, const PreparedRequest& prepared, ItemView item) {
  const auto expires_s = prepared.table == nullptr ? std::nullopt : expiry_of(*prepared.table, item);
  if (expires_s) state_.expires_s = std::min(*expires_s, state_.expires_s.value_or(*expires_s));
  if (prepared.request.finds.empty() && !prepared.request.raw && plan_.is_observed(step)) {
    if (prepared.request.paging == Request::Paging::kOne)
      state_.stored.insert_or_assign(std::string(step), Item(item));
    else
      state_.stored_lists[std::string(step)].emplace_back(item);
  }
  return item_fields(requests(), plan_, step, prepared, item);
}

Outcome<void> Execution::read_shard_counts(const PlanStep& step) {
  const PreparedRequest& prepared = plan_.of(step.requests[0]);
  TRY_INTO(const Plain fields, fields_of(requests(), prepared));
  TRY_INTO(const auto key, key_of(requests(), prepared, fields));
  const std::string name = prepared.request.table + (key ? key->bytes() : std::string());
  if (const auto cached = shared_.shard_counts.find(name, shared_.now_ms(), prepared.request.cached_s * 1000)) {
    state_.shard_counts[step.name] = cached->counts;
    sender_.call().commit = std::max(sender_.call().commit, cached->commit);
    return {};
  }
  const int64_t read_ms = shared_.now_ms();
  TRY_INTO(const auto item, read_item(reads(), prepared));
  const Plain count = item ? shared_.codec.decode_plain_fields(*prepared.request.entity, *item) : Plain();
  for (const design::Entity& entity : shared_.design.entities) {
    const design::Shard* shard = entity.shard(step.name);
    if (shard == nullptr || shard->count_entity != prepared.request.entity->name) continue;
    auto counts = std::make_shared<const ShardCounts>(*shard, count);
    state_.shard_counts[step.name] = counts;
    if (prepared.request.cached_s > 0)
      shared_.shard_counts.put(name, {.counts = counts, .commit = sender_.call().commit, .read_ms = read_ms});
    break;
  }
  return {};
}

Outcome<void> Execution::set_found(const PlanStep& step, Plain value) {
  const bool none = !value.exists() || (value.is(Plain::Kind::kList) && value.elements().empty());
  const bool several = !step.requests.back().finds.empty();
  const design::Entity* entity = several ? nullptr : step.requests.back().entity;
  state_.entity_of[step.name] = entity;
  if (!value.exists()) state_.forget_stored(step.name);
  state_.names[step.name] = std::move(value);
  if (!none) return {};
  for (const design::Refusal& refusal : step.refusals) {
    if (refusal.cause == design::Cause::kAbsent) return std::unexpected(refused_by(&refusal, refusal.cause, entity));
  }
  return {};
}

Outcome<void> Execution::read_together(const PlanStep& step) {
  if (!design::is_batch(step)) {
    for (const PlanStep& inner_step : step.steps) TRY(read_step(inner_step));
    return {};
  }
  struct Wanted {
    const PlanStep* step;
    Item key;
  };
  std::vector<Wanted> wanted;
  for (const PlanStep& inner_step : step.steps) {
    TRY_INTO(const bool runs, should_run(inner_step));
    Wanted want{.step = &inner_step};
    if (runs) {
      const PreparedRequest& prepared = plan_.of(inner_step.requests[0]);
      TRY_INTO(const Plain fields, fields_of(requests(), prepared));
      TRY_INTO(auto key, key_of(requests(), prepared, fields));
      if (key) want.key = std::move(*key);
    } else {
      state_.names.erase(inner_step.name);
      continue;
    }
    wanted.push_back(std::move(want));
  }
  std::map<std::string, std::vector<Item>> keys;  // by table, without duplicates
  std::map<std::string, const PreparedRequest*> tables;
  for (const Wanted& want : wanted) {
    if (want.key.bytes().empty()) continue;
    auto& list = keys[want.step->requests[0].table];
    if (std::find(list.begin(), list.end(), want.key) == list.end()) list.push_back(want.key);
    tables[want.step->requests[0].table] = &plan_.of(want.step->requests[0]);
  }
  std::unordered_map<std::string, Item> items;
  for (const auto& [table, list] : keys) {
    TRY_INTO(auto read, sender_.get_all(table, list, tables[table]->request.consistent, tables[table]->table_key));
    for (size_t i = 0; i < list.size(); ++i) items.emplace(table + list[i].bytes(), std::move(read[i]));
  }
  for (const Wanted& want : wanted) {
    const PreparedRequest& prepared = plan_.of(want.step->requests[0]);
    const auto item = items.find(prepared.request.table + want.key.bytes());
    Plain value;
    if (item != items.end() && !item->second.bytes().empty() && !is_hidden(requests(), prepared, item->second)) {
      TRY_INTO(value, fields_found(want.step->name, prepared, item->second));
    }
    TRY(set_found(*want.step, std::move(value)));
  }
  return {};
}

Outcome<void> Execution::read_step(const PlanStep& step) {
  if (step.is_batched) return read_together(step);
  TRY_INTO(const bool runs, should_run(step));
  if (!runs) {
    state_.names.erase(step.name);
    return {};
  }
  if (plan_.is_shard_count(step)) return read_shard_counts(step);
  const PreparedRequest& prepared = plan_.of(step.requests.back());
  const Request& request = prepared.request;
  Plain value;
  if (request.kind == RequestKind::kGetItem) {
    TRY_INTO(const auto item, step.requests.size() > 1 ? read_owner(step) : read_item(reads(), prepared));
    if (item) {
      TRY_INTO(value, fields_found(step.name, prepared, *item));
    }
    return set_found(step, std::move(value));
  }
  PageBounds bounds{.limit = {}, .descending = request.descending, .position = {}};
  const bool paged = request.paging == Request::Paging::kPage && state_.at.depth == 0;
  if (request.paging == Request::Paging::kOne) bounds.limit = 1;
  if (paged) {
    bounds.limit = list_.limit.value_or(request.limit > 0 ? request.limit : design::kListLimitDefault);
    bounds.descending = list_.descending.value_or(request.descending);
    bounds.position = list_.position;
  }
  TRY_INTO(Page page, read_page(reads(), prepared, bounds));
  if (paged && !page.position.empty()) state_.position = std::move(page.position);
  if (request.paging == Request::Paging::kOne) {
    if (!page.items.empty()) {
      TRY_INTO(value, fields_found(step.name, prepared, page.items[0]));
    }
    return set_found(step, std::move(value));
  }
  Plain::List list;
  state_.stored_lists.erase(step.name);
  for (const Item& item : page.items) {
    TRY_INTO(Plain fields, fields_found(step.name, prepared, item));
    list.push_back(std::move(fields));
  }
  return set_found(step, Plain::list(std::move(list)));
}

}  // namespace trestle::runtime
