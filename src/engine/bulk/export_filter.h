// A compiled FilterSpecification: decides which items an export contains, and which of their attributes. Its
// expressions mean the same as in Query and Scan. Pure. Not thread-safe.
#pragma once

#include <memory>
#include <optional>

#include "expression/condition.h"
#include "expression/projection.h"
#include "model/export_requests.h"
#include "model/table.h"
#include "storage/key_encoding.h"

namespace trestle {

// Checks that the filter fits the table, and returns the range of keys that its key condition selects. An empty range
// means all keys.
Result<KeyRange> check_export_filter(const ExportFilter& filter, const TableDescription& table);

class ExportSelection {
 public:
  // Without a filter, selects everything. The filter must have passed check_export_filter(), and is borrowed.
  static Result<ExportSelection> make(const std::optional<ExportFilter>& filter);

  bool matches(ItemView item) const { return !filter_ || filter_->matches(item); }
  // Null if whole items are exported.
  const ProjectionPaths* projection() const { return projection_ ? &*projection_ : nullptr; }

 private:
  std::optional<Condition> filter_;
  std::optional<ProjectionPaths> projection_;
};

}  // namespace trestle
