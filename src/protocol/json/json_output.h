// Appends JSON text to a string sequentially. Whether a comma is needed depends on the last character written, so there
// is no state besides the text:
//
//   JsonOutput json(out);
//   json.begin_object();
//   json.member("TableName", name);
//   json.key("KeySchema").begin_array();
//   for (...) { json.begin_object(); json.member("AttributeName", ...); json.end_object(); }
//   json.end_array();
//   json.end_object();
//
// Strings are UTF-8 and are written unchanged except for the characters that JSON must escape. Keys must be plain ASCII
// literals that need no escaping; keys of maps, which come from clients, go through key_escaped().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json_string.h"

namespace trestle {

class JsonOutput {
 public:
  // Borrows `out`, which may already contain text: this writer starts a new JSON value after it.
  explicit JsonOutput(std::string& out) : out_(out), start_(out.size()) {}

  void begin_object() {
    separate();
    out_.push_back('{');
  }
  void end_object() { out_.push_back('}'); }
  void begin_array() {
    separate();
    out_.push_back('[');
  }
  void end_array() { out_.push_back(']'); }

  JsonOutput& key(std::string_view name) {
    separate();
    out_.push_back('"');
    out_.append(name);
    out_.append("\":");
    return *this;
  }
  JsonOutput& key_escaped(std::string_view name);

  void string(std::string_view text);
  void boolean(bool value) {
    separate();
    out_.append(value ? "true" : "false");
  }
  void integer(int64_t value);
  // Formats a number of modest size as Java prints a double: "1.0", "0.5".
  void decimal(double value);
  // Seconds since 1970 with milliseconds: "1700000000.125".
  void timestamp_ms(int64_t ms);

  void member(std::string_view name, std::string_view text) { key(name).string(text); }
  void member(std::string_view name, const char* text) { key(name).string(text); }
  void member(std::string_view name, bool value) { key(name).boolean(value); }
  void member(std::string_view name, int64_t value) { key(name).integer(value); }
  void member(std::string_view name, double value) { key(name).decimal(value); }

  // For appending text directly.
  std::string& text() { return out_; }
  void separate() {
    if (out_.size() == start_) return;
    const char last = out_.back();
    if (last != '{' && last != '[' && last != ':') out_.push_back(',');
  }

 private:
  std::string& out_;
  size_t start_;
};

}  // namespace trestle
