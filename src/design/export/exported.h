// A design in another tool's words, and what of it that tool has no words for.
#pragma once

#include <string>
#include <vector>

namespace trestle::design {

struct Exported {
  std::string text;
  std::vector<std::string> notes;  // one sentence each
};

}  // namespace trestle::design
