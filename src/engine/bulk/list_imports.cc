#include "engine/bulk/bulk_operations.h"
#include "engine/bulk/load_descriptions.h"

namespace trestle {

Result<ListImportsResponse> list_imports(EngineParts& parts, const ListImportsRequest& request, Call& call) {
  call.commit = parts.store->commit_seen();
  constexpr int64_t kImportsPerPage = 25;
  std::optional<LoadPlace> place;
  if (request.next_token) {
    place = read_load_token(*request.next_token);
    if (!place) return invalid("Invalid NextToken");
  }
  const auto limit = static_cast<size_t>(request.page_size.value_or(kImportsPerPage));
  ListImportsResponse response;
  std::shared_ptr<const Load> last;
  for (const auto& load : parts.loads->catalog().loads(LoadKind::kImport)) {
    if (place && !comes_after(*load, *place)) continue;
    if (request.table_arn && load->table_arn != *request.table_arn) continue;
    if (response.imports.size() == limit) {
      response.next_token = load_token(*last);
      break;
    }
    response.imports.push_back(import_summary(*load));
    last = load;
  }
  return response;
}

}  // namespace trestle
