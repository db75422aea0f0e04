#include "runtime/journal/deleted_items.h"

#include "runtime/values/plain_value.h"

namespace trestle::runtime {

void add_deleted_items(Names& names, const std::vector<WriteAction>& actions) {
  Plain::List list;
  if (const auto before = names.find(kDeletedItems); before != names.end() && before->second.is(Plain::Kind::kList))
    list = before->second.elements();
  const size_t known = list.size();
  for (const WriteAction& action : actions) {
    if (action.kind != design::RequestKind::kDeleteItem || action.prepared == nullptr ||
        !is_own(action.prepared->request))
      continue;
    Plain key = Plain::map();
    for (const Field& field : action.key.attributes()) key.set(std::string(field.name), to_plain(field.value));
    Plain item = Plain::map();
    item.set("table", Plain::text(action.table));
    item.set("key", std::move(key));
    list.push_back(std::move(item));
  }
  if (list.size() > known) names[std::string(kDeletedItems)] = Plain::list(std::move(list));
}

std::vector<DeletedItem> deleted_items(const Names& names) {
  std::vector<DeletedItem> items;
  const auto list = names.find(kDeletedItems);
  if (list == names.end() || !list->second.is(Plain::Kind::kList)) return items;
  for (const Plain& deleted_item : list->second.elements()) {
    std::vector<Value> values;
    std::vector<Field> fields;
    const Plain::Map& key = deleted_item.member("key").members();
    values.reserve(key.size());
    for (const auto& [name, plain] : key) {
      auto value = to_value(plain, natural_type(plain, ValueType::kString));
      if (!value) break;
      values.push_back(std::move(*value));
      fields.push_back({name, values.back().view()});
    }
    if (fields.size() == key.size() && !fields.empty())
      items.push_back({.table = deleted_item.member("table").string(), .key = Item(std::move(fields))});
  }
  return items;
}

}  // namespace trestle::runtime
