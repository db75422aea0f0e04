// Scan: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/page_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ScanRequest> read_scan_json(JsonInput input);
void write_scan_json(const ScanResponse& response, std::string& out);

}  // namespace trestle
