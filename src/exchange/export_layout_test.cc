#include "exchange/export_layout.h"

#include <gtest/gtest.h>

#include <set>

namespace trestle {
namespace {

ExportDescription full() {
  ExportDescription export_;
  export_.arn = "arn:aws:dynamodb:us-east-1:000000000000:table/t/export/01791506414432-3f2e5aa4";
  export_.table_arn = "arn:aws:dynamodb:us-east-1:000000000000:table/t";
  export_.table_id = "id";
  export_.start_ms = 1'791'506'414'432;
  export_.end_ms = 1'791'506'567'138;
  export_.export_ms = 1'791'506'414'000;
  export_.s3_bucket = "bucket";
  export_.item_count = 3;
  export_.billed_size_bytes = 40;
  return export_;
}

ExportDescription incremental() {
  ExportDescription export_ = full();
  export_.type = ExportType::kIncremental;
  export_.export_ms.reset();
  export_.period = {.from_ms = 1'791'500'000'000, .to_ms = 1'791'503'600'000, .view = ExportViewType::kNewImage};
  export_.format = ExportFormat::kIon;
  return export_;
}

TEST(ExportLayout, objects_are_where_dynamodb_puts_them) {
  ExportDescription export_ = full();
  EXPECT_EQ(export_object(export_, "_started"), "AWSDynamoDB/01791506414432-3f2e5aa4/_started");
  export_.s3_prefix = "foo";
  EXPECT_EQ(export_object(export_, "_started"), "foo/AWSDynamoDB/01791506414432-3f2e5aa4/_started");
  export_.s3_prefix = "foo/";
  EXPECT_EQ(export_object(export_, "_started"), "foo/AWSDynamoDB/01791506414432-3f2e5aa4/_started");
  const std::string data = export_data_object(export_, 0);
  EXPECT_TRUE(data.starts_with("foo/AWSDynamoDB/01791506414432-3f2e5aa4/data/")) << data;
  EXPECT_TRUE(data.ends_with(".json.gz")) << data;
  const std::string change = export_data_object(incremental(), 0);
  EXPECT_TRUE(change.starts_with("AWSDynamoDB/data/")) << change;
  EXPECT_TRUE(change.ends_with(".ion.gz")) << change;
}

TEST(ExportLayout, a_data_file_keeps_its_name_and_shares_it_with_none) {
  std::set<std::string> names;
  for (uint32_t number = 0; number < 1000; ++number) {
    EXPECT_EQ(export_data_object(full(), number), export_data_object(full(), number));
    names.insert(export_data_object(full(), number));
  }
  EXPECT_EQ(names.size(), 1000u);
  ExportDescription other = incremental();
  other.arn.back() = '5';
  EXPECT_NE(export_data_object(other, 0), export_data_object(incremental(), 0));
}

TEST(ExportLayout, the_manifest_of_files_has_a_line_for_each) {
  EXPECT_EQ(
      manifest_files_text({{.object = "a/b.json.gz", .etag = "d41d8cd98f00b204e9800998ecf8427e", .items = 8},
                           {.object = "c", .etag = "00ff", .items = 0}}),
      R"({"itemCount": 8, "md5Checksum": "1B2M2Y8AsgTpgAmY7PhCfg==", "etag": "d41d8cd98f00b204e9800998ecf8427e", )"
      R"("dataFileS3Key": "a/b.json.gz"})"
      "\n"
      R"({"itemCount": 0, "md5Checksum": "AP8=", "etag": "00ff", "dataFileS3Key": "c"})"
      "\n");
  EXPECT_EQ(checksum_text(""), "1B2M2Y8AsgTpgAmY7PhCfg==");
}

TEST(ExportLayout, the_summary_describes_the_export) {
  const std::string text = manifest_summary_text(full());
  for (const std::string_view part :
       {R"("version": "2020-06-30")", R"("startTime": "2026-10-09T00:40:14.432Z")",
        R"("endTime": "2026-10-09T00:42:47.138Z")", R"("exportTime": "2026-10-09T00:40:14.000Z")",
        R"("s3Prefix": null)", R"("s3SseAlgorithm": "AES256")", R"("s3SseKmsKeyId": null)",
        R"("manifestFilesS3Key": "AWSDynamoDB/01791506414432-3f2e5aa4/manifest-files.json")",
        R"("billedSizeBytes": 40)", R"("itemCount": 3)", R"("outputFormat": "DYNAMODB_JSON")"}) {
    EXPECT_NE(text.find(part), text.npos) << part << " in " << text;
  }
  EXPECT_EQ(text.find("exportType"), text.npos);
  const std::string changes = manifest_summary_text(incremental());
  for (const std::string_view part :
       {R"("exportFromTime": "2026-10-08T22:53:20.000Z")", R"("exportToTime": "2026-10-08T23:53:20.000Z")",
        R"("outputView": "NEW_IMAGE")", R"("exportType": "INCREMENTAL_EXPORT")", R"("outputFormat": "ION")"}) {
    EXPECT_NE(changes.find(part), changes.npos) << part << " in " << changes;
  }
  EXPECT_EQ(changes.find("exportTime"), changes.npos);
}

}  // namespace
}  // namespace trestle
