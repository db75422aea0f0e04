#include "protocol/shapes/by_hand.h"

#include "model/shapes/bucket_name.h"
#include "model/shapes/export_enumerations.h"
#include "protocol/shapes/shape_reader.h"
#include "protocol/validation/constraints.h"
#include "protocol/validation/placeholders_json.h"

namespace trestle {
namespace {

bool is_token(std::string_view text) { return !text.empty() && text.find('$') == text.npos; }

void constrain_pattern(std::optional<std::string_view> text, std::string_view member, bool (*is_one)(std::string_view),
                       std::string_view pattern, Constraints& constraints) {
  if (!text || is_one(*text)) return;
  constraints.violated(member, text, "Member must satisfy regular expression pattern: " + std::string(pattern));
}

struct UncheckedPeriod {
  ExportPeriod period;
  std::optional<std::string_view> view;
};

Result<UncheckedPeriod> read_period(JsonElement json) {
  UncheckedPeriod unchecked;
  TRY_INTO(const JsonInput members, json_structure(json, "IncrementalExportSpecification", JsonPlace::kMember));
  for (const JsonMember member : members) {
    if (member.name == "ExportFromTime") {
      TRY_INTO(unchecked.period.from_ms, read_timestamp_ms(member.value));
    } else if (member.name == "ExportToTime") {
      TRY_INTO(unchecked.period.to_ms, read_timestamp_ms(member.value));
    } else if (member.name == "ExportViewType") {
      TRY_INTO(unchecked.view, json_string(member.value));
    }
  }
  return unchecked;
}

struct UncheckedFilter {
  ExportFilter filter;
  UncheckedPlaceholders placeholders{ValueWording::kCurrent};
};

Result<UncheckedFilter> read_filter(JsonElement json) {
  UncheckedFilter unchecked;
  ExportFilter& filter = unchecked.filter;
  TRY_INTO(const JsonInput members, json_structure(json, "FilterSpecification", JsonPlace::kMember));
  for (const JsonMember member : members) {
    if (member.name == "FilterExpression") {
      TRY_INTO(filter.filter_expression, json_string(member.value));
    } else if (member.name == "ProjectionExpression") {
      TRY_INTO(filter.projection_expression, json_string(member.value));
    } else if (member.name == "KeyConditionExpression") {
      TRY_INTO(filter.key_condition_expression, json_string(member.value));
    } else {
      TRY(unchecked.placeholders.take(member));
    }
  }
  return unchecked;
}

Result<ExportFilter> checked(UncheckedFilter unchecked) {
  ExportFilter& filter = unchecked.filter;
  const auto check = [&]() -> Result<void> {
    TRY(unchecked.placeholders.check_combination(
        {}, {{"ProjectionExpression", filter.projection_expression.has_value()},
             {"FilterExpression", filter.filter_expression.has_value()},
             {"KeyConditionExpression", filter.key_condition_expression.has_value()}}));
    return unchecked.placeholders.check();
  };
  if (const auto fine = check(); !fine.has_value()) {
    return invalid("Invalid Request: Invalid FilterSpecification: " + fine.error().message);
  }
  filter.placeholders = unchecked.placeholders.release();
  if (!filter.filter_expression && !filter.projection_expression && !filter.key_condition_expression) {
    return invalid("Invalid Request: Invalid FilterSpecification: The specification can not be empty");
  }
  return std::move(filter);
}

// The text members, as in the request.
struct ExportTexts {
  std::optional<std::string_view> table_arn, bucket, token, owner, prefix, algorithm, key_id, format, type;

  std::optional<std::string_view>* find(std::string_view name) {
    if (name == "TableArn") return &table_arn;
    if (name == "S3Bucket") return &bucket;
    if (name == "ClientToken") return &token;
    if (name == "S3BucketOwner") return &owner;
    if (name == "S3Prefix") return &prefix;
    if (name == "S3SseAlgorithm") return &algorithm;
    if (name == "S3SseKmsKeyId") return &key_id;
    if (name == "ExportFormat") return &format;
    if (name == "ExportType") return &type;
    return nullptr;
  }
};

void constrain_texts(const ExportTexts& texts, Constraints& constraints, ExportTableToPointInTimeRequest& request) {
  constraints.not_null(texts.table_arn.has_value(), "tableArn");
  constraints.length_at_most(texts.table_arn, "tableArn", 1024);
  constrain_pattern(texts.token, "clientToken", is_token, "^[^\\$]+$", constraints);
  constraints.not_null(texts.bucket.has_value(), "s3Bucket");
  constraints.length_at_most(texts.bucket, "s3Bucket", 255);
  constrain_pattern(texts.bucket, "s3Bucket", matches_bucket_pattern, "^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$",
                    constraints);
  constrain_pattern(texts.owner, "s3BucketOwner", matches_account_pattern, "[0-9]{12}", constraints);
  constraints.length_at_least(texts.prefix, "s3Prefix", 1);
  constraints.length_at_most(texts.prefix, "s3Prefix", 1024);
  constraints.one_of(texts.algorithm, "s3SseAlgorithm", kS3SseAlgorithms, request.sse_algorithm);
  constraints.length_at_least(texts.key_id, "s3SseKmsKeyId", 1);
  constraints.length_at_most(texts.key_id, "s3SseKmsKeyId", 2048);
  constraints.one_of(texts.format, "exportFormat", kExportFormats, request.format);
  constraints.one_of(texts.type, "exportType", kExportTypes, request.type);
}

}  // namespace

Result<ExportTableToPointInTimeRequest> read_request_by_hand(JsonInput input, Of<ExportTableToPointInTimeRequest>) {
  ExportTableToPointInTimeRequest request;
  ExportTexts texts;
  std::optional<UncheckedPeriod> period;
  std::optional<UncheckedFilter> filter;
  for (const JsonMember member : input) {
    if (auto* text = texts.find(member.name)) {
      TRY_INTO(*text, json_string(member.value));
    } else if (member.name == "ExportTime") {
      TRY_INTO(request.export_ms, read_timestamp_ms(member.value));
    } else if (member.name == "IncrementalExportSpecification") {
      TRY_INTO(period, read_period(member.value));
    } else if (member.name == "FilterSpecification") {
      TRY_INTO(filter, read_filter(member.value));
    }
  }
  Constraints constraints;
  constrain_texts(texts, constraints, request);
  if (period) {
    const MemberPath parent{"incrementalExportSpecification"};
    constraints.one_of(period->view, MemberPath(&parent, "exportViewType"), kExportViewTypes, period->period.view);
  }
  TRY(constraints.check());
  if (filter) {
    TRY_INTO(request.filter, checked(std::move(*filter)));
  }
  if (period) request.period = period->period;
  const auto copied = [](std::optional<std::string_view> text) {
    return text ? std::optional<std::string>(*text) : std::nullopt;
  };
  request.table_arn = *texts.table_arn;
  request.s3_bucket = *texts.bucket;
  request.client_token = copied(texts.token);
  request.s3_bucket_owner = copied(texts.owner);
  request.s3_prefix = copied(texts.prefix);
  request.sse_kms_key_id = copied(texts.key_id);
  return request;
}

}  // namespace trestle
