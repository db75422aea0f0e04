#include "protocol/shapes/by_hand.h"
#include "protocol/validation/write_members.h"

namespace trestle {

Result<DeleteItemRequest> read_request_by_hand(JsonInput input, Of<DeleteItemRequest>) {
  DeleteItemRequest request;
  TRY(read_item_write(input, WriteOperation::kDeleteItem, request.key, request));
  return request;
}

}  // namespace trestle
