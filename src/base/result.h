// The return type of functions that can fail: a value or an error, never both, and never ignored. It is a struct
// derived from std::expected rather than an alias, so that g++ 12 warns if a result is dropped.
//
//   Result<Item> read(Key key);
//   TRY_INTO(Item item, read(key));     // declares item, or returns the error from the calling function
//   TRY(store.commit(batch));           // the same if there is no value
#pragma once

#include <expected>
#include <utility>

namespace trestle {

template <class T, class E>
struct [[nodiscard]] BasicResult : std::expected<T, E> {
  using std::expected<T, E>::expected;
};

}  // namespace trestle

#define TRESTLE_JOIN_(a, b) a##b
#define TRESTLE_JOIN(a, b) TRESTLE_JOIN_(a, b)

// Each use has a unique name, because it may be inside a lambda within another use.
#define TRY(expression) TRY_(TRESTLE_JOIN(try_result_, __COUNTER__), expression)
#define TRY_(name, expression)                                    \
  do {                                                            \
    if (auto name = (expression); !name.has_value()) [[unlikely]] \
      return std::unexpected(std::move(name).error());            \
  } while (false)

#define TRY_INTO(declaration, expression) TRY_INTO_(TRESTLE_JOIN(try_result_, __COUNTER__), declaration, expression)
#define TRY_INTO_(name, declaration, expression)     \
  auto name = (expression);                          \
  if (!name.has_value()) [[unlikely]]                \
    return std::unexpected(std::move(name).error()); \
  declaration = std::move(*name)
