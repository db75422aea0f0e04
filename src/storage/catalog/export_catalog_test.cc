#include "storage/catalog/export_catalog.h"

#include <gtest/gtest.h>

#include "base/hex_for_test.h"
#include "base/scratch_folder.h"
#include "storage/store_for_test.h"

namespace trestle {
namespace {

Export small_export() {
  Export export_;
  ExportDescription& d = export_.description;
  d.arn = "arn";
  d.table_arn = "tbl";
  d.table_id = "id";
  d.s3_bucket = "bkt";
  d.start_ms = 300;
  d.export_ms = 299;
  d.client_token = "tok";
  export_.parameters = "p";
  export_.key_attributes = {"pk"};
  export_.hold = 3;
  return export_;
}

Export full_export() {
  Export export_ = small_export();
  ExportDescription& d = export_.description;
  d.status = ExportStatus::kFailed;
  d.type = ExportType::kIncremental;
  d.format = ExportFormat::kIon;
  d.sse_algorithm = S3SseAlgorithm::kKms;
  d.end_ms = 400;
  d.billed_size_bytes = 10;
  d.item_count = 2;
  d.manifest = "m";
  d.s3_bucket_owner = "000000000000";
  d.s3_prefix = "";
  d.sse_kms_key_id = "key";
  d.failure_code = "S3NoSuchBucket";
  d.failure_message = "gone";
  d.period = {.from_ms = 1, .to_ms = 2, .view = ExportViewType::kNewImage};
  d.filter.emplace();
  d.filter->filter_expression = "#a = :v";
  d.filter->placeholders.names = NameMap{{"#a", "attribute"}};
  d.filter->placeholders.values = ValueMap{{":v", Value::number(7)}};
  export_.range = {"a", "b"};
  export_.files = 4;
  export_.cursor = "k";
  export_.items = 5;
  export_.bytes = 6;
  return export_;
}

TEST(ExportCatalog, bytes_are_as_documented) {
  EXPECT_EQ(hex(encode_export(small_export())),
            "01"
            "00000000"
            "0374626c"
            "026964"
            "03626b74"
            "ac02"
            "00"
            "01ab02"
            "0000"
            "00"
            "0103746f6b"
            "0000000000"
            "00"
            "00"
            "0170"
            "0102706b"
            "0000"
            "00000003"
            "00000000"
            "00"
            "0000");
  EXPECT_EQ(hex(encode_export_file({.name = "a", .etag = "ff", .items = 300})), "010161026666ac02");
}

TEST(ExportCatalog, encoding_round_trips) {
  for (const Export& export_ : {small_export(), full_export()}) {
    const auto read = decode_export("arn", encode_export(export_));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(encode_export(*read), encode_export(export_));
    EXPECT_EQ(read->description.arn, "arn");
  }
  const auto read = decode_export("arn", encode_export(full_export()));
  EXPECT_EQ(read->description.failure_message, "gone");
  EXPECT_EQ(read->description.s3_prefix, "");
  EXPECT_EQ(read->description.period->view, ExportViewType::kNewImage);
  EXPECT_EQ(read->description.filter->placeholders.values->front().second, Value::number(7));
  EXPECT_EQ(read->range.end, "b");
}

TEST(ExportCatalog, damaged_bytes_are_rejected) {
  const std::string bytes = encode_export(full_export());
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_export("arn", bytes.substr(0, length)).has_value()) << length;
  }
  EXPECT_FALSE(decode_export("arn", bytes + "x").has_value());
  EXPECT_FALSE(decode_export_file("\x02").has_value());
}

TEST(ExportCatalog, everything_survives_a_restart) {
  ScratchFolder folder;
  const ExportFile first{.name = "a", .etag = "01", .items = 1};
  const ExportFile second{.name = "b", .etag = "02", .items = 2};
  {
    const auto store = open_store(folder.path());
    ExportCatalog catalog(*store);
    ASSERT_TRUE(catalog.load().has_value());
    Export export_ = small_export();
    ASSERT_TRUE(catalog.save(export_).has_value());
    Export other = small_export();
    other.description.arn = "arn2";  // begins with the first one's
    ASSERT_TRUE(catalog.save(other).has_value());
    other.files = 1;
    ASSERT_TRUE(catalog.save_file(other, {.name = "c", .etag = "03", .items = 3}).has_value());
    export_.files = 1;
    ASSERT_TRUE(catalog.save_file(export_, first).has_value());
    export_.files = 2;
    ASSERT_TRUE(catalog.save_file(export_, second).has_value());
  }
  const auto store = open_store(folder.path());
  ExportCatalog catalog(*store);
  ASSERT_TRUE(catalog.load().has_value());
  ASSERT_EQ(catalog.all().size(), 2u);
  const auto found = catalog.find("arn");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->files, 2u);
  EXPECT_EQ(*catalog.files("arn"), (std::vector{first, second}));
  ASSERT_TRUE(catalog.save_end(*found).has_value());
  EXPECT_TRUE(catalog.files("arn")->empty());
  EXPECT_EQ(catalog.files("arn2")->size(), 1u);
  ASSERT_TRUE(catalog.remove("arn2").has_value());
  EXPECT_EQ(catalog.find("arn2"), nullptr);
  EXPECT_TRUE(catalog.files("arn2")->empty());
}

}  // namespace
}  // namespace trestle
