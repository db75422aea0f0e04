// The development key: signs callers' tokens if the operator configured no keys.
//
// Created in the data folder by `trestle serve` on a loopback address without --jwks and --api-keys, or by `trestle
// design token`. Only its owner can read it. It is a JWKS with one HS256 key. A server that keeps everything in memory
// stores it in a temporary folder, which it removes when it stops.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "base/result.h"

namespace trestle {

// A folder for temporary files that only its owner may enter. The destructor removes it.
class TemporaryFolder {
 public:
  static BasicResult<std::unique_ptr<TemporaryFolder>, std::string> make();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// The path of the key's file in the data folder; creates the file if it does not exist.
BasicResult<std::string, std::string> development_key_file(const std::string& data);

// `trestle design token`.
void add_token_command(CLI::App& design, int& exit_status);

// Writes a file that only its owner may read. Fails if it exists.
bool write_private(const std::string& path, const std::string& text);

}  // namespace trestle
