#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/test_point.h"
#include "engine/tables/find_table.h"
#include "engine/vectors/vector_entry.h"
#include "engine/vectors/vector_operations.h"
#include "expression/key_condition.h"
#include "expression/projection.h"
#include "expression/search_condition.h"
#include "model/limits.h"
#include "storage/cached_reads.h"
#include "vector/distance.h"

namespace trestle {
namespace {

// The number of extra candidates that are scored exactly: ranks in 32 bits may swap two candidates, and some may have
// been deleted since.
constexpr size_t kExtraCandidates = 8;
constexpr int kAttempts = 3;

struct CompiledSearch {
  std::vector<SearchEquality> condition;
  std::optional<ProjectionPaths> projection;
};

Result<CompiledSearch> compile_search(const SearchVectorsRequest& request) {
  const bool has_condition = request.search_condition_expression.has_value();
  TRY_INTO(Binding binding,
           Binding::make(request.placeholders, has_condition || request.projection_expression.has_value(),
                         has_condition, "SearchConditionExpression is null"));
  CompiledSearch compiled;
  if (has_condition) {
    TRY_INTO(compiled.condition, compile_search_condition(*request.search_condition_expression, binding));
  }
  if (request.projection_expression) {
    TRY_INTO(compiled.projection, compile_projection(*request.projection_expression, binding));
  }
  TRY(binding.all_used());
  return compiled;
}

Result<std::vector<float>> search_vector(const SearchVectorsRequest& request, const VectorIndexDescription& index) {
  std::vector<float> vector;
  for (const Value& value : request.search_vector) {
    const auto number = float_of(value);
    if (!number) {
      return invalid(
          "Search vector contains invalid values. All values in the search vector must be a 32-bit floating-point "
          "number attribute");
    }
    vector.push_back(*number);
  }
  if (vector.size() != static_cast<size_t>(index.dimensions)) {
    return invalid(fmt::format("Input search vector dimension {} does not match vector index dimension {}",
                               vector.size(), index.dimensions));
  }
  return vector;
}

// The scope of a condition: the partition, and a value for each inline filter.
struct Scope {
  std::string partition;
  std::vector<std::string_view> filters;  // packed values; a null view accepts any value
  bool is_empty = false;                  // the condition requires two different values of one attribute
};

Result<void> check_operand(const SearchAttribute& element, ValueView value) {
  const KeyAttribute& attribute = element.attribute;
  if (value.type() != attribute.type) {
    return invalid(
        fmt::format("Type of '{}' attribute in SearchConditionExpression ({}) does not match type in search "
                    "schema ({})",
                    attribute.name, type_name(value.type()), type_name(attribute.type)));
  }
  if (!element.is_hash) return {};
  return check_key_not_empty(attribute, value);
}

Result<Scope> scope_of(const std::vector<SearchEquality>& condition, const VectorIndexDescription& index) {
  const auto find_element = [&](std::string_view name) {
    return std::ranges::find(index.search_schema, name, [](const auto& element) { return element.attribute.name; });
  };
  for (const SearchEquality& equality : condition) {
    if (find_element(equality.attribute) != index.search_schema.end()) continue;
    return invalid(
        fmt::format("SearchConditionExpression must not contain any attributes that is not in SearchSchema. "
                    "Invalid attribute: {}",
                    equality.attribute));
  }
  const KeyAttribute* hash = index.hash();
  if (hash != nullptr && std::ranges::find(condition, hash->name, &SearchEquality::attribute) == condition.end()) {
    return invalid("SearchConditionExpression must be provided when SearchSchema has a HASH key");
  }
  Scope scope;
  for (const SearchAttribute& element : index.search_schema) {
    std::string_view wanted;
    for (const SearchEquality& equality : condition) {
      if (equality.attribute != element.attribute.name) continue;
      TRY(check_operand(element, equality.value));
      scope.is_empty |= wanted.data() != nullptr && wanted != equality.value.bytes();
      wanted = equality.value.bytes();
    }
    if (!element.is_hash) scope.filters.push_back(wanted);
    if (element.is_hash) scope.partition = entry_partition(index, ValueView(wanted));
  }
  return scope;
}

// An entry that was found, as stored.
struct FoundItem {
  double score = 0;
  std::string key;
  std::string value;
};

class Search {
 public:
  Search(const Store& store, const VectorIndexes& indexes, const VectorIndexDescription& index,
         const std::vector<float>& vector, const Scope& scope, size_t count, std::function<bool()> index_exists)
      : store_(store),
        indexes_(indexes),
        index_(index),
        vector_(vector),
        scope_(scope),
        count_(count),
        index_exists_(std::move(index_exists)) {}

  // On a thread that must not wait (storage/cached_reads.h), a search that takes long is a miss.
  Result<std::vector<FoundItem>> run() {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      found_.clear();
      const bool must_not_wait = CachedReads::must_not_wait();
      const auto hits = indexes_.search(index_, {.vector = vector_,
                                                 .count = count_ + kExtraCandidates,
                                                 .partition = scope_.partition,
                                                 .filters = scope_.filters,
                                                 .only_if_short = must_not_wait});
      // Do not search a deleted index on disk: that takes long.
      if (!hits && !index_exists_()) return invalid("The table does not have the specified index: " + index_.name);
      if (must_not_wait && (!hits || hits->takes_long)) return give_up();
      if (!hits) break;
      examined_ = hits->examined;
      TRY(read(*hits));
      // Some hits may have been deleted in the meantime. If too few are left, search again for others.
      if (found_.size() >= std::min(count_, hits->hits.size())) return take();
    }
    if (CachedReads::must_not_wait()) return give_up();
    found_.clear();
    TRY(scan());
    return take();
  }
  size_t examined() const { return examined_; }

 private:
  static std::unexpected<Error> give_up() {
    CachedReads::note_miss();
    return failure(ErrorCode::kServiceUnavailable, "This search takes long");
  }
  bool passes(ItemView item) const {
    size_t filter = 0;
    for (const SearchAttribute& element : index_.search_schema) {
      if (element.is_hash) continue;
      const std::string_view wanted = scope_.filters[filter++];
      if (wanted.data() == nullptr) continue;
      const auto value = item.find(element.attribute.name);
      if (!value || value->bytes() != wanted) return false;
    }
    return true;
  }
  bool comes_before(const FoundItem& a, const FoundItem& b) const {
    if (a.score != b.score) return is_closer(index_.distance, a.score, b.score);
    return a.key < b.key;
  }
  void consider(std::string_view key, std::string_view value) {
    if (!passes(entry_item(index_, value))) return;
    const double found = score(index_.distance, vector_, entry_vector(index_, value));
    const auto farther = [this](const FoundItem& a, const FoundItem& b) { return comes_before(a, b); };
    if (found_.size() == count_ + kExtraCandidates && !is_closer(index_.distance, found, found_.front().score)) return;
    found_.push_back({.score = found, .key = std::string(key), .value = std::string(value)});
    std::push_heap(found_.begin(), found_.end(), farther);
    if (found_.size() <= count_ + kExtraCandidates) return;
    std::pop_heap(found_.begin(), found_.end(), farther);
    found_.pop_back();
  }
  Result<void> read(const VectorHits& hits) {
    for (const VectorHit& hit : hits.hits) {
      PinnedBytes bytes;
      TRY_INTO(const bool exists, store_.get(Space::kItems, hit.key, bytes));
      if (exists) consider(hit.key, bytes.view());
    }
    return {};
  }
  Result<void> scan() {
    const KeyRange range = scope_.partition.empty()
                               ? keyspace_range(index_.keyspace)
                               : KeyRange{.begin = scope_.partition, .end = after_prefix(scope_.partition)};
    const auto cursor = store_.cursor(Space::kItems, {.range = range, .fill_cache = false}, store_.snapshot());
    examined_ = 0;
    for (; cursor->valid(); cursor->next()) {
      ++examined_;
      consider(cursor->key(), cursor->value());
    }
    return cursor->status();
  }
  std::vector<FoundItem> take() {
    std::sort(found_.begin(), found_.end(),
              [this](const FoundItem& a, const FoundItem& b) { return comes_before(a, b); });
    if (found_.size() > count_) found_.resize(count_);
    return std::move(found_);
  }

  const Store& store_;
  const VectorIndexes& indexes_;
  const VectorIndexDescription& index_;
  const std::vector<float>& vector_;
  const Scope& scope_;
  const size_t count_;
  const std::function<bool()> index_exists_;
  std::vector<FoundItem> found_;  // a heap with the farthest in front
  size_t examined_ = 0;
};

// The item to return: the projected attributes, and the vector only if it is requested by name.
Item returned_item(const VectorIndexDescription& index, const FoundItem& found,
                   const std::optional<ProjectionPaths>& projection) {
  const ItemView item = entry_item(index, found.value);
  if (!projection) return Item(item);
  const auto& names = projection->attributes();
  if (std::ranges::find(names, index.vector_attribute) == names.end()) return projection->apply(item);
  const Value vector = vector_value(entry_vector(index, found.value));
  ItemEditor editor(item);
  editor.set(index.vector_attribute, vector);
  return projection->apply(editor.build());
}

}  // namespace

Result<SearchVectorsResponse> search_vectors(ItemParts& parts, const SearchVectorsRequest& request, Call& call) {
  if (request.top_k < 1 || request.top_k > kTopKMax) {
    return invalid(
        fmt::format("Provided TopK value '{}' is out of valid range. The value must be between 1 and {} inclusive",
                    request.top_k, kTopKMax));
  }
  TRY_INTO(const CompiledSearch compiled, compile_search(request));
  TRY_INTO(const auto table, find_table(parts, request.table_name));
  const VectorIndexDescription* index = table->description.vector_index(request.index_name);
  if (index == nullptr) return invalid("The table does not have the specified index: " + request.index_name);
  if (index->status != Status::kActive) {
    return invalid("Cannot search backfilling vector index: " + request.index_name);
  }
  TRY_INTO(const std::vector<float> vector, search_vector(request, *index));
  TRY_INTO(const Scope scope, scope_of(compiled.condition, *index));

  SearchVectorsResponse response;
  size_t examined = 0;
  size_t returned_bytes = 0;
  if (!scope.is_empty) {
    const auto index_exists = [&] {
      const auto newest = parts.catalog->find(table->description.name);
      const auto* now = newest ? newest->description.vector_index(request.index_name) : nullptr;
      return now != nullptr && now->keyspace == index->keyspace;
    };
    TRESTLE_TEST_POINT("search.begin");
    Search search(*parts.store, *parts.vectors, *index, vector, scope, static_cast<size_t>(request.top_k),
                  index_exists);
    TRY_INTO(const auto found, search.run());
    examined = search.examined();
    for (const FoundItem& match : found) {
      Item item = returned_item(*index, match, compiled.projection);
      returned_bytes += item.size_bytes();
      if (returned_bytes > kSearchReplyBytesMax) {
        return invalid(
            "The results of the search exceed the maximum size of 16 MB; request fewer results or project fewer "
            "attributes");
      }
      response.results.push_back({.item = std::move(item), .score = match.score});
    }
  }
  call.commit = parts.store->commit_seen();
  if (request.return_consumed_capacity != ReturnConsumedCapacity::kNone) {
    const double vector_bytes = static_cast<double>(index->dimensions) * sizeof(float);
    response.search_request_bytes = std::max(
        kVectorRequestBytesMin, static_cast<double>(examined) * vector_bytes + static_cast<double>(returned_bytes));
  }
  return response;
}

}  // namespace trestle
