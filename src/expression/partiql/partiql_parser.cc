#include "expression/partiql/partiql_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "expression/partiql/partiql_parser_impl.h"

namespace trestle {

Result<PartiqlStatement> PartiqlParser::run() {
  std::optional<uint32_t> expression;
  if (is_keyword("select")) {
    TRY(select());
  } else if (is_keyword("insert")) {
    TRY(insert());
  } else if (is_keyword("update")) {
    TRY(update());
  } else if (is_keyword("delete")) {
    TRY(remove_items());
  } else if (is_keyword("from")) {
    TRY(from_first());
  } else {
    TRY_INTO(expression, disjunction());
  }
  take(PartiqlToken::kSemicolon);
  if (!is(PartiqlToken::kEnd)) return malformed("Unexpected token after expression");
  if (expression) TRY(accept_expression(*expression));
  TRY(check_meaning());
  return std::move(statement_);
}

std::string_view PartiqlParser::type_of(const PartiqlNode& node) {
  switch (node.kind) {
    case PartiqlKind::kPath:
      return node.path.size() == 1 ? "VariableReference" : "Path";
    case PartiqlKind::kParameter:
      return "Parameter";
    case PartiqlKind::kNull:
    case PartiqlKind::kTrue:
    case PartiqlKind::kFalse:
    case PartiqlKind::kString:
    case PartiqlKind::kNumber:
      return "Literal";
    case PartiqlKind::kMissing:
      return "LiteralMissing";
    case PartiqlKind::kList:
    case PartiqlKind::kBag:
      return "Seq";
    case PartiqlKind::kMap:
      return "Struct";
    case PartiqlKind::kIs:
      return "IsType";
    case PartiqlKind::kSelect:
      return "Select";
    default:
      return "NAry";
  }
}

// A statement that is an expression. DynamoDB executes only EXISTS.
Result<void> PartiqlParser::accept_expression(uint32_t root) {
  const PartiqlNode& node = statement_.nodes[root];
  if (node.kind == PartiqlKind::kFunction && node.text == "exists" && node.children.size() == 1 &&
      statement_.nodes[node.children[0]].kind == PartiqlKind::kSelect) {
    statement_.verb = PartiqlVerb::kExists;
    return {};
  }
  return invalid(fmt::format("Unsupported operation: {}", type_of(node)));
}

Result<void> PartiqlParser::check_meaning() {
  if (aliased_) return invalid("Aliasing is not supported");
  if (table_.size() > 2) return invalid("A path may contain at most 2 components in the FROM clause");
  if (std::ranges::any_of(table_, [](const std::string& name) { return name.empty(); })) {
    return invalid("Path component cannot be an empty string");
  }
  const PartiqlVerb verb = statement_.verb;
  if (table_.size() == 2) {
    if (verb == PartiqlVerb::kInsert)
      return invalid("FROM clause may only contain a single table name in data manipulation statements");
    if (verb == PartiqlVerb::kUpdate || verb == PartiqlVerb::kDelete) {
      return invalid("This operation is not supported on an index");
    }
    statement_.index_name = table_[1];
  }
  statement_.table_name = table_[0];
  TRY(take_columns());
  const PartiqlReturning returning = statement_.returning;
  if (verb == PartiqlVerb::kDelete && returning != PartiqlReturning::kNone && returning != PartiqlReturning::kAllOld) {
    return invalid(
        fmt::format("Invalid returning clause: {}. Only RETURNING ALL OLD * is allowed in DELETE statements.",
                    returning_text(returning)));
  }
  return {};
}

Result<void> PartiqlParser::take_columns() {
  if (star_and_more_) return invalid("Other attributes should not be present in the projection when '*' is used.");
  for (uint32_t column : columns_) {
    const PartiqlNode& node = statement_.nodes[column];
    if (node.kind == PartiqlKind::kPath) {
      statement_.columns.push_back(node.path);
    } else if (!statement_.columns_fault) {
      statement_.columns_fault = unexpected_component(node.at).error().message;
    }
  }
  return {};
}

std::string position_text(const PartiqlPosition& at) { return fmt::format("{}:{}:{}", at.line, at.column, at.length); }

std::string_view returning_text(PartiqlReturning returning) {
  switch (returning) {
    case PartiqlReturning::kNone:
      return "";
    case PartiqlReturning::kAllOld:
      return "RETURNING ALL OLD *";
    case PartiqlReturning::kAllNew:
      return "RETURNING ALL NEW *";
    case PartiqlReturning::kModifiedOld:
      return "RETURNING MODIFIED OLD *";
    case PartiqlReturning::kModifiedNew:
      return "RETURNING MODIFIED NEW *";
  }
  return "";
}

Result<PartiqlStatement> parse_partiql(std::string_view text) {
  auto tokens = tokenize_partiql(text);
  if (!tokens) return PartiqlParser::malformed("");
  return PartiqlParser(std::move(*tokens)).run();
}

}  // namespace trestle
