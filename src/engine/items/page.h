// Reads a page of a Query or Scan. This is the part they have in common once the range of keys is known.
//
// The page ends at Limit, at 1 MB of items read, or at the end of the range. The key of the last item read becomes
// LastEvaluatedKey, unless the range has ended. An item is counted before it is filtered and projected.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/parts.h"
#include "expression/condition.h"
#include "expression/projection.h"
#include "model/page_requests.h"

namespace trestle {

// The parts of a request that can be compiled before the table is known.
struct CompiledPage {
  std::optional<ProjectionPaths> projection;
  std::optional<Condition> filter;
};
Result<CompiledPage> compile_page(const PageRequest& request, Binding& binding);
// Whether the request has an expression, hence may have placeholders.
bool has_expression(const PageRequest& request);

// The source of a page: the table itself, or one of its indexes.
struct PageSource {
  std::shared_ptr<const TableVersion> table;
  const IndexDescription* index = nullptr;
  uint32_t keyspace = 0;
  const KeySchema* key = nullptr;

  const TableDescription& description() const { return table->description; }
};
// Whether index entries contain the attribute if their items do.
bool index_has_attribute(const TableDescription& table, const IndexDescription& index, std::string_view name);

// Checks the filter of a Query on an index: it may only use attributes that the index contains. (The filter of a Scan
// may use any attribute.)
Result<void> check_filter_projected(const TableDescription& table, const IndexDescription& index,
                                    std::span<const std::string_view> attributes);

// Finds the index, and rejects requests that it cannot answer: consistent reads of a global index, and reads of
// attributes that it does not project.
Result<PageSource> page_source(std::shared_ptr<const TableVersion> table, const PageRequest& request,
                               const CompiledPage& compiled);

// Rejects a vector index, which cannot be queried or scanned. `operation` is "Query" or "Scan".
Result<void> check_readable_index(const TableDescription& table, const PageRequest& request,
                                  std::string_view operation);

// Whether a scan may fill the cache: only if the source is small compared to it, so that other data stays cached.
bool scan_fills_cache(const PageSource& source, size_t cache_bytes);

// Converts ExclusiveStartKey to an encoded key of the source. Fails if it is not a key of the source.
Result<std::string> encode_start_key(const PageSource& source, ItemView start_key, bool is_scan);

class PageReader {
 public:
  PageReader(ItemParts& parts, const PageRequest& request, const CompiledPage& compiled, const PageSource& source)
      : parts_(parts), request_(request), compiled_(compiled), source_(source) {}

  // `partition` is the partition key, for contributor insights; empty if more than one partition is read.
  Result<PageResponse> read(CursorOptions options, std::span<const ValueView> partition = {}) const;

 private:
  bool fetches_from_table() const;
  Result<void> take(ItemView entry, const std::shared_ptr<const Snapshot>& snapshot, PageResponse& response,
                    double& fetched_units) const;

  ItemParts& parts_;
  const PageRequest& request_;
  const CompiledPage& compiled_;
  const PageSource& source_;
};

}  // namespace trestle
