#include "exchange/error_line.h"

#include "protocol/json/json_output.h"

namespace trestle {

void append_error_line(std::string& out, const ErrorLine& line) {
  JsonOutput json(out);
  json.begin_object();
  json.member(line.arn_name, line.arn);
  json.key("itemS3Pointer").begin_object();
  json.member("bucket", line.bucket);
  json.member("key", line.object);
  json.member("itemIndex", line.record);
  json.end_object();
  json.key("errorMessages").begin_array();
  json.string(line.message);
  json.end_array();
  json.end_object();
  out += '\n';
}

}  // namespace trestle
