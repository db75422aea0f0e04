// A design in the format of another tool, and the parts that the format cannot express.
#pragma once

#include <string>
#include <vector>

namespace trestle::design {

struct Exported {
  std::string text;
  std::vector<std::string> notes;  // one sentence each
};

}  // namespace trestle::design
