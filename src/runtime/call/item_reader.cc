#include "runtime/call/item_reader.h"

#include <algorithm>

#include "runtime/call/shard_merge.h"
#include "runtime/requests/found_items.h"
#include "runtime/requests/request_values.h"

namespace trestle::runtime {

using design::Request;
using design::RequestKind;

namespace {

constexpr int64_t kFilteredPage = 100;  // the least Limit with a filter, which may leave little of a page
constexpr char kPlacePosition = 1;      // first byte of a position that is a single key

std::optional<Item> place_at(const std::string& position) {
  if (position.empty() || position[0] != kPlacePosition || !is_valid_item(std::string_view(position).substr(1)))
    return std::nullopt;
  return Item(position.substr(1));
}
std::string position_at(const Item& place) { return std::string(1, kPlacePosition) + place.bytes(); }

// Reads at least one page, and as many as needed to fill the limit or reach the end; without a limit, all.
Outcome<ShardPage> fetch(const ReadParts& parts, const PreparedRequest& prepared, QueryRequest query,
                         std::optional<int64_t> limit, Call& call) {
  ShardPage page;
  const bool drops = query.filter_expression.has_value() || !prepared.request.finds.empty();
  const bool scans = prepared.request.kind == RequestKind::kScan;
  const bool one_item = prepared.request.paging == Request::Paging::kOne;
  for (;;) {
    if (limit) {
      // One item more than wanted shows whether the list continues.
      const int64_t wanted = *limit - static_cast<int64_t>(page.items.size()) + (one_item ? 0 : 1);
      query.limit = drops ? std::max(wanted, kFilteredPage) : wanted;
    }
    Result<PageResponse> answer;
    if (scans) {
      ScanRequest scan;
      static_cast<PageRequest&>(scan) = query;
      answer = parts.sender.send(&Database::scan, scan, call);
    } else {
      answer = parts.sender.send(&Database::query, query, call);
    }
    if (!answer) return std::unexpected(refused_by(answer.error()));
    for (size_t i = 0; i < answer->items.size(); ++i) {
      const ItemView item = answer->items[i];
      if (is_hidden(parts.requests, prepared, item) || !is_of_entity(parts.requests, prepared, item)) continue;
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

Outcome<Page> read_merged(const ReadParts& parts, const PreparedRequest& prepared, const Plain& fields,
                          const PageBounds& bounds) {
  const design::Shard& shard = *prepared.request.shard;
  const auto& shard_counts = parts.requests.state.shard_counts;
  const auto counts = shard_counts.find(shard.field);
  MergeOptions options{
      .shards = counts != shard_counts.end() ? counts->second->count_max() : ShardCounts(shard, Plain()).count_max(),
      .order = prepared.order,
      .key = prepared.start_key,
      .descending = bounds.descending,
      .limit = bounds.limit,
      .position = bounds.position,
      .concurrent = parts.sender.is_remote()};
  // The queries are built here because only this thread may use the evaluator.
  std::vector<QueryRequest> queries;
  for (int64_t i = 0; i < std::max<int64_t>(options.shards, shard.most); ++i) {
    RequestParts shard_parts = parts.requests;
    shard_parts.shard = i;
    TRY_INTO(auto query, query_request(shard_parts, prepared, fields, bounds.descending));
    if (!query) return Page();
    queries.push_back(std::move(*query));
    if (i + 1 >= options.shards && bounds.position.empty()) break;
  }
  std::vector<Call> calls(queries.size(), Call{.caller = parts.sender.call().caller, .commit = 0, .table_name = {}});
  auto merged = merge_shards(options, [&](int64_t at, const std::optional<Item>& start, std::optional<int64_t> limit) {
    const auto i = static_cast<size_t>(at);
    if (i >= queries.size()) return Outcome<ShardPage>(ShardPage());
    QueryRequest query = queries[i];
    query.exclusive_start_key = start;
    return fetch(parts, prepared, std::move(query), limit, calls[i]);
  });
  for (const Call& call : calls) parts.sender.call().commit = std::max(parts.sender.call().commit, call.commit);
  if (!merged) return std::unexpected(std::move(merged.error()));
  return Page{.items = std::move(merged->items), .position = std::move(merged->position)};
}

// The index lacks attributes of the answer: reads the items from the table, in the order of the page.
Outcome<Page> read_again(const ReadParts& parts, const PreparedRequest& prepared, Page page) {
  std::vector<Item> keys;
  for (const Item& item : page.items) keys.push_back(place_of(item, prepared.table_key));
  TRY_INTO(auto items,
           parts.sender.get_all(prepared.request.table, keys, prepared.request.consistent, prepared.table_key));
  page.items.clear();
  for (Item& item : items) {
    if (!item.bytes().empty() && !is_hidden(parts.requests, prepared, item)) page.items.push_back(std::move(item));
  }
  return page;
}

// Reads a page of the table or the index.
Outcome<Page> read_entries(const ReadParts& parts, const PreparedRequest& prepared, const PageBounds& bounds) {
  TRY_INTO(const Plain fields, fields_of(parts.requests, prepared));
  Page page;
  if (prepared.request.fan_out && prepared.request.shard != nullptr) {
    TRY_INTO(page, read_merged(parts, prepared, fields, bounds));
  } else {
    TRY_INTO(auto query, query_request(parts.requests, prepared, fields, bounds.descending));
    if (!query) return page;
    if (!bounds.position.empty()) {
      query->exclusive_start_key = place_at(bounds.position);
      if (!query->exclusive_start_key) return refuse(400, "This `next` does not belong to this list.");
    }
    TRY_INTO(auto read, fetch(parts, prepared, std::move(*query), bounds.limit, parts.sender.call()));
    page.items = std::move(read.items);
    if (read.next) page.position = position_at(*read.next);
  }
  return page;
}

}  // namespace

Outcome<std::optional<Item>> read_item(const ReadParts& parts, const PreparedRequest& prepared) {
  TRY_INTO(auto request, get_request(parts.requests, prepared));
  if (!request) return std::nullopt;
  auto answer = parts.sender.send(&Database::get_item, *request);
  if (!answer) return std::unexpected(refused_by(answer.error()));
  if (!answer->item || is_hidden(parts.requests, prepared, *answer->item)) return std::nullopt;
  return std::move(answer->item);
}

Outcome<Page> read_page(const ReadParts& parts, const PreparedRequest& prepared, const PageBounds& bounds) {
  PageBounds rest = bounds;
  for (;;) {
    TRY_INTO(Page page, read_entries(parts, prepared, rest));
    if (!prepared.request.reads_again || page.items.empty()) return page;
    rest.position =
        prepared.request.fan_out ? page.position : position_at(place_of(page.items.back(), prepared.start_key));
    TRY_INTO(page, read_again(parts, prepared, std::move(page)));
    if (!page.items.empty() || prepared.request.paging != Request::Paging::kOne || rest.position.empty()) return page;
  }
}

}  // namespace trestle::runtime
