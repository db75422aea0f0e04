// IP addresses and ranges: "10.1.2.3", "10.0.0.0/8", "2001:db8::/32".
#pragma once

#include <string_view>

namespace trestle {

// An IPv4-mapped IPv6 address (::ffff:10.1.2.3) is treated as the IPv4 address. An invalid address is in no range.
bool is_in_ip_range(std::string_view address, std::string_view range);

}  // namespace trestle
