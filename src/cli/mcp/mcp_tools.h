// The tools that `trestle mcp` offers: tables and items of a Database, and designs.
#pragma once

#include <string>
#include <vector>

#include "cli/mcp/mcp_server.h"
#include "cli/serve_designs.h"
#include "model/database.h"

namespace trestle::mcp {

// DynamoDB's operations: a tool's arguments are the operation's request, and its result is the response. Without
// `allow_writes` there are no tools that write, and PartiQL is limited to SELECT. The database must outlive the tools.
void add_database_tools(Database& database, bool allow_writes, std::vector<Tool>& tools);

// Checks, plans, costs and documents of any design, given as a file or text.
void add_design_tools(std::vector<Tool>& tools);

// The operations of opened designs. Without `allow_writes`, only those that read. `designs` must outlive the tools.
void add_operation_tools(ServedDesigns& designs, const runtime::Plain& caller, bool allow_writes,
                         std::vector<Tool>& tools);

}  // namespace trestle::mcp
