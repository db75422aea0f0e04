// The result of an export: the text in the other tool's format, and notes on what it cannot express.
#pragma once

#include <string>
#include <vector>

namespace trestle::design {

struct Exported {
  std::string text;
  std::vector<std::string> notes;  // one sentence each
};

}  // namespace trestle::design
