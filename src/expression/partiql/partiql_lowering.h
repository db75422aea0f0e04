// Translates the clauses of a PartiQL statement into values and into the text of condition and update expressions with
// placeholders. DynamoDB does the same, so errors in operands have the wording of expressions, without "Invalid
// ConditionExpression: " (see bare_expression_error()).
//
//   PartiqlLowering lowering(statement, parameters);
//   TRY_INTO(std::string text, lowering.condition(*statement.where));    // "#0 = :0 AND NOT begins_with(#1, :1)"
//   request.placeholders = lowering.release_placeholders();
//
// IS MISSING becomes attribute_not_exists, IS NULL a test of the type, set_add and set_delete become ADD and DELETE.
// Borrows the statement and the parameters. Not thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expression/partiql/partiql_ast.h"
#include "model/error.h"
#include "model/parameters.h"

namespace trestle {

class PartiqlLowering {
 public:
  PartiqlLowering(const PartiqlStatement& statement, const std::vector<Value>& parameters)
      : statement_(statement), parameters_(parameters) {}

  // A condition expression for a node of the WHERE clause.
  Result<std::string> condition(uint32_t node);
  // A condition that the statement implies, for example "attribute_exists(#0)".
  std::string attribute_test(Function function, std::string_view attribute);
  // An update expression for all changes.
  Result<std::string> update();
  // The item of an INSERT.
  Result<Item> inserted_item();
  // The value of a literal or a parameter.
  Result<Value> value(uint32_t node) const;
  // Whether a node is a literal or a parameter.
  bool is_value(const PartiqlNode& node) const;
  // The values of an IN, which may be a list literal or a parameter that is a list.
  Result<std::vector<Value>> in_values(const PartiqlNode& in) const;
  // A projection of whole top-level attributes, each once, in the order of the columns.
  std::string projection();

  Placeholders release_placeholders();

 private:
  enum class Place { kAlone, kInAnd, kInNot };

  Result<std::string> lower_condition(const PartiqlNode& node, Place place);
  Result<std::string> joined(const PartiqlNode& node, std::string_view word, Place place);
  Result<std::string> comparison(const PartiqlNode& node, Place place);
  Result<std::string> boolean_comparison(const PartiqlNode& node, const PartiqlNode& condition,
                                         const PartiqlNode& other, Place place);
  Result<std::string> equals_boolean(const PartiqlNode& condition, const PartiqlNode& other, Place place);
  Result<std::string> in(const PartiqlNode& node, Place place);
  Result<std::string> type_test(const PartiqlNode& node, Place place);
  Result<std::string> function(const PartiqlNode& node);
  // "name(argument, argument)"
  template <class Lower>
  Result<std::string> call(const PartiqlNode& node, const Lower& lower_argument);
  Result<std::string> operand(const PartiqlNode& node);
  Result<std::string> update_operand(const PartiqlNode& node, bool may_add);
  Result<std::string> set_change(const PartiqlChange& change, const PartiqlNode& call);
  std::string never(Place place);
  std::string path(const PartiqlPath& path);
  std::string name(std::string_view attribute);
  std::string placeholder(Value value);

  const PartiqlStatement& statement_;
  const std::vector<Value>& parameters_;
  NameMap names_;
  ValueMap values_;
};

// An error of compile_condition() or compile_update() without the name of the parameter, because PartiQL has none.
Error bare_expression_error(Error error);

}  // namespace trestle
