#include "engine/bulk/export_filter.h"

#include <fmt/format.h>

#include "engine/items/item_key.h"
#include "engine/items/key_range.h"
#include "engine/items/read_projection.h"
#include "expression/key_condition.h"

namespace trestle {
namespace {

struct CompiledExportFilter {
  std::optional<KeyCondition> key;
  std::optional<Condition> filter;
  std::optional<ProjectionPaths> projection;
};

Result<CompiledExportFilter> compile_export_filter(const ExportFilter& filter) {
  const bool has_values = filter.key_condition_expression || filter.filter_expression;
  TRY_INTO(Binding binding, Binding::make(filter.placeholders, true, has_values));
  CompiledExportFilter compiled;
  std::optional<Error> deferred;
  if (filter.key_condition_expression) {
    TRY_INTO(compiled.key, compile_key_condition(*filter.key_condition_expression, binding, &deferred));
  }
  if (filter.filter_expression) {
    TRY_INTO(compiled.filter, compile_condition(*filter.filter_expression, ExpressionKind::kFilter, binding));
  }
  if (filter.projection_expression) {
    TRY_INTO(compiled.projection, compile_projection(*filter.projection_expression, binding));
  }
  TRY(binding.all_used());
  if (deferred) return std::unexpected(std::move(*deferred));
  return compiled;
}

Result<KeyRange> check(const ExportFilter& filter, const TableDescription& table) {
  TRY_INTO(const CompiledExportFilter compiled, compile_export_filter(filter));
  if (compiled.projection) TRY(check_nested_paths(table, compiled.projection->nested_attributes()));
  if (compiled.filter) TRY(check_nested_paths(table, compiled.filter->nested_attributes()));
  if (!compiled.key) return KeyRange{};
  TRY_INTO(const KeySelection selection, select_key(*compiled.key, table.key, false));
  if (compiled.filter) {
    for (std::string_view name : compiled.filter->attributes()) {
      if (!table.key.contains(name)) continue;
      return invalid(fmt::format(
          "Filter Expression can only contain non-primary key attributes: Primary key attribute: {}", name));
    }
  }
  return selected_range(table.keyspace, selection);
}

}  // namespace

Result<KeyRange> check_export_filter(const ExportFilter& filter, const TableDescription& table) {
  auto range = check(filter, table);
  if (!range.has_value()) {
    return invalid("Invalid Request: Invalid FilterSpecification: " + range.error().message);
  }
  return range;
}

Result<ExportSelection> ExportSelection::make(const std::optional<ExportFilter>& filter) {
  ExportSelection selection;
  if (!filter) return selection;
  TRY_INTO(CompiledExportFilter compiled, compile_export_filter(*filter));
  selection.filter_ = std::move(compiled.filter);
  selection.projection_ = std::move(compiled.projection);
  return selection;
}

}  // namespace trestle
