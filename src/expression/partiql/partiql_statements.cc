#include "expression/partiql/partiql_parser_impl.h"

#include <utility>

namespace trestle {
namespace {

std::unexpected<Error> unsupported(std::string_view clause) {
  return invalid(fmt::format("Unsupported clause: {}", clause));
}

}  // namespace

Result<void> PartiqlParser::select() {
  ++at_;
  take_keyword("all");
  if (is_keyword("distinct")) return unsupported("DISTINCT");
  if (is_keyword("value") || is_keyword("pivot")) {
    return invalid("Select projection doesn't support value or pivot keywords");
  }
  TRY(columns());
  if (!take_keyword("from")) return malformed("Expected FROM keyword");
  TRY(source());
  if (is(PartiqlToken::kComma) || is(PartiqlToken::kOperator) || is_keyword("join") || is_keyword("inner") ||
      is_keyword("left") || is_keyword("right") || is_keyword("cross") || is_keyword("full")) {
    return invalid("Unexpected from source");
  }
  TRY(where());
  for (const std::string_view clause : {"group", "having", "limit", "let", "offset"}) {
    if (!is_keyword(clause)) continue;
    std::string upper_case(clause);
    for (char& c : upper_case) c = static_cast<char>(c - 'a' + 'A');
    return unsupported(upper_case == "GROUP" ? "GROUP BY" : upper_case);
  }
  if (take_keyword("order")) TRY(order());
  if (is_keyword("limit")) return unsupported("LIMIT");
  return {};
}

Result<void> PartiqlParser::subquery() {
  auto table = std::exchange(table_, {});
  auto columns = std::exchange(columns_, {});
  auto order = std::exchange(statement_.order, {});
  const auto where = statement_.where;
  const bool star_and_more = star_and_more_;
  const bool aliased = aliased_;
  TRY(select());
  table_ = std::move(table);
  columns_ = std::move(columns);
  statement_.order = std::move(order);
  statement_.where = where;
  star_and_more_ = star_and_more;
  aliased_ = aliased;
  return {};
}

Result<void> PartiqlParser::columns() {
  bool star = false;
  size_t count = 0;
  do {
    ++count;
    if (take_operator("*")) {
      star = true;
      continue;
    }
    TRY_INTO(const uint32_t column, disjunction());
    columns_.push_back(column);
    if (take_keyword("as")) {
      if (!is_name()) return malformed("Expected identifier for alias");
      ++at_;
      aliased_ = true;
    } else if (is_name()) {
      ++at_;
      aliased_ = true;
    }
  } while (take(PartiqlToken::kComma));
  star_and_more_ = star && count > 1;
  return {};
}

// Syntactically, the table of a SELECT may be any expression.
Result<void> PartiqlParser::source() {
  if (!is_name()) {
    TRY(disjunction());
    return invalid("Unexpected from source");
  }
  return table();
}

Result<void> PartiqlParser::table() {
  TRY(table_path());
  if (take_keyword("as")) {
    if (!is_name()) return malformed("Expected identifier for alias");
    ++at_;
    aliased_ = true;
  } else if (is_name()) {
    ++at_;
    aliased_ = true;
  }
  return {};
}

Result<void> PartiqlParser::table_path() {
  if (!is_name()) return malformed("Expected identifier for simple path");
  table_.push_back(token().text);
  ++at_;
  while (take(PartiqlToken::kDot)) {
    if (!is_name()) return malformed("Invalid path dot component");
    table_.push_back(token().text);
    ++at_;
  }
  return {};
}

Result<void> PartiqlParser::where() {
  if (!take_keyword("where")) return {};
  TRY_INTO(statement_.where, disjunction());
  return {};
}

Result<void> PartiqlParser::order() {
  if (!take_keyword("by")) return malformed("Expected BY keyword");
  do {
    TRY_INTO(const uint32_t key, disjunction());
    const PartiqlNode& node = statement_.nodes[key];
    if (node.kind != PartiqlKind::kPath || node.path.size() != 1) {
      return invalid(fmt::format("Argument to ORDER BY must be of type VariableReference. Type: {}", type_of(node)));
    }
    PartiqlOrder by{.attribute = node.path.front().name};
    if (take_keyword("desc")) {
      by.descending = true;
    } else {
      take_keyword("asc");
    }
    statement_.order.push_back(std::move(by));
  } while (take(PartiqlToken::kComma));
  return {};
}

Result<void> PartiqlParser::insert() {
  statement_.verb = PartiqlVerb::kInsert;
  ++at_;
  if (!take_keyword("into")) return malformed("Expected INTO keyword");
  TRY(table_path());
  const bool is_value = take_keyword("value");
  if (!is_value) take_keyword("values");
  TRY_INTO(statement_.inserted, disjunction());
  if (!is_value && (is(PartiqlToken::kEnd) || is(PartiqlToken::kSemicolon))) {
    return invalid("Only INSERT INTO ... VALUE is supported");
  }
  return {};
}

Result<void> PartiqlParser::update() {
  statement_.verb = PartiqlVerb::kUpdate;
  ++at_;
  TRY(table());
  TRY(changes());
  TRY(where());
  return returning();
}

Result<void> PartiqlParser::from_first() {
  statement_.verb = PartiqlVerb::kUpdate;
  ++at_;
  if (!is_name()) {
    TRY(disjunction());
    return malformed("Expected data manipulation");
  }
  TRY(table());
  TRY(where());
  TRY(changes());
  return returning();
}

Result<void> PartiqlParser::remove_items() {
  statement_.verb = PartiqlVerb::kDelete;
  ++at_;
  if (!take_keyword("from")) return malformed("Expected FROM keyword");
  TRY(table());
  TRY(where());
  return returning();
}

Result<void> PartiqlParser::changes() {
  if (!is_keyword("set") && !is_keyword("remove")) return malformed("Expected data manipulation");
  while (true) {
    if (take_keyword("set")) {
      do {
        PartiqlChange change;
        TRY_INTO(change.path, simple_path());
        if (!take_operator("=")) return malformed("Expected '=' in SET");
        TRY_INTO(change.value, disjunction());
        statement_.changes.push_back(std::move(change));
      } while (take(PartiqlToken::kComma));
    } else if (take_keyword("remove")) {
      PartiqlChange change;
      TRY_INTO(change.path, simple_path());
      statement_.changes.push_back(std::move(change));
    } else {
      return {};
    }
  }
}

Result<PartiqlPath> PartiqlParser::simple_path() {
  if (!is_name()) return malformed("Expected identifier for simple path");
  PartiqlPath path{{.name = token().text}};
  ++at_;
  TRY(path_steps(path));
  return path;
}

Result<void> PartiqlParser::returning() {
  if (!take_keyword("returning")) return {};
  const bool all = is_keyword("all");
  if (!all && !is_keyword("modified")) return malformed("Expected ALL or MODIFIED in a returning element.");
  ++at_;
  const bool old = is_keyword("old");
  if (!old && !is_keyword("new")) return malformed("Expected OLD or NEW in a returning element.");
  ++at_;
  if (!take_operator("*")) return malformed("Expected STAR");
  statement_.returning = all ? (old ? PartiqlReturning::kAllOld : PartiqlReturning::kAllNew)
                             : (old ? PartiqlReturning::kModifiedOld : PartiqlReturning::kModifiedNew);
  return {};
}

}  // namespace trestle
