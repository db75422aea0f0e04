#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/read_file.h"
#include "cli/design/design_place.h"
#include "cli/mcp/check_text.h"
#include "cli/mcp/mcp_tools.h"
#include "design/check/check.h"
#include "design/check/report.h"
#include "design/cost/cost.h"
#include "design/cost/price_file.h"
#include "design/docs/docs.h"
#include "design/plan/plan_text.h"
#include "rehearsal/rehearsal.h"
#include "runtime/values/plain_json.h"

namespace trestle::mcp {
namespace {

using runtime::Plain;
using ToolResult = BasicResult<std::string, std::string>;

std::string argument(const Plain& arguments, std::string_view name) {
  const Plain& value = arguments.member(name);
  return value.is(Plain::Kind::kText) ? value.string() : std::string();
}

// The arguments' schema: the design itself and `more` properties.
std::string design_schema(std::string_view more = {}) {
  return fmt::format(
      R"({{"type":"object","properties":{{"file":{{"type":"string","description":"path of a design file, or the name of an installed design"}},)"
      R"("text":{{"type":"string","description":"the YAML itself, instead of a file"}}{}}}}})",
      more);
}

struct DesignText {
  std::string name;  // for messages
  std::string text;
};

BasicResult<DesignText, std::string> design_text(const Plain& arguments) {
  if (std::string text = argument(arguments, "text"); !text.empty()) return DesignText{"design", std::move(text)};
  const std::string file = argument(arguments, "file");
  if (file.empty()) return std::unexpected(std::string("pass `file` or `text`"));
  TRY_INTO(std::string text, read_file(design_file(file)));
  return DesignText{file, std::move(text)};
}

// Reads a design. The error lists the mistakes in its text.
BasicResult<design::Reading, std::string> design_reading(const Plain& arguments) {
  TRY_INTO(const DesignText source, design_text(arguments));
  design::Reading reading = design::read_design(source.text);
  if (reading.mistakes.empty()) return reading;
  design::Report report;
  report.findings = reading.mistakes;
  return std::unexpected(design::report_text(source.name, report));
}

ToolResult check(const Plain& arguments) {
  TRY_INTO(const DesignText source, design_text(arguments));
  const design::Reading reading = design::read_design(source.text);
  std::vector<design::Finding> findings = design::run_passes(reading);
  if (!design::has_errors(reading.design, findings))
    std::ranges::move(rehearsal::rehearse(reading.design), std::back_inserter(findings));
  return design::report_json(source.name, design::compose_report(reading.design, std::move(findings)));
}

ToolResult plan(const Plain& arguments) {
  TRY_INTO(const design::Reading reading, design_reading(arguments));
  const std::string name = argument(arguments, "operation");
  std::string out;
  for (const design::Operation& operation : reading.design.operations) {
    if (!name.empty() && operation.name != name) continue;
    out += (out.empty() ? "" : "\n") +
           design::plan_text(reading.design, design::plan_operation(reading.design, operation));
  }
  if (out.empty()) return std::unexpected(fmt::format("{} has no operation `{}`", reading.design.name, name));
  return out;
}

BasicResult<design::Prices, std::string> prices_of(const Plain& arguments) {
  const std::string region = argument(arguments, "region");
  std::string wrong;
  auto prices =
      design::find_prices({region.empty() ? "us-east-1" : region, {}, design_file(argument(arguments, "file"))}, wrong);
  if (!prices) return std::unexpected(wrong);
  return std::move(*prices);
}

ToolResult cost(const Plain& arguments) {
  TRY_INTO(const design::Reading reading, design_reading(arguments));
  TRY_INTO(const design::Prices prices, prices_of(arguments));
  const design::CostOptions options;
  return design::cost_text(reading.design, prices, options, design::cost_design(reading.design, prices, options));
}

ToolResult docs(const Plain& arguments) {
  TRY_INTO(const design::Reading reading, design_reading(arguments));
  TRY_INTO(const design::Prices prices, prices_of(arguments));
  return design::docs_html(reading, design::check_design(reading), &prices);
}

ToolResult explain(const Plain& arguments) {
  const std::string code = argument(arguments, "code");
  if (auto text = explain_finding(code)) return std::move(*text);
  return std::unexpected(fmt::format("there is no finding `{}`", code));
}

ToolResult call_operation(ServedDesigns& designs, const Plain& caller, bool allow_writes, const Plain& arguments) {
  const std::string design_wanted = argument(arguments, "design"), name = argument(arguments, "operation");
  for (const auto& runtime : designs.runtimes()) {
    if (!design_wanted.empty() && runtime->design().name != design_wanted) continue;
    const design::Operation* operation = runtime->design().operation(name);
    if (operation == nullptr) continue;
    if (operation->is_write && !allow_writes)
      return std::unexpected(fmt::format("{} writes: start with --allow-writes to call it", name));
    runtime::CallContext context;
    context.caller = caller;
    runtime::ListOptions list;
    const Plain& inputs = arguments.member("inputs");
    if (const Plain& limit = arguments.member("limit"); limit.is(Plain::Kind::kNumber))
      list.limit = std::atoll(limit.string().c_str());
    list.position = argument(arguments, "next");
    Call call;
    const auto reply =
        runtime->call(*operation, inputs.is(Plain::Kind::kMap) ? inputs : Plain::map(), list, context, call);
    if (const auto durable = designs.database().wait_durable(call); !durable)
      return std::unexpected(durable.error().message);
    if (!reply) return std::unexpected(refusal_text(reply.error()));
    Plain body = reply->body;
    if (reply->position) body.set("next", Plain::text(*reply->position));
    return runtime::plain_json(body);
  }
  return std::unexpected(fmt::format("no design has an operation `{}`", name));
}

// A text that lists every operation with its inputs.
std::string operation_list(const ServedDesigns& designs, bool allow_writes) {
  std::string out;
  for (const auto& runtime : designs.runtimes()) {
    for (const design::Operation& operation : runtime->design().operations) {
      if (operation.is_write && !allow_writes) continue;
      out += fmt::format("{}{}.{}(", out.empty() ? "" : ", ", runtime->design().name, operation.name);
      for (size_t i = 0; i < operation.takes.size(); ++i) out += (i > 0 ? ", " : "") + operation.takes[i].name;
      out += ")";
    }
  }
  return out;
}

}  // namespace

void add_design_tools(std::vector<Tool>& tools) {
  tools.push_back({.name = "design_check",
                   .description = "Checks a design: returns findings with code, line, reason and repair.",
                   .input_schema = design_schema(),
                   .call = check});
  tools.push_back(
      {.name = "design_plan",
       .description = "The DynamoDB requests that the operations of a design make, and their cost in units.",
       .input_schema = design_schema(R"(,"operation":{"type":"string","description":"the default is all"})"),
       .call = plan});
  tools.push_back(
      {.name = "design_cost",
       .description = "The monthly cost of a design, at the rates that it declares.",
       .input_schema = design_schema(R"(,"region":{"type":"string","description":"AWS region; us-east-1"})"),
       .call = cost});
  tools.push_back({.name = "design_docs",
                   .description = "An illustrated document of a design, as HTML.",
                   .input_schema = design_schema(R"(,"region":{"type":"string"})"),
                   .call = docs});
  tools.push_back(
      {.name = "explain_finding",
       .description = "Explains a finding of design_check: its meaning, its reason and its repair.",
       .input_schema =
           R"({"type":"object","properties":{"code":{"type":"string","description":"such as T203"}},"required":["code"]})",
       .call = explain});
}

void add_operation_tools(ServedDesigns& designs, const Plain& caller, bool allow_writes, std::vector<Tool>& tools) {
  tools.push_back(
      {.name = "call_operation",
       .description = "Calls an operation of a design and returns its reply: " + operation_list(designs, allow_writes),
       .input_schema =
           R"({"type":"object","properties":{"design":{"type":"string","description":"needed where several have the operation"},"operation":{"type":"string"},"inputs":{"type":"object"},"limit":{"type":"integer","description":"of a list"},"next":{"type":"string","description":"of the page before"}},"required":["operation"]})",
       .writes = allow_writes,
       .call = [&designs, caller, allow_writes](const Plain& arguments) {
         return call_operation(designs, caller, allow_writes, arguments);
       }});
}

}  // namespace trestle::mcp
