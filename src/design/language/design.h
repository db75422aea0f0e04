// A design: the contents of the file as plain structs. Built by read_design() (design/language/reader.h), checked by
// check_design() (design/check/check.h); everything else (plan, cost, docs, export, the runtime) reads it and never
// changes it.
//
// Names are resolved: if reading reported no mistakes, every entity, index, field, limit and role that the design names
// exists, except inside key templates and raw reads, which the checker validates. Vectors are in the order of the file.
// Structs that correspond to a place in the file record it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "design/language/expression.h"
#include "design/language/field_type.h"
#include "design/language/finding.h"
#include "design/language/quantity.h"
#include "design/language/source.h"
#include "design/language/template.h"
#include "model/table.h"

namespace trestle::design {

// ---- Tables ------------------------------------------------------------------------------------------------------

struct Index {
  std::string name;
  Place place;
  bool local = false;
  KeySchema key;
  Projection projection;
};

struct Table {
  std::string name;
  Place place;
  std::string about;
  KeySchema key;
  std::string type_attribute;  // holds the entity's `type`; empty: none
  std::string ttl_attribute;   // empty: the table has no TTL
  Place ttl_place;
  BillingMode billing = BillingMode::kPayPerRequest;
  Throughput throughput;  // if provisioned
  std::optional<StreamViewType> stream;
  // Settings. The defaults are those of DynamoDB for a new table: off, a key owned by AWS, standard class, no tags.
  bool recovery = false;  // point-in-time recovery
  bool deletion_protection = false;
  std::string encryption;  // empty: a key owned by AWS; "kms": the AWS managed key; else a key's ARN, id or alias
  bool infrequent_access = false;  // the table class
  std::vector<std::pair<std::string, std::string>> tags;
  std::string parameter;  // name of the export parameter for the table's name; empty: derived from the name
  std::vector<Index> indexes;

  const Index* index(std::string_view name) const;
};

// ---- Entities ----------------------------------------------------------------------------------------------------

struct Field {
  std::string name;
  Place place;
  FieldType type;
  bool optional = false;
  bool automatic = false;   // `auto`: generated on creation (a new id, the time)
  bool touched = false;     // `touch`: set to the current time on every write
  bool immutable = false;   // never changes after creation (fields of the key never do)
  bool few = false;         // `few`: has few values at any one time
  bool identifier = false;  // `id`: supplied by the caller, unique per item
  bool secret = false;      // never returned by a read, never logged
  bool encrypted = false;   // AES-256-GCM in the item
  bool counter = false;     // changed only by addition; starts at 0
  bool revision = false;    // incremented on every write; writes may require its value
  enum class Extreme { kNone, kMin, kMax } extreme = Extreme::kNone;  // stores the least or greatest value written
  std::string sha256_of;  // if set, the field is the SHA-256 of this input or field, which is not stored itself
  std::optional<Expression> default_value;
};

// An entry of the entity in a secondary index. An item has the entry exactly if all fields of the templates exist and
// `condition` holds.
struct IndexEntry {
  std::string name;
  Place place;
  std::string index;          // name of the table's index
  std::vector<Template> key;  // one per key attribute of the index: hash attributes, then range attributes
  std::optional<Expression> condition;
  bool one = false;  // declared: at most one item has these values
};

// An extra item that enforces a unique value of the entity. It is created in one transaction with its owner, on
// condition that it does not exist.
struct Guard {
  std::string name;  // usually the name of the field
  Place place;
  std::vector<Template> key;       // one per key attribute of the table
  std::string type;                // value of the table's type attribute
  std::vector<std::string> keeps;  // fields copied into the guard; always includes the owner's key fields
};

struct FlowStep {
  std::string from;
  std::vector<std::string> to;
};
struct Flow {
  std::string field;
  Place place;
  std::vector<FlowStep> steps;
};

// A computed field, hash(of) modulo a count, that spreads one key over several partitions. It is not stored as a field.
struct Shard {
  std::string field;  // its name in templates
  Place place;
  std::string of;                           // the field that is hashed
  int64_t count = 0;                        // the fixed count, or 0 if it is stored
  std::string count_entity, count_field;    // where the count is stored, if it can change
  std::string epochs_entity, epochs_field;  // the list of (from, count): an item uses the count in force at its time
  int64_t initial = 1;                      // the count until one is stored
  int64_t most = 64;
  int64_t lead_s = 0;  // a new epoch must begin at least this long after it is set
};

// Figures of packing a value, which are also the names of the fields in which `figures: true` stores them.
inline constexpr std::array<std::string_view, 5> kPackFigures = {"compressed", "compression_algorithm", "original_size",
                                                                 "storage_size", "compression_ratio"};
struct Pack {
  std::string field;
  Place place;
  int64_t over_bytes = 0;
  double saves = 0;     // stored packed only if that is smaller by at least this fraction
  bool base64 = false;  // stored as text rather than Binary
  std::map<std::string, std::string, std::less<>> figures;  // figures of packing (kPackFigures), by the field of each
};
struct Spill {
  std::string field;
  Place place;
  int64_t over_bytes = 0;  // threshold, applied after packing
};

// One child item per member of a set or list. A write of the owner creates and deletes the children whose members
// changed.
struct Each {
  std::string field;  // of the owner
  Place place;
  std::string entity;  // the child
  std::string member;  // the child's field for the member; its other fields copy the owner's fields of the same name
};

// A sample item of the design file: attribute names and values as text.
struct Example {
  Place place;
  std::vector<std::pair<std::string, std::string>> attributes;
};

struct Entity {
  std::string name;
  Place place;
  std::string about;
  std::string table;
  std::string type;           // value of the table's type attribute
  std::vector<Template> key;  // one template per key attribute of the table: hash, then range
  std::vector<Field> fields;
  std::vector<IndexEntry> index;
  std::vector<Guard> unique;
  std::optional<Expression> ttl;  // the time when the item expires
  Place ttl_place;
  std::vector<Flow> flows;
  std::vector<Shard> shards;
  std::vector<Pack> packs;
  std::vector<Spill> spills;
  std::vector<Each> eaches;
  std::vector<Example> examples;
  // Other keys under which programs wrote items of the entity. Verification recognizes such items and moves them to the
  // current key; their keys are never taken for those of another entity.
  std::vector<std::vector<Template>> formerly;
  bool additional = false;  // items may have undeclared attributes, which operations accept, store and return unchanged
  int64_t item_bytes = 0;   // typical size; 0: not declared
  int64_t count = 0;        // number of items; 0: not declared

  const Field* field(std::string_view name) const;
  const IndexEntry* entry(std::string_view name) const;
  const Shard* shard(std::string_view field) const;
  const Guard* guard(std::string_view name) const;
  // The attribute in which a guard stores a kept field: the one with the field's name, unless the guard's own key uses
  // it.
  std::string guard_attribute(const Table& of, const Guard& guard, const std::string& field) const;
  bool in_key(std::string_view field) const;
  // The table's TTL attribute, if it is stored beside the fields; none if it is one of them, or nothing expires.
  const std::string* expiry_attribute(const Table& of) const;
};

// A type declared under `types`: a record of fields, or an alias, represented as a record with one unnamed field.
struct NamedRecord {
  std::string name;
  Place place;
  std::vector<Field> fields;
};

// ---- Operations --------------------------------------------------------------------------------------------------

struct Input {
  std::string name;
  Place place;
  FieldType type;
  bool optional = false;
  std::optional<Expression> default_value;
  std::string of;  // "Entity.field" if the type was written that way; else empty
  // The literal in front of the value where the field is stored in a key attribute of its name. Callers may include it;
  // it is then removed from the input.
  std::string prefix;
};

struct Binding {
  std::string field;
  // The element of a map or list: the target `hourly[$hour]` has field "hourly" and element `$hour`.
  std::optional<Expression> element;
  Expression value;
  Place place;
};

// The minimum or maximum of a value over the counted items. In a `min<T>` or `max<T>` field it is the all-time extreme.
// In any other field it is exact: absent while no item is counted, and read again from the items when the item that
// holds it is deleted or changes (design/plan/extreme_read.h).
struct TallyExtreme {
  bool greatest = false;
  Binding figure;
};

struct Failure;

// A read: how items are found.
struct Access {
  enum class Kind { kGet, kQuery, kScan, kRaw };
  Kind kind = Kind::kGet;
  Place place;
  std::string entity;
  std::string index;  // name of the entity's IndexEntry, or of a guard if `by_guard`; empty: the table
  // kQuery: further entities in the same partition that the same request returns, each with the name of its IndexEntry
  // or "". In the answer `_entity` tells the items apart.
  std::vector<std::pair<std::string, std::string>> others;
  bool by_guard = false;    // reads a uniqueness guard, then its owner
  std::vector<Binding> by;  // equality: all fields of the hash templates, then leading fields of the range template
  std::string range_field;  // the next field of the range template is between...
  std::optional<Expression> from, to;  // ...these, inclusive; an absent input leaves its side open
  std::string prefix_field;            // or begins with...
  std::optional<Expression> prefix;
  std::optional<Expression> filter;
  bool descending = false;
  bool one = false;
  bool consistent = false;
  bool all = false;  // reads all pages and returns them together
  int64_t limit = 0;
  // kRaw: the table, index and key condition as written.
  std::string raw_table, raw_index;
  std::optional<Expression> where;
  std::vector<std::string> fields;  // the fields returned; empty: all except secret fields
  std::vector<std::string> finds;   // kRaw: the entities that it is intended to find
};

// In the answer of a query of several entities, the member of each item that holds its entity's name.
inline constexpr std::string_view kEntityMember = "_entity";

struct Write {
  enum class Kind { kPut, kUpdate, kUpsert, kDelete, kCheck };
  Kind kind = Kind::kPut;
  Place place;
  std::string entity;
  std::vector<Binding> by;    // the key's fields; unbound ones take the input of the same name
  std::vector<Binding> set;   // the other fields
  bool sets_inputs = false;   // every field not in `set` takes the input of the same name, if there is one
  std::vector<Binding> add;   // counters, sets
  std::vector<Binding> take;  // members removed from sets
  std::vector<std::string> remove;
  std::optional<Expression> condition;
  enum class Exists { kEither, kAbsent, kPresent } exists = Exists::kEither;  // `if: absent`, `if: present`
  std::shared_ptr<const Failure> otherwise;                                   // shared because steps are copied
  std::optional<Expression> when;                                             // the write is left out unless this holds
  std::string from;  // kPut: the step whose item is copied, unknown attributes included; `set` overrides its fields
  bool additional = false;  // also writes the call's attributes that are not inputs
  bool is_load = false;     // kPut: loads an item from elsewhere, keeping its status and revision
  std::string raw;          // a DynamoDB update expression as written
  Place raw_place;
  // Set in the planned write of a tally's target: a minimum or maximum of the tally, with the counted item's value
  // before and after.
  struct Extreme {
    const TallyExtreme* figure = nullptr;
    std::optional<Expression> was, is;
  };
  std::vector<Extreme> extremes;
};

struct Step {
  enum class Kind {
    kFind,     // reads `access` and names the result `name`; `otherwise` applies if nothing is found
    kRequire,  // `value` must hold, else `otherwise` applies
    kLet,      // computes and names `values`
    kLimit,    // counts one call in rate window `limit`; `otherwise` applies if it is full
    kAtomic,   // `writes` in one transaction, or a single write. `steps` are loops (kFor) that add their writes to the
               // transaction: each loop has reads and values, then one kAtomic step
    kCascade,  // deletes everything that `access` finds, page by page; resumable
    kFor,      // runs `steps` for each member of `value`, named `name`
  };
  Kind kind = Kind::kFind;
  Place place;
  std::string name;
  std::optional<Access> access;
  std::optional<Expression> value;
  std::vector<Binding> values;
  std::string limit;
  std::vector<Binding> by;
  std::vector<Write> writes;
  std::vector<Step> steps;
  std::string next;  // kAtomic with one update: the counter whose new value, returned by UpdateItem, is named `name`
  std::vector<Step> undo;  // kAtomic: one kAtomic step that reverts it if a later step fails; empty: none
  int64_t most = 0;        // kFor within kAtomic: the maximum number of members; 0: not declared
  std::optional<Expression> when;
  std::shared_ptr<const Failure> otherwise;
};

struct Failure {
  int status = 409;  // HTTP
  std::string message;
  std::string field;       // the input to report as invalid
  std::vector<Step> also;  // run before answering, for example to record a security event
  int retries_max = 0;     // how often the whole operation is retried first
};

// The answer of an operation: an expression, an object of results, or one result per member of a list.
struct AnswerMember;
struct Answer {
  Place place;
  std::optional<Expression> value;
  std::vector<AnswerMember> members;
  std::optional<Expression> each;    // the list
  std::optional<Expression> where;   // with `each`: a filter on the members
  std::optional<Expression> key;     // with `each`: answer an object with this key per member; absent: a list
  std::shared_ptr<const Answer> of;  // with `each`: the result per member
};

struct AnswerMember {
  std::string name;
  Answer answer;
};

struct Operation {
  std::string name;
  Place place;
  std::string about;
  bool is_write = false;
  std::vector<Input> takes;
  std::vector<std::string> knows;  // the values that the caller has, if the design states them
  bool states_knows = false;
  bool ignores_errors = false;   // `errors: ignored`: the described code swallows DynamoDB's errors
  std::optional<Access> access;  // set for a single read; otherwise the operation has `steps`
  std::vector<Step> steps;
  std::optional<Answer> returns;    // absent: answers the item or items
  std::optional<Expression> allow;  // condition on the caller; absent: everyone
  int64_t cached_s = 0;             // reads: how long an answer is cached
  // By input: a failure whose `also` steps run if the input has the wrong type. The answer remains 400.
  std::vector<std::pair<std::string, std::shared_ptr<const Failure>>> bad;
  bool additional = false;  // accepts attributes that are not inputs, for writes with `additional`
  std::string idempotent;   // a guard of the entity that is put: if it exists, its owner is the answer
  Rate peak;                // calls at peak; the load that partitions must serve
  Rate average;             // calls averaged over a month; the basis of `cost`
  Place rate_place;         // place of `rate`, the old word for `peak`, if the file uses it

  const Input* input(std::string_view name) const;
};

// ---- The rest ----------------------------------------------------------------------------------------------------

// A rate limit: at most `max` calls in any `window`, counted in slices. Each slice is an item of `entity` whose epoch
// field is the slice's start. Its counter `count` may grow up to `budget`, which is `max` minus the counts of the
// earlier slices in the window.
struct Limit {
  std::string name;
  Place place;
  std::string entity;
  int64_t window_s = 0;
  int64_t slice_s = 0;
  int64_t max = 0;
};

// Aggregates in an item of `into`, updated for each item of `of` that is created, changed or deleted.
struct Tally {
  std::string name;
  Place place;
  std::string of;
  std::string into;
  std::vector<Binding> by;   // the target's key fields, computed from the counted item
  std::vector<Binding> add;  // the target's counters
  std::vector<TallyExtreme> extremes;
  std::optional<Expression> when;
  bool through_stream = false;  // else updated in the writer's transaction

  // Whether the tally writes this field of its target.
  bool writes(std::string_view field) const;
};

// Calls `visit(binding)` for every aggregate ("figure") of a tally.
template <class Visit>
void each_figure(const Tally& tally, const Visit& visit) {
  for (const Binding& add : tally.add) visit(add);
  for (const TallyExtreme& extreme : tally.extremes) visit(extreme.figure);
}

struct Role {
  std::string name;
  Place place;
  Expression rule;
};

struct Reaction {
  std::string name;
  Place place;
  std::string entity;
  bool on_insert = true, on_modify = true, on_remove = true, on_expire = true;
  std::optional<Expression> condition;  // `if`, over `old` and `new`
  std::string call;                     // the name of a configured HTTP endpoint...
  std::string run;                      // ...or `do`: an operation of the design, whose inputs are `with`
  std::vector<Binding> send;
  std::string ask;           // a read to run first; its inputs are the item's fields, its answer is `$asked`
  bool cloud_event = false;  // send the body as the data of a CloudEvent
  std::string then;          // the operation that records each outcome
  // Inputs of `then` or `do`: expressions over `old`, `new` and $status, $errorMessage, $duration_ms, $reply, $event.
  // An unbound input takes the $value of its name, else the item's field of its name.
  std::vector<Binding> with;
  int64_t retries = 8;
};

// A statement about the design. The checker reports it if it is false.
struct Claim {
  Place place;
  std::string says;
  std::string kind;     // unique, distinct, isolated, spreads, encrypted, ttl, sparse, requests, stream, only, ...
  std::string subject;  // "Tenant.byName", "GSI1", ...
  std::vector<std::string> values;
};

// An alarm threshold: the cost of a month, or capacity units per second of a table.
struct Alert {
  std::string name;
  Place place;
  std::string says;  // a description
  double cost = 0;   // dollars per month; 0: not set
  std::string table;
  double read_units = 0, write_units = 0;  // per second; 0: not set
};

struct Design {
  std::string name;
  Place place;
  int64_t version = 1;
  std::string about;
  std::string tenant;  // the field that identifies the tenant of an item; empty: not multi-tenant
  std::vector<NamedRecord> types;
  std::vector<Table> tables;
  std::vector<Entity> entities;
  std::vector<Limit> limits;
  std::vector<Tally> tallies;
  std::vector<Role> roles;
  std::vector<Operation> operations;  // reads, then writes
  std::vector<Reaction> reactions;
  std::vector<Claim> claims;
  std::vector<Alert> alerts;
  std::vector<Remark> remarks;

  const Table* table(std::string_view name) const;
  const Entity* entity(std::string_view name) const;
  const Operation* operation(std::string_view name) const;
  const Limit* limit(std::string_view name) const;
  const NamedRecord* type(std::string_view name) const;
};

// The type of an input that supplies a value of the field. A counter can have any amount, so that a value to compare
// with it need not be a whole number of at least 0.
FieldType input_type(const Field& field);

// Renames a table everywhere in the design. Returns false if there is no such table, or another table has the new name.
bool rename_table(Design& design, std::string_view from, const std::string& to);

// The field that stores the start of the slice in the entity of a rate limit: the first epoch
// of its key. Null: there is none.
const Field* slice_of(const Entity& entity);

// Returns the types of an entity's template fields: stored fields, and shards (ints). The entity must outlive the
// result.
TypeOf types_of(const Entity& entity);

// Calls `visit(step)` for every step, including nested steps, undo steps and the `also` steps of failures.
template <class Visit>
void each_step(const std::vector<Step>& steps, const Visit& visit) {
  for (const Step& step : steps) {
    visit(step);
    each_step(step.steps, visit);
    each_step(step.undo, visit);
    if (step.otherwise) each_step(step.otherwise->also, visit);
    for (const Write& write : step.writes) {
      if (write.otherwise) each_step(write.otherwise->also, visit);
    }
  }
}
// Call `visit(access)` for every read of an operation, and `visit(write, step)` for every write.
template <class Visit>
void each_access(const Operation& operation, const Visit& visit) {
  if (operation.access) visit(*operation.access);
  each_step(operation.steps, [&](const Step& step) {
    if (step.access) visit(*step.access);
  });
}
template <class Visit>
void each_write(const Operation& operation, const Visit& visit) {
  each_step(operation.steps, [&](const Step& step) {
    for (const Write& write : step.writes) visit(write, step);
  });
}

}  // namespace trestle::design
