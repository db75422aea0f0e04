#include "protocol/error_json.h"

#include "protocol/attribute_value_json.h"
#include "protocol/json_output.h"

namespace trestle {
namespace {

#define DYNAMODB "com.amazonaws.dynamodb.v20120810#"
#define CORAL_SERVICE "com.amazon.coral.service#"

constexpr ErrorShape kValidation{"com.amazon.coral.validate#ValidationException", 400, "message"};
constexpr ErrorShape kSerialization{CORAL_SERVICE "SerializationException", 400, "Message"};
constexpr ErrorShape kUnknownOperation{CORAL_SERVICE "UnknownOperationException", 400, "message"};
constexpr ErrorShape kAccessDenied{CORAL_SERVICE "AccessDeniedException", 400, "Message"};
constexpr ErrorShape kConditionalCheckFailed{DYNAMODB "ConditionalCheckFailedException", 400, "message"};
constexpr ErrorShape kItemCollectionSizeLimitExceeded{DYNAMODB "ItemCollectionSizeLimitExceededException", 400,
                                                      "message"};
constexpr ErrorShape kLimitExceeded{DYNAMODB "LimitExceededException", 400, "message"};
constexpr ErrorShape kProvisionedThroughputExceeded{DYNAMODB "ProvisionedThroughputExceededException", 400, "message"};
constexpr ErrorShape kRequestLimitExceeded{DYNAMODB "RequestLimitExceeded", 400, "message"};
constexpr ErrorShape kThrottling{"com.amazon.coral.availability#ThrottlingException", 400, "message"};
constexpr ErrorShape kResourceInUse{DYNAMODB "ResourceInUseException", 400, "message"};
constexpr ErrorShape kResourceNotFound{DYNAMODB "ResourceNotFoundException", 400, "message"};
constexpr ErrorShape kTableNotFound{DYNAMODB "TableNotFoundException", 400, "message"};
constexpr ErrorShape kTableInUse{DYNAMODB "TableInUseException", 400, "message"};
constexpr ErrorShape kTransactionConflict{DYNAMODB "TransactionConflictException", 400, "message"};
constexpr ErrorShape kServiceUnavailable{CORAL_SERVICE "ServiceUnavailableException", 503, "message"};
constexpr ErrorShape kInternal{DYNAMODB "InternalServerError", 500, "message"};

#undef DYNAMODB
#undef CORAL_SERVICE

}  // namespace

const ErrorShape& error_shape(ErrorCode code) {
  switch (code) {
    case ErrorCode::kValidation:
      return kValidation;
    case ErrorCode::kSerialization:
      return kSerialization;
    case ErrorCode::kUnknownOperation:
      return kUnknownOperation;
    case ErrorCode::kAccessDenied:
      return kAccessDenied;
    case ErrorCode::kConditionalCheckFailed:
      return kConditionalCheckFailed;
    case ErrorCode::kItemCollectionSizeLimitExceeded:
      return kItemCollectionSizeLimitExceeded;
    case ErrorCode::kLimitExceeded:
      return kLimitExceeded;
    case ErrorCode::kProvisionedThroughputExceeded:
      return kProvisionedThroughputExceeded;
    case ErrorCode::kRequestLimitExceeded:
      return kRequestLimitExceeded;
    case ErrorCode::kThrottling:
      return kThrottling;
    case ErrorCode::kResourceInUse:
      return kResourceInUse;
    case ErrorCode::kResourceNotFound:
      return kResourceNotFound;
    case ErrorCode::kTableNotFound:
      return kTableNotFound;
    case ErrorCode::kTableInUse:
      return kTableInUse;
    case ErrorCode::kTransactionConflict:
      return kTransactionConflict;
    case ErrorCode::kNotImplemented:
      return kUnknownOperation;  // what clients see where an operation does not exist
    case ErrorCode::kServiceUnavailable:
      return kServiceUnavailable;
    case ErrorCode::kInternal:
      return kInternal;
  }
  return kInternal;
}

std::string_view error_name(ErrorCode code) {
  const std::string_view type = error_shape(code).type;
  return type.substr(type.find('#') + 1);
}

void write_error_json(const Error& error, std::string& out) {
  write_error_json(error_shape(error.code), error.message, out);
  if (error.item == nullptr) return;
  out.pop_back();  // reopen the object
  out.append(",\"Item\":");
  append_item_json(out, *error.item);
  out.push_back('}');
}

void write_error_json(const ErrorShape& shape, std::string_view message, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.member("__type", shape.type);
  if (!message.empty()) json.member(shape.message_key, message);
  json.end_object();
}

}  // namespace trestle
