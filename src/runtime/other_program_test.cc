#include "runtime/other_program_for_test.h"

#include <fmt/format.h>

#include "design/plan/stored_attributes.h"
#include "runtime/items/item_form.h"

namespace trestle::runtime {

void OtherProgram::write() {
  for (const design::Table& table : world_.reading->design.tables) {
    ScanRequest scan;
    scan.table_name = table.name;
    const auto page = world_.database.scan(scan);
    ASSERT_TRUE(page.has_value());
    for (size_t i = 0; i < page->items.size(); ++i) {
      const ItemView item = page->items[i];
      const ItemKind kind = kind_of(world_.reading->design, table, item);
      if (kind.entity == nullptr || kind.guard != nullptr || random_() % 2 == 0) continue;
      UpdateItemRequest request{.table_name = table.name, .key = key_of(table, item)};
      NameMap names{{"#extra", "extra"}};
      std::string remove;
      const auto drop = [&](const std::string& name) {
        if (name.empty() || table.key.contains(name) || kind.entity->field(name) != nullptr) return;
        const std::string placeholder = fmt::format("#n{}", names.size());
        names.emplace_back(placeholder, name);
        remove += (remove.empty() ? " REMOVE " : ", ") + placeholder;
      };
      drop(table.type_attribute);
      for (const KeyAttribute& attribute : design::key_attributes(table)) drop(attribute.name);
      request.update_expression = "SET #extra = :extra" + remove;
      request.placeholders.names = std::move(names);
      request.placeholders.values = ValueMap{{":extra", Value::string("kept")}};
      ASSERT_TRUE(world_.database.update_item(request).has_value());
      changed_.emplace_back(table.name, key_of(table, item));
    }
  }
}
void OtherProgram::expect_extras() const {
  for (const auto& [table, key] : changed_) {
    const auto found = world_.database.get_item({.table_name = table, .key = key});
    ASSERT_TRUE(found.has_value());
    if (found->item) {
      EXPECT_TRUE(found->item->find("extra").has_value());
    }
  }
}

}  // namespace trestle::runtime
