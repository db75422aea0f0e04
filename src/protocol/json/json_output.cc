#include "protocol/json/json_output.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace trestle {

JsonOutput& JsonOutput::key_escaped(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_.push_back(':');
  return *this;
}

void JsonOutput::string(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonOutput::integer(int64_t value) {
  separate();
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out_.append(digits, static_cast<size_t>(end - digits));
}

void JsonOutput::decimal(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15) {
    integer(static_cast<int64_t>(value));
    out_.append(".0");
    return;
  }
  separate();
  fmt::format_to(std::back_inserter(out_), FMT_COMPILE("{}"), value);
}

void JsonOutput::timestamp_ms(int64_t ms) {
  separate();
  fmt::format_to(std::back_inserter(out_), FMT_COMPILE("{}.{:03}"), ms / 1000, ms % 1000);
}

}  // namespace trestle
