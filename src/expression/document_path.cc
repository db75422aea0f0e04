#include "expression/document_path.h"

#include <algorithm>

#include "base/check.h"

namespace trestle {
namespace {

std::strong_ordering compare_steps(const DocumentStep& a, const DocumentStep& b) {
  if (a.is_index != b.is_index) return a.is_index ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.is_index ? a.index <=> b.index : a.name <=> b.name;
}

DocumentPath path_of(const DocumentPath& path) { return path; }
DocumentPath path_of(const DocumentEdit& edit) { return edit.path; }

// The paths at the front of `sorted` that have the same step at `depth`.
template <class T>
std::span<const T> front_group(std::span<const T> sorted, size_t depth) {
  size_t count = 1;
  while (count < sorted.size() && compare_steps(path_of(sorted[count])[depth], path_of(sorted[0])[depth]) == 0) {
    ++count;
  }
  return sorted.first(count);
}

// ---- Selection. `paths` share their first `depth` steps, which lead to the current value.

using Paths = std::span<const DocumentPath>;

std::optional<ValueView> child_of(ValueView value, const DocumentStep& step) {
  if (step.is_index) {
    return value.type() == ValueType::kList ? value.list().at(step.index) : std::nullopt;
  }
  return value.type() == ValueType::kMap ? value.map().find(step.name) : std::nullopt;
}

template <class Visit>
void for_each_child(ValueView value, Paths paths, size_t depth, Visit visit) {
  while (!paths.empty()) {
    const Paths group = front_group(paths, depth);
    if (const auto child = child_of(value, group[0][depth])) visit(*child, group);
    paths = paths.subspan(group.size());
  }
}

bool has_parts(ValueView value, Paths paths, size_t depth) {
  if (paths[0].size() == depth) return true;
  bool found = false;
  for_each_child(value, paths, depth,
                 [&](ValueView child, Paths group) { found = found || has_parts(child, group, depth + 1); });
  return found;
}

// Precondition: has_parts().
void append_parts(std::string& out, ValueView value, Paths paths, size_t depth) {
  if (paths[0].size() == depth) {
    out.append(value.bytes());
    return;
  }
  size_t count = 0;
  for_each_child(value, paths, depth,
                 [&](ValueView child, Paths group) { count += has_parts(child, group, depth + 1); });
  const bool is_map = value.type() == ValueType::kMap;
  const size_t start = is_map ? begin_map(out, count) : begin_list(out, count);
  for_each_child(value, paths, depth, [&](ValueView child, Paths group) {
    if (!has_parts(child, group, depth + 1)) return;
    if (is_map) append_sized(out, group[0][depth].name);
    append_parts(out, child, group, depth + 1);
  });
  end_container(out, start);
}

// ---- Editing. `edits` share their first `depth` steps, which lead to the current value.

using Edits = std::span<const DocumentEdit>;

bool is_whole(Edits group, size_t depth) { return group[0].path.size() == depth + 1; }

void append_edited(std::string& out, ValueView value, Edits edits, size_t depth);

void append_edited_child(std::string& out, ValueView child, Edits group, size_t depth) {
  if (is_whole(group, depth)) {
    out.append(group[0].value->bytes());
  } else {
    append_edited(out, child, group, depth + 1);
  }
}

void append_edited_map(std::string& out, MapView map, Edits edits, size_t depth) {
  size_t count = map.size();
  for (const DocumentEdit& edit : edits) {
    if (edit.path.size() != depth + 1) continue;
    const bool exists = map.find(edit.path[depth].name).has_value();
    if (edit.value && !exists) ++count;
    if (!edit.value && exists) --count;
  }
  const size_t start = begin_map(out, count);
  auto field = map.begin();
  while (field != map.end() || !edits.empty()) {
    const std::string_view name = edits.empty() ? std::string_view() : edits[0].path[depth].name;
    if (edits.empty() || (field != map.end() && field->name < name)) {
      append_sized(out, field->name);
      out.append(field->value.bytes());
      ++field;
      continue;
    }
    const Edits group = front_group(edits, depth);
    edits = edits.subspan(group.size());
    const bool exists = field != map.end() && field->name == name;
    if (!is_whole(group, depth) || group[0].value) {
      append_sized(out, name);
      append_edited_child(out, exists ? field->value : ValueView(), group, depth);
    }
    if (exists) ++field;
  }
  end_container(out, start);
}

void append_edited_list(std::string& out, ListView list, Edits edits, size_t depth) {
  size_t count = list.size();
  for (const DocumentEdit& edit : edits) {
    if (edit.path.size() != depth + 1) continue;
    const bool exists = edit.path[depth].index < list.size();
    if (edit.value && !exists) ++count;
    if (!edit.value && exists) --count;
  }
  const size_t start = begin_list(out, count);
  size_t index = 0;
  for (ValueView element : list) {
    if (edits.empty() || edits[0].path[depth].index != index++) {
      out.append(element.bytes());
      continue;
    }
    const Edits group = front_group(edits, depth);
    edits = edits.subspan(group.size());
    if (!is_whole(group, depth) || group[0].value) append_edited_child(out, element, group, depth);
  }
  for (const DocumentEdit& edit : edits) {
    if (edit.value) out.append(edit.value->bytes());
  }
  end_container(out, start);
}

void append_edited(std::string& out, ValueView value, Edits edits, size_t depth) {
  if (edits[0].path[depth].is_index) {
    append_edited_list(out, value.list(), edits, depth);
  } else {
    append_edited_map(out, value.map(), edits, depth);
  }
}

}  // namespace

std::strong_ordering compare_paths(DocumentPath a, DocumentPath b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const auto order = compare_steps(a[i], b[i]); order != 0) return order;
  }
  return a.size() <=> b.size();
}

std::optional<ValueView> resolve_path(DocumentPath path, ItemView item) {
  std::optional<ValueView> value = item.find(path[0].name);
  for (size_t i = 1; i < path.size() && value; ++i) value = child_of(*value, path[i]);
  return value;
}

Item select_parts(ItemView item, std::span<const DocumentPath> paths) {
  std::vector<Field> fields;
  fields.reserve(paths.size());
  std::vector<std::string> packed;
  packed.reserve(paths.size());  // must not reallocate: fields point into its strings
  for (const Field& attribute : item.attributes()) {
    while (!paths.empty() && paths[0][0].name < attribute.name) paths = paths.subspan(1);
    if (paths.empty()) break;
    if (paths[0][0].name != attribute.name) continue;
    const Paths group = front_group(paths, 0);
    paths = paths.subspan(group.size());
    if (group[0].size() == 1) {
      fields.push_back(attribute);
    } else if (has_parts(attribute.value, group, 1)) {
      append_parts(packed.emplace_back(), attribute.value, group, 1);
      fields.push_back({attribute.name, ValueView(packed.back())});
    }
  }
  return Item(std::move(fields));
}

Item edit_parts(ItemView item, std::span<const DocumentEdit> edits) {
  ItemEditor editor(item);
  std::vector<std::string> packed;
  packed.reserve(edits.size());  // must not reallocate: the editor points into its strings
  while (!edits.empty()) {
    const Edits group = front_group(edits, 0);
    edits = edits.subspan(group.size());
    const std::string_view name = group[0].path[0].name;
    if (!is_whole(group, 0)) {
      const auto old = item.find(name);
      CHECK(old.has_value(), "an edit's parent exists");
      append_edited(packed.emplace_back(), *old, group, 1);
      editor.set(name, ValueView(packed.back()));
    } else if (group[0].value) {
      editor.set(name, *group[0].value);
    } else {
      editor.remove(name);
    }
  }
  return editor.build();
}

}  // namespace trestle
