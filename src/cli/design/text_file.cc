#include "cli/design/text_file.h"

#include <fmt/format.h>

#include <fstream>

namespace trestle::design {

bool write_text_file(const std::string& path, std::string_view text) {
  if (path.empty()) {
    fmt::print("{}", text);
    return true;
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return true;
  fmt::print(stderr, "trestle: cannot write {}\n", path);
  return false;
}

}  // namespace trestle::design
