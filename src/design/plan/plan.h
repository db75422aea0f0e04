// The plan of an operation: the exact DynamoDB requests it makes, as data. The runtime executes the plan and nothing
// else, so `trestle design plan` prints what will happen.
//
// A request holds pieces of expression text with placeholders (#name, :value) and, for each placeholder, the source of
// its value. To build a request of src/model, the runtime evaluates the sources, chooses a form of each piece that
// takes part, and joins the forms (plan_text_of). It never parses, cuts or edits an expression. Every attribute name in
// a piece is a placeholder, so reserved words do not matter.
//
// Rules for evaluating values:
//   - `$name` is an input, a `let` or the result of an earlier step. A bare name is a field of the request's own item,
//     taken from Request::fields, which are evaluated in order and may use earlier ones. Each follows those it uses.
//   - A missing value stays absent. As an attribute it is omitted. Bound to a placeholder of a condition, it becomes a
//     value of a type other than the field's, so that it neither equals nor orders with any stored value.
//   - An input is present, absent or null. Null removes an optional field. `input_or($x, y)` is $x if $x is present,
//     even as null, and y otherwise; `if_input($x, a, b)` is a if $x is present, even as null, and b otherwise.
//     `$if_match` is the revision in the caller's If-Match.
//   - A range whose end precedes its start matches nothing and is not sent, because DynamoDB rejects such a BETWEEN.
//
// A plan points into its design, which must outlive it. Plans are immutable, hence thread-safe.
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

// The table for the runtime's own state: unfinished cascades and undos, and the stream checkpoints of tallies. Created
// next to the design's tables, with the key [PK, SK].
inline constexpr std::string_view kJournalTable = "trestle-journal";
// The default page size of a list.
inline constexpr int64_t kListLimitDefault = 100;
// How often a write is retried when an item changed between the read and the write.
inline constexpr int kRaceRetries = 20;

// ---- Values ------------------------------------------------------------------------------------------------------

// How a time that a condition compares with a field is converted to the field's type if it lies between two values of
// the type (12:00:00.5 for a `time`, any time but midnight for a `date`), so that the condition means what it says.
enum class Rounding {
  kDown,  // the earlier value: for `field > value` and `field <= value`
  kUp,    // the later value: for `field >= value` and `field < value`
  kNone,  // absent: it equals no value of the field
};

struct ValueSource {
  enum class Kind {
    kExpression,  // `expression`
    kKey,         // `key` rendered from the item's fields; absent if one of them is
    kKeyFrom,     // `key` with `expression` as its last field. Without `expression`: the part of the key before that
                  // field, or, if that part is empty, the least possible value (byte 01, or the least number)
    kKeyTo,   // the same for the upper end. `delimiter` and U+10FFFF are appended if `more_follows`, to include every
              // key that continues after the field. Without `expression`: the part of the key before the field, then
              // U+10FFFF, or the greatest number
    kExpiry,  // `expression`, a time, as Unix seconds
    kMapOf,   // a map with one member, named `member`, with the value `expression`
  };
  Kind kind = Kind::kExpression;
  Expression expression;
  std::optional<Expression> member;
  Template key;
  ValueType stored = ValueType::kString;
  const Field* field = nullptr;            // type and encryption; null for keys
  const FieldType* member_type = nullptr;  // the type of a map member that is set, added to or compared; null: any
  const Field* map = nullptr;              // the map whose member is set to the value
  bool is_compared = false;                // an operand of a condition, which need not be valid for the field
  Rounding rounding = Rounding::kDown;     // of a time that is compared
  const Pack* pack = nullptr;              // compressed first,
  const Spill* spill = nullptr;            // then moved to blob storage if still large
  const IndexEntry* entry = nullptr;       // the value is absent unless the entry's condition holds
  bool more_follows = false;               // kKeyTo
  std::string delimiter;                   // kKeyTo, for text of any length: without it `a` would include `ab`
};

// Readable form: `$domain`, "SITE#{domain}", now + 1h.
std::string source_text(const ValueSource& source);

// Which limit of a condition a value is. An amount that is added to a number has already been subtracted from it.
enum class Bound {
  kNone,
  kLeast,          // of a number
  kMost,           // of a number
  kFewestMembers,  // members of a set or map
  kMostMembers,    // members of a set or map
  kLeastInMap,     // of a number in a map
  kMostInMap,      // of a number in a map
};
struct PlannedValue {
  std::string placeholder;  // ":status"; in an item or a key, the attribute's name
  ValueSource source;
  Bound bound = Bound::kNone;
};
struct PlannedName {
  std::string placeholder;  // "#status"
  std::string attribute;
  std::optional<Expression> member;  // set if the name is computed: the name of a map member
};

// ---- Pieces of expressions ---------------------------------------------------------------------------------------

// One variant of a piece: its part of the update expression, and the condition under which that part is correct.
struct Form {
  Section section = Section::kNone;
  // What the text does, if another write of the same item may change the same attribute.
  enum class Effect {
    kOther,
    kInitialValue,  // SET x = if_not_exists(x, :x): a value that is set if the item lacks the attribute
    kAmount,        // ADD x :x, SET x = x + :x or SET x = if_not_exists(x, :first) + :x: the first value is an amount
  };
  Effect effect = Effect::kOther;
  std::string text;                 // in the update expression; empty: nothing
  std::string condition;            // in the condition; empty: nothing
  bool has_or = false;              // the condition contains OR, so it is joined with others in parentheses
  bool requires_attribute = false;  // the condition is that the item has the attribute names[0], and nothing else
  std::vector<PlannedName> names;
  std::vector<PlannedValue> values;
};

// Why a condition can fail. The reply to a failed write contains the old item, which distinguishes the causes.
enum class Cause {
  kAbsent,     // the item must exist and does not
  kPresent,    // it must not exist and does
  kCondition,  // the design's `if`
  kFlow,       // the design's `flow` does not allow this change of status
  kObserved,   // the item has changed since it was read: the operation is retried
  kForm,       // another form of the piece fits the item: the write is retried with that form
  kRevision,   // If-Match names another revision
  kGuard,      // another item holds the unique value
  kRange,      // a number would leave its range, or a set or map would have too many members
};
std::string_view cause_name(Cause cause);

struct Piece {
  enum class Choice {
    kOnly,      // forms[0]
    kByValue,   // forms[0] if the form's values exist, else forms[1]; without forms[1] the piece is omitted
    kByMap,     // forms[0] if the item has the map `attribute`, else forms[1]. The first attempt assumes that it has.
    kByMember,  // Sets a member of the map `attribute`. If the item has the map: forms[0], or forms[2], which removes
                // the member, if the value is null. Otherwise forms[1], which creates the map, or forms[3], which
                // writes nothing, if the value is null. The first attempt assumes that the item has the map.
    kByMin,     // forms[0] if the item's `attribute` is at most the value, else forms[1]
    kByMax,     // forms[0] unless the item's `attribute` is greater than the value, else forms[1]
    kBySet,     // Changes members of a set. forms[0], unless another program stored the set as a list. Then forms[1]
                // writes the changed members as a set, or forms[2] removes the attribute if none are left
    kByList,    // For a set that the write does not change. forms[0], unless another program stored the set as a list.
                // Then forms[1] converts it to a set, or forms[2] leaves it if it cannot be converted
    kByItem,    // forms[0] if the item read earlier (Request::current) exists, else forms[1]
    // The least or greatest value of a tally.
    // forms[0]: sets the value, unless the stored one is more extreme. The first attempt if the new value is at least
    // as extreme as the old value of the item.
    // forms[1]: writes nothing; its condition is that the stored value is more extreme than every value of the change.
    // The first attempt otherwise.
    // If neither condition holds, the runtime reads the items still counted and sets the value found, forms[2], or
    // removes the attribute if there is none, forms[3]; both on condition that the target's revision has not changed.
    // Values that never come back (never_comes_back) have only the first two forms.
    kByExtreme,
  };
  Choice choice = Choice::kOnly;
  std::string attribute;
  std::vector<Form> forms;
  std::vector<std::string>
      trigger_inputs;  // if not empty, takes part only if one of these inputs is present, even as null
  Cause cause = Cause::kCondition;
};

// The expressions of a request in DynamoDB's syntax, joined from the chosen forms. A null form is skipped.
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

// The answer to the caller when a step fails for one cause.
struct Refusal {
  Cause cause = Cause::kCondition;
  int status = 409;
  std::string message;
  int retries_max = 0;    // of the whole operation, before the answer
  std::string attribute;  // Cause::kRange: the attribute that would leave its range, or the member_path() of a
                          // map; empty: any
  const Failure* failure = nullptr;  // the design's declaration of it, if any; its `also` steps are planned in
                                     // Plan::also
};

// A field of the request's item, for templates and bare names.
struct FieldValue {
  const Field* field = nullptr;
  std::string name;
  ValueSource source;
};

struct Request {
  RequestKind kind = RequestKind::kGetItem;
  const Entity* entity = nullptr;
  const Guard* guard = nullptr;  // if set, the item is this guard of the entity
  const Each* each = nullptr;    // if set, the request is sent once per child; `member` is the child's member
  std::string table;
  std::string index;  // Query or Scan; empty: the table

  // Shards: a `fan_out` request is sent once to each shard that can hold matching items; others only to their item's
  // shard.
  const Shard* shard = nullptr;
  bool fan_out = false;

  std::vector<FieldValue> fields;
  std::vector<PlannedValue> key;  // of a single item
  // The step that read the item before this write, whose values are kept as they are stored; empty: none.
  std::string current;
  // Attributes of `current` from which values of this write, or of the requests that follow it, are computed, except
  // amounts that are only added. If another write of the same transaction changed one of them, those values would be
  // wrong.
  std::set<std::string> computed_from;
  std::vector<PlannedValue> item;  // kPutItem: the attributes, including the key
  std::string extras_from;         // kPutItem: the step from whose item undeclared attributes are copied
  bool additional = false;         // the call's additional attributes (`$additional`) are written too
  std::vector<Piece> pieces;       // of update and condition

  // Query and Scan.
  std::vector<const Entity*> finds;  // with several entities, items of all others are skipped; empty: `entity`
  bool raw = false;  // a raw key condition from the design file: each item's entity is determined by its key; `fields`
                     // are inputs
  std::string key_condition;
  std::string filter;                   // includes the condition that hides expired items
  std::vector<std::string> projection;  // of `names`; empty: all attributes
  std::vector<PlannedName> names;       // of key_condition, filter and projection
  std::vector<PlannedValue> values;
  bool consistent = false;
  bool descending = false;
  int64_t limit = 0;  // 0: the caller's limit, at most one page
  // One item; a page and a continuation token; every page.
  enum class Paging { kOne, kPage, kAll } paging = Paging::kOne;
  bool hides_expired = false;
  // The index does not project all returned fields, or lacks the TTL attribute that tells whether an item has expired.
  // The items are then read from the table with BatchGetItem, 100 at a time.
  bool reads_again = false;
  int64_t cached_s = 0;  // the result may be cached for this long

  // Writes.
  std::optional<Expression> when;  // takes part only if it is true
  // A condition that DynamoDB cannot evaluate. The runtime evaluates it on the item read before, and the pieces require
  // that the item has not changed since. Fails as Cause::kCondition.
  std::optional<Expression> holds;
  const Field* while_field = nullptr;  // a guard: takes part only if this field has a value
  bool puts_again = false;             // a guard: put even if the item had the same value before, because it may be
                                       // missing, belong to another item since this one expired, or expire too early
  // Marks the guard, child and tally requests that follow a change. In an update they take part only if the old and new
  // values differ: the guard or child of the new value is put and that of the old value deleted; two tally requests for
  // the same item are merged. The UpdateItem that refreshes the copies in an unchanged guard takes part if its key has
  // a value.
  enum class Follows { kItself, kNewValue, kOldValue } follows = Follows::kItself;
  const Tally* tally = nullptr;
  // A tally's target: one Query for each exact least or greatest value. It is sent only if the write removes the
  // current extreme; the write is then retried with the result.
  std::vector<Request> extreme_reads;
  std::vector<Refusal> refusals;
  bool returns_new = false;  // ReturnValues ALL_NEW

  // How often the request is sent. Varies for children, cascades and guards of optional fields.
  double times_least = 1, times_typical = 1, times_most = 1;
  bool unbounded = false;  // `times_most` is an estimate
  Cost cost;               // of one request; in a transaction, already doubled
  Bytes bytes;
};

// ---- Steps -------------------------------------------------------------------------------------------------------

struct PlanStep {
  enum class Kind {
    kRead,     // `requests` in order (a guard, then its owner), or `steps` together
    kObserve,  // a consistent read of fields that a write needs and the inputs lack
    kRequire,  // `value` must hold
    kLet,
    kWrite,  // one request, or TransactWriteItems of those that take part. `steps` are loops (kFor): their reads are
             // executed first, then their kWrite steps take part, once for each member
    kLimit,  // requests: [increment the current slice if it exists, query the earlier slices (0 times if the window is
             // one slice), create the current slice]
    kCascade,  // requests: [query a page of keys, delete those items], repeated until no items are left. The
               // operation's first write records the job in the journal and its last write removes it, so that the job
               // is resumed after a crash.
    kFor,      // `steps` once for each member
  };
  Kind kind = Kind::kRead;
  Place place;
  std::string name;  // of the result
  std::optional<Expression> when;
  std::vector<std::string> trigger_inputs;  // executed only if one of these inputs is present; empty: always
  std::vector<Request> requests;
  bool is_batched = false;  // kRead: the reads in `steps` are sent together (see is_batch)
  std::vector<Refusal> refusals;
  std::optional<Expression> value;
  std::vector<const Binding*> lets;
  const Limit* limit = nullptr;
  std::vector<PlanStep> steps;
  std::string next;  // kWrite of one UpdateItem: a counter; its value after the update becomes the result `name`
  // kWrite: the steps that undo this write if a later step fails: the reads they need and one kWrite. If any step has
  // them, every write of the operation also records its progress in the journal, so that after a crash the operation is
  // completed or undone.
  std::vector<PlanStep> undo;
  int64_t members = 0;   // kFor: the number of members, if the design bounds it; else 0
  bool is_most = false;  // `members` is an upper bound

  // kWrite: the number of items in the transaction. A single item is written without a transaction.
  int64_t items_least = 1, items_typical = 1, items_most = 1;
  bool unbounded = false;  // children of a set without a limit
  int64_t bytes_most = 0;
  Cost cost;         // when it succeeds
  Cost failed_cost;  // when its condition fails: DynamoDB charges for that too
};

// The greatest number of members of a loop: its `most`, else the limit of the list it iterates over. 0: unbounded.
int64_t loop_members(const Operation& operation, const Step& loop);

// Whether the reads of an `is_batched` step form one BatchGetItem. Otherwise they are sent in parallel.
bool is_batch(const PlanStep& step);

struct Plan {
  const Operation* operation = nullptr;
  std::vector<PlanStep> steps;
  // If this guard exists already, the operation returns its owner instead of executing the steps. The refusal of the
  // step that puts the guard shows it, or `idempotent_steps` before step `idempotent_at`, which writes something
  // earlier.
  const Guard* idempotent = nullptr;
  std::vector<PlanStep> idempotent_steps;
  std::optional<size_t> idempotent_at;
  // The steps to execute before a failure is returned, by the Failure that declares them.
  std::vector<std::pair<const Failure*, std::vector<PlanStep>>> also;
  // What the stream reader writes for one item changed by this operation. In practice many items share one write.
  std::vector<PlanStep> afterwards;
  std::vector<std::string> notes;

  Cost cost;                                      // of the operation, excluding `afterwards`
  Cost afterwards_cost;                           // as if every change were written separately
  int64_t requests_least = 0, requests_most = 0;  // requests_most is 0 if there is no bound
};

// As the attribute of a Refusal: the members of a map, as opposed to their number.
inline std::string member_path(std::string_view map) { return std::string(map) + "[]"; }

// Whether an attribute stores a transformed value: packed, spilled or encrypted.
bool is_stored_closed(const Entity& entity, const Field& field);
// Every field that an index entry depends on: those of its templates (for a shard, the field it is computed from) and
// of its condition.
std::set<std::string> fields_deciding(const Entity& entity, const IndexEntry& entry);
// The fields that an expression names.
std::set<std::string> fields_in(const Entity& entity, const Expression& expression);
// The expression that generates the value of an `automatic` or `touched` field.
Expression generated_value(const Field& field);
// Whether a tally may create the item that it counts in: all fields but the key, the tally's figures, generated
// fields and fields with defaults are optional. If not, changes whose target does not exist are not counted.
bool tally_may_create(const Design& design, const Entity& into);

// `operation` must belong to `design`. A design with errors is planned as far as possible.
Plan plan_operation(const Design& design, const Operation& operation);
std::vector<Plan> plan_design(const Design& design);

}  // namespace trestle::design
