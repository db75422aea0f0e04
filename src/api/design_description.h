// Describes a design file as one JSON document, for tools that show or edit it: the output of the checker, the planner
// and the document writer, for valid and invalid designs.
//
//   {"source": "...", "name": "authz", "version": 1, "about": "...",
//    "report": {"errors": 0, ..., "findings": [{"code", "severity", "line", "column", "message", "repair"}, ...]},
//    "tables": [{"name", "type", "ttl", "key": ["PK", "SK"], "indexes": [{"name", "local", "key": [...]}]}],
//    "entities": [{"name", "table", "type", "key": ["TENANT#{tenantId}", ...], "guards": ["TenantName"],
//                  "fields": [...]}],
//    "operations": [{"name", "write", "about", "inputs": [{"name", "type", "optional", "of"}], "entities": [...]}],
//    "plans": [...],             plan_json of each operation; empty while the design has errors
//    "document": "<!DOCTYPE html>..."}
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "design/cost/prices.h"

namespace trestle::api {

// Without prices the document has no monthly cost.
std::string describe_design(std::string_view source, const design::Prices* prices);

}  // namespace trestle::api
