// The source or target of a copy, and its Database.
//
//   http://127.0.0.1:8000, https://...   an endpoint
//   aws:eu-central-1                     Amazon DynamoDB in that region
//   ./data                               a data folder of Trestle that no other process has open
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/database.h"

namespace trestle::copy {

struct CopyEndpoint {
  std::string text;
  std::string profile = {};  // from the AWS command line's files; empty: the environment
  bool may_create = false;   // create a missing folder
  size_t connections_max = 64;
};

// The endpoint's URL; nothing for a folder.
std::optional<std::string> url_of(const std::string& text);
Result<std::unique_ptr<Database>> open_copy_endpoint(const CopyEndpoint& endpoint);

}  // namespace trestle::copy
