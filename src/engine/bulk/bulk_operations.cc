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
  TRY_INTO(auto page, load_list_page(parts.loads->catalog().loads(LoadKind::kBulkPut), request.next_token,
                                     request.limit.value_or(kOperationsPerPage)));
  ListBulkOperationsResponse response{.operations = {}, .next_token = std::move(page.next_token)};
  for (const auto& load : page.loads) response.operations.push_back(bulk_operation_summary(*load));
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
