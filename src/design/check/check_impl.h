// Internal to the checker: which entities store items in which table or index, and their keys as sets of strings.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "design/check/check.h"
#include "design/language/raw_condition.h"

namespace trestle::design {

// The keys of one entity (or guard) in a table or an index.
struct Occupant {
  const Entity* entity = nullptr;
  const IndexEntry* entry = nullptr;  // set in an index
  const Guard* guard = nullptr;       // set for a guard, in a table
  std::vector<const Template*> key;   // one template per hash attribute, then per range attribute
  std::vector<StringSet> strings;     // the strings that each template of `key` can produce
  Place place() const {
    return entry != nullptr   ? entry->place
           : guard != nullptr ? guard->place
           : key.empty()      ? entity->place
                              : key[0]->place;
  }
  std::string name() const;
};

// A table or an index, with everything that can be stored in it.
struct KeySpace {
  const Table* table = nullptr;
  const Index* index = nullptr;  // null for the table itself
  std::vector<Occupant> occupants;

  const KeySchema& schema() const { return index == nullptr ? table->key : index->key; }
  const std::string& name() const { return index == nullptr ? table->name : index->name; }
};

// The keys that a read covers: for each key attribute, the values that match.
struct Reach {
  const KeySpace* space = nullptr;
  std::vector<StringSet> strings;
  std::vector<const Occupant*> occupants;  // that the read can return
};

struct CheckContext {
  explicit CheckContext(const Design& design);

  const Design& design;
  std::vector<KeySpace> spaces;

  const KeySpace* space(std::string_view table, std::string_view index) const;
  // A write to an entity by an operation.
  struct EntityWrite {
    const Operation* operation;
    const Write* write;
    size_t writes_in_transaction;  // number of writes in the same transaction
    bool on_failure;               // runs only when another step fails
  };
  std::vector<EntityWrite> writes_to(std::string_view entity) const;
  // Whether items of the entity accumulate values instead of recording one event: the entity has a counter or a min/max
  // field, or is the target of a tally.
  bool accumulates(const Entity& entity) const;
};

bool can_share_key(const Occupant& a, const Occupant& b, std::string* example);
Reach reach_of(const CheckContext& context, const Operation& operation, const Access& access);
// Whether the field has few values at any one time: it is declared `few`, or its name begins with "latest".
inline bool has_few_values(const Field& field) { return field.few || field.name.starts_with("latest"); }
// A raw read: its parsed condition, and the occupants of entities in `finds` that it reaches. `space` is null if the
// index does not exist or the condition does not fix the partition key.
struct RawReach {
  const KeySpace* space = nullptr;
  RawCondition condition;
  std::vector<const Occupant*> intended;
};
RawReach raw_reach_of(const CheckContext& context, const Operation& operation, const Access& access);
// The field that identifies items of the entity: supplied by the caller (`id`) or generated. Null if there is none.
const Field* own_id(const Entity& entity);
// Whether the values of these fields identify a single item: they include its whole key, its own id, a guarded field,
// or the id of another entity that has at most one such item.
bool names_one_item(const CheckContext& context, const Entity& entity, const std::set<std::string>& fields);
// Whether the entity is a log: its key contains a time, so new items follow each other in time.
bool is_log(const Entity& entity);
// Whether the field can change, judging by the design: an operation updates it, or the design contains no operation
// that creates items of the entity, so its writes are unknown.
bool can_change(const CheckContext& context, const Entity& entity, const Field& field);
// Whether different values of the type always give different texts in the key part.
bool has_one_spelling(const TemplatePart& part, const FieldType& type);
// The distinct fields of the key, in order of first use.
std::vector<std::string> fields_of_key(const std::vector<Template>& key);
// Whether changes to the two are kept in step: one operation writes both, or one is derived from the other by `each`, a
// tally or a reaction.
bool written_together(const CheckContext& context, const Entity& a, const Entity& b);

bool binds(const std::vector<Binding>& list, std::string_view field);
bool names_field(const Expression& expression, std::string_view field);
// The capacity units of writing one item, at its typical size.
double write_units(const Entity& entity);

void check_tables(const CheckContext& context, Findings& findings);
void check_keys(const CheckContext& context, Findings& findings);
void check_constants(const CheckContext& context, Findings& findings);
void check_prefixes(const CheckContext& context, Findings& findings);
void check_growth(const CheckContext& context, Findings& findings);
void check_lists(const CheckContext& context, Findings& findings);
void check_names(const CheckContext& context, Findings& findings);
void check_copies(const CheckContext& context, Findings& findings);
void check_references(const CheckContext& context, Findings& findings);
void check_overwrites(const CheckContext& context, Findings& findings);
void check_races(const CheckContext& context, Findings& findings);
void check_examples(const CheckContext& context, Findings& findings);
void check_raw_reads(const CheckContext& context, Findings& findings);
void check_reads(const CheckContext& context, Findings& findings);
void check_indexes(const CheckContext& context, Findings& findings);
void check_writes(const CheckContext& context, Findings& findings);
void check_raw_updates(const CheckContext& context, Findings& findings);
void check_transactions(const CheckContext& context, Findings& findings);
void check_numbers(const CheckContext& context, Findings& findings);
void check_created_values(const CheckContext& context, Findings& findings);
void check_figure_defaults(const CheckContext& context, Findings& findings);
void check_partial_effects(const CheckContext& context, Findings& findings);
void check_capacity(const CheckContext& context, Findings& findings);
void check_figures(const CheckContext& context, Findings& findings);
void check_extremes(const CheckContext& context, Findings& findings);
void check_written_figures(const CheckContext& context, Findings& findings);
void check_left_counts(const CheckContext& context, Findings& findings);
void check_followers(const CheckContext& context, Findings& findings);
void check_lost_updates(const CheckContext& context, Findings& findings);
void check_answers(const CheckContext& context, Findings& findings);
void check_shards(const CheckContext& context, Findings& findings);
void check_lifecycle(const CheckContext& context, Findings& findings);
// Checks claims about what operations and code do. Called by check_claims().
void check_behaviour_claim(const CheckContext& context, const Claim& claim, Findings& findings);
void check_claims(const CheckContext& context, Findings& findings);

}  // namespace trestle::design
