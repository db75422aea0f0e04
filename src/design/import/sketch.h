// Generates a first design file from a few answers: entities, relations, unique fields and lists. The file passes the
// checks and is meant to be edited.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"

namespace trestle::design {

struct SketchEntity {
  std::string name;
  std::string id;                    // name of the id field
  std::vector<std::string> fields;   // "title", or "price: money"
  std::string parent;                // the entity that it belongs to, whose partition lists it; empty: none
  std::vector<std::string> unique;   // fields that must be unique
  std::vector<std::string> list_by;  // fields by which an index lists it
};

struct Sketch {
  std::string name;
  bool several_tables = false;  // one table per entity, instead of one for all
  std::vector<SketchEntity> entities;
};

// Parse an answer and add it: an entity `User:email,name`, a relation `Order:User`, a unique field `User.email`, or a
// field `Order.status` to list by.
Result<void> add_entity(Sketch& sketch, std::string_view text);
Result<void> add_relation(Sketch& sketch, std::string_view text);
Result<void> add_unique(Sketch& sketch, std::string_view text);
Result<void> add_listing(Sketch& sketch, std::string_view text);

// Asks for everything that the sketch lacks. The end of the input means "no more".
Result<void> ask(Sketch& sketch, std::istream& in, std::ostream& out);

// Returns the design file. Precondition: the sketch has a name and at least one entity.
std::string sketch_text(const Sketch& sketch);

}  // namespace trestle::design
