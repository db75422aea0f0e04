#include "server/observe/metrics_text.h"

#include <fmt/format.h>

namespace trestle {
namespace {

void append_escaped(std::string& out, std::string_view value) {
  for (char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out.push_back('\\');
    out.push_back(c);
  }
}

}  // namespace

void MetricsText::family(std::string_view name, std::string_view type, std::string_view help) {
  fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void MetricsText::sample(std::string_view name, const Labels& labels, double value) {
  text_ += name;
  char separator = '{';
  for (const auto& [label, label_value] : labels) {
    text_.push_back(separator);
    text_ += label;
    text_ += "=\"";
    append_escaped(text_, label_value);
    text_.push_back('"');
    separator = ',';
  }
  if (!labels.empty()) text_.push_back('}');
  fmt::format_to(std::back_inserter(text_), " {}\n", value);
}

void MetricsText::gauge(std::string_view name, std::string_view help, double value) {
  family(name, "gauge", help);
  sample(name, {}, value);
}

void MetricsText::counter(std::string_view name, std::string_view help, double value) {
  family(name, "counter", help);
  sample(name, {}, value);
}

}  // namespace trestle
