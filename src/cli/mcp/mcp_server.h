// A server of the Model Context Protocol: JSON-RPC 2.0, one message per line, tools only.
//
//   McpServer server(tools, "0.1.0");
//   if (auto reply = server.answer(line)) write(*reply);
//
// Supports the revisions 2024-11-05, 2025-03-26 and 2025-06-18; a client that requests another one is offered the
// latest. Not thread-safe: calls are answered one after another.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_writer.h"
#include "base/result.h"
#include "runtime/values/plain.h"

namespace trestle::mcp {

struct Tool {
  std::string name;
  std::string description;
  std::string input_schema;  // JSON Schema of the arguments
  bool writes = false;
  // Returns the text of the result; the error is meant for the model.
  std::function<BasicResult<std::string, std::string>(const runtime::Plain& arguments)> call;
};

class McpServer {
 public:
  McpServer(std::vector<Tool> tools, std::string version) : tools_(std::move(tools)), version_(std::move(version)) {}

  // Returns the reply line; nullopt for a notification.
  std::optional<std::string> answer(std::string_view line) const;

 private:
  std::string initialize(const runtime::Plain& parameters) const;
  std::string list_tools() const;
  // Empty if there is no such tool.
  std::string call_tool(const runtime::Plain& parameters) const;

  const std::vector<Tool> tools_;
  const std::string version_;
};

}  // namespace trestle::mcp
