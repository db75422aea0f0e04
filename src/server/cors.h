// Cross-origin replies, as DynamoDB gives them: any origin is welcome, and a preflight may use what it asks for.
#pragma once

#include <optional>

#include "server/http.h"

namespace trestle {

// The whole reply to an OPTIONS request that names its Origin; nullopt for every other request.
std::optional<HttpReply> preflight_reply(const HttpRequest& request);
// Adds Access-Control-Allow-Origin if the request names its Origin.
void add_cors_headers(const HttpRequest& request, HttpReply& reply);

}  // namespace trestle
