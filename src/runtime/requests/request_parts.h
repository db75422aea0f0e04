// The inputs for building requests: the design, the codec of its items, and the state of the call.
//
// The functions over RequestParts send nothing and change only `newest_id_ms`, so they run, and can be tested, without
// a Database. (The codec stores large values in blob storage when it encodes a field with `spill`.)
#pragma once

#include <atomic>
#include <optional>
#include <string_view>

#include "runtime/expressions/scope.h"
#include "runtime/items/stored_item.h"
#include "runtime/requests/call_state.h"

namespace trestle::runtime {

// Borrows everything; cheap to copy.
struct RequestParts {
  const design::Design& design;
  const ItemCodec& codec;
  const CallState& state;
  const Plain& caller;
  std::atomic<int64_t>& newest_id_ms;  // as in SharedState
  const Names* inner_names = nullptr;  // hide the state's entries of the same name; may be null
  std::optional<int64_t> shard = {};   // the shard of a query that is sent to every shard

  // The names that expressions can use; bare names refer to `fields`.
  Scope scope(const Plain* fields = nullptr) const {
    Scope all;
    all.names = &state.names;
    all.inner_names = inner_names;
    all.fields = fields;
    all.caller = &caller;
    all.now_ms = state.now_ms;
    return all;
  }
  // The value of a name; null if it is not defined.
  const Plain* name(std::string_view name) const {
    for (const Names* names : {inner_names, &state.names}) {
      if (names == nullptr) continue;
      if (const auto found = names->find(name); found != names->end()) return &found->second;
    }
    return nullptr;
  }
  RequestParts with(const Names& names) const {
    RequestParts inner = *this;
    inner.inner_names = &names;
    return inner;
  }
};

}  // namespace trestle::runtime
