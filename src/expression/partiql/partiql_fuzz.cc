// Parses arbitrary text as a PartiQL statement and lowers every clause it has.
#include "expression/condition.h"
#include "expression/partiql/partiql_lowering.h"
#include "expression/partiql/partiql_parser.h"
#include "expression/update/update.h"

namespace trestle {
namespace {

// The lowered text is a valid expression: whatever the operands, it has no syntax error.
void check(const Result<void>& compiled) {
  if (compiled) return;
  for (const std::string_view prefix :
       {"Invalid FilterExpression: Syntax error", "Invalid UpdateExpression: Syntax error"}) {
    if (compiled.error().message.starts_with(prefix)) __builtin_trap();
  }
}

template <class T>
Result<void> outcome(const Result<T>& result) {
  if (!result) return std::unexpected(result.error());
  return {};
}

void run(std::string_view text) {
  const auto statement = parse_partiql(text);
  if (!statement) return;
  const std::vector<Value> parameters{Value::string("text"), Value::number(7), Value::null()};
  if (statement->verb == PartiqlVerb::kInsert) {
    (void)PartiqlLowering(*statement, parameters).inserted_item();
  }
  PartiqlLowering lowering(*statement, parameters);
  std::optional<std::string> condition;
  if (statement->where) {
    if (auto lowered = lowering.condition(*statement->where)) condition = std::move(*lowered);
  }
  std::optional<std::string> update;
  if (statement->verb == PartiqlVerb::kUpdate) {
    if (auto lowered = lowering.update()) update = std::move(*lowered);
  }
  const Placeholders placeholders = lowering.release_placeholders();
  auto binding = Binding::make(placeholders, true);
  if (!binding) return;
  if (condition) check(outcome(compile_condition(*condition, ExpressionKind::kFilter, *binding)));
  if (update) check(outcome(compile_update(*update, *binding)));
}

}  // namespace
}  // namespace trestle

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size <= 8192) trestle::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
