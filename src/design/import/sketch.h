// A first design file from a few answers: what is stored, its identifiers, ownership and lists. The generated file
// passes the checks; it is meant to be edited.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"

namespace trestle::design {

struct SketchEntity {
  std::string name;
  std::string id;                    // its id field; empty: name + "Id"
  std::vector<std::string> fields;   // "title", or "price: money"
  std::string parent;                // the entity that it belongs to and is listed under; empty: none
  std::vector<std::string> unique;   // fields that must be unique
  std::vector<std::string> list_by;  // fields by which it is listed through an index
};

struct Sketch {
  std::string name;
  bool several_tables = false;  // a table per entity; else one for all
  std::vector<SketchEntity> entities;
};

// Puts the answers in order: an entity `User:email,name`, a relation `Order:User`, `User.email` unique or listed by.
Result<void> add_entity(Sketch& sketch, std::string_view text);
Result<void> add_relation(Sketch& sketch, std::string_view text);
Result<void> add_unique(Sketch& sketch, std::string_view text);
Result<void> add_listing(Sketch& sketch, std::string_view text);

// Asks for everything the sketch lacks. The end of the input means "no more".
Result<void> ask(Sketch& sketch, std::istream& in, std::ostream& out);

// The design file. The sketch must have a name and an entity.
std::string sketch_text(const Sketch& sketch);

}  // namespace trestle::design
