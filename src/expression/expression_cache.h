// Parsed expressions of the whole process, so that a text seen before is not parsed again.
//
// Bounded by the bytes of the texts it holds. A shard keeps two generations: what is used moves to the young one, and
// when that is full the old one is forgotten. Texts that do not parse are not kept. Threads may call together.
#pragma once

#include "expression/parser.h"

namespace trestle {

ParseResult<std::shared_ptr<const ParsedExpression>> cached_expression(std::string_view text, Grammar grammar);

}  // namespace trestle
