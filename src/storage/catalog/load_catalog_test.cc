#include "storage/catalog/load_catalog.h"

#include <gtest/gtest.h>

#include "base/hex_for_test.h"
#include "base/scratch_folder.h"

namespace trestle {
namespace {

Load bulk_put() {
  Load load;
  load.arn = "arn:1";
  load.kind = LoadKind::kBulkPut;
  load.token = "tok";
  load.source = {.owner = std::nullopt, .bucket = "in", .prefix = "p/"};
  load.format = InputFormat::kIon;
  load.compression = InputCompression::kZstd;
  load.csv = CsvOptions{.delimiter = ";", .header_list = std::vector<std::string>{"a"}};
  load.output.bucket = "out";
  load.output.output_types = {BulkOutput::kError};
  load.table_name = "tbl";
  load.table_id = "id";
  load.table_arn = "arn";
  load.started_ms = 300;
  load.processed_items = 5;
  load.written_items = 4;
  load.failed_items = 1;
  load.processed_bytes = 200;
  load.total_bytes = 0;
  load.table_bytes = 99;
  load.index_bytes = {{"Gx", 7}};
  load.write_units_max = 1024;
  load.tier = PerformanceTier::kAccelerated;
  load.cursor = {.object = "p/1", .offset = 130, .object_done = true, .records = 5};
  load.logs = 1;
  return load;
}

TEST(LoadCatalog, bytes_are_as_documented) {
  EXPECT_EQ(hex(encode_load(bulk_put())),
            "01"
            "01"
            "00"
            "03746f6b"  // kind, status, token
            "00"
            "02696e"
            "0102702f"  // source
            "01"
            "02"  // format, compression
            "01"
            "01013b"
            "01"
            "01"
            "0161"  // csv
            "00"
            "01036f7574"
            "00"
            "00"
            "00"
            "01"
            "00"  // output
            "0374626c"
            "026964"
            "0361726e"
            "00"  // table
            "ac02"
            "00"
            "05"
            "04"
            "01"
            "c801"
            "01"
            "63"
            "01"
            "024778"
            "07"
            "8008"
            "01"
            "00"
            "00"  // write units, tier, no failure
            "03702f31"
            "8201"
            "01"
            "05"
            "01");
}

TEST(LoadCatalog, encoding_round_trips) {
  const Load load = bulk_put();
  const auto decoded = decode_load("arn:1", encode_load(load));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(encode_load(load), encode_load(*decoded));
  EXPECT_EQ(load.cursor, decoded->cursor);
  EXPECT_EQ(load.csv, decoded->csv);
  EXPECT_EQ(load.total_bytes, decoded->total_bytes);

  Load import;
  import.table.emplace();
  import.table->name = "tbl";
  import.table->attributes = {{"p", ValueType::kString}};
  import.table->key.hash = import.table->attributes;
  const auto again = decode_load("", encode_load(import));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ("tbl", again->table->name);
  EXPECT_FALSE(again->total_bytes);
}

TEST(LoadCatalog, damaged_bytes_are_rejected) {
  const std::string bytes = encode_load(bulk_put());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_load("arn:1", bytes.substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(decode_load("arn:1", bytes + "x").has_value());
  EXPECT_FALSE(decode_load("arn:1", "\x02" + bytes.substr(1)).has_value());
}

TEST(LoadCatalog, loads_survive_a_restart_until_they_are_removed) {
  ScratchFolder folder;
  const StoreOptions options{.folder = folder.path(), .cache_bytes = size_t{8} << 20};
  {
    const auto store = std::move(*Store::open(options));
    const auto loads = std::move(*LoadCatalog::load(*store));
    for (int i = 0; i < 3; ++i) {
      Load load = bulk_put();
      load.arn = "arn:" + std::to_string(i);
      load.started_ms = 100 * i;
      ASSERT_TRUE(loads->save(load).has_value());
    }
    ASSERT_TRUE(loads->forget(*loads->find("arn:1")).has_value());
  }
  const auto store = std::move(*Store::open(options));
  const auto loads = std::move(*LoadCatalog::load(*store));
  ASSERT_EQ(2u, loads->loads(LoadKind::kBulkPut).size());
  EXPECT_EQ("arn:2", loads->loads(LoadKind::kBulkPut)[0]->arn) << "the newest first";
  EXPECT_EQ(0u, loads->loads(LoadKind::kImport).size());
  EXPECT_EQ("arn:2", loads->find_token(LoadKind::kBulkPut, "tok")->arn);
  EXPECT_EQ(nullptr, loads->find_token(LoadKind::kImport, "tok"));
  EXPECT_EQ(2u, loads->under_way().size());
}

}  // namespace
}  // namespace trestle
