// The files of console/dist, embedded in the program at build time (cmake/embed_files.cmake). Constant.
#pragma once

#include <span>
#include <string_view>

namespace trestle::console {

struct EmbeddedFile {
  std::string_view name;     // "app.js"
  std::string_view gzipped;  // the file's bytes, compressed
  std::string_view etag;     // a strong entity tag of the uncompressed bytes, with its quotes
};

std::span<const EmbeddedFile> embedded_files();

}  // namespace trestle::console
