#include <fmt/format.h>

#include "engine/items/item_operations.h"
#include "engine/items/key_range.h"
#include "engine/items/page.h"
#include "engine/tables/find_table.h"
#include "expression/key_condition.h"

namespace trestle {
namespace {

struct CompiledQuery {
  CompiledPage page;
  KeyCondition key;
};

Result<CompiledQuery> compile_query(const QueryRequest& request) {
  const bool has_values = request.key_condition_expression.has_value() || request.filter_expression.has_value();
  TRY_INTO(Binding binding, Binding::make(request.placeholders, has_values || has_expression(request), has_values,
                                          "FilterExpression and KeyConditionExpression are null"));
  CompiledQuery compiled;
  std::optional<Error> deferred;
  if (request.key_condition_expression) {
    TRY_INTO(compiled.key, compile_key_condition(*request.key_condition_expression, binding, &deferred));
  } else if (request.key_conditions) {
    TRY_INTO(compiled.key, compile_legacy_key_condition(*request.key_conditions));
  }
  TRY_INTO(compiled.page, compile_page(request, binding));
  TRY(binding.all_used());
  if (deferred) return std::unexpected(std::move(*deferred));
  return compiled;
}

// Checks that the filter does not use key attributes, which belong in the key condition.
Result<void> check_filter(const QueryRequest& request, const CompiledQuery& compiled, const KeySchema& key) {
  if (!compiled.page.filter) return {};
  for (std::string_view name : compiled.page.filter->attributes()) {
    if (!key.contains(name)) continue;
    const char* what = request.filter_expression ? "Filter Expression" : "QueryFilter";
    return invalid(
        fmt::format("{} can only contain non-primary key attributes: Primary key attribute: {}", what, name));
  }
  return {};
}

// Whether the query can return at most one item, because the table has no sort key. Then there is no next page.
bool finds_one_item(const PageSource& source) { return source.index == nullptr && source.key->range.empty(); }

}  // namespace

Result<QueryResponse> query(ItemParts& parts, const QueryRequest& request, Call& call) {
  TRY_INTO(const CompiledQuery compiled, compile_query(request));
  TRY_INTO(auto table, find_table(parts, request.table_name));
  TRY(check_readable_index(table->description, request, "Query"));
  TRY_INTO(const PageSource source, page_source(std::move(table), request, compiled.page));
  const bool is_index = source.index != nullptr;
  TRY_INTO(const KeySelection selection, request.key_condition_expression
                                             ? select_key(compiled.key, *source.key, is_index)
                                             : select_legacy_key(compiled.key, *source.key, is_index));
  TRY(check_filter(request, compiled, *source.key));
  if (is_index && compiled.page.filter) {
    TRY(check_filter_projected(source.description(), *source.index, compiled.page.filter->attributes()));
  }
  CursorOptions options{.range = selected_range(source.keyspace, selection), .backward = !request.scan_index_forward};
  if (request.exclusive_start_key) {
    TRY_INTO(options.after, encode_start_key(source, *request.exclusive_start_key, false));
    if (finds_one_item(source)) {
      return invalid(
          "The provided exclusive start key is invalid: The query can return at most one row and cannot be restarted");
    }
    if (options.after < options.range.begin || options.after >= options.range.end) {
      return invalid("The provided starting key is outside query boundaries based on provided conditions");
    }
  }
  const std::string partition = options.range.begin.substr(0, kKeyPrefixBytes);
  auto response = PageReader(parts, request, compiled.page, source).read(std::move(options), selection.hash);
  call.commit = parts.store->commit_seen(partition);
  if (response && finds_one_item(source)) response->last_evaluated_key.reset();
  return response;
}

}  // namespace trestle
