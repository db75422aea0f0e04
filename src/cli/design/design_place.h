// Where a design's data is, for the commands that work on it: a data folder whose server is not running, a DynamoDB
// endpoint, or a running server.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cli/http_call.h"
#include "cli/serve_designs.h"
#include "engine/engine.h"

namespace trestle {

struct DesignPlace {
  std::string design;  // a file, or a name
  std::string data = "data";
  std::string on;  // a DynamoDB endpoint
  std::string at;  // a running `trestle serve --design`
  std::string token;
  std::string api_key;  // for that server
  std::vector<std::string> tables;
  std::string keys, blobs, s3_endpoint;
};

// Adds its flags. `may_be_served`: the command can also use a running server.
void add_place(CLI::App& command, DesignPlace& place, bool may_be_served);

// The design file for a path or name: the path itself, a file in designs/, or one installed by the package.
std::string design_file(const std::string& design);
// The name of the design in a file.
std::string design_name(const std::string& design);

// A design, opened on its data.
struct OpenedDesign {
  std::unique_ptr<Engine> engine;
  std::unique_ptr<ServedDesigns> designs;
  runtime::DesignRuntime& runtime() { return *designs->runtimes()[0]; }
};
// `loads`: whether the design gets operations that load its entities' items unchanged.
BasicResult<OpenedDesign, std::string> open_place(const DesignPlace& place, EntityLoading loads = EntityLoading::kNo);

// The path of the design on a running server: "/designs/<its name>".
std::string served_path(const DesignPlace& place);
// Sends a request to the running server. A body is JSON.
http::Result<HttpAnswer> send_to_server(const DesignPlace& place, const std::string& method, const std::string& path,
                                        const std::string& body = {});

// Prints the response body to stdout, or to stderr for an error, and returns the exit status.
int print_answer(const http::Result<HttpAnswer>& answer);
int print_error(const std::string& what);
std::string refusal_text(const runtime::Refused& refused);
// Parses the claims of a caller from a JSON object; empty: not signed in.
BasicResult<runtime::CallContext, std::string> context_of(const std::string& claims);

}  // namespace trestle
