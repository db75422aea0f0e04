#include "exchange/export_layout.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/json/json_writer.h"
#include "base/sha256.h"
#include "base/utc_text.h"
#include "bucket/md5.h"

namespace trestle {
namespace {

constexpr size_t kNameLength = 26;

std::string root_of(const ExportDescription& export_) {
  std::string root = export_.s3_prefix.value_or("");
  if (!root.empty() && root.back() != '/') root.push_back('/');
  return root.append("AWSDynamoDB/");
}

std::string_view id_of(const ExportDescription& export_) {
  return std::string_view(export_.arn).substr(export_.arn.rfind('/') + 1);
}

std::string bytes_of_hex(std::string_view digits) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1])));
  }
  return bytes;
}

Json time_or_null(const std::optional<int64_t>& ms) { return ms ? Json(utc_text_ms(*ms)) : Json(); }
Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

}  // namespace

std::string export_object(const ExportDescription& export_, std::string_view name) {
  return root_of(export_).append(id_of(export_)).append("/").append(name);
}

std::string export_data_object(const ExportDescription& export_, uint32_t number) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  const Sha256Digest digest = sha256(fmt::format("{} {}", export_.arn, number));
  std::string name;
  for (size_t i = 0; i < kNameLength; ++i) name.push_back(kLetters[digest[i] % kLetters.size()]);
  name.append(export_.format == ExportFormat::kIon ? ".ion.gz" : ".json.gz");
  if (export_.type == ExportType::kIncremental) return root_of(export_).append("data/").append(name);
  return export_object(export_, "data/" + name);
}

std::string manifest_files_text(const std::vector<ManifestFile>& files) {
  std::string out;
  for (const ManifestFile& file : files) {
    out += Json::object({{"itemCount", file.items},
                         {"md5Checksum", base64_text(bytes_of_hex(file.etag))},
                         {"etag", file.etag},
                         {"dataFileS3Key", file.object}})
               .line();
    out += "\n";
  }
  return out;
}

std::string manifest_summary_text(const ExportDescription& export_) {
  const bool is_incremental = export_.type == ExportType::kIncremental;
  Json summary = Json::object({{"version", is_incremental ? "2023-08-01" : "2020-06-30"},
                               {"exportArn", export_.arn},
                               {"startTime", utc_text_ms(export_.start_ms)},
                               {"endTime", time_or_null(export_.end_ms)},
                               {"tableArn", export_.table_arn},
                               {"tableId", export_.table_id}});
  if (is_incremental) {
    summary.set("exportFromTime", time_or_null(export_.period->from_ms));
    summary.set("exportToTime", time_or_null(export_.period->to_ms));
  } else {
    summary.set("exportTime", time_or_null(export_.export_ms));
  }
  summary.set("s3Bucket", export_.s3_bucket);
  summary.set("s3Prefix", text_or_null(export_.s3_prefix));
  summary.set("s3SseAlgorithm", export_.sse_algorithm == S3SseAlgorithm::kKms ? "KMS" : "AES256");
  summary.set("s3SseKmsKeyId", text_or_null(export_.sse_kms_key_id));
  summary.set("manifestFilesS3Key", export_object(export_, "manifest-files.json"));
  summary.set("billedSizeBytes", export_.billed_size_bytes.value_or(0));
  summary.set("itemCount", export_.item_count.value_or(0));
  summary.set("outputFormat", export_.format == ExportFormat::kIon ? "ION" : "DYNAMODB_JSON");
  if (is_incremental) {
    const bool both = export_.period->view != ExportViewType::kNewImage;
    summary.set("outputView", both ? "NEW_AND_OLD_IMAGES" : "NEW_IMAGE");
    summary.set("exportType", "INCREMENTAL_EXPORT");
  }
  return summary.line();
}

std::string checksum_text(std::string_view text) {
  Md5 md5;
  md5.append(text);
  return base64_text(bytes_of_hex(md5.finish()));
}

}  // namespace trestle
