#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/mcp/mcp_tools.h"
#include "protocol/json/error_json.h"
#include "runtime/values/plain_json.h"
#include "server/operations.h"

namespace trestle::mcp {
namespace {

using runtime::Plain;
using ToolResult = BasicResult<std::string, std::string>;

constexpr int64_t kItemsDefault = 100;

struct OperationTool {
  std::string_view tool;
  std::string_view operation;
  std::string_view description;
  std::string_view schema;
  bool writes = false;
  bool is_list = false;  // has a Limit
};

#define TRESTLE_TABLE R"("TableName":{"type":"string"})"
#define TRESTLE_NAMES \
  R"("ExpressionAttributeNames":{"type":"object"},"ExpressionAttributeValues":{"type":"object","description":"in DynamoDB's JSON"})"
#define TRESTLE_PAGE \
  R"("IndexName":{"type":"string"},"FilterExpression":{"type":"string"},"ProjectionExpression":{"type":"string"},"Limit":{"type":"integer","minimum":1,"description":"the default is 100"},"ExclusiveStartKey":{"type":"object","description":"LastEvaluatedKey of the previous page"})"
#define TRESTLE_KEY R"("Key":{"type":"object","description":"in DynamoDB's JSON: {\"id\": {\"S\": \"a\"}}"})"

constexpr OperationTool kTools[] = {
    {.tool = "list_tables",
     .operation = "ListTables",
     .description = "The names of the tables.",
     .schema =
         R"({"type":"object","properties":{"ExclusiveStartTableName":{"type":"string"},"Limit":{"type":"integer","minimum":1,"maximum":100}}})"},
    {.tool = "describe_table",
     .operation = "DescribeTable",
     .description = "A table's key, indexes, stream, billing and number of items.",
     .schema = R"({"type":"object","properties":{)" TRESTLE_TABLE R"(},"required":["TableName"]})"},
    {.tool = "get_item",
     .operation = "GetItem",
     .description = "Returns one item by its full key. The arguments are those of DynamoDB's GetItem.",
     .schema =
         R"({"type":"object","properties":{)" TRESTLE_TABLE "," TRESTLE_KEY
         R"(,"ConsistentRead":{"type":"boolean"},"ProjectionExpression":{"type":"string"},"ExpressionAttributeNames":{"type":"object"}},"required":["TableName","Key"]})"},
    {.tool = "query",
     .operation = "Query",
     .description = "Returns items of one partition of a table or index. The arguments are those of DynamoDB's Query.",
     .schema =
         R"({"type":"object","properties":{)" TRESTLE_TABLE
         R"(,"KeyConditionExpression":{"type":"string","description":"pk = :p AND sk > :s"},"ScanIndexForward":{"type":"boolean"},)" TRESTLE_PAGE
         "," TRESTLE_NAMES R"(},"required":["TableName","KeyConditionExpression"]})",
     .is_list = true},
    {.tool = "scan",
     .operation = "Scan",
     .description =
         "Returns items of a whole table or index, page by page. The arguments are those of DynamoDB's Scan.",
     .schema = R"({"type":"object","properties":{)" TRESTLE_TABLE "," TRESTLE_PAGE "," TRESTLE_NAMES
               R"(},"required":["TableName"]})",
     .is_list = true},
    {.tool = "put_item",
     .operation = "PutItem",
     .description = "Writes an item, replacing one with the same key. The arguments are those of DynamoDB's PutItem.",
     .schema =
         R"({"type":"object","properties":{)" TRESTLE_TABLE
         R"(,"Item":{"type":"object","description":"in DynamoDB's JSON"},"ConditionExpression":{"type":"string"},)" TRESTLE_NAMES
         R"(},"required":["TableName","Item"]})",
     .writes = true},
    {.tool = "update_item",
     .operation = "UpdateItem",
     .description = "Changes attributes of an item. The arguments are those of DynamoDB's UpdateItem.",
     .schema =
         R"({"type":"object","properties":{)" TRESTLE_TABLE "," TRESTLE_KEY
         R"(,"UpdateExpression":{"type":"string"},"ConditionExpression":{"type":"string"},"ReturnValues":{"type":"string"},)" TRESTLE_NAMES
         R"(},"required":["TableName","Key"]})",
     .writes = true},
    {.tool = "delete_item",
     .operation = "DeleteItem",
     .description = "Deletes an item. The arguments are those of DynamoDB's DeleteItem.",
     .schema = R"({"type":"object","properties":{)" TRESTLE_TABLE "," TRESTLE_KEY
               R"(,"ConditionExpression":{"type":"string"},"ReturnValues":{"type":"string"},)" TRESTLE_NAMES
               R"(},"required":["TableName","Key"]})",
     .writes = true},
};

constexpr std::string_view kStatementSchema =
    R"({"type":"object","properties":{"Statement":{"type":"string"},"Parameters":{"type":"array","description":"values of the ?, in DynamoDB's JSON"},"Limit":{"type":"integer","minimum":1},"NextToken":{"type":"string"}},"required":["Statement"]})";

#undef TRESTLE_TABLE
#undef TRESTLE_NAMES
#undef TRESTLE_PAGE
#undef TRESTLE_KEY

ToolResult run_operation(Database& database, std::string_view operation, const Plain& arguments) {
  const std::string body = runtime::plain_json(arguments);
  std::string out;
  const auto ran = [&]() -> Result<void> {
    Call call;
    TRY_INTO(const JsonInput input, parse_body(body));
    TRY(find_operation(operation)->run(database, input, call, nullptr, out));
    return database.wait_durable(call);
  }();
  if (ran) return out;
  return std::unexpected(fmt::format("{}: {}", error_name(ran.error().code), ran.error().message));
}

bool only_reads(const Plain& statement) {
  if (!statement.is(Plain::Kind::kText)) return true;  // will be refused for its type
  constexpr std::string_view kSelect = "select";
  const std::string& text = statement.string();
  size_t at = 0;
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  const std::string_view word = std::string_view(text).substr(at, kSelect.size());
  return std::ranges::equal(word, kSelect, {}, [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

}  // namespace

void add_database_tools(Database& database, bool allow_writes, std::vector<Tool>& tools) {
  for (const OperationTool& tool : kTools) {
    if (tool.writes && !allow_writes) continue;
    tools.push_back({.name = std::string(tool.tool),
                     .description = std::string(tool.description),
                     .input_schema = std::string(tool.schema),
                     .writes = tool.writes,
                     .call = [&database, &tool](const Plain& arguments) {
                       Plain request = arguments;
                       if (tool.is_list && !request.member("Limit").exists())
                         request.set("Limit", Plain::number(kItemsDefault));
                       return run_operation(database, tool.operation, request);
                     }});
  }
  tools.push_back(
      {.name = "execute_statement",
       .description =
           allow_writes ? "Runs a PartiQL statement." : "Runs a PartiQL SELECT. Other statements need --allow-writes.",
       .input_schema = std::string(kStatementSchema),
       .writes = allow_writes,
       .call = [&database, allow_writes](const Plain& arguments) -> ToolResult {
         if (!allow_writes && !only_reads(arguments.member("Statement"))) {
           return std::unexpected(std::string("only SELECT is allowed: start with --allow-writes to write"));
         }
         return run_operation(database, "ExecuteStatement", arguments);
       }});
}

}  // namespace trestle::mcp
