// A design: the contents of the file as plain structs. Built by read_design() (design/language/reader.h), checked by
// check_design() (design/check/check.h); everything else (plan, cost, docs, export, the runtime) reads it and never
// changes it.
//
// Names are resolved: after reading without mistakes every entity, index, field, limit and role that is named exists,
// except inside key templates and raw reads, whose faults the checker reports. Vectors are in the order of the file.
// Structs that correspond to a place in the file record it.
#pragma once

#include <cstdint>
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
  std::string type_attribute;  // carries the entity's name; empty: none
  std::string ttl_attribute;   // empty: the table has no TTL
  Place ttl_place;
  BillingMode billing = BillingMode::kPayPerRequest;
  Throughput throughput;  // when provisioned
  std::optional<StreamViewType> stream;
  // Settings; what is not said is as DynamoDB has it for a new table: off, owned by AWS, standard, none.
  bool recovery = false;  // point-in-time recovery
  bool deletion_protection = false;
  std::string encryption;  // empty: by a key that AWS owns; "kms": by the account's; else that key's ARN, id or alias
  bool infrequent_access = false;  // the table class
  std::vector<std::pair<std::string, std::string>> tags;
  std::string parameter;  // of its name in the exports; empty: one is made of the name
  std::vector<Index> indexes;

  const Index* index(std::string_view name) const;
};

// ---- Entities ----------------------------------------------------------------------------------------------------

struct Field {
  std::string name;
  Place place;
  FieldType type;
  bool optional = false;
  bool automatic = false;   // `auto`: generated on creation: a new id, the time
  bool touched = false;     // `touch`: set to the time on every write
  bool immutable = false;   // never changes after creation (fields of the key never do)
  bool few = false;         // `few`: has few values at any one time
  bool identifier = false;  // `id`: supplied by the caller, unique per item
  bool secret = false;      // never returned by a read, never logged
  bool encrypted = false;   // AES-256-GCM in the item
  bool counter = false;     // only added to; begins at 0
  bool revision = false;    // +1 on every write, and writes may require it
  enum class Extreme { kNone, kMin, kMax } extreme = Extreme::kNone;  // keeps the least or the greatest value written
  std::string sha256_of;  // the field is the SHA-256 of this input or field, which itself is not stored
  std::optional<Expression> default_value;
};

// A place of the entity in a secondary index: exists exactly when all fields of its templates exist and `condition`
// holds.
struct IndexEntry {
  std::string name;
  Place place;
  std::string index;          // of the table
  std::vector<Template> key;  // one per key attribute of the index: hash attributes, then range attributes
  std::optional<Expression> condition;
  bool one = false;  // at most one item has these values
};

// An item next to the entity that enforces uniqueness: it is written with "must not exist", together with its owner, in
// one transaction.
struct Guard {
  std::string name;  // usually the field
  Place place;
  std::vector<Template> key;       // one per key attribute of the table
  std::string type;                // value of the table's type attribute
  std::vector<std::string> keeps;  // fields copied into the guard; at least what names the owner
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

// A field that is not stored but computed: hash(of) modulo a count, to spread one key over several partitions.
struct Shard {
  std::string field;  // its name in templates
  Place place;
  std::string of;                           // the field that is hashed
  int64_t count = 0;                        // fixed, or 0
  std::string count_entity, count_field;    // where the count is stored, if it can change
  std::string epochs_entity, epochs_field;  // the list of (from, count): an item uses the count of its time
  int64_t initial = 1;                      // the count before any is set
  int64_t most = 64;
  int64_t lead_s = 0;  // a new epoch begins this long after it is set
};

struct Pack {
  std::string field;
  Place place;
  int64_t over_bytes = 0;
  double saves = 0;     // stored packed only if that is smaller by this fraction
  bool base64 = false;  // stored as text rather than Binary
  // What packing came to is stored in those of these fields that the entity has: compressed, compression_algorithm,
  // original_size, storage_size, compression_ratio.
  bool figures = false;
};
struct Spill {
  std::string field;
  Place place;
  int64_t over_bytes = 0;  // after packing
};

// One child item per member of a set or list, written and removed by difference with its owner.
struct Each {
  std::string field;  // of the owner
  Place place;
  std::string entity;  // the child
  std::string member;  // the child's field that holds the member; its other fields are the owner's of the same name
};

// An item the document shows, attribute by attribute, as text.
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
  std::vector<Template> key;  // hash, then range where the table has one
  std::vector<Field> fields;
  std::vector<IndexEntry> index;
  std::vector<Guard> unique;
  std::optional<Expression> ttl;  // when the item expires, as a time
  Place ttl_place;
  std::vector<Flow> flows;
  std::vector<Shard> shards;
  std::vector<Pack> packs;
  std::vector<Spill> spills;
  std::vector<Each> eaches;
  std::vector<Example> examples;
  // Other keys under which a document's programs write such items. They are recognised and moved by verification, and
  // never mistaken for another entity's.
  std::vector<std::vector<Template>> formerly;
  bool additional = false;  // operations take attributes beside the fields, which are stored and answered as they are
  int64_t item_bytes = 0;   // typical size; 0: not said
  int64_t count = 0;        // how many there are; 0: not said

  const Field* field(std::string_view name) const;
  const IndexEntry* entry(std::string_view name) const;
  const Shard* shard(std::string_view field) const;
  const Guard* guard(std::string_view name) const;
  // The attribute of a guard in which it keeps a field: that of the field's name, unless the guard's own key is there.
  std::string guard_attribute(const Table& of, const Guard& guard, const std::string& field) const;
  bool in_key(std::string_view field) const;
  // The table's TTL attribute, if it is stored beside the fields; none if it is one of them, or nothing expires.
  const std::string* expiry_attribute(const Table& of) const;
};

// A type declared under `types`: another type under a new name, or a record of fields.
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
  std::string of;  // "Entity.field" where its type is said so: what its values are values of
  // Taken off: the field is stored as prefix and value in an attribute of its name, and may be given as it is stored.
  std::string prefix;
};

struct Binding {
  std::string field;
  // Inside a map or list: the target `hourly[$hour]` has field "hourly" and this index.
  std::optional<Expression> element;
  Expression value;
  Place place;
};

// The least or the greatest value of the counted items. Stored in a `min<T>` or `max<T>` field it never comes back;
// stored in any other field it is exact: absent while there is no item, and read again from the items when the one that
// has it goes or changes (design/plan/extreme_read.h).
struct TallyExtreme {
  bool greatest = false;
  Binding figure;
};

struct Failure;

// How items are found.
struct Access {
  enum class Kind { kGet, kQuery, kScan, kRaw };
  Kind kind = Kind::kGet;
  Place place;
  std::string entity;
  std::string index;  // name of the entity's IndexEntry, or of a guard with `by_guard`; empty: the table
  // kQuery: further entities of the same partition that the one request finds, each with its IndexEntry or none. Items
  // are distinguished by `_entity` in the answer.
  std::vector<std::pair<std::string, std::string>> others;
  bool by_guard = false;    // through a uniqueness guard: reads the guard, then its owner
  std::vector<Binding> by;  // equality: all fields of the hash templates, then leading fields of the range template
  std::string range_field;  // the next field of the range template lies between...
  std::optional<Expression> from, to;  // ...these, inclusive; an absent input leaves that side open
  std::string prefix_field;            // or begins with...
  std::optional<Expression> prefix;
  std::optional<Expression> filter;
  bool descending = false;
  bool one = false;
  bool consistent = false;
  bool all = false;  // all pages are read and returned together
  int64_t limit = 0;
  // kRaw: as a document writes it.
  std::string raw_table, raw_index;
  std::optional<Expression> where;
  std::vector<std::string> fields;  // the fields returned; empty: all that are not secret
  std::vector<std::string> finds;   // the entities that it is meant to find
};

// In an item of a query of several entities: the name of its entity.
inline constexpr std::string_view kEntityMember = "_entity";

struct Write {
  enum class Kind { kPut, kUpdate, kUpsert, kDelete, kCheck };
  Kind kind = Kind::kPut;
  Place place;
  std::string entity;
  std::vector<Binding> by;    // the key's fields; unbound ones take the input of the same name
  std::vector<Binding> set;   // likewise for the other fields, in the operation's shorthand
  bool sets_inputs = false;   // every unbound field takes the input of the same name, if there is one
  std::vector<Binding> add;   // counters, sets
  std::vector<Binding> take;  // members removed from a set
  std::vector<std::string> remove;
  std::optional<Expression> condition;
  enum class Exists { kEither, kAbsent, kPresent } exists = Exists::kEither;  // `if: absent`, `if: present`
  std::shared_ptr<const Failure> otherwise;                                   // shared because steps are copied
  std::optional<Expression> when;                                             // the write takes part only if this holds
  std::string from;  // kPut: the step that found an item; what is not set is as in that, unknown attributes included
  bool additional = false;  // takes the call's attributes beside the inputs
  bool is_load = false;     // kPut: brings an item as it is elsewhere, with its status and its revision
  std::string raw;          // an update expression as a document writes it
  Place raw_place;
  // The target of a tally: its figures that are least or greatest values, and the counted item's value before and
  // after.
  struct Extreme {
    const TallyExtreme* figure = nullptr;
    std::optional<Expression> was, is;
  };
  std::vector<Extreme> extremes;
};

struct Step {
  enum class Kind {
    kFind,     // `access` as `name`; `otherwise` if there is none
    kRequire,  // `value` must hold, or `otherwise`
    kLet,      // `values` are computed and named
    kLimit,    // one more in rate window `limit`, or `otherwise`
    kAtomic,  // `writes`, all or none; a single write is one too. `steps` are loops (kFor) whose writes take part: each
              // loop reads, computes and then has one kAtomic step
    kCascade,  // everything that `access` finds is deleted, page by page; resumable
    kFor,      // `steps` for each member of `value` as `name`
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
  std::string next;        // kAtomic of one update: the counter whose new value is `name`, as UpdateItem returns it
  std::vector<Step> undo;  // kAtomic: one kAtomic step that takes it back when a later step refuses; empty: none
  int64_t most = 0;        // kFor within kAtomic: the most members there can be; 0: not said
  std::optional<Expression> when;
  std::shared_ptr<const Failure> otherwise;
};

struct Failure {
  int status = 409;  // HTTP
  std::string message;
  std::string field;       // the input that is to blame, as for a bad input
  std::vector<Step> also;  // done before answering: a security event, say
  int again = 0;           // how often the whole operation is tried again first
};

// The answer of an operation: an expression, an object of results, or one result per member of a list.
struct AnswerMember;
struct Answer {
  Place place;
  std::optional<Expression> value;
  std::vector<AnswerMember> members;
  std::optional<Expression> each;    // the list
  std::optional<Expression> where;   // with `each`: only the members for which it holds
  std::optional<Expression> key;     // with `each`: an object with this name per member, else a list
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
  std::vector<std::string> knows;  // what the caller already has, if the document says so
  bool states_knows = false;
  bool ignores_errors = false;   // `errors: ignored`: as a document's code does, DynamoDB's errors are swallowed
  std::optional<Access> access;  // a simple read; else `steps`
  std::vector<Step> steps;
  std::optional<Answer> returns;    // absent: the item or items
  std::optional<Expression> allow;  // who may call; absent: everyone
  int64_t cached_s = 0;             // a read: an answer is given again for this long
  // What else is done when an input is not of its type: the `also` of these, by the input. The answer is 400 as ever.
  std::vector<std::pair<std::string, std::shared_ptr<const Failure>>> bad;
  bool additional = false;  // takes attributes beside its inputs, for the writes that say so
  std::string idempotent;   // a guard of the entity that is put: when it exists, its owner is the answer
  Rate peak;                // how often it is called at most; what partitions must bear
  Rate average;             // how often it is called over a month; what `cost` multiplies
  Place rate_place;         // of `rate`, the old word for `peak`, where the file uses it

  const Input* input(std::string_view name) const;
};

// ---- The rest ----------------------------------------------------------------------------------------------------

// At most `max` in any `window`, counted in slices: items of `entity`, whose epoch field is the slice's start, whose
// counter `count` is conditional on `budget`, which is `max` less what the earlier slices of the window hold.
struct Limit {
  std::string name;
  Place place;
  std::string entity;
  int64_t window_s = 0;
  int64_t slice_s = 0;
  int64_t max = 0;
};

// Aggregates maintained on write: for each item of `of` that is created, changed or deleted.
struct Tally {
  std::string name;
  Place place;
  std::string of;
  std::string into;
  std::vector<Binding> by;   // the target's key fields from the source's
  std::vector<Binding> add;  // the target's counters
  std::vector<TallyExtreme> extremes;
  std::optional<Expression> when;
  bool through_stream = false;  // else in the writer's transaction

  // Whether it writes the field of its target.
  bool writes(std::string_view field) const;
};

// Calls `visit(binding)` for every figure of a tally.
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
  std::string run;                      // ...or `do`: an operation of the design, with the inputs that `with` says
  std::vector<Binding> send;
  std::string ask;           // a read that is made first; its inputs are the item's fields, its answer is `$asked`
  bool cloud_event = false;  // what is sent is the data of a CloudEvent
  std::string then;          // the operation that records each outcome
  // Its inputs, over `old`, `new` and $status, $errorMessage, $duration_ms, $reply, $event; those not bound take what
  // has their name among the latter, else the item's field.
  std::vector<Binding> with;
  int64_t retries = 8;
};

// A claim of the document about the design; a false one is reported.
struct Claim {
  Place place;
  std::string says;
  std::string kind;     // unique, distinct, isolated, spreads, encrypted, ttl, sparse, requests, stream, only, ...
  std::string subject;  // "Tenant.byName", "GSI1", ...
  std::vector<std::string> values;
};

// A threshold that somebody wants to hear of: a month's cost, or units a second on a table.
struct Alert {
  std::string name;
  Place place;
  std::string says;  // the document's words
  double cost = 0;   // dollars a month; 0: not that
  std::string table;
  double read_units = 0, write_units = 0;  // a second; 0: not that
};

struct Design {
  std::string name;
  Place place;
  int64_t version = 1;
  std::string about;
  std::string tenant;  // the field that identifies the tenant of an item; empty: not a multi-tenant design
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

// Gives a table another name, in all that names it. False: there is no such table, or one has the new name.
bool rename_table(Design& design, std::string_view from, const std::string& to);

// The type of a field of an entity as templates see it: a stored field, or a shard (an int).
TypeOf types_of(const Entity& entity);

// Calls `visit(step)` for every step of an operation, also within others and within failures.
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
// Calls `visit(access)` for every read an operation makes, and `visit(write, step)` for every write.
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
