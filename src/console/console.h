// Serves the web console: the static files of console/dist, and a description of the server for them.
//
//   GET /                       redirects browsers (Accept: text/html) to the console; others get the next handler
//   GET /console                redirects to /console/
//   GET /console/               index.html
//   GET /console/<file>         a file of console/dist
//   GET /console/server.json    what the console needs to know about this server (ConsoleFacts)
//
// Every other path goes to the next handler. The console has no privileges: its scripts call DynamoDB's API and the
// designs' API like any client. Its pages may load only from this server and may not be framed
// (Content-Security-Policy). Files are compressed at build time and revalidated by ETag.
//
// The next handler must outlive it. Thread-safe.
#pragma once

#include <string>

#include "server/http/http.h"

namespace trestle::console {

struct ConsoleFacts {
  std::string version;
  std::string region;
  bool signs = false;     // requests must be signed by a configured access key
  bool metrics = false;   // GET /metrics is served
  bool insights = false;  // GET /insights is served
  bool designs = false;   // /designs is served
  bool edits = false;     // design files may be saved
  bool browses = false;   // POST /on is DynamoDB's API for the tables at `on`
  std::string on;         // endpoint that the designs run on; empty: the embedded store
};

class Console final : public HttpHandler {
 public:
  Console(HttpHandler& next, const ConsoleFacts& facts);

  void handle(const HttpRequest& request, ReplyHandle reply) override;
  bool before_replies() override { return next_.before_replies(); }

 private:
  // Constant after construction.
  HttpHandler& next_;
  const std::string facts_json_;
};

}  // namespace trestle::console
