// DescribeBulkOperation, ListBulkOperations and CancelBulkOperation.
#include "engine/bulk/bulk_operations.h"

#include "engine/bulk/load_descriptions.h"

namespace trestle {
namespace {

std::shared_ptr<const Load> find_bulk_put(const LoadCatalog& loads, const std::string& arn) {
  auto load = loads.find(arn);
  return load && load->kind == LoadKind::kBulkPut ? load : nullptr;
}

std::unexpected<Error> not_found(const std::string& arn) {
  return failure(ErrorCode::kResourceNotFound, "Requested resource not found: Bulk operation: " + arn + " not found");
}

}  // namespace

Result<DescribeBulkOperationResponse> describe_bulk_operation(EngineParts& parts,
                                                              const DescribeBulkOperationRequest& request, Call& call) {
  call.commit = parts.store->commit_seen();
  const auto load = find_bulk_put(parts.loads->catalog(), request.arn);
  if (!load) return not_found(request.arn);
  return BulkOperationResponse{bulk_operation_description(*load)};
}

Result<ListBulkOperationsResponse> list_bulk_operations(EngineParts& parts, const ListBulkOperationsRequest& request,
                                                        Call& call) {
  call.commit = parts.store->commit_seen();
  constexpr int64_t kOperationsPerPage = 10;
  std::optional<LoadPlace> place;
  if (request.next_token) {
    place = read_load_token(*request.next_token);
    if (!place) return invalid("Invalid NextToken");
  }
  const auto limit = static_cast<size_t>(request.limit.value_or(kOperationsPerPage));
  ListBulkOperationsResponse response;
  std::shared_ptr<const Load> last;
  for (const auto& load : parts.loads->catalog().loads(LoadKind::kBulkPut)) {
    if (place && !comes_after(*load, *place)) continue;
    if (response.operations.size() == limit) {
      response.next_token = load_token(*last);
      break;
    }
    response.operations.push_back(bulk_operation_summary(*load));
    last = load;
  }
  return response;
}

Result<CancelBulkOperationResponse> cancel_bulk_operation(EngineParts& parts, const CancelBulkOperationRequest& request,
                                                          Call&) {
  const auto load = find_bulk_put(parts.loads->catalog(), request.arn);
  if (!load) return not_found(request.arn);
  TRY_INTO(const bool cancelling, parts.loads->cancel(request.arn));
  if (!cancelling) return invalid("The bulk operation is not in progress: " + request.arn);
  return CancelBulkOperationResponse{.arn = request.arn, .status = BulkOperationStatus::kCancelling};
}

}  // namespace trestle
