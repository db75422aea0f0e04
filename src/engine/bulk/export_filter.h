// Which items an export has, and what of them: FilterSpecification, compiled. What DynamoDB's Query and Scan do with
// the same expressions. Pure, and shared by no threads.
#pragma once

#include <memory>
#include <optional>

#include "expression/condition.h"
#include "expression/projection.h"
#include "model/export_requests.h"
#include "model/table.h"
#include "storage/key_encoding.h"

namespace trestle {

// Checks that the filter fits the table, and returns the range of keys that its key condition selects; empty:
// everything.
Result<KeyRange> check_export_filter(const ExportFilter& filter, const TableDescription& table);

class ExportSelection {
 public:
  // Everything, or what a filter that was checked selects. Borrows the filter.
  static Result<ExportSelection> make(const std::optional<ExportFilter>& filter);

  bool matches(ItemView item) const { return !filter_ || filter_->matches(item); }
  // Null: items are exported whole.
  const ProjectionPaths* projection() const { return projection_ ? &*projection_ : nullptr; }

 private:
  std::optional<Condition> filter_;
  std::optional<ProjectionPaths> projection_;
};

}  // namespace trestle
