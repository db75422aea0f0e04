// The return type of a function that can fail: a value or an error, never both, and never ignored. A struct over
// std::expected rather than an alias, so that g++ 12 warns when a result is dropped.
//
//   Result<Item> read(Key key);
//   TRY_INTO(Item item, read(key));     // returns the error to our own caller, or declares item
//   TRY(store.commit(batch));           // the same, where there is no value
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

// Each use has a unique name, since a use may be inside the lambda of another one.
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
