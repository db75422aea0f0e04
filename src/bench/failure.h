// The error type of the load generator, which is that of its HTTP client.
#pragma once

#include "http/failure.h"

namespace trestle::bench {

using http::fail;
using http::Failure;
using http::Result;

}  // namespace trestle::bench
