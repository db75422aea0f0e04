// The options of a server's components, from the flags of `trestle serve`.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/serve/serve_options.h"
#include "cli/spaces.h"
#include "engine/engine.h"
#include "server/http/listener.h"
#include "server/observe/request_log.h"

namespace trestle {

// Fails if the certificate or its key cannot be loaded.
BasicResult<ListenerOptions, std::string> listener_options(const ServeOptions& options);
EngineOptions engine_options(const ServeOptions& options, std::shared_ptr<Buckets> buckets);
// The options of the engine of one of several spaces.
EngineOptions space_options(EngineOptions options, const SpaceName& name);
LogLevel log_level(const std::string& name);

}  // namespace trestle
