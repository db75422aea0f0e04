// A line of JSON that reports a record that could not be put:
//
//   {"importArn":"arn:...","itemS3Pointer":{"bucket":"b","key":"data/1.json","itemIndex":7},"errorMessages":["..."]}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trestle {

struct ErrorLine {
  std::string_view arn_name;  // "importArn"
  std::string_view arn;
  std::string_view bucket;
  std::string_view object;
  int64_t record = 0;  // index within the object, from 0
  std::string_view message;
};
void append_error_line(std::string& out, const ErrorLine& line);

}  // namespace trestle
