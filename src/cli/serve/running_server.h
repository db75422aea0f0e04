// A server as `trestle serve` runs it: the engines, the designs, the handlers of requests and the listener.
//
//   TRY_INTO(auto files, ServerFiles::read(options));
//   TRY_INTO(auto server, RunningServer::open(options, std::move(files)));
//   TRY(server->listen());
//   ...
//   server->stop();      // once, before it is destroyed
//
// Signals that the threads of the server should not see must be blocked before open(). Not thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "cli/on_api.h"
#include "cli/reset_api.h"
#include "cli/serve/serve_options.h"
#include "cli/serve/served_engines.h"
#include "server/dynamodb_api.h"
#include "server/engine_resources.h"
#include "server/http/listener.h"
#include "server/observe/metrics_page.h"

namespace trestle {

namespace console {
class Console;
}

// What the flags refer to, opened and checked before any data is.
struct ServerFiles {
  static BasicResult<ServerFiles, std::string> read(const ServeOptions& options);

  std::unique_ptr<Credentials> credentials;                 // null: signatures are not checked
  std::unique_ptr<WatchedFile<IdentityPolicies>> policies;  // null: there are none
  std::unique_ptr<AuditLog> audit;                          // null: there is none
  ListenerOptions listener;
  std::shared_ptr<Buckets> buckets;  // null: there are none
};

class RunningServer {
 public:
  // The options must outlive the server.
  static BasicResult<std::unique_ptr<RunningServer>, std::string> open(const ServeOptions& options, ServerFiles files);
  ~RunningServer();

  BasicResult<void, std::string> listen();
  // Finishes the requests in progress and ends the threads that handle them.
  void stop();

  uint16_t port() const { return listener_->port(); }
  const ServedDesigns* designs() const { return designs_.get(); }  // null: there are none

 private:
  RunningServer(const ServeOptions& options, ServerFiles files);
  BasicResult<void, std::string> open_designs();
  void open_access();
  void open_api();
  void open_handlers();
  std::string metrics_text();

  const ServeOptions& options_;
  ServerFiles files_;
  const BrowserAccess browsers_;
  const bool serves_metrics_;
  const bool serves_insights_;
  std::unique_ptr<ServedEngines> engines_;
  const SystemClock clock_;
  RequestMetrics metrics_;
  RequestLog log_;
  std::optional<UnitPrices> unit_prices_;
  std::unique_ptr<ServedDesigns> designs_;
  std::atomic<const Listener*> counted_listener_{nullptr};  // set once it listens
  std::optional<EngineResources> resources_;
  std::unique_ptr<AccessControl> access_;
  // The handlers: each passes the requests of other paths to one of those before it.
  std::optional<DynamoDbApi> api_;
  std::optional<OnApi> on_api_;
  std::optional<ResetApi> reset_api_;
  std::unique_ptr<console::Console> console_;
  std::unique_ptr<Listener> listener_;  // last: its threads use all of the above
};

}  // namespace trestle
