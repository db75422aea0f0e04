// The hosts of an endpoint's services, and the region that its host name implies.
//
//   https://dynamodb.eu-west-1.amazonaws.com    Amazon's: eu-west-1; streams have a separate host
//   http://127.0.0.1:8000                       any other: one host for everything
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/endpoint.h"

namespace trestle {

bool is_amazon_host(std::string_view host);
// Nothing for hosts that are not Amazon's.
std::optional<std::string> region_of_host(std::string_view host);
// The endpoint of DynamoDB Streams that belongs to an endpoint of DynamoDB.
http::Endpoint streams_endpoint(const http::Endpoint& endpoint);

}  // namespace trestle
