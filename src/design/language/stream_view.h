// DynamoDB's names of stream view types.
#pragma once

#include <string_view>

#include "model/table.h"

namespace trestle::design {

inline std::string_view stream_view(StreamViewType type) {
  switch (type) {
    case StreamViewType::kKeysOnly:
      return "KEYS_ONLY";
    case StreamViewType::kNewImage:
      return "NEW_IMAGE";
    case StreamViewType::kOldImage:
      return "OLD_IMAGE";
    case StreamViewType::kNewAndOldImages:
      break;
  }
  return "NEW_AND_OLD_IMAGES";
}

}  // namespace trestle::design
