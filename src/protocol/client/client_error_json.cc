#include "protocol/client/client_error_json.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/utf8.h"
#include "protocol/client/client_input.h"
#include "protocol/client/client_json.h"
#include "protocol/json/error_json.h"

namespace trestle {

Result<void> read_value(JsonElement json, CancellationReason& reason, JsonPlace) {
  std::optional<Item> item;
  TRY(take_members(json, into("Code", reason.code), into("Message", reason.message), into("Item", item)));
  if (item) reason.item = std::make_shared<const Item>(std::move(*item));
  return {};
}

Result<void> read_value(JsonElement json, ThrottlingReason& reason, JsonPlace) {
  return take_members(json, into("reason", reason.reason), into("resource", reason.resource));
}

namespace {

std::optional<ErrorCode> code_named(std::string_view name) {
  constexpr int kLast = static_cast<int>(ErrorCode::kInternal);
  for (int i = 0; i <= kLast; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (error_name(code) == name) return code;
  }
  return std::nullopt;
}

// Names that some endpoints use instead of those in the table of error_json.cc.
constexpr std::array<std::pair<std::string_view, ErrorCode>, 6> kOtherNames{{
    {"InternalFailure", ErrorCode::kInternal},
    {"InternalServerErrorException", ErrorCode::kInternal},
    {"ServiceUnavailable", ErrorCode::kServiceUnavailable},
    {"Throttling", ErrorCode::kThrottling},
    {"RequestLimitExceededException", ErrorCode::kRequestLimitExceeded},
    {"ValidationError", ErrorCode::kValidation},
}};

constexpr std::array<std::string_view, 12> kAccessNames{
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "MissingAuthenticationTokenException",
    "MissingAuthenticationToken",
    "IncompleteSignatureException",
    "ExpiredTokenException",
    "ExpiredToken",
    "InvalidClientTokenId",
    "OptInRequired",
    "RequestExpired",
    "RequestTimeTooSkewed",
    "NotAuthorizedException",
};

ErrorCode nearest_code(int http_status, std::string_view name) {
  for (const auto& [other, code] : kOtherNames) {
    if (other == name) return code;
  }
  if (std::ranges::find(kAccessNames, name) != kAccessNames.end()) return ErrorCode::kAccessDenied;
  if (http_status == 401 || http_status == 403) return ErrorCode::kAccessDenied;
  if (http_status == 429) return ErrorCode::kThrottling;
  if (http_status == 502 || http_status == 503 || http_status == 504) return ErrorCode::kServiceUnavailable;
  return http_status >= 500 ? ErrorCode::kInternal : ErrorCode::kValidation;
}

struct ErrorBody {
  std::string type;
  std::string message;
  std::optional<Item> item;
  std::optional<std::vector<CancellationReason>> reasons;
  std::optional<std::vector<ThrottlingReason>> throttling;
};

Result<ErrorBody> read_body(std::string_view text) {
  TRY_INTO(const JsonInput input, parse_reply(text));
  ErrorBody body;
  TRY(take_members(input, into("__type", body.type), into("message", body.message), into("Message", body.message),
                   into("Item", body.item), into("CancellationReasons", body.reasons),
                   into("ThrottlingReasons", body.throttling), into("throttlingReasons", body.throttling)));
  return body;
}

template <class T>
std::shared_ptr<const T> shared(std::optional<T>&& value) {
  return value ? std::make_shared<const T>(std::move(*value)) : nullptr;
}

}  // namespace

ReplyError read_error_json(int http_status, std::string_view text) {
  Result<ErrorBody> read = read_body(text);
  if (!read.has_value() || read->type.empty()) {
    constexpr size_t kShownMax = 200;
    std::string message = "HTTP status " + std::to_string(http_status);
    if (!text.empty()) message.append(": ").append(valid_utf8(text, kShownMax));
    return {.error = {.code = nearest_code(http_status, {}), .message = std::move(message)}, .name = {}};
  }
  ErrorBody& body = *read;
  ReplyError reply;
  reply.name = body.type.substr(body.type.find('#') + 1);  // without "#", npos + 1 is 0
  if (const auto code = code_named(reply.name)) {
    reply.error.code = *code;
    reply.error.message = std::move(body.message);
  } else {
    reply.error.code = nearest_code(http_status, reply.name);
    reply.error.message = reply.name + (body.message.empty() ? "" : ": " + body.message);
  }
  reply.error.item = shared(std::move(body.item));
  reply.error.reasons = shared(std::move(body.reasons));
  reply.error.throttling = shared(std::move(body.throttling));
  return reply;
}

ErrorCode statement_error_code(std::string_view name) {
  if (name == "ValidationError") return ErrorCode::kValidation;
  if (name == "ThrottlingError") return ErrorCode::kThrottling;
  if (const auto code = code_named(name)) return *code;
  return code_named(std::string(name) + "Exception").value_or(ErrorCode::kInternal);
}

}  // namespace trestle
