#include "server/cors.h"

namespace trestle {

std::optional<HttpReply> preflight_reply(const HttpRequest& request) {
  if (request.method != "OPTIONS" || !request.find("origin")) return std::nullopt;
  HttpReply reply;
  add_cors_headers(request, reply);
  if (const auto* wanted = request.find("access-control-request-headers")) {
    reply.add_header("Access-Control-Allow-Headers", wanted->value);
  }
  if (const auto* wanted = request.find("access-control-request-method")) {
    reply.add_header("Access-Control-Allow-Methods", wanted->value);
  }
  reply.add_header("Access-Control-Max-Age", "172800");
  return reply;
}

void add_cors_headers(const HttpRequest& request, HttpReply& reply) {
  if (request.find("origin")) reply.add_header("Access-Control-Allow-Origin", "*");
}

}  // namespace trestle
