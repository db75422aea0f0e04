// The names of an export's files in its bucket and the contents of its manifests, in DynamoDB's layout. Pure.
//
//   <prefix>/AWSDynamoDB/<export id>/_started                      empty; shows that the bucket is writable
//   <prefix>/AWSDynamoDB/<export id>/data/<name>.json.gz           or .ion.gz
//   <prefix>/AWSDynamoDB/data/<name>.json.gz                       the same, for incremental exports: a shared folder
//   <prefix>/AWSDynamoDB/<export id>/manifest-files.json           one line of JSON for each data file
//   <prefix>/AWSDynamoDB/<export id>/manifest-files.md5            the MD5 of that, in base64
//   <prefix>/AWSDynamoDB/<export id>/manifest-summary.json, .md5   written last
//
// The name of a data file is derived from its export and its number, so writing it again replaces it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/export_requests.h"

namespace trestle {

// The name of an object in an export's folder, such as "_started" or "manifest-summary.json".
std::string export_object(const ExportDescription& export_, std::string_view name);
std::string export_data_object(const ExportDescription& export_, uint32_t number);

struct ManifestFile {
  std::string object;
  std::string etag;  // the MD5, in hexadecimal digits
  int64_t items = 0;
};
// One line each.
std::string manifest_files_text(const std::vector<ManifestFile>& files);
// For a finished export, since it includes counts and times.
std::string manifest_summary_text(const ExportDescription& export_);
// The MD5 of a text, in base64.
std::string checksum_text(std::string_view text);

}  // namespace trestle
