#include "cli/design/design_place.h"

#include <fmt/format.h>

#include <CLI/Validators.hpp>
#include <cstdio>
#include <filesystem>

#include "base/read_file.h"
#include "design/language/reader.h"
#include "runtime/values/plain_json.h"

namespace trestle {

int print_error(const std::string& what) {
  fmt::print(stderr, "trestle: {}\n", what);
  return 1;
}

void add_place(CLI::App& command, DesignPlace& place, bool may_be_served) {
  command.add_option("design", place.design, "Design file, or name of the design")->required();
  command.add_option("--data", place.data, "Data folder of a server that is not running")->capture_default_str();
  command.add_option("--on", place.on, "DynamoDB endpoint that holds the tables");
  command.add_option("--table", place.tables, "Another name for a table, as for serve: design/table=NAME");
  command.add_option("--keys", place.keys, "Key ring, as for serve")->check(CLI::ExistingFile);
  command.add_option("--blobs", place.blobs, "Where blobs are stored, as for serve");
  command.add_option("--s3-endpoint", place.s3_endpoint, "Endpoint of the bucket of blobs, as for serve");
  if (!may_be_served) return;
  command.add_option("--at", place.at, "URL of a running server that has the design loaded");
  auto* token = command.add_option("--token", place.token, "Bearer token for that server");
  command.add_option("--api-key", place.api_key, "API key for that server")->excludes(token);
}

std::string design_file(const std::string& design) {
  for (const std::string& path :
       {design, "designs/" + design + ".yaml", "/usr/share/trestle/designs/" + design + ".yaml"}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path;
  }
  return design;
}

std::string design_name(const std::string& design) {
  const auto text = read_file(design_file(design));
  if (!text) return design;
  return design::read_design(*text).design.name;
}

BasicResult<OpenedDesign, std::string> open_place(const DesignPlace& place, EntityLoading loads) {
  OpenedDesign opened;
  EngineOptions engine;
  engine.store.folder = place.data;
  engine.store.in_memory = !place.on.empty();
  engine.expiry.interval_ms = 0;
  engine.throttles = false;
  auto result = Engine::open(std::move(engine));
  if (!result.has_value()) {
    return std::unexpected(fmt::format("{} (if a server runs on {}, give its address: --on http://127.0.0.1:8000)",
                                       result.error().message, place.data));
  }
  opened.engine = std::move(*result);
  DesignOptions options;
  options.files = {design_file(place.design)};
  options.on = place.on;
  options.tables = place.tables;
  options.keys = place.keys;
  options.blobs = place.blobs;
  options.s3_endpoint = place.s3_endpoint;
  options.for_command = true;
  options.loads = loads;
  TRY_INTO(opened.designs,
           ServedDesigns::open(options, {.data = place.data, .memory = !place.on.empty(), .region = "us-east-1"},
                               *opened.engine));
  return opened;
}

std::string refusal_text(const runtime::Refused& refused) {
  std::string words = fmt::format("{} ({})", refused.message, refused.status);
  for (const runtime::FieldFault& fault : refused.fields) words += fmt::format("\n  {}: {}", fault.field, fault.reason);
  return words;
}

BasicResult<runtime::CallContext, std::string> context_of(const std::string& claims) {
  runtime::CallContext context;
  if (claims.empty()) return context;
  auto parsed = runtime::parse_plain_json(claims);
  if (!parsed) return std::unexpected("--caller-claims: " + parsed.error());
  context.caller = std::move(*parsed);
  return context;
}

std::string served_path(const DesignPlace& place) { return "/designs/" + design_name(place.design); }

http::Result<HttpAnswer> send_to_server(const DesignPlace& place, const std::string& method, const std::string& path,
                                        const std::string& body) {
  HttpCall call{.method = method, .url = place.at, .path = path, .headers = {}, .body = body};
  if (!body.empty()) call.headers.emplace_back("Content-Type", "application/json");
  if (!place.token.empty()) call.headers.emplace_back("Authorization", "Bearer " + place.token);
  if (!place.api_key.empty()) call.headers.emplace_back("X-Api-Key", place.api_key);
  return call_http(call);
}

int print_answer(const http::Result<HttpAnswer>& answer) {
  if (!answer) return print_error(answer.error().message);
  fmt::print(answer->status < 300 ? stdout : stderr, "{}\n", answer->body);
  return answer->status < 300 ? 0 : 1;
}

}  // namespace trestle
