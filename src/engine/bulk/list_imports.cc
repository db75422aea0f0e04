#include "engine/bulk/bulk_operations.h"
#include "engine/bulk/load_descriptions.h"
#include "model/limits.h"

namespace trestle {

Result<ListImportsResponse> list_imports(EngineParts& parts, const ListImportsRequest& request, Call& call) {
  call.commit = parts.store->commit_seen();
  auto imports = parts.loads->catalog().loads(LoadKind::kImport);
  if (request.table_arn) {
    std::erase_if(imports, [&](const auto& load) { return load->table_arn != *request.table_arn; });
  }
  TRY_INTO(auto page,
           load_list_page(std::move(imports), request.next_token, request.page_size.value_or(kImportsPerPage)));
  ListImportsResponse response{.imports = {}, .next_token = std::move(page.next_token)};
  for (const auto& load : page.loads) response.imports.push_back(import_summary(*load));
  return response;
}

}  // namespace trestle
