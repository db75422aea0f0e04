// The designs' API over HTTP: everything under /designs. All other paths go to the next handler, on the same port.
//
//   GET  /designs                          the designs (JSON; browsers are redirected to the console)
//   GET  /designs/<design>/                redirects to the design's page of the console
//   GET  /designs/<design>/design.json     its file, findings, plans and document (design_description.h)
//   PUT  /designs/<design>/source          replaces its file; only with Parts::save
//   POST /designs/check                    like design.json, for a design file in the body
//   GET  /designs/<design>/openapi.json    the design's API as OpenAPI 3.1
//   POST /designs/<design>/<operation>     a JSON object of inputs
//   GET  /designs/<design>/<operation>     reads: inputs as query parameters
//   GET  /designs/<design>/status          the design's background work; with ?dead also dead letters
//   POST /designs/<design>/retry           retries dead letters: ?id=<id>, or all
//
// The last two are for operators: callers in the operators' group. If no sign-in is configured, they are open to
// callers on the same machine, like everything else.
//
// `Trestle-Trace: requests` on a call of an operation, allowed for the same callers, wraps the reply: it then also
// contains every request that the call sent to the database (call_trace.h), and carries that header. Status and other
// headers are unchanged.
//
// Checks run in this order: path, method, size, content type, caller, inputs; then those of the operation itself. Short
// calls of brief operations (runtime/runtime.h) run on the event loop. All others run on a pool, as do those that would
// have to wait there. The pool's queue is bounded, and the requests in it count against the server's buffers (503 when
// full). A reply, even an error, is sent once everything it depends on is durable.
//
// The constructor's arguments must outlive it. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/call_request.h"
#include "api/callers.h"
#include "api/design_metrics.h"
#include "api/page_token.h"
#include "base/clock.h"
#include "design/cost/prices.h"
#include "model/database.h"
#include "runtime/runtime.h"
#include "server/auth/browser_access.h"
#include "server/http/http.h"
#include "server/http/worker_pool.h"
#include "server/observe/request_log.h"

namespace trestle::api {

struct DesignApiOptions {
  size_t body_bytes_max = size_t{1} << 20;
  unsigned workers = 16;
  size_t queue_max = 1024;
  bool remote = false;        // the Database is on a network: nothing runs on an event loop
  RequestLog* log = nullptr;  // null: nothing is logged
  BrowserAccess browsers = {};
  std::string operator_group = "admin";  // its callers may see background work and retry it
};

class DesignApi final : public HttpHandler {
 public:
  struct Background {
    std::function<runtime::Outcome<std::string>(bool dead)> status;
    std::function<runtime::Outcome<size_t>(const std::string& id)> retry;
  };
  // Replaces a design's file, if it still has the SHA-256 `replaces` (hexadecimal).
  using Save = std::function<runtime::Outcome<void>(const std::string& design, const std::string& text,
                                                    std::string_view replaces)>;
  struct Parts {
    std::vector<runtime::DesignRuntime*> designs;
    Database& database;  // where the designs' tables are
    const Callers& callers;
    const PageTokens& tokens;
    const Clock& clock;
    HttpHandler& next;
    std::map<std::string, Background, std::less<>> background = {};  // by design
    std::map<std::string, std::string, std::less<>> sources = {};    // text of the design's file, by design
    const design::Prices* prices = nullptr;                          // null: descriptions have no monthly cost
    Save save = {};                                                  // null: files cannot be saved
  };
  DesignApi(Parts parts, DesignApiOptions options);

  void handle(const HttpRequest& request, ReplyHandle reply) override;
  bool before_replies() override;

  // Finishes the calls that the pool has begun, drops those that wait for it, and rejects new ones. Call it when the
  // connections are closed. Replies may still wait for the disk: the owner of the database must wait for them before
  // destroying this object (Engine::wait_for_callbacks).
  void stop() { pool_.stop(); }

  const DesignMetrics& metrics() const { return metrics_; }
  size_t queued() const { return pool_.queued(); }

 private:
  struct Endpoint {
    const design::Operation* operation = nullptr;
    std::string name;  // "site-catalog.createSite", for logs
    bool is_list = false;
    bool is_brief = false;
    DesignMetrics::Series* series = nullptr;
  };
  struct Served {
    runtime::DesignRuntime* runtime = nullptr;
    std::string openapi;
    std::map<std::string, Endpoint, std::less<>> endpoints;
  };
  // A request in progress.
  struct Job;

  void route(const HttpRequest& request, Job job);
  void answer_page(const HttpRequest& request, std::string_view body, Job job);
  void redirect(const HttpRequest& request, int status, std::string_view where, Job job);
  // Refuses the request unless its caller is an operator. If no keys are configured, every caller is admitted: handle()
  // has refused callers on other machines. `action` says what "Only operators may" do. False: `job` is finished.
  bool admit_operator(const HttpRequest& request, std::string_view action, Job& job);
  void refuse_large_design(Job job);
  void save(const std::string& design, const HttpRequest& request, Job job);
  void describe(std::string source, const HttpRequest& request, Job job);
  void call(const HttpRequest& request, Job job);
  // Reads the inputs. If they are not valid, answers the call and returns false.
  bool read_inputs(const HttpRequest& request, Job& job);
  // Executes the task on the pool. Refuses the request, of which the task has a copy, if it would exceed a limit.
  void submit(size_t request_bytes, const std::shared_ptr<Job>& job, WorkerPool::Task task);
  void answer_background(const HttpRequest& request, const Background& background, bool retry, Job job);
  // Returns false, without an effect, if the call would have to wait on the event loop.
  bool run(Job& job, bool on_loop);
  void fill(runtime::CallReply reply, Job& job);
  void finish(Job job);
  void refuse(const runtime::Refused& refused, Job job, std::string_view challenge = {});
  void refuse_method(const HttpRequest& request, std::string_view allowed, Job job);
  std::string list_json() const;

  // Constant after construction.
  const Parts parts_;
  const DesignApiOptions options_;
  std::map<std::string, Served, std::less<>> designs_;
  std::string list_;

  DesignMetrics metrics_;
  WorkerPool pool_;  // last: its tasks use all of the above
};

}  // namespace trestle::api
