// A process-wide cache of parsed expressions.
//
// Bounded by the total size of the expression texts. Each shard has two generations: an entry that is used moves to the
// young generation, and when that is full the old generation is dropped. Texts that do not parse are not cached.
// Thread-safe.
#pragma once

#include "expression/parser.h"

namespace trestle {

ParseResult<std::shared_ptr<const ParsedExpression>> cached_expression(std::string_view text, Grammar grammar);

}  // namespace trestle
