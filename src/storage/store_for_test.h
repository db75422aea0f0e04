// A store with a small cache, opened in a folder or in memory; for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "storage/store.h"

namespace trestle {

inline std::unique_ptr<Store> open_store(StoreOptions options) {
  options.cache_bytes = size_t{8} << 20;
  auto store = Store::open(options);
  EXPECT_TRUE(store.has_value()) << (store ? "" : store.error().message);
  return std::move(*store);
}

inline std::unique_ptr<Store> open_store(const std::string& folder) {
  return open_store(StoreOptions{.folder = folder});
}

}  // namespace trestle
