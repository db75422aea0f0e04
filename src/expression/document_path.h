// Resolved document paths, and operations on many of them at once: extracting parts of an item and replacing parts of a
// value. Both scan the packed bytes once, front to back, and copy unaffected parts as a whole.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/value.h"

namespace trestle {

// An attribute or map key, or a list index.
struct DocumentStep {
  std::string_view name;
  uint32_t index = 0;
  bool is_index = false;
};

using DocumentPath = std::span<const DocumentStep>;

// Compares paths step by step. List indexes are ordered by number and sort before names.
std::strong_ordering compare_paths(DocumentPath a, DocumentPath b);

std::optional<ValueView> resolve_path(DocumentPath path, ItemView item);

// The parts of `item` selected by the paths. Paths must be sorted, and none may be a prefix of another. Selected list
// elements keep their order and close up; a list or map of which nothing is selected is omitted.
Item select_parts(ItemView item, std::span<const DocumentPath> paths);

// A part of an item to write, or to remove if `value` is absent.
struct DocumentEdit {
  DocumentPath path;
  std::optional<ValueView> value;
};

// The item with parts replaced, removed and added. Edits must be sorted by path, none a prefix of another, and each
// path's parent must exist and be a list or map as the path requires. List indexes refer to the old list; writes past
// its end are appended, in order.
Item edit_parts(ItemView item, std::span<const DocumentEdit> edits);

}  // namespace trestle
