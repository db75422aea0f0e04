#include "cli/mcp/mcp_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/values/plain_json.h"

namespace trestle::mcp {
namespace {

using runtime::Plain;
using runtime::plain_json;

constexpr auto kRevisions = std::to_array<std::string_view>({"2024-11-05", "2025-03-26", "2025-06-18"});
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602;
constexpr std::string_view kInstructions =
    "Trestle is a database with DynamoDB's API. Items and keys are in DynamoDB's JSON: {\"id\": {\"S\": \"a\"}}. Start "
    "with list_tables and describe_table. Designs are YAML files that describe how an application uses DynamoDB: "
    "design_check finds mistakes in them and explain_finding explains one of them.";

std::string text_of(const Plain& value) { return value.is(Plain::Kind::kText) ? value.string() : std::string(); }

std::string result_line(const std::string& id, const std::string& result) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, result);
}

std::string error_line(const std::string& id, int code, std::string_view message) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}}}}})", id, code,
                     json_quoted(message));
}

}  // namespace

std::optional<std::string> McpServer::answer(std::string_view line) const {
  const auto message = runtime::parse_plain_json(line);
  if (!message) return error_line("null", kParseError, message.error());
  if (!message->is(Plain::Kind::kMap)) return error_line("null", kInvalidRequest, "a JSON object is expected");
  const Plain& id = message->member("id");
  const std::string method = text_of(message->member("method"));
  const bool has_id = id.is(Plain::Kind::kText) || id.is(Plain::Kind::kNumber);
  if (method.empty()) {
    // A client's response to a request of the server, which sends none.
    if (!message->member("result").is_absent() || !message->member("error").is_absent()) return std::nullopt;
    return error_line(has_id ? plain_json(id) : "null", kInvalidRequest, "the message has no method");
  }
  if (!has_id) return std::nullopt;  // a notification
  const std::string id_text = plain_json(id);
  const Plain& parameters = message->member("params");
  if (method == "initialize") return result_line(id_text, initialize(parameters));
  if (method == "ping") return result_line(id_text, "{}");
  if (method == "tools/list") return result_line(id_text, list_tools());
  if (method == "tools/call") {
    const std::string result = call_tool(parameters);
    if (!result.empty()) return result_line(id_text, result);
    return error_line(id_text, kInvalidParams,
                      fmt::format("there is no tool `{}`", text_of(parameters.member("name"))));
  }
  return error_line(id_text, kMethodNotFound, fmt::format("there is no method `{}`", method));
}

std::string McpServer::initialize(const Plain& parameters) const {
  const std::string requested = text_of(parameters.member("protocolVersion"));
  const bool is_supported = std::ranges::find(kRevisions, requested) != kRevisions.end();
  return Json::object({{"protocolVersion", is_supported ? requested : std::string(kRevisions.back())},
                       {"capabilities", Json::object({{"tools", Json::object()}})},
                       {"serverInfo", Json::object({{"name", "trestle"}, {"version", version_}})},
                       {"instructions", kInstructions}})
      .line();
}

std::string McpServer::list_tools() const {
  std::string list;
  for (const Tool& tool : tools_) {
    if (!list.empty()) list += ',';
    list += fmt::format(
        R"({{"name":{},"description":{},"inputSchema":{},"annotations":{{"readOnlyHint":{},"destructiveHint":{}}}}})",
        json_quoted(tool.name), json_quoted(tool.description), tool.input_schema, !tool.writes, tool.writes);
  }
  return fmt::format(R"({{"tools":[{}]}})", list);
}

std::string McpServer::call_tool(const Plain& parameters) const {
  const std::string name = text_of(parameters.member("name"));
  const auto tool = std::ranges::find(tools_, name, &Tool::name);
  if (tool == tools_.end()) return {};
  const Plain& arguments = parameters.member("arguments");
  const auto result = tool->call(arguments.is(Plain::Kind::kMap) ? arguments : Plain::map());
  return fmt::format(R"({{"content":[{{"type":"text","text":{}}}],"isError":{}}})",
                     json_quoted(result ? *result : result.error()), !result);
}

}  // namespace trestle::mcp
