// DescribeEndpoints as JSON. The operation is not in the model: the server replies with its own address.
#pragma once

#include <string>
#include <string_view>

namespace trestle {

// `address`: host and port, without a scheme.
void write_describe_endpoints_json(std::string_view address, std::string& out);

}  // namespace trestle
