// The first file of a new design, from a few answers: what is stored, how it is named, what belongs to what, how it is
// listed. The file it makes has no errors when checked; it is meant to be edited.
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
  std::string parent;                // it belongs to one of these, and is listed under it; empty: it stands alone
  std::vector<std::string> unique;   // fields that no two of it share
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

// Asks for what the sketch does not have yet. An end of input is the answer "no more".
Result<void> ask(Sketch& sketch, std::istream& in, std::ostream& out);

// The design file. The sketch must have a name and an entity.
std::string sketch_text(const Sketch& sketch);

}  // namespace trestle::design
