#include "engine/tables/find_table.h"

#include <algorithm>

#include "engine/tables/table_definition.h"

namespace trestle {

Result<std::shared_ptr<const TableVersion>> find_table(const TableParts& parts, std::string_view name_or_arn) {
  const auto name = table_name_of(name_or_arn);
  auto table = name ? parts.catalog->find(*name) : nullptr;
  if (name) TRY(parts.catalog->check_certain(*name));
  if (!table || table->description.status == Status::kCreating || parts.transient.is_creating(table->description)) {
    return failure(ErrorCode::kResourceNotFound, "Requested resource not found");
  }
  return table;
}

Result<WritableTable> open_table(const TableParts& parts, std::string_view name_or_arn) {
  const auto name = table_name_of(name_or_arn);
  auto table = name ? parts.catalog->open_for_write(*name) : std::nullopt;
  if (name) TRY(parts.catalog->check_certain(*name));
  if (!table || (*table)->description.status == Status::kCreating ||
      parts.transient.is_creating((*table)->description)) {
    return failure(ErrorCode::kResourceNotFound, "Requested resource not found");
  }
  return std::move(*table);
}

void note_table(const TableParts& parts, const std::vector<std::string_view>& names, Call& call) {
  if (names.empty()) return;
  const auto bare = [](std::string_view name) { return table_name_of(name).value_or(name); };
  const std::string_view first = bare(names.front());
  if (!std::ranges::all_of(names, [&](std::string_view name) { return bare(name) == first; })) return;
  if (parts.catalog->find(first)) call.table_name = first;
}

Result<std::shared_ptr<const TableVersion>> find_described_table(const TableParts& parts,
                                                                 std::string_view name_or_arn) {
  TRY_INTO(auto table, find_any_table(parts, name_or_arn));
  if (table->description.status == Status::kCreating) return std::unexpected(table_not_found(table->description.name));
  return table;
}

std::string_view bare_table_name(std::string_view name_or_arn) {
  return table_name_of(name_or_arn).value_or(name_or_arn);
}

Result<std::shared_ptr<const TableVersion>> find_any_table(const TableParts& parts, std::string_view name_or_arn) {
  const std::string_view name = bare_table_name(name_or_arn);
  auto table = parts.catalog->find(name);
  TRY(parts.catalog->check_certain(name));
  if (!table) return std::unexpected(table_not_found(name));
  return table;
}

}  // namespace trestle
