#include "design/text_file.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace trestle::design {

std::optional<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return std::nullopt;
  return text;
}

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
