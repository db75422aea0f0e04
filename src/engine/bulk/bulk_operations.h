// DynamoDB's operations on imports, exports and bulk puts.
#pragma once

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

Result<CancelBulkOperationResponse> cancel_bulk_operation(EngineParts& parts, const CancelBulkOperationRequest& request,
                                                          Call& call);
Result<DescribeBulkOperationResponse> describe_bulk_operation(EngineParts& parts,
                                                              const DescribeBulkOperationRequest& request, Call& call);
Result<DescribeExportResponse> describe_export(EngineParts& parts, const DescribeExportRequest& request, Call& call);
Result<DescribeImportResponse> describe_import(EngineParts& parts, const DescribeImportRequest& request, Call& call);
Result<ExportTableToPointInTimeResponse> export_table_to_point_in_time(EngineParts& parts,
                                                                       const ExportTableToPointInTimeRequest& request,
                                                                       Call& call);
Result<ImportTableResponse> import_table(EngineParts& parts, const ImportTableRequest& request, Call& call);
Result<ListBulkOperationsResponse> list_bulk_operations(EngineParts& parts, const ListBulkOperationsRequest& request,
                                                        Call& call);
Result<ListExportsResponse> list_exports(EngineParts& parts, const ListExportsRequest& request, Call& call);
Result<ListImportsResponse> list_imports(EngineParts& parts, const ListImportsRequest& request, Call& call);
Result<StartBulkPutItemsResponse> start_bulk_put_items(EngineParts& parts, const StartBulkPutItemsRequest& request,
                                                       Call& call);

}  // namespace trestle
