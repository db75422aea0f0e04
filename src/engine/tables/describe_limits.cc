
#include "engine/tables/table_operations.h"

namespace trestle {

Result<DescribeLimitsResponse> describe_limits(TableParts&, const DescribeLimitsRequest&, Call&) {
  return DescribeLimitsResponse{};
}

}  // namespace trestle
