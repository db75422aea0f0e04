#include "protocol/tables/describe_endpoints_json.h"

#include "protocol/json/json_output.h"

namespace trestle {

void write_describe_endpoints_json(std::string_view address, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("Endpoints").begin_array();
  json.begin_object();
  json.member("Address", address);
  json.member("CachePeriodInMinutes", int64_t{1440});
  json.end_object();
  json.end_array();
  json.end_object();
}

}  // namespace trestle
