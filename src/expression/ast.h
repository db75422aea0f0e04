// A parsed expression, before names and values are known. Immutable once parsed, so threads can share it.
//
// Nodes are stored in flat arrays and refer to each other by index, so a tree costs only a few allocations. Each
// distinct name or value has one slot, so a request resolves every placeholder only once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trestle {

enum class Grammar : uint8_t { kCondition, kProjection, kUpdate };

// One step of a document path: an attribute or map key (a slot of `names`), or a list index.
struct PathElement {
  static constexpr uint32_t kNoName = UINT32_MAX;
  uint32_t name = kNoName;
  uint32_t index = 0;
  uint32_t text_at = 0;  // position of a list index in the text
  bool is_index() const { return name == kNoName; }
};

// A range of `elements`.
struct PathRange {
  uint32_t first = 0;
  uint32_t count = 0;
};

enum class NodeKind : uint8_t {
  kPath,      // first, count: elements
  kValue,     // first: slot of `values`
  kFunction,  // this and all other kinds: first, count: children
  kComparison,
  kBetween,
  kIn,
  kPlus,
  kMinus,
  kAnd,
  kOr,
  kNot,
};

enum class Function : uint8_t {
  kAttributeExists,
  kAttributeNotExists,
  kAttributeType,
  kBeginsWith,
  kContains,
  kSize,
  kIfNotExists,
  kListAppend,
  kUnknown,  // rejected by the parser
};
std::string_view function_name(Function function);

enum class Comparison : uint8_t { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
// "=", "<>", "<", "<=", ">", ">=".
std::string_view comparison_text(Comparison comparison);

struct Node {
  NodeKind kind = NodeKind::kPath;
  Function function = Function::kSize;         // kFunction
  Comparison comparison = Comparison::kEqual;  // kComparison
  uint32_t first = 0;
  uint32_t count = 0;
  std::string_view name;  // kFunction: as written
};

enum class UpdateSection : uint8_t { kSet, kRemove, kAdd, kDelete };

struct UpdateStep {
  UpdateSection section = UpdateSection::kSet;
  uint16_t clause = 0;  // the number of section keywords before the step's own
  PathRange path;
  uint32_t value = 0;  // node; unused for kRemove
};

struct NameSlot {
  std::string_view text;  // "a" or "#a"
  bool is_placeholder = false;
};

struct ParsedExpression {
  Grammar grammar = Grammar::kCondition;
  std::string text;  // the views below point here
  std::vector<NameSlot> names;
  std::vector<std::string_view> values;  // ":v"
  std::vector<PathElement> elements;
  std::vector<Node> nodes;
  std::vector<uint32_t> children;      // nodes
  std::vector<uint32_t> heads;         // slots of the names that start a path, each once
  std::vector<uint32_t> nested_heads;  // slots of the names that start a path of at least two elements

  uint32_t root = 0;                 // kCondition
  std::vector<uint32_t> conditions;  // kCondition: the operands of AND, OR and NOT, from left to right
  std::vector<PathRange> paths;      // kProjection
  std::vector<UpdateStep> steps;     // kUpdate

  const Node& child(const Node& node, uint32_t i) const { return nodes[children[node.first + i]]; }
};

}  // namespace trestle
