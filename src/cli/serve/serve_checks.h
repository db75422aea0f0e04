// Which flags of `trestle serve` are refused together, before anything is opened. Pure.
#pragma once

#include <string>

#include "cli/serve/serve_options.h"

namespace trestle {

bool is_loopback(const std::string& address);
// Whether every caller that can reach the server is trusted: callers on this machine, or with --open anyone.
bool trusts_callers(const ServeOptions& options);

// Each returns why something is refused; empty: it is accepted.

// The combination of flags about callers.
std::string refusal_of_callers(const ServeOptions& options);
// POST /reset.
std::string refusal_of_reset(const ServeOptions& options);
// --isolate.
std::string refusal_of_isolation(const ServeOptions& options);

}  // namespace trestle
