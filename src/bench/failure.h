// The error type of the load generator: that of the HTTP client it uses.
#pragma once

#include "http/failure.h"

namespace trestle::bench {

using http::fail;
using http::Failure;
using http::Result;

}  // namespace trestle::bench
