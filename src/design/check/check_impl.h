// Shared by the checks: which entities use which key space, and their keys as sets of strings. Internal to the checker.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "design/check/check.h"
#include "design/language/raw_condition.h"

namespace trestle::design {

// An entity's (or a guard's) keys in a table or an index.
struct Occupant {
  const Entity* entity = nullptr;
  const IndexEntry* entry = nullptr;  // in an index
  const Guard* guard = nullptr;       // in a table
  std::vector<const Template*> key;   // hash attributes, then range attributes
  std::vector<StringSet> strings;     // one for each
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
  const Index* index = nullptr;  // null: the table itself
  std::vector<Occupant> occupants;

  const KeySchema& schema() const { return index == nullptr ? table->key : index->key; }
  const std::string& name() const { return index == nullptr ? table->name : index->name; }
};

// The keys that a read covers: for each key attribute, the set of values it admits.
struct Reach {
  const KeySpace* space = nullptr;
  std::vector<StringSet> strings;
  std::vector<const Occupant*> occupants;  // that it can return
};

struct CheckContext {
  explicit CheckContext(const Design& design);

  const Design& design;
  std::vector<KeySpace> spaces;

  const KeySpace* space(std::string_view table, std::string_view index) const;
  // Every write that some operation makes to an entity.
  struct EntityWrite {
    const Operation* operation;
    const Write* write;
    size_t together;  // writes in the same transaction
    bool on_failure;  // done instead of the rest, when something fails
  };
  std::vector<EntityWrite> writes_to(std::string_view entity) const;
  // An entity that accumulates rather than records: counters, extremes, a tally's or a limit's target.
  bool accumulates(const Entity& entity) const;
};

bool can_share_key(const Occupant& a, const Occupant& b, std::string* example);
Reach reach_of(const CheckContext& context, const Operation& operation, const Access& access);
// Whether the field has few values at any one time: it is said to, or it is the latest of something.
inline bool has_few_values(const Field& field) { return field.few || field.name.starts_with("latest"); }
// A read as a document writes it: its condition, and the entities among `finds` that it reaches. `space` is null where
// there is no such index or the partition key is not given.
struct RawReach {
  const KeySpace* space = nullptr;
  RawCondition condition;
  std::vector<const Occupant*> meant;
};
RawReach raw_reach_of(const CheckContext& context, const Operation& operation, const Access& access);
// The id of the entity's items: supplied by the caller (`id`) or generated. Null: none.
const Field* own_id(const Entity& entity);
// Whether these fields of an item leave no other: they contain its key, its own id, a guarded field, or the id of
// something that has one such item.
bool names_one_item(const CheckContext& context, const Entity& entity, const std::set<std::string>& fields);
// Whether items of one entity come one after the other: the key contains a time.
bool is_log(const Entity& entity);
// Whether the field can change, as far as the file says: an operation updates it, or none creates items of the entity.
bool can_change(const CheckContext& context, const Entity& entity, const Field& field);
// Whether the fields of the key, in order, are exactly these.
std::vector<std::string> fields_of_key(const std::vector<Template>& key);
// Whether some operation writes items of both, or what happens to one is followed in the other.
bool written_together(const CheckContext& context, const Entity& a, const Entity& b);
// Whether the list binds the field.
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
void check_partial_effects(const CheckContext& context, Findings& findings);
void check_capacity(const CheckContext& context, Findings& findings);
void check_figures(const CheckContext& context, Findings& findings);
void check_extremes(const CheckContext& context, Findings& findings);
void check_written_figures(const CheckContext& context, Findings& findings);
void check_left_counts(const CheckContext& context, Findings& findings);
void check_lost_updates(const CheckContext& context, Findings& findings);
void check_answers(const CheckContext& context, Findings& findings);
void check_shards(const CheckContext& context, Findings& findings);
void check_lifecycle(const CheckContext& context, Findings& findings);
// Claims about what operations and code do: check_claims_behaviour.cc.
void check_behaviour_claim(const CheckContext& context, const Claim& claim, Findings& findings);
void check_claims(const CheckContext& context, Findings& findings);

}  // namespace trestle::design
