// How the reactions of designs reach their endpoints.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "http/call.h"
#include "runtime/background/reactions.h"

namespace trestle {

// The endpoints of reactions, each as `name=URL`. Fails if an argument has another form.
BasicResult<runtime::EndpointCall, std::string> endpoint_call(const std::vector<std::string>& endpoints);
// Their names.
std::set<std::string> endpoint_names(const std::vector<std::string>& endpoints);

}  // namespace trestle
