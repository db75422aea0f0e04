// How the load generator says that it cannot go on: as the HTTP client it is made of does.
#pragma once

#include "http/failure.h"

namespace trestle::bench {

using http::fail;
using http::Failure;
using http::Result;

}  // namespace trestle::bench
