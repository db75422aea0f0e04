// A draft of a design file, produced by an import or from a few questions and written as YAML for people to edit.
//
// Members marked YAML are written unchanged; names, templates and other texts are quoted as needed. Anything that an
// import could not convert is a comment next to the element concerned.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trestle::design {

struct DraftIndex {
  std::string name;
  bool local = false;
  std::vector<std::string> hash;  // "PK", "stars N"
  std::vector<std::string> range;
  std::string project;  // YAML: keys, [a, b]; empty: all
};

struct DraftTable {
  std::string name;
  std::vector<std::string> comments;
  std::vector<std::string> key;
  std::string type;  // attribute name; empty: none (likewise `ttl`)
  std::string ttl;
  std::string billing;  // YAML
  std::string stream;
  std::vector<DraftIndex> indexes;
};

struct DraftField {
  std::string name;
  std::string type;  // `ulid auto`, `string(1..64) optional`
  std::string comment;
};

struct DraftEntry {
  std::string name;
  std::string on;
  std::vector<std::string> key;  // templates
  bool one = false;
  std::string comment;
};

struct DraftEntity {
  std::string name;
  std::string table;  // written only if there are several tables
  std::vector<std::string> comments;
  std::vector<std::string> key;  // templates
  std::vector<DraftField> fields;
  std::vector<DraftEntry> index;
  std::vector<std::pair<std::string, std::vector<std::string>>> unique;  // name, templates
  std::string ttl;
  std::vector<std::vector<std::pair<std::string, std::string>>> examples;

  const DraftField* field(std::string_view name) const;
};

struct DraftOperation {
  std::string name;
  std::string body;  // YAML: {get: User}
  std::string comment;
};

struct Draft {
  std::string name;
  std::string about;
  std::string tenant;
  std::vector<std::string> comments;  // at the head of the file
  std::vector<DraftTable> tables;
  std::vector<DraftEntity> entities;
  std::vector<DraftOperation> reads;
  std::vector<DraftOperation> writes;

  // Add an operation. A number is appended to a name that is already taken.
  void read(std::string name, std::string body, std::string comment = {});
  void write(std::string name, std::string body, std::string comment = {});
};

std::string draft_text(const Draft& draft);

// Adds the usual operations of each entity: get, list, read by index or guard, create, update, delete. Makes names
// unique first.
void add_usual_operations(Draft& draft);

// A scalar in YAML, quoted if necessary.
std::string yaml_scalar(std::string_view text);
// "TenantGrant" -> "tenantGrant".
std::string lower_first(std::string_view name);
// Converts any text to a name of letters, digits and underscores.
std::string plain_name(std::string_view text);

}  // namespace trestle::design
