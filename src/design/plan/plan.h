// The plan of an operation: the exact DynamoDB requests it makes, as data. The runtime executes this and nothing else,
// so what `trestle design plan` prints is what happens.
//
// A request holds finished pieces of text with placeholders (#name, :value) and, for each placeholder, the source of
// its value. To build a request of src/model, evaluate the sources, choose the pieces that take part (form_of below),
// and join them (plan_text_of): no expression is parsed, cut or edited at run time. Every attribute name in a piece is
// a placeholder, so reserved words never matter.
//
// Rules for evaluating values:
//   - `$name` is an input, a `let` or the result of an earlier step; a bare name is a field of the request's own item,
//     taken from Request::fields, which are evaluated in order and may use earlier ones.
//   - A value that does not exist stays absent. Bound to a placeholder of a condition it is a value of another type
//   than
//     the field's, which equals nothing that a design stores and has no order with it; as an attribute it is left out.
//   - An input is present, absent or null. Null removes an optional field. `given_or($x, y)` is $x if it is present,
//     even as null, and y otherwise. `$if_match` is the revision that the caller names.
//   - A range whose end precedes its start finds nothing and is not sent: DynamoDB rejects such a BETWEEN.
//
// A plan refers to its design, which must outlive it. Immutable data, hence thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "design/language/design.h"
#include "design/language/raw_update.h"
#include "design/plan/plan_units.h"

namespace trestle::design {

// The table for the runtime's own state: unfinished cascades and the stream positions of tallies. Created next to the
// design's tables, with the key [PK, SK].
inline constexpr std::string_view kJournalTable = "trestle-journal";
// The default page size of a list.
inline constexpr int64_t kListLimitDefault = 100;
// How often a write is tried again when something changed between its reading and its writing.
inline constexpr int kRaceRetries = 20;

// ---- Values ------------------------------------------------------------------------------------------------------

struct ValueSource {
  enum class Kind {
    kExpression,  // `expression`
    kKey,         // `key` rendered from the item's fields; absent if one of them is
    kKeyFrom,     // `key` with `expression` for its last field; without it, the start of the key before that field, and
                  // if that is empty the least value there is: byte 01, or the least number
    kKeyTo,       // likewise, and then U+10FFFF if more may follow, so that all that begins so is included; without
                  // `expression` the start and U+10FFFF, or the greatest number
    kExpiry,      // `expression`, a time, as Unix seconds
    kMapOf,       // a map with one member: the name `member`, the value `expression`
  };
  Kind kind = Kind::kExpression;
  Expression expression;
  std::optional<Expression> member;
  Template key;
  ValueType stored = ValueType::kString;
  const Field* field = nullptr;            // type and encryption; null for keys
  const FieldType* member_type = nullptr;  // of a member of a map that is set; null: any
  const Pack* pack = nullptr;              // compressed first,
  const Spill* spill = nullptr;            // then moved to blob storage if still large
  const IndexEntry* entry = nullptr;       // absent unless the entry's condition holds too
  bool more_follows = false;               // kKeyTo
};

// Readable form: `$domain`, "SITE#{domain}", now + 1h.
std::string source_text(const ValueSource& source);

struct PlannedValue {
  std::string placeholder;  // ":status"; in an item or a key, the attribute's name
  ValueSource source;
};
struct PlannedName {
  std::string placeholder;  // "#status"
  std::string attribute;
  std::optional<Expression> member;  // the name is a value: the member of a map
};

// ---- Pieces of expressions ---------------------------------------------------------------------------------------

// A variant of a piece: its part of the update expression, and the condition under which it is correct.
struct Form {
  Section section = Section::kNone;
  std::string text;       // in the update expression; empty: nothing
  std::string condition;  // in the condition; empty: nothing
  std::vector<PlannedName> names;
  std::vector<PlannedValue> values;
};

// Why a condition can fail. The reply to a failed write contains the old item, which distinguishes the causes.
enum class Cause {
  kAbsent,     // the item must exist and does not
  kPresent,    // it must not exist and does
  kCondition,  // the design's `if`
  kFlow,       // the status may not change so
  kObserved,   // an observed item has changed meanwhile: the operation is retried
  kForm,       // another form of the piece fits the item: the write is tried again with that
  kRevision,   // If-Match names another revision
  kGuard,      // another item holds the unique value
  kRange,      // a number would leave its range, or a set or map have too many members
};
std::string_view cause_name(Cause cause);

struct Piece {
  enum class Choice {
    kOnly,      // forms[0]
    kByValue,   // forms[0] if the form's values exist, else forms[1]; without forms[1] the piece is left out
    kByMap,     // forms[0] while the item has the map `attribute`, else forms[1]. The first try assumes it has.
    kByMember,  // Sets a member of the map `attribute`. While the item has the map: forms[0], or forms[2] if the value
                // is null, which removes the member. Else forms[1], which creates the map, or forms[3], which writes
                // nothing. The first try assumes that it has the map.
    kByMin,     // forms[0] while the item's `attribute` is at most the value, else forms[1]
    kByMax,     // forms[0] unless the item's `attribute` is more than the value, else forms[1]
    kBySet,   // forms[0] unless the item's `attribute` is a list, as another program may write a set. Then what is left
              // of it is set as a set, forms[1], or removed if it is empty, forms[2]
    kByList,  // A set that the write leaves as it is: forms[0] unless the item's `attribute` is a list. Then the list
              // becomes a set, forms[1], or stays if it cannot be one, forms[2]
    kByItem,  // forms[0] if the item read before (Request::current) exists, else forms[1]
    // A tally's least or greatest value. forms[0], the first try where a value is as extreme as the one it replaces: it
    // is set unless the item's `attribute` is more extreme. forms[1], the first try otherwise: the attribute is more
    // extreme than every value of the change and stays. Else the counted items that are left are read, and what they
    // have is set, forms[2], or the attribute removed, forms[3]; both if the item's revision is still as it was found.
    // A figure that never comes back has the first two only.
    kByExtreme,
  };
  Choice choice = Choice::kOnly;
  std::string attribute;
  std::vector<Form> forms;
  std::vector<std::string>
      trigger_inputs;  // takes part only if one of these inputs is present, even as null; empty: always
  Cause cause = Cause::kCondition;
};

// The texts of a request for the chosen forms (null: left out), in DynamoDB's syntax.
struct ExpressionText {
  std::string update;
  std::string condition;
  std::vector<PlannedName> names;    // each once
  std::vector<PlannedValue> values;  // each once
};
ExpressionText plan_text_of(const std::vector<const Form*>& chosen);

// ---- Requests ----------------------------------------------------------------------------------------------------

enum class RequestKind {
  kGetItem,
  kQuery,
  kScan,
  kPutItem,
  kUpdateItem,
  kDeleteItem,
  kConditionCheck,  // only within a transaction
};
std::string_view request_name(RequestKind kind);

// The reply to a failure.
struct Refusal {
  Cause cause = Cause::kCondition;
  int status = 409;
  std::string message;
  int again = 0;
  std::string attribute;             // Cause::kRange: what would leave its range; empty: any
  const Failure* failure = nullptr;  // where the design declares it; its `also` is planned in Plan::also
};

// Fields of the item at hand, for templates and bare names.
struct FieldValue {
  const Field* field = nullptr;
  std::string name;
  ValueSource source;
};

struct Request {
  RequestKind kind = RequestKind::kGetItem;
  const Entity* entity = nullptr;
  const Guard* guard = nullptr;  // the item is this guard of the entity
  const Each* each = nullptr;    // one such request per child; `member` is the child's member
  std::string table;
  std::string index;  // Query or Scan; empty: the table

  // Shards: the request is sent once per shard that can hold matching items (`fan_out`), or to the shard of its item.
  const Shard* shard = nullptr;
  bool fan_out = false;

  std::vector<FieldValue> fields;
  std::vector<PlannedValue> key;  // of a single item
  std::string current;            // the step that read the item before it is written; empty: none did
  // Attributes of `current` from which values of the write, or of what follows it, are computed, except amounts that
  // only add up. Another write of one of them in the same transaction would make those values wrong.
  std::set<std::string> computed_from;
  std::vector<PlannedValue> item;  // kPutItem: the attributes, the key included
  std::string extras_from;         // kPutItem: the step whose item's unknown attributes are put too
  bool additional = false;         // the call's additional attributes (`$additional`) are written too
  std::vector<Piece> pieces;       // of update and condition

  // Query and Scan.
  std::vector<const Entity*> finds;  // several entities: what is found of others is left out; empty: `entity`
  bool raw =
      false;  // a document's own key condition: the key of each item it finds determines its entity; fields are inputs
  std::string key_condition;
  std::string filter;  // also hides what has expired
  std::string projection;
  std::vector<PlannedName> names;  // of these three
  std::vector<PlannedValue> values;
  bool consistent = false;
  bool descending = false;
  int64_t limit = 0;                                              // 0: the caller's, at most a page
  enum class Paging { kOne, kPage, kAll } paging = Paging::kOne;  // one item; a page and a token; every page
  bool hides_expired = false;
  // The index lacks fields that are answered, or the TTL attribute, without which an item's expiry is not known: the
  // items are read again from the table, BatchGetItem, 100 at a time.
  bool reads_again = false;
  int64_t cached_s = 0;  // the answer may be this old

  // Writes.
  std::optional<Expression> when;  // takes part only if it is true
  // A condition that DynamoDB cannot evaluate: the runtime does, on what was read, and the pieces say that it is still
  // so. Refused as Cause::kCondition.
  std::optional<Expression> holds;
  const Field* while_field = nullptr;  // a guard: takes part only if the field has a value
  // A guard, child or tally of a change. On update it takes part only if the new value and the old differ: a guard or
  // child of the new value is put, that of the old one deleted; two tallies into one item become one. The UpdateItem of
  // an unchanged guard refreshes the attributes it stores; it takes part if its key has a value.
  enum class Follows { kItself, kNewValue, kOldValue } follows = Follows::kItself;
  const Tally* tally = nullptr;
  // A tally's target: the Query for each exact least or greatest value. It is sent, and the write tried again with what
  // it finds, only if the figure is the value that goes.
  std::vector<Request> extreme_reads;
  std::vector<Refusal> refusals;
  bool returns_new = false;  // ReturnValues ALL_NEW

  // How often it is sent: children, cascades, guards of optional fields.
  double times_least = 1, times_typical = 1, times_most = 1;
  bool unbounded = false;  // `times_most` is a guess
  Cost cost;               // of one request; includes the doubling by a transaction
  Bytes bytes;
};

// ---- Steps -------------------------------------------------------------------------------------------------------

struct PlanStep {
  enum class Kind {
    kRead,     // `requests` in order (a guard, then its owner), or together
    kObserve,  // a consistent read of what a write needs but the inputs lack
    kRequire,  // `value` must hold
    kLet,
    kWrite,  // one request, or TransactWriteItems of those that take part; `steps` are loops (kFor) whose kWrite steps
             // take part too, once for each member, after the reads of the loop
    kLimit,  // requests: [count in the slice that exists, query the earlier slices (0 times if a window is one
             // slice), count in a new slice]
    kCascade,  // requests: [query a page of keys, delete them], until there are none. The operation's first write notes
               // the job in the journal and its last removes it, so that what a crash leaves undone is taken up again.
    kFor,      // `steps` for each member
  };
  Kind kind = Kind::kRead;
  Place place;
  std::string name;  // of the result
  std::optional<Expression> when;
  std::vector<std::string> trigger_inputs;  // executed only if one of these inputs is present; empty: always
  std::vector<Request> requests;
  bool together = false;  // kRead: `steps`, each a read, are sent together (is_batch)
  std::vector<Refusal> refusals;
  std::optional<Expression> value;
  std::vector<const Binding*> lets;
  const Limit* limit = nullptr;
  std::vector<PlanStep> steps;
  std::string next;  // kWrite of one UpdateItem: the counter whose new value, as that returns it, is `name`
  // kWrite: what takes it back if a later step refuses; reads of what that needs, and one kWrite. With any, how far the
  // operation has come is noted in the journal with each write, so that what a crash leaves is ended or taken back.
  std::vector<PlanStep> undo;
  int64_t members = 0;   // kFor: how many there are, where the design says so
  bool is_most = false;  // `members` is how many there can be

  // kWrite: how many items the transaction has, at least and at most; one is no transaction.
  int64_t items_least = 1, items_typical = 1, items_most = 1;
  bool unbounded = false;  // children of a set without a bound
  int64_t bytes_most = 0;
  Cost cost;         // when it succeeds
  Cost failed_cost;  // when its condition fails: DynamoDB charges that too
};

// The most members that a loop can have: what `most` says, else the bound of the list that is taken. 0: there is none.
int64_t loop_members(const Operation& operation, const Step& loop);

// Whether reads made together are one BatchGetItem; otherwise they are sent side by side.
bool is_batch(const PlanStep& step);

struct Plan {
  const Operation* operation = nullptr;
  std::vector<PlanStep> steps;
  // The operation answers with the owner of this guard when it exists already.
  const Guard* idempotent = nullptr;
  std::vector<PlanStep> idempotent_steps;
  // Steps executed before a refusal is returned, by the Failure that declares them.
  std::vector<std::pair<const Failure*, std::vector<PlanStep>>> also;
  // Through the stream: what the reader of the stream writes for one item changed here. Many items share one write.
  std::vector<PlanStep> afterwards;
  std::vector<std::string> notes;

  Cost cost;                                      // of the operation, without `afterwards`
  Cost afterwards_cost;                           // typical: as if every change were written by itself
  int64_t requests_least = 0, requests_most = 0;  // most: 0 if there is no bound
};

// Whether an attribute stores a transformed value: packed, spilled or encrypted.
bool is_stored_closed(const Entity& entity, const Field& field);
// Every field that decides an index entry: of its templates (a shard by what it is computed of) and of its condition.
std::set<std::string> fields_deciding(const Entity& entity, const IndexEntry& entry);
// The fields that an expression names.
std::set<std::string> fields_in(const Entity& entity, const Expression& expression);
// The value of a field that makes itself.
Expression made_value(const Field& field);
// Whether a tally may create the item that it counts in: the item needs nothing but its key, figures and generated
// fields. Otherwise nothing is counted in an item that does not exist.
bool tallies_make(const Design& design, const Entity& into);

// The operation must be the design's. A design with errors is planned as far as it can be.
Plan plan_operation(const Design& design, const Operation& operation);
std::vector<Plan> plan_design(const Design& design);

}  // namespace trestle::design
