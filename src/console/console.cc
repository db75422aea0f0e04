#include "console/console.h"

#include <algorithm>

#include "base/json/json_writer.h"
#include "console/assets.h"
#include "server/http/gzip.h"

namespace trestle::console {
namespace {

constexpr std::string_view kFolder = "/console/";
constexpr size_t kFileBytesMax = size_t{8} << 20;  // limit when decompressing the embedded files

constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view content_type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

HttpReply redirect(int status, std::string_view where) {
  HttpReply reply{.status = status};
  reply.add_header("Location", where);
  return reply;
}

// Headers that forbid the console's pages to load anything else, and other pages to embed them.
void add_safety_headers(HttpReply& reply) {
  reply.add_header("Content-Security-Policy", kContentSecurityPolicy);
  reply.add_header("X-Content-Type-Options", "nosniff");
  reply.add_header("Referrer-Policy", "no-referrer");
  reply.add_header("Cross-Origin-Opener-Policy", "same-origin");
}

HttpReply file_reply(const EmbeddedFile& file, const HttpRequest& request) {
  HttpReply reply{.content_type = content_type_of(file.name)};
  add_safety_headers(reply);
  reply.add_header("ETag", file.etag);
  reply.add_header("Cache-Control", "no-cache");
  reply.add_header("Vary", "Accept-Encoding");
  if (request.header("if-none-match").find(file.etag) != std::string_view::npos) {
    reply.status = 304;
    reply.content_type = {};
    return reply;
  }
  if (preferred_coding(request.header("accept-encoding")) == ContentCoding::kGzip) {
    reply.body = file.gzipped;
    reply.encoded = true;
    reply.add_header("Content-Encoding", "gzip");
  } else {
    Gzip().inflate(file.gzipped, ContentCoding::kGzip, kFileBytesMax, reply.body);
  }
  return reply;
}

std::string facts_text(const ConsoleFacts& facts) {
  return Json::object({{"version", facts.version},
                       {"region", facts.region},
                       {"signs", facts.signs},
                       {"metrics", facts.metrics},
                       {"insights", facts.insights},
                       {"designs", facts.designs},
                       {"edits", facts.edits},
                       {"browses", facts.browses},
                       {"on", facts.on}})
      .text();
}

}  // namespace

Console::Console(HttpHandler& next, const ConsoleFacts& facts) : next_(next), facts_json_(facts_text(facts)) {}

void Console::handle(const HttpRequest& request, ReplyHandle reply) {
  if (!request.is_read()) return next_.handle(request, std::move(reply));
  if (request.path == "/" && request.header("accept").find("text/html") != std::string_view::npos) {
    HttpReply to_console = redirect(302, kFolder);
    to_console.add_header("Vary", "Accept");
    return reply.send(std::move(to_console));
  }
  if (request.path == "/console") return reply.send(redirect(308, kFolder));
  if (!request.path.starts_with(kFolder)) return next_.handle(request, std::move(reply));
  const std::string_view name = request.path == kFolder ? "index.html" : request.path.substr(kFolder.size());
  if (name == "server.json") {
    HttpReply facts{.content_type = "application/json", .body = facts_json_};
    facts.add_header("Cache-Control", "no-store");
    return reply.send(std::move(facts));
  }
  const auto files = embedded_files();
  const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
  if (file == files.end())
    return reply.send({.status = 404, .content_type = "text/plain", .body = "The console has no such file.\n"});
  reply.send(file_reply(*file, request));
}

}  // namespace trestle::console
