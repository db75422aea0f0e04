// The shapes that requests on items share.
#pragma once

#include "model/parameters.h"
#include "model/shapes/item_enumerations.h"
#include "model/shapes/shape.h"

namespace trestle {

template <>
struct Shape<Placeholders> : ShapeRules {
  static void members(auto& of) {
    of.member("ExpressionAttributeNames", &Placeholders::names);
    of.member("ExpressionAttributeValues", &Placeholders::values);
  }
};

}  // namespace trestle
