#include "engine/engine.h"

namespace trestle {

Result<DescribeLimitsResponse> Engine::describe_limits(const DescribeLimitsRequest&, Call&) {
  return DescribeLimitsResponse{};
}

}  // namespace trestle
