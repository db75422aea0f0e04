// Connects the reactions of designs to their HTTP endpoints.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "http/call.h"
#include "runtime/background/reactions.h"

namespace trestle {

// Parses endpoints of reactions, each as `name=URL`. Fails if an argument has another form.
BasicResult<runtime::EndpointCall, std::string> endpoint_call(const std::vector<std::string>& endpoints);
// The names of these endpoints.
std::set<std::string> endpoint_names(const std::vector<std::string>& endpoints);

}  // namespace trestle
