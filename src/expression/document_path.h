// Resolved document paths, and operations along many of them at once: extracting parts of an item, and replacing parts
// of a value. Both work on packed bytes, front to back, and copy unaffected parts as a whole.
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

// By steps from the left; list indexes by number, and before names.
std::strong_ordering compare_paths(DocumentPath a, DocumentPath b);

std::optional<ValueView> resolve_path(DocumentPath path, ItemView item);

// The parts of `item` that paths lead to. Paths are sorted, and none is the beginning of another. Elements of a list
// keep their order and close up; a list or map of which nothing is selected is left out.
Item select_parts(ItemView item, std::span<const DocumentPath> paths);

// A part of an item to write, or to remove if there is no value.
struct DocumentEdit {
  DocumentPath path;
  std::optional<ValueView> value;
};

// The item with its parts replaced, removed and added. Edits must be sorted by path, none a prefix of another, and each
// path's parent exists and is of the right kind. List indexes are those of the old list; writes past its end are
// appended, in order.
Item edit_parts(ItemView item, std::span<const DocumentEdit> edits);

}  // namespace trestle
