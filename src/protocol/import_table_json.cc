#include "protocol/import_table_json.h"

#include "protocol/load_enumerations.h"
#include "protocol/load_members.h"

namespace trestle {
namespace {

struct GivenImportTable {
  std::optional<std::string_view> client_token;
  std::optional<GivenBucket> source;
  std::optional<std::string_view> format;
  std::optional<GivenCsvOptions> csv;
  std::optional<std::string_view> compression;
  std::optional<GivenCreationParameters> table;
};

Result<GivenImportTable> read_import_table_members(JsonInput input) {
  GivenImportTable given;
  for (const JsonMember member : input) {
    if (member.name == "ClientToken") {
      TRY_INTO(given.client_token, json_string(member.value));
    } else if (member.name == "S3BucketSource") {
      given.source.emplace();
      TRY_INTO(const JsonInput source, json_structure(member.value, "S3BucketSource", JsonPlace::kMember));
      for (const JsonMember part : source) TRY(read_bucket_member(part, *given.source));
    } else if (member.name == "InputFormat") {
      TRY_INTO(given.format, json_string(member.value));
    } else if (member.name == "InputFormatOptions") {
      TRY_INTO(given.csv, read_input_format_options(member.value));
    } else if (member.name == "InputCompressionType") {
      TRY_INTO(given.compression, json_string(member.value));
    } else if (member.name == "TableCreationParameters") {
      TRY_INTO(given.table, read_creation_parameters(member.value));
    }
  }
  return given;
}

}  // namespace

Result<ImportTableRequest> read_import_table_json(JsonInput input) {
  TRY_INTO(const GivenImportTable given, read_import_table_members(input));
  ImportTableRequest request;
  Constraints constraints;
  constraints.not_null(given.client_token.has_value(), "clientToken");
  constrain_client_token(given.client_token, constraints);
  constraints.not_null(given.source.has_value(), "s3BucketSource");
  if (given.source) constrain_bucket(*given.source, "s3BucketSource", constraints);
  constraints.not_null(given.format.has_value(), "inputFormat");
  constraints.one_of(given.format, "inputFormat", kInputFormats, request.format);
  if (given.csv) constrain_csv_options(*given.csv, "inputFormatOptions", constraints, request.csv.emplace());
  constraints.one_of(given.compression, "inputCompressionType", kInputCompressions, request.compression);
  constraints.not_null(given.table.has_value(), "tableCreationParameters");
  if (given.table) constrain_creation_parameters(*given.table, "tableCreationParameters", constraints, request.table);
  TRY(constraints.check());
  request.client_token = *given.client_token;
  request.source = bucket_source(*given.source);
  return request;
}

void write_import_table_json(const ImportTableResponse& response, std::string& out) {
  write_import_response(response.import, out);
}

}  // namespace trestle
