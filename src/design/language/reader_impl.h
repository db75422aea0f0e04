// Internal to the reader: the class whose member functions, in several files, read the sections of a design.
#pragma once

#include <string>
#include <vector>

#include "design/language/design.h"
#include "design/language/source.h"

namespace trestle::design {

class Reader {
 public:
  explicit Reader(Findings& findings) : findings_(findings) {}

  Design read(const Source& source);

 private:
  // Read a node of a certain shape. A node of another shape adds a mistake and yields nothing or an empty value; a null
  // node yields an empty value.
  bool object(const Node& node, std::string_view kind);  // whether it is a map; unknown and missing words are mistakes
  bool map(const Node& node, std::string_view what);
  std::string text(const Node* node, std::string_view what);
  std::optional<int64_t> integer(const Node* node, std::string_view what);
  bool boolean(const Node* node, std::string_view what);
  std::vector<std::string> texts(const Node* node, std::string_view what);  // a list, or a single text
  int64_t duration(const Node* node, std::string_view what);
  int64_t bytes(const Node* node, std::string_view what);
  std::optional<Expression> expression(const Node* node);
  std::vector<Template> templates(const Node& node);
  void wrong(const Node& node, std::string_view what, std::string_view expected);
  void unknown(Place place, std::string_view what, std::string_view name, const std::vector<std::string>& known);

  // reader_tables.cc
  void read_tables(const Node& node);
  KeyAttribute key_attribute(const Node& node);
  Index read_index(const Entry& entry, const Table& table);
  // reader_entities.cc
  void read_types(const Node& node);
  std::optional<Field> read_field(const Entry& entry);
  std::optional<FieldType> type_named(std::string_view name);
  void read_entities(const Node& node);
  void read_entity_parts(const Node& node, Entity& entity);
  void read_entries(const Node& node, Entity& entity);
  void read_guards(const Node& node, Entity& entity);
  void read_shards(const Node& node, Entity& entity);
  void read_figures(const Node& node, const Entity& entity, Pack& pack);
  void read_flows(const Node& node, Entity& entity);
  void read_examples(const Node& node, Entity& entity);
  std::pair<std::string, std::string> dotted(const Node* node, std::string_view what);
  // reader_operations.cc
  void read_operations(const Node& node, bool writes);
  void read_idempotent(const Node& node, Operation& operation);
  void read_rates(const Node& body, Operation& operation);
  std::vector<Input> read_inputs(const Node& node);
  std::string field_named(const Node& node) const;
  std::optional<Access> read_access(const Node& node);
  void read_collection(const Node& node, Access& access);
  void read_raw(const Node& node, Access& access);
  void target(const Node& node, Access& access, bool for_get);
  std::vector<Binding> bindings(const Node& node, bool as_inputs);
  std::optional<Binding> binding(const Entry& entry);
  void read_shorthand_inputs(Operation& operation, bool explicit_inputs);
  std::optional<Expression> read_allow(const Node& node);
  // reader_steps.cc
  void check_words(const Node& node);
  std::vector<Step> read_steps(const Node& node);
  std::optional<Step> read_step(const Node& node);
  std::optional<Write> read_write(const Node& node);
  void read_raw_update(const Node& node, const Node& raw, Write& write);
  void read_writes(const Node& node, Step& step);
  Step read_loop(const Node& node);
  void read_next(const Node& node, const Node& next, Step& step);
  std::shared_ptr<const Failure> read_failure(const Node* node);
  Answer read_answer(const Node& node);
  // reader_behaviour.cc
  void read_limits(const Node& node);
  void read_tallies(const Node& node);
  void read_roles(const Node& node);
  void read_reactions(const Node& node);
  // reader_claims.cc
  void read_claims(const Node& node);
  void read_alerts(const Node& node);

  Findings& findings_;
  Design design_;
};

}  // namespace trestle::design
