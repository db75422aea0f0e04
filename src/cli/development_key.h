// The development key: signs tokens of callers where the operator configured no keys.
//
// Made by `trestle serve` on a loopback address without --jwks and --api-keys, or by `trestle design token`, in the
// data folder, readable by its owner alone. It is a JWKS with one HS256 key.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "base/result.h"

namespace trestle {

// The key's file in the data folder; it is made if it is not there.
BasicResult<std::string, std::string> development_key_file(const std::string& data);

// `trestle design token`.
void add_token_command(CLI::App& design, int& exit_status);

// Writes a file that nobody else may read, unless it exists.
bool write_private(const std::string& path, const std::string& text);

}  // namespace trestle
