// Whether an event loop may execute the calls of a plan: they send few requests, each for few items, and never wait for
// blob storage.
//
// A call on an event loop reads only data in memory; if that is not enough, it is repeated by another thread. It must
// not have had an effect by then, and should not wait after it, so a brief plan writes last, and only once.
#pragma once

#include "design/plan/plan.h"

namespace trestle::runtime {

bool is_brief_plan(const design::Operation& operation, const design::Plan& plan);

}  // namespace trestle::runtime
