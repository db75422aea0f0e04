// Members that requests and responses of exports share.
#pragma once

#include <string>

#include "model/export_requests.h"
#include "protocol/json_input.h"
#include "protocol/json_output.h"

namespace trestle {

// {"ExportDescription":{...}}: what ExportTableToPointInTime and DescribeExport answer.
void write_export_response(const ExportDescription& description, std::string& out);

}  // namespace trestle
