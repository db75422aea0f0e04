#include "engine/parts.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "engine/items/item_operations.h"
#include "engine/quiet_engine.h"
#include "engine/tables/table_operations.h"

namespace trestle {
namespace {

ItemParts parts_in_memory() {
  EngineOptions options = quiet_options({}, std::make_shared<ManualClock>(1'800'000'000'000));
  return ItemParts(std::move(options));
}

// Operations on items need only ItemParts: no jobs, no background work, no Engine.
TEST(Parts, items_are_written_and_read_without_an_engine) {
  ItemParts parts = parts_in_memory();
  auto store = Store::open(parts.options.store);
  ASSERT_TRUE(store.has_value()) << store.error().message;
  parts.store = std::move(*store);
  auto catalog = Catalog::load(*parts.store, parts.options.clock);
  ASSERT_TRUE(catalog.has_value()) << catalog.error().message;
  parts.catalog = std::move(*catalog);
  parts.transactions = std::make_unique<TransactionRegistry>(*parts.store);

  Call call;
  const auto created = create_table(parts,
                                    {.table_name = "table",
                                     .attribute_definitions = {{"pk", ValueType::kString}},
                                     .key_schema = {{.attribute_name = "pk"}},
                                     .billing_mode = BillingMode::kPayPerRequest},
                                    call);
  ASSERT_TRUE(created.has_value()) << created.error().message;
  const Item item{{"pk", Value::string("a")}, {"v", Value::number(1)}};
  ASSERT_TRUE(put_item(parts, {.table_name = "table", .item = item}, call).has_value());
  const auto got = get_item(parts, {.table_name = "table", .key = Item{{"pk", Value::string("a")}}}, call);
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(got->item, item);
  const auto described = describe_table(parts, {.table_name = "table"}, call);
  ASSERT_TRUE(described.has_value());
  EXPECT_EQ(described->table.item_count, 1);
}

}  // namespace
}  // namespace trestle
