#include "protocol/describe_limits_json.h"

#include "protocol/json_output.h"

namespace trestle {

Result<DescribeLimitsRequest> read_describe_limits_json(JsonInput) { return DescribeLimitsRequest{}; }

void write_describe_limits_json(const DescribeLimitsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.member("AccountMaxReadCapacityUnits", response.account_read_units_max);
  json.member("AccountMaxWriteCapacityUnits", response.account_write_units_max);
  json.member("TableMaxReadCapacityUnits", response.table_read_units_max);
  json.member("TableMaxWriteCapacityUnits", response.table_write_units_max);
  json.end_object();
}

}  // namespace trestle
