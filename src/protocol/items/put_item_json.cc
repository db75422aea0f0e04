#include "model/limits.h"
#include "protocol/shapes/by_hand.h"
#include "protocol/validation/write_members.h"

namespace trestle {

Result<PutItemRequest> read_request_by_hand(JsonInput input, Of<PutItemRequest>) {
  PutItemRequest request;
  TRY(read_item_write(input, WriteOperation::kPutItem, request.item, request));
  if (request.item.size_bytes() > kItemBytesMax) return invalid(kItemTooLarge);
  return request;
}

}  // namespace trestle
