#include "model/database.h"

namespace trestle {

// Defined here, not in the header, because compiling 66 of them costs each file that includes it a second.
#define TRESTLE_DEFINE(Name, name)                                      \
  Result<Name##Response> Database::name(const Name##Request& request) { \
    Call call;                                                          \
    auto response = name(request, call);                                \
    TRY(wait_durable(call));                                            \
    return response;                                                    \
  }
TRESTLE_OPERATIONS(TRESTLE_DEFINE)
#undef TRESTLE_DEFINE

}  // namespace trestle
