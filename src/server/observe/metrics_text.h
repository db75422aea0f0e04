// Prometheus's text format (version 0.0.4), written sequentially: a family, then its samples.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trestle {

class MetricsText {
 public:
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

  // `type` is "counter", "gauge" or "histogram".
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(std::string_view name, const Labels& labels, double value);
  // A family with one sample and no labels.
  void gauge(std::string_view name, std::string_view help, double value);
  void counter(std::string_view name, std::string_view help, double value);

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace trestle
