#include "design/export/export_alerts.h"

#include <fmt/format.h>

#include <cctype>

#include "design/export/export_cloudformation.h"

namespace trestle::design {
namespace {

constexpr int kPeriodSeconds = 300;
constexpr int64_t kMonthSeconds = 30 * 24 * 3600;

std::string words_of(const Alert& alert) {
  std::string words =
      alert.cost > 0
          ? fmt::format("At the last hour's rate, requests cost more than {} dollars a month.", figure_text(alert.cost))
          : fmt::format("Table {} takes more than {} {} units a second.", alert.table,
                        figure_text(alert.write_units > 0 ? alert.write_units : alert.read_units),
                        alert.write_units > 0 ? "write" : "read");
  if (!alert.says.empty()) words += fmt::format(" The document: {}", alert.says);
  return words;
}

std::string condition_of(const Design& design, const Alert& alert) {
  if (alert.cost > 0) {
    return fmt::format("sum(rate(trestle_design_request_cost_total{{design=\"{}\"}}[1h])) * {} > {}", design.name,
                       kMonthSeconds, alert.cost);
  }
  const bool writes = alert.write_units > 0;
  return fmt::format(
      "sum(rate(trestle_design_consumed_units_total{{design=\"{}\",table=\"{}\",kind=\"{}\"}}[5m])) > {}", design.name,
      alert.table, writes ? "write" : "read", writes ? alert.write_units : alert.read_units);
}

std::string alarm_name(std::string_view name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) == 0) {
      upper = true;
      continue;
    }
    out.push_back(upper ? static_cast<char>(std::toupper(byte)) : c);
    upper = false;
  }
  return out;
}

}  // namespace

Exported export_alerts(const Design& design) {
  Exported out;
  out.text = fmt::format("# The alerts of design {}, version {}. Made by `trestle design export`.\n", design.name,
                         design.version);
  out.text += fmt::format("groups:\n- name: {}\n  rules:{}\n", json_quoted("trestle-" + design.name),
                          design.alerts.empty() ? " []" : "");
  for (const Alert& alert : design.alerts) {
    out.text += fmt::format("  - alert: {}\n    expr: {}\n    for: 5m\n    labels: {{design: {}}}\n",
                            json_quoted(alarm_name(alert.name)), json_quoted(condition_of(design, alert)),
                            json_quoted(design.name));
    out.text += fmt::format("    annotations: {{summary: {}}}\n", json_quoted(words_of(alert)));
  }
  if (design.alerts.empty()) out.notes.emplace_back("the design declares no alerts");
  return out;
}

std::vector<std::pair<std::string, Json>> alarm_resources(const Design& design) {
  std::vector<std::pair<std::string, Json>> resources;
  for (const Alert& alert : design.alerts) {
    Json properties = Json::object({{"AlarmDescription", words_of(alert)}, {"Statistic", "Sum"}});
    Json dimensions = Json::array();
    if (alert.cost > 0) {
      // What the account is charged for DynamoDB this month; published in us-east-1 alone.
      properties = Json::object({{"AlarmDescription", words_of(alert)}, {"Statistic", "Maximum"}});
      dimensions.add(Json::object({{"Name", "ServiceName"}, {"Value", "AmazonDynamoDB"}}));
      dimensions.add(Json::object({{"Name", "Currency"}, {"Value", "USD"}}));
      properties.set("Namespace", "AWS/Billing");
      properties.set("MetricName", "EstimatedCharges");
      properties.set("Period", int64_t{21600});
      properties.set("Threshold", Json::number(fmt::format("{}", alert.cost)));
    } else {
      const bool writes = alert.write_units > 0;
      const Table* table = design.table(alert.table);
      dimensions.add(Json::object(
          {{"Name", "TableName"},
           {"Value", Json::object({{"Ref", table == nullptr ? std::string() : resource_name(design, *table)}})}}));
      properties.set("Namespace", "AWS/DynamoDB");
      properties.set("MetricName", writes ? "ConsumedWriteCapacityUnits" : "ConsumedReadCapacityUnits");
      properties.set("Period", int64_t{kPeriodSeconds});
      // CloudWatch has the sum of a period.
      const double threshold = (writes ? alert.write_units : alert.read_units) * kPeriodSeconds;
      properties.set("Threshold", Json::number(fmt::format("{}", threshold)));
    }
    properties.set("Dimensions", std::move(dimensions));
    properties.set("EvaluationPeriods", int64_t{1});
    properties.set("ComparisonOperator", "GreaterThanThreshold");
    properties.set("TreatMissingData", "notBreaching");
    resources.emplace_back(alarm_name(alert.name) + "Alarm",
                           Json::object({{"Type", "AWS::CloudWatch::Alarm"}, {"Properties", std::move(properties)}}));
  }
  return resources;
}

}  // namespace trestle::design
