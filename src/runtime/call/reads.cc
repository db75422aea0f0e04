// Reads: one item, a page, every page, the shards of an epoch.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "model/number.h"
#include "runtime/call/execution.h"
#include "runtime/items/item_form.h"

namespace trestle::runtime {

using design::PlanStep;
using design::Request;
using design::RequestKind;
using design::ValueSource;

namespace {

constexpr size_t kBatchGetMax = 100;
constexpr int64_t kFilteredPage = 100;  // a filter may leave little of a page, so no fewer are asked for
constexpr char kPlacePosition = 1;      // first byte of a position that is a single key

std::optional<Item> place_at(const std::string& position) {
  if (position.empty() || position[0] != kPlacePosition || !is_valid_item(std::string_view(position).substr(1)))
    return std::nullopt;
  return Item(position.substr(1));
}
std::string position_at(const Item& place) { return std::string(1, kPlacePosition) + place.bytes(); }

}  // namespace

// Whether the item has expired but is not deleted yet.
bool Execution::is_hidden(const PreparedRequest& prepared, ItemView item) const {
  const Request& request = prepared.request;
  if (!request.finds.empty()) {
    const ItemKind kind = kind_of(core_.design, *prepared.table, item);
    if (kind.guard != nullptr || std::ranges::find(request.finds, kind.entity) == request.finds.end()) return true;
    const auto ttl = item.find(prepared.table->ttl_attribute);
    return kind.entity->ttl && ttl && ttl->type() == ValueType::kNumber &&
           compare_numbers(ttl->scalar(), std::to_string(now_ms_ / 1000)) <= 0;
  }
  if (!request.hides_expired || prepared.table == nullptr || prepared.table->ttl_attribute.empty()) return false;
  const auto ttl = item.find(prepared.table->ttl_attribute);
  return ttl && ttl->type() == ValueType::kNumber &&
         compare_numbers(ttl->scalar(), std::to_string(now_ms_ / 1000)) <= 0;
}

// A condition on the start of a sort key may also find items of another entity: SITE#42#COMMENT#7 where SITE#42 is
// wanted. An item that fits no entity is taken for what the condition says.
bool Execution::is_of_entity(const PreparedRequest& prepared, ItemView item) const {
  const design::Entity* entity = prepared.request.entity;
  if (!prepared.may_find_others || core_.codec.is_of(*entity, item)) return true;
  const ItemKind kind = kind_of(core_.design, *prepared.table, item);
  if (kind.entity == nullptr) return prepared.request.kind == RequestKind::kQuery;
  return kind.entity == entity && kind.guard == nullptr;
}

Outcome<Plain> Execution::decode(std::string_view name, const PreparedRequest& prepared, ItemView item) {
  if (!prepared.request.finds.empty()) {
    const ItemKind kind = kind_of(core_.design, *prepared.table, item);
    TRY_INTO(Plain fields, core_.codec.decode(*kind.entity, item));
    fields = ItemCodec::visible(*kind.entity, std::move(fields));
    Plain typed = Plain::map({{std::string(design::kEntityMember), Plain::text(kind.entity->name)}});
    for (auto& [field, value] : fields.members()) typed.set(field, std::move(value));
    return typed;
  }
  if (prepared.request.raw) {
    // A raw condition may find items of several entities.
    const ItemKind kind = kind_of(core_.design, *prepared.table, item);
    if (kind.entity != nullptr && kind.guard == nullptr) {
      TRY_INTO(Plain fields, core_.codec.decode(*kind.entity, item));
      core_.codec.add_extras(*kind.entity, item, false, fields);
      return ItemCodec::visible(*kind.entity, std::move(fields));
    }
    Plain attributes = Plain::map();
    for (const Field& field : item.attributes()) attributes.set(field.name, to_plain(field.value));
    return attributes;
  }
  const design::Entity& entity = *prepared.request.entity;
  if (prepared_.is_observed(name)) stored_.insert_or_assign(std::string(name), Item(item));
  Plain fields;
  if (prepared_.opens(name, entity)) {
    TRY_INTO(fields, core_.codec.decode(entity, item));
  } else {
    fields = core_.codec.decode_plain_fields(entity, item);
  }
  const Request& request = prepared.request;
  const bool whole = prepared.projection.empty() && (request.index.empty() || request.reads_again);
  core_.codec.add_extras(entity, item, whole, fields);
  return fields;
}

Done<std::optional<Item>> Execution::get(const PreparedRequest& prepared) {
  TRY_INTO(const Plain fields, fields_of(prepared));
  TRY_INTO(auto key, key_of(prepared, fields));
  if (!key) return std::nullopt;
  GetItemRequest request{.table_name = prepared.request.table, .key = std::move(*key)};
  request.consistent_read = prepared.request.consistent;
  if (!prepared.projection.empty()) {
    request.projection.expression = prepared.projection;
    request.names = prepared.names;
  }
  auto answer = send(&Database::get_item, request);
  if (!answer) return std::unexpected(Stop(refused_by(answer.error())));
  if (!answer->item || is_hidden(prepared, *answer->item)) return std::nullopt;
  return std::move(answer->item);
}

// Through a guard: it names its owner.
Done<std::optional<Item>> Execution::get_owner(const PlanStep& step) {
  const PreparedRequest& guard = prepared_.of(step.requests[0]);
  TRY_INTO(const auto found, get(guard));
  if (!found) return std::nullopt;
  Plain keeps = Plain::map();
  for (const Field& field : found->attributes()) keeps.set(field.name, to_plain(field.value));
  names_["guard"] = std::move(keeps);
  auto owner = get(prepared_.of(step.requests[1]));
  names_.erase("guard");
  return owner;
}

Done<std::vector<Item>> Execution::get_all(const std::string& table, const std::vector<Item>& keys, bool consistent,
                                           const std::vector<std::string>& key_names) {
  std::unordered_map<std::string, Item> found;
  for (size_t from = 0; from < keys.size(); from += kBatchGetMax) {
    BatchGetTable part{.table_name = table};
    part.consistent_read = consistent;
    part.keys.assign(keys.begin() + static_cast<ptrdiff_t>(from),
                     keys.begin() + static_cast<ptrdiff_t>(std::min(keys.size(), from + kBatchGetMax)));
    BatchGetItemRequest request{.tables = {std::move(part)}};
    for (int tries = 0; !request.tables.empty(); ++tries) {
      auto answer = send(&Database::batch_get_item, request);
      if (!answer) return std::unexpected(Stop(refused_by(answer.error())));
      for (const auto& [name, items] : answer->responses) {
        for (size_t i = 0; i < items.size(); ++i) found.emplace(place_of(items[i], key_names).bytes(), Item(items[i]));
      }
      request.tables = std::move(answer->unprocessed);
      if (request.tables.empty()) break;
      if (tries >= kUnprocessedTriesMax)
        return std::unexpected(
            Stop(refused_by({.code = ErrorCode::kProvisionedThroughputExceeded, .message = "unprocessed keys"})));
      back_off(tries);
    }
  }
  std::vector<Item> items;
  for (const Item& key : keys) {
    const auto one = found.find(key.bytes());
    items.push_back(one == found.end() ? Item() : one->second);
  }
  return items;
}

// A range that ends before it starts finds nothing, and DynamoDB would reject it.
Outcome<std::optional<QueryRequest>> Execution::query_of(const PreparedRequest& prepared, const Plain& fields,
                                                         bool descending) {
  const Request& request = prepared.request;
  QueryRequest query;
  query.table_name = request.table;
  if (!request.index.empty()) query.index_name = request.index;
  if (request.kind == RequestKind::kQuery) query.key_condition_expression = request.key_condition;
  if (!request.filter.empty()) query.filter_expression = request.filter;
  if (!prepared.projection.empty() && !request.reads_again) query.projection.expression = prepared.projection;
  query.consistent_read = request.consistent;
  query.scan_index_forward = !descending;
  NameMap names = prepared.names;
  for (const design::PlannedName& name : request.names) {
    if (!name.member) continue;
    TRY_INTO(std::string member, member_name(*name.member, fields));
    names.emplace_back(name.placeholder, std::move(member));
  }
  if (!names.empty()) query.placeholders.names = std::move(names);
  ValueMap values;
  size_t from = 0, to = 0;  // one more than their places
  for (const design::PlannedValue& planned : request.values) {
    TRY_INTO(auto value, value_of(prepared, planned.source, fields));
    const bool of_key =
        planned.source.kind != ValueSource::Kind::kExpression && planned.source.kind != ValueSource::Kind::kExpiry;
    if (!value && of_key) return std::nullopt;
    values.emplace_back(planned.placeholder, value ? std::move(*value) : Value::null());
    if (planned.source.kind == ValueSource::Kind::kKeyFrom) from = values.size();
    if (planned.source.kind == ValueSource::Kind::kKeyTo) to = values.size();
  }
  if (from != 0 && to != 0) {
    const auto order = compare(values[from - 1].second, values[to - 1].second);
    if (order && *order > 0) return std::nullopt;
  }
  if (!values.empty()) query.placeholders.values = std::move(values);
  return query;
}

// Reads at least one page, and as many as needed to fill the limit or reach the end; without a limit, all.
Outcome<ShardPage> Execution::fetch(const PreparedRequest& prepared, QueryRequest query, std::optional<int64_t> limit,
                                    Call& call) {
  ShardPage page;
  const bool drops = query.filter_expression.has_value() || !prepared.request.finds.empty();
  const bool scans = prepared.request.kind == RequestKind::kScan;
  const bool one_item = prepared.request.paging == Request::Paging::kOne;
  for (;;) {
    if (limit) {
      // One more than is wanted shows whether there is more.
      const int64_t wanted = *limit - static_cast<int64_t>(page.items.size()) + (one_item ? 0 : 1);
      query.limit = drops ? std::max(wanted, kFilteredPage) : wanted;
    }
    Result<PageResponse> answer;
    if (scans) {
      ScanRequest scan;
      static_cast<PageRequest&>(scan) = query;
      answer = send(&Database::scan, scan, call);
    } else {
      answer = send(&Database::query, query, call);
    }
    if (!answer) return std::unexpected(refused_by(answer.error()));
    for (size_t i = 0; i < answer->items.size(); ++i) {
      const ItemView item = answer->items[i];
      if (is_hidden(prepared, item) || !is_of_entity(prepared, item)) continue;
      if (limit && static_cast<int64_t>(page.items.size()) == *limit) {
        page.next = place_of(page.items.back(), prepared.start_key);
        return page;
      }
      page.items.emplace_back(item);
    }
    if (!answer->last_evaluated_key || (one_item && !page.items.empty())) return page;
    query.exclusive_start_key = std::move(answer->last_evaluated_key);
  }
}

Done<Execution::Page> Execution::read_merged(const PreparedRequest& prepared, const Plain& fields,
                                             const PageBounds& bounds) {
  const design::Shard& shard = *prepared.request.shard;
  const auto counts = shard_counts_.find(shard.field);
  MergeOptions options{
      .shards = counts != shard_counts_.end() ? counts->second->count_max() : ShardCounts(shard, Plain()).count_max(),
      .order = prepared.order,
      .key = prepared.start_key,
      .descending = bounds.descending,
      .limit = bounds.limit,
      .position = bounds.position,
      .side_by_side = core_.options.remote};
  // Built here, one by one: the evaluator belongs to this thread.
  std::vector<QueryRequest> queries;
  for (int64_t i = 0; i < std::max<int64_t>(options.shards, shard.most); ++i) {
    shard_ = i;
    auto query = query_of(prepared, fields, bounds.descending);
    shard_.reset();
    if (!query) return std::unexpected(Stop(query.error()));
    if (!*query) return Page();
    queries.push_back(std::move(**query));
    if (i + 1 >= options.shards && bounds.position.empty()) break;
  }
  std::vector<Call> calls(queries.size(), Call{.caller = call_.caller, .commit = 0, .table_name = {}});
  auto merged = merge_shards(options, [&](int64_t at, const std::optional<Item>& start, std::optional<int64_t> limit) {
    const auto i = static_cast<size_t>(at);
    if (i >= queries.size()) return Outcome<ShardPage>(ShardPage());
    QueryRequest query = queries[i];
    query.exclusive_start_key = start;
    return fetch(prepared, std::move(query), limit, calls[i]);
  });
  for (const Call& one : calls) call_.commit = std::max(call_.commit, one.commit);
  if (!merged) return std::unexpected(Stop(merged.error()));
  return Page{.items = std::move(merged->items), .position = std::move(merged->position)};
}

// The index lacks what is answered: the items are read from the table, in the order of the page.
Done<Execution::Page> Execution::read_again(const PreparedRequest& prepared, Page page) {
  std::vector<Item> keys;
  for (const Item& item : page.items) keys.push_back(place_of(item, prepared.table_key));
  TRY_INTO(auto items, get_all(prepared.request.table, keys, prepared.request.consistent, prepared.table_key));
  page.items.clear();
  for (Item& item : items) {
    if (!item.bytes().empty() && !is_hidden(prepared, item)) page.items.push_back(std::move(item));
  }
  return page;
}

// The one item that is wanted may turn out to have expired only when it is read from the table: then it is the next.
Done<Execution::Page> Execution::read_page(const PreparedRequest& prepared, const PageBounds& bounds) {
  PageBounds rest = bounds;
  for (;;) {
    TRY_INTO(Page page, read_entries(prepared, rest));
    if (!prepared.request.reads_again || page.items.empty()) return page;
    rest.position =
        prepared.request.fan_out ? page.position : position_at(place_of(page.items.back(), prepared.start_key));
    TRY_INTO(page, read_again(prepared, std::move(page)));
    if (!page.items.empty() || prepared.request.paging != Request::Paging::kOne || rest.position.empty()) return page;
  }
}

// A page of the table or the index.
Done<Execution::Page> Execution::read_entries(const PreparedRequest& prepared, const PageBounds& bounds) {
  TRY_INTO(const Plain fields, fields_of(prepared));
  Page page;
  if (prepared.request.fan_out && prepared.request.shard != nullptr) {
    TRY_INTO(page, read_merged(prepared, fields, bounds));
  } else {
    TRY_INTO(auto query, query_of(prepared, fields, bounds.descending));
    if (!query) return page;
    if (!bounds.position.empty()) {
      query->exclusive_start_key = place_at(bounds.position);
      if (!query->exclusive_start_key)
        return std::unexpected(Stop(Refused{.status = 400, .message = "This `next` is not one of this list."}));
    }
    TRY_INTO(auto read, fetch(prepared, std::move(*query), bounds.limit, call_));
    page.items = std::move(read.items);
    if (read.next) page.position = position_at(*read.next);
  }
  return page;
}

Done<void> Execution::read_shard_counts(const PlanStep& step) {
  const PreparedRequest& prepared = prepared_.of(step.requests[0]);
  TRY_INTO(const Plain fields, fields_of(prepared));
  TRY_INTO(const auto key, key_of(prepared, fields));
  const std::string name = prepared.request.table + (key ? key->bytes() : std::string());
  if (const auto kept = core_.shard_counts.find(name, core_.now_ms(), prepared.request.cached_s * 1000)) {
    shard_counts_[step.name] = kept->counts;
    call_.commit = std::max(call_.commit, kept->commit);
    return {};
  }
  const int64_t read_ms = core_.now_ms();
  TRY_INTO(const auto item, get(prepared));
  const Plain kept = item ? core_.codec.decode_plain_fields(*prepared.request.entity, *item) : Plain();
  for (const design::Entity& entity : core_.design.entities) {
    const design::Shard* shard = entity.shard(step.name);
    if (shard == nullptr || shard->count_entity != prepared.request.entity->name) continue;
    auto counts = std::make_shared<const ShardCounts>(*shard, kept);
    shard_counts_[step.name] = counts;
    if (prepared.request.cached_s > 0)
      core_.shard_counts.keep(name, {.counts = counts, .commit = call_.commit, .read_ms = read_ms});
    break;
  }
  return {};
}

Done<void> Execution::found(const PlanStep& step, Plain value) {
  const bool none = !value.exists() || (value.is(Plain::Kind::kList) && value.elements().empty());
  const bool several = !step.requests.back().finds.empty();
  const design::Entity* entity = several ? nullptr : step.requests.back().entity;
  entity_of_[step.name] = entity;
  if (!value.exists()) stored_.erase(step.name);
  names_[step.name] = std::move(value);
  if (!none) return {};
  for (const design::Refusal& refusal : step.refusals) {
    if (refusal.cause == design::Cause::kAbsent) return stopped(&refusal, refusal.cause, entity);
  }
  return {};
}

Done<void> Execution::read_together(const PlanStep& step) {
  if (!design::is_batch(step)) {
    for (const PlanStep& one : step.steps) TRY(read_step(one));
    return {};
  }
  struct Wanted {
    const PlanStep* step;
    Item key;
  };
  std::vector<Wanted> wanted;
  for (const PlanStep& one : step.steps) {
    TRY_INTO(const bool part, takes_part(one));
    Wanted want{.step = &one};
    if (part) {
      const PreparedRequest& prepared = prepared_.of(one.requests[0]);
      TRY_INTO(const Plain fields, fields_of(prepared));
      TRY_INTO(auto key, key_of(prepared, fields));
      if (key) want.key = std::move(*key);
    } else {
      names_.erase(one.name);
      continue;
    }
    wanted.push_back(std::move(want));
  }
  std::map<std::string, std::vector<Item>> keys;  // by table, each once
  std::map<std::string, const PreparedRequest*> tables;
  for (const Wanted& want : wanted) {
    if (want.key.bytes().empty()) continue;
    auto& list = keys[want.step->requests[0].table];
    if (std::find(list.begin(), list.end(), want.key) == list.end()) list.push_back(want.key);
    tables[want.step->requests[0].table] = &prepared_.of(want.step->requests[0]);
  }
  std::unordered_map<std::string, Item> items;
  for (const auto& [table, list] : keys) {
    TRY_INTO(auto read, get_all(table, list, tables[table]->request.consistent, tables[table]->table_key));
    for (size_t i = 0; i < list.size(); ++i) items.emplace(table + list[i].bytes(), std::move(read[i]));
  }
  for (const Wanted& want : wanted) {
    const PreparedRequest& prepared = prepared_.of(want.step->requests[0]);
    const auto item = items.find(prepared.request.table + want.key.bytes());
    Plain value;
    if (item != items.end() && !item->second.bytes().empty() && !is_hidden(prepared, item->second)) {
      TRY_INTO(value, decode(want.step->name, prepared, item->second));
    }
    TRY(found(*want.step, std::move(value)));
  }
  return {};
}

Done<void> Execution::read_step(const PlanStep& step) {
  if (step.together) return read_together(step);
  TRY_INTO(const bool part, takes_part(step));
  if (!part) {
    names_.erase(step.name);
    return {};
  }
  if (prepared_.is_shard_count(step)) return read_shard_counts(step);
  const PreparedRequest& prepared = prepared_.of(step.requests.back());
  const Request& request = prepared.request;
  Plain value;
  if (request.kind == RequestKind::kGetItem) {
    TRY_INTO(const auto item, step.requests.size() > 1 ? get_owner(step) : get(prepared));
    if (item) {
      TRY_INTO(value, decode(step.name, prepared, *item));
    }
    return found(step, std::move(value));
  }
  PageBounds bounds{.limit = {}, .descending = request.descending, .position = {}};
  const bool paged = request.paging == Request::Paging::kPage && depth_ == 0;
  if (request.paging == Request::Paging::kOne) bounds.limit = 1;
  if (paged) {
    bounds.limit = list_.limit.value_or(request.limit > 0 ? request.limit : design::kListLimitDefault);
    bounds.descending = list_.descending.value_or(request.descending);
    bounds.position = list_.position;
  }
  TRY_INTO(Page page, read_page(prepared, bounds));
  if (paged && !page.position.empty()) position_ = std::move(page.position);
  if (request.paging == Request::Paging::kOne) {
    if (!page.items.empty()) {
      TRY_INTO(value, decode(step.name, prepared, page.items[0]));
    }
    return found(step, std::move(value));
  }
  Plain::List list;
  for (const Item& item : page.items) {
    TRY_INTO(Plain one, decode(step.name, prepared, item));
    list.push_back(std::move(one));
  }
  return found(step, Plain::list(std::move(list)));
}

}  // namespace trestle::runtime
