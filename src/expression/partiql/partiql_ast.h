// A parsed PartiQL statement, before its parameters are known. Immutable. Nodes are stored in one array and refer to
// each other by index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "expression/ast.h"
#include "expression/partiql/partiql_lexer.h"

namespace trestle {

struct PartiqlStep {
  std::string name;
  uint32_t index = 0;
  bool is_index = false;
  friend bool operator==(const PartiqlStep&, const PartiqlStep&) = default;
};
using PartiqlPath = std::vector<PartiqlStep>;

enum class PartiqlKind : uint8_t {
  kPath,
  kParameter,  // number: the parameter's index, from 0
  kNull,
  kMissing,
  kTrue,
  kFalse,
  kString,  // text
  kNumber,  // text, with its sign
  kList,
  kMap,  // children: name, value, name, value, ...
  kBag,
  kFunction,    // text: its name in lower case
  kComparison,  // two children
  kBetween,     // three children
  kIn,          // children: the value, then the list
  kIs,          // text: the type in lower case
  kLike,
  kAnd,  // two or more children
  kOr,
  kNot,
  kPlus,
  kMinus,
  kOtherArithmetic,  // operators that DynamoDB's PartiQL parses but never executes
  kSelect,           // a subquery, described by the statement's own clauses
};

struct PartiqlNode {
  PartiqlKind kind = PartiqlKind::kNull;
  Comparison comparison = Comparison::kEqual;
  uint32_t number = 0;
  std::string text;
  PartiqlPath path;
  std::vector<uint32_t> children;
  PartiqlPosition at;
};

// SET path = value, or REMOVE path.
struct PartiqlChange {
  PartiqlPath path;
  std::optional<uint32_t> value;
};

struct PartiqlOrder {
  std::string attribute;
  bool descending = false;
};

enum class PartiqlReturning : uint8_t { kNone, kAllOld, kAllNew, kModifiedOld, kModifiedNew };
// "RETURNING ALL OLD *".
std::string_view returning_text(PartiqlReturning returning);

enum class PartiqlVerb : uint8_t { kSelect, kInsert, kUpdate, kDelete, kExists };

struct PartiqlStatement {
  PartiqlVerb verb = PartiqlVerb::kSelect;
  std::string table_name;
  std::optional<std::string> index_name;
  std::vector<PartiqlNode> nodes;
  uint32_t parameter_count = 0;

  std::vector<PartiqlPath> columns;  // kSelect, kExists; empty: all columns
  // The error in the columns, if any. Errors in the table or index take precedence.
  std::optional<std::string> columns_fault;
  std::optional<uint32_t> where;
  std::vector<PartiqlOrder> order;
  uint32_t inserted = 0;               // kInsert: the node of the item
  std::vector<PartiqlChange> changes;  // kUpdate
  PartiqlReturning returning = PartiqlReturning::kNone;

  bool is_read() const { return verb == PartiqlVerb::kSelect; }
  const PartiqlNode& node(uint32_t i) const { return nodes[i]; }
  const PartiqlNode& child(const PartiqlNode& parent, size_t i) const { return nodes[parent.children[i]]; }
};

}  // namespace trestle
