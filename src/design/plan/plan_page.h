// Builds a text listing: indented lines, wrapped at 118 columns, with labels in a column of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trestle::design {

class Page {
 public:
  explicit Page(size_t depth) : depth_(depth) {}
  void line(std::string_view text);
  // "label   text"; continuation lines are aligned with the text.
  void row(std::string_view label, std::string_view text);
  // The same, but wraps between `items` where possible.
  void list(std::string_view label, const std::vector<std::string>& items, std::string_view separator);
  void blank() { out_ += '\n'; }
  void append(std::string_view text) { out_ += text; }
  std::string take() { return std::move(out_); }
  size_t depth() const { return depth_; }

 private:
  size_t depth_;
  std::string out_;
};

}  // namespace trestle::design
