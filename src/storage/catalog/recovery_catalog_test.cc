#include "storage/catalog/recovery_catalog.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/hex_for_test.h"
#include "base/scratch_folder.h"
#include "storage/catalog/catalog.h"
#include "storage/catalog/table_encoding.h"

namespace trestle {
namespace {

TableDescription backed_up_table(const std::string& name = "tbl") {
  TableDescription table;
  table.name = name;
  table.id = name + "-id";
  table.arn = table_arn("us-east-1", "000000000000", name);
  table.attributes = {{"p", ValueType::kString}};
  table.key.hash = table.attributes;
  return table;
}

struct Opened {
  std::unique_ptr<Store> store;
  std::unique_ptr<Catalog> catalog;
  explicit Opened(const std::string& folder) {
    store = std::move(*Store::open({.folder = folder, .cache_bytes = size_t{8} << 20}));
    catalog = std::move(*Catalog::load(*store));
  }
  Catalog::HoldRequest hold_of(const std::string& table, std::optional<int64_t> time_ms = std::nullopt) const {
    const auto begin_commit = [this]() -> Catalog::HoldRequest::Moment {
      // No commit may have begun: this thread would wait for others, which would wait for that commit.
      EXPECT_EQ(store->finished_commit(), store->begun_commit());
      return {.commit = store->begin_commit(), .time_ms = 5000};
    };
    return {.table_name = table, .owner = "test", .time_ms = time_ms, .begin_commit = begin_commit};
  }
};

TEST(RecoveryCatalog, bytes_are_as_documented) {
  const HistoryHold hold{.id = 3,
                         .owner = "test",
                         .table_name = "tbl",
                         .table_id = "id",
                         .keyspace = 7,
                         .history_keyspace = 9,
                         .moment = {.commit = 5, .time_ms = 300},
                         .trimmed_ms = 299};
  EXPECT_EQ(hex(encode_hold(hold)),
            "01"
            "0474657374"
            "0374626c"
            "026964"
            "00000007"
            "00000009"
            "0000000000000005"
            "000000000000012c"
            "000000000000012b");
  Restore restore{.table_name = "tbl",
                  .table_id = "id",
                  .source_keyspace = 7,
                  .hold = 3,
                  .backup_arn = "arn",
                  .cursor = "k",
                  .items = 300};
  const std::string rest =
      "026964"
      "00000007"
      "00000003"
      "0361726e"
      "016b"
      "ac02";
  EXPECT_EQ(hex(encode_restore(restore)), "02" + rest);
  restore.is_keyed_by_name = true;
  EXPECT_EQ(hex(encode_restore(restore)), "01" + rest);
}

TEST(RecoveryCatalog, the_bytes_of_a_backup_are_as_documented) {
  Backup backup{.arn = "arn", .name = "n1", .type = BackupType::kSystem, .status = BackupStatus::kAvailable};
  backup.created_ms = 300;
  backup.table = backed_up_table();
  backup.table.item_count = 2;
  backup.table.size_bytes = 300;
  backup.keyspace = 4;
  backup.hold = 5;
  backup.cursor = "k";
  backup.items = 1;
  backup.bytes = 200;
  std::string table;
  append_sized(table, encode_table(backup.table));
  const std::string rest =
      "026e31"
      "01"
      "01"
      "ac02"
      "00"
      "00000004"
      "00000005"
      "01"
      "c801"
      "016b" +
      hex(table) +
      "02"
      "ac02";
  EXPECT_EQ(hex(encode_backup(backup)), "01" + rest);
  backup.counts_pending = true;
  EXPECT_EQ(hex(encode_backup(backup)), "01" + rest + "01");
}

// A program that only knows restores keyed by name must not take the newer key for a name.
TEST(RecoveryCatalog, a_restore_keyed_by_id_has_a_format_that_older_programs_refuse) {
  const ScratchFolder folder;
  Opened db(folder.path());
  ASSERT_TRUE(
      db.catalog->create_restored(backed_up_table("new"), {.table_name = "new", .table_id = "new-id"}).has_value());
  PinnedBytes record;
  const std::string key("Rnew\0new-id", 11);
  ASSERT_TRUE(db.store->get(Space::kCatalog, key, record).value());
  EXPECT_EQ(record.view().front(), 2);
  for (char format : {0, 3}) {
    std::string other(record.view());
    other.front() = format;
    EXPECT_FALSE(decode_restore("new", other).has_value());
  }
}

TEST(RecoveryCatalog, encoding_round_trips_and_damage_is_rejected) {
  Backup backup;
  backup.arn = "arn";
  backup.name = "nightly";
  backup.type = BackupType::kSystem;
  backup.status = BackupStatus::kAvailable;
  backup.created_ms = 1'700'000'000'123;
  backup.expires_ms = 1'800'000'000'000;
  backup.table = backed_up_table();
  backup.table.item_count = 12;
  backup.table.size_bytes = 345;
  backup.keyspace = 4;
  backup.hold = 5;
  backup.cursor = "cursor";
  backup.items = 11;
  backup.bytes = 300;
  const std::string bytes = encode_backup(backup);
  const auto read = decode_backup("arn", bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(encode_backup(*read), bytes);
  EXPECT_EQ(read->table.item_count, 12);
  EXPECT_EQ(read->arn, "arn");
  EXPECT_FALSE(read->counts_pending);
  backup.counts_pending = true;
  EXPECT_EQ(encode_backup(backup), bytes + '\1');
  EXPECT_TRUE(decode_backup("arn", encode_backup(backup))->counts_pending);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_backup("arn", bytes.substr(0, size)).has_value()) << size;
  }
  const HistoryHold hold{.id = 3, .owner = "o", .table_name = "t", .table_id = "i", .keyspace = 1};
  EXPECT_EQ(*decode_hold(3, encode_hold(hold)), hold);
  EXPECT_FALSE(decode_hold(3, encode_hold(hold) + "x").has_value());
}

TEST(RecoveryCatalog, a_hold_starts_recording_and_releasing_the_last_one_stops_it) {
  const ScratchFolder folder;
  Opened db(folder.path());
  ASSERT_TRUE(db.catalog->create(backed_up_table()).has_value());
  EXPECT_EQ(db.catalog->find("tbl")->description.history_keyspace, 0u);
  const auto first = db.catalog->hold_history(db.hold_of("tbl"));
  ASSERT_TRUE(first.has_value());
  const uint32_t history = db.catalog->find("tbl")->description.history_keyspace;
  EXPECT_NE(history, 0u);
  EXPECT_EQ(first->history_keyspace, history);
  EXPECT_EQ(first->trimmed_ms, 4999);
  const auto second = db.catalog->hold_history(db.hold_of("tbl"));
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->history_keyspace, history);
  EXPECT_GT(second->moment.commit, first->moment.commit);

  ASSERT_TRUE(db.catalog->release_history(first->id).has_value());
  EXPECT_EQ(db.catalog->find("tbl")->description.history_keyspace, history);
  EXPECT_TRUE(db.catalog->recovery().is_read(history));
  ASSERT_TRUE(db.catalog->release_history(second->id).has_value());
  EXPECT_EQ(db.catalog->find("tbl")->description.history_keyspace, 0u);
  EXPECT_EQ(db.catalog->dropped(), std::vector<uint32_t>{history});

  const auto third = db.catalog->hold_history(db.hold_of("tbl"));
  EXPECT_NE(third->history_keyspace, history) << "a keyspace is never used again";
}

TEST(RecoveryCatalog, a_past_time_can_be_held_only_with_point_in_time_recovery) {
  const ScratchFolder folder;
  Opened db(folder.path());
  ASSERT_TRUE(db.catalog->create(backed_up_table()).has_value());
  const auto refused = db.catalog->hold_history(db.hold_of("tbl", 1000));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kPointInTimeRecoveryUnavailable);
  EXPECT_EQ(refused.error().message, "Point in time recovery is not enabled for table 'tbl'");
  EXPECT_EQ(db.catalog->hold_history(db.hold_of("none")).error().code, ErrorCode::kTableNotFound);
}

TEST(RecoveryCatalog, another_table_of_the_same_name_is_not_held) {
  const ScratchFolder folder;
  Opened db(folder.path());
  TableDescription table = backed_up_table();
  table.id = "first";
  ASSERT_TRUE(db.catalog->create(table).has_value());
  auto request = db.hold_of("tbl");
  request.table_id = "first";
  EXPECT_TRUE(db.catalog->hold_history(request).has_value());
  ASSERT_TRUE(db.catalog->remove("tbl").has_value());
  table.id = "second";
  ASSERT_TRUE(db.catalog->create(table).has_value());
  EXPECT_EQ(db.catalog->hold_history(request).error().code, ErrorCode::kTableNotFound);
}

TEST(RecoveryCatalog, a_removal_is_decided_on_the_newest_version) {
  const ScratchFolder folder;
  Opened db(folder.path());
  ASSERT_TRUE(db.catalog->create(backed_up_table()).has_value());
  const auto protect = [](const TableDescription& table) -> Result<TableDescription> {
    TableDescription next = table;
    next.deletion_protection = true;
    return next;
  };
  ASSERT_TRUE(db.catalog->change("tbl", protect).has_value());
  const auto removed = db.catalog->remove("tbl", [](const TableVersion& newest) -> Result<std::optional<Backup>> {
    EXPECT_TRUE(newest.description.deletion_protection);
    return failure(ErrorCode::kResourceInUse, "protected");
  });
  EXPECT_EQ(removed.error().code, ErrorCode::kResourceInUse);
  EXPECT_TRUE(db.catalog->find("tbl"));
  EXPECT_TRUE(db.catalog->dropped().empty());
}

TEST(RecoveryCatalog, everything_survives_a_restart) {
  const ScratchFolder folder;
  HistoryHold hold;
  Backup backup;
  {
    Opened db(folder.path());
    ASSERT_TRUE(db.catalog->create(backed_up_table()).has_value());
    hold = *db.catalog->hold_history(db.hold_of("tbl"));
    backup.arn = "arn:b";
    backup.name = "nightly";
    backup.table = backed_up_table();
    backup.hold = hold.id;
    ASSERT_TRUE(db.catalog->add_backup(backup).has_value());
    TableDescription restored = backed_up_table("new");
    restored.id = "x";
    ASSERT_TRUE(db.catalog->create_restored(restored, {.table_name = "new", .table_id = "x", .source_keyspace = 4})
                    .has_value());
    ASSERT_TRUE(db.catalog->save_history_time_ms(777).has_value());
  }
  Opened db(folder.path());
  EXPECT_EQ(*db.catalog->recovery().hold(hold.id), hold);
  EXPECT_EQ(encode_backup(*db.catalog->recovery().backup("arn:b")), encode_backup(backup));
  EXPECT_EQ(db.catalog->recovery().restore("x")->table_name, "new");
  EXPECT_TRUE(db.catalog->recovery().is_read(4));
  EXPECT_EQ(*db.catalog->load_history_time_ms(), 777);
  EXPECT_EQ(db.catalog->find("tbl")->description.history_keyspace, hold.history_keyspace);
  // The assignment of keyspaces continues where it was.
  ASSERT_TRUE(db.catalog->create(backed_up_table("other")).has_value());
  const uint32_t other = db.catalog->find("other")->description.keyspace;
  EXPECT_GT(other, std::max({hold.id, hold.history_keyspace, backup.keyspace}));
  // Removing a backup leaves its keyspace to be freed.
  ASSERT_TRUE(db.catalog->remove_backup(*db.catalog->recovery().backup("arn:b")).has_value());
  EXPECT_EQ(db.catalog->dropped(), std::vector<uint32_t>{backup.keyspace});
}

// A record may outlive its table for a moment, and meanwhile another restore may begin under the same name.
TEST(RecoveryCatalog, restores_into_the_same_name_are_different_restores) {
  const ScratchFolder folder;
  const Restore first{.table_name = "new", .table_id = "a", .source_keyspace = 4, .hold = 7};
  const Restore second{.table_name = "new", .table_id = "b", .source_keyspace = 5, .hold = 8};
  {
    Opened db(folder.path());
    for (const Restore& restore : {first, second}) {
      TableDescription table = backed_up_table("new");
      table.id = restore.table_id;
      (void)db.catalog->remove("new");
      ASSERT_TRUE(db.catalog->create_restored(table, restore).has_value());
    }
  }
  {
    Opened db(folder.path());
    ASSERT_EQ(db.catalog->recovery().restores().size(), 2u);
    EXPECT_EQ(db.catalog->recovery().restore("a")->hold, 7u);
    ASSERT_TRUE(db.catalog->remove_restore(*db.catalog->recovery().restore("a")).has_value());
    ASSERT_EQ(db.catalog->recovery().restores().size(), 1u);
    EXPECT_EQ(db.catalog->recovery().restores()[0]->table_id, "b");
  }
  Opened db(folder.path());
  ASSERT_EQ(db.catalog->recovery().restores().size(), 1u);
  EXPECT_EQ(db.catalog->recovery().restores()[0]->table_id, "b");
  EXPECT_EQ(db.catalog->recovery().restores()[0]->table_name, "new");
}

TEST(RecoveryCatalog, a_restore_of_an_older_version_keeps_its_key) {
  const ScratchFolder folder;
  const Restore old{.table_name = "new", .table_id = "a", .source_keyspace = 4, .is_keyed_by_name = true};
  {
    Opened db(folder.path());
    Batch batch(*db.store);
    batch.put(Space::kCatalog, "Rnew", encode_restore(old));
    ASSERT_TRUE(db.store->commit(batch).has_value());
  }
  {
    Opened db(folder.path());
    ASSERT_EQ(db.catalog->recovery().restores().size(), 1u);
    Restore next = *db.catalog->recovery().restore("a");
    EXPECT_EQ(next.table_name, "new");
    next.cursor = "k";
    Batch batch(*db.store);
    ASSERT_TRUE(db.catalog->save_progress(next, batch).has_value());
    ASSERT_TRUE(
        db.catalog->create_restored(backed_up_table("new"), {.table_name = "new", .table_id = "b"}).has_value());
  }
  {
    Opened db(folder.path());
    ASSERT_EQ(db.catalog->recovery().restores().size(), 2u);
    EXPECT_EQ(db.catalog->recovery().restore("a")->cursor, "k");
    ASSERT_TRUE(db.catalog->remove_restore(*db.catalog->recovery().restore("a")).has_value());
  }
  Opened db(folder.path());
  ASSERT_EQ(db.catalog->recovery().restores().size(), 1u);
  EXPECT_EQ(db.catalog->recovery().restores()[0]->table_id, "b");
}

TEST(RecoveryCatalog, a_removed_table_leaves_its_items_to_a_backup) {
  const ScratchFolder folder;
  Opened db(folder.path());
  ASSERT_TRUE(db.catalog->create(backed_up_table()).has_value());
  const uint32_t keyspace = db.catalog->find("tbl")->description.keyspace;
  Backup backup;
  backup.arn = "arn:kept";
  backup.table = backed_up_table();
  ASSERT_TRUE(db.catalog->remove("tbl", [&](const TableVersion&) { return Result<std::optional<Backup>>(backup); })
                  .has_value());
  EXPECT_TRUE(db.catalog->dropped().empty());
  EXPECT_EQ(db.catalog->recovery().backup("arn:kept")->keyspace, keyspace);
}

}  // namespace
}  // namespace trestle
