#include "design/language/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace trestle::design {

// clang-format off
const std::vector<ObjectKind>& vocabulary() {
  static const std::vector<ObjectKind> kinds = {
    {"design", "A DynamoDB data design", {
      {"design", "text", "The design's name, used in the URL of its operations", true},
      {"version", "int", "The design's version; default: 1"},
      {"about", "text", "Description"},
      {"tenant", "text", "The field that identifies the tenant of an item"},
      {"types", "map:type", "Named types for fields: an alias of another type, or a record of fields"},
      {"tables", "map:table", "The tables", true},
      {"entities", "map:entity", "The kinds of items", true},
      {"limits", "map:limit", "Rate limits"},
      {"tallies", "map:tally", "Aggregates maintained on write"},
      {"roles", "map", "Roles of callers: a name and a condition on `caller`"},
      {"reads", "map:operation", "Read operations"},
      {"writes", "map:operation", "Write operations"},
      {"reactions", "map:reaction", "HTTP calls or operations that run when items change"},
      {"claims", "list:claim", "Statements about the design that the checker verifies"},
      {"alerts", "map:alert", "Thresholds for `export --to alerts` and the alarms of the CloudFormation export"},
    }},
    {"type", "A type: text, or a record of fields", {}},
    {"table", "A table", {
      {"about", "text", "Description"},
      {"key", "list", "The key attributes, `name` or `name N` (default: S): partition, then sort", true},
      {"type", "text", "The attribute that holds the entity's `type`"},
      {"ttl", "text", "The attribute that DynamoDB's TTL reads"},
      {"billing", "text|object:throughput", "on-demand, or {read: 10, write: 5}"},
      {"stream", "text", "keys, new, old or new-and-old"},
      {"recovery", "bool", "Point-in-time recovery"},
      {"deletion_protection", "bool", "DeleteTable is rejected"},
      {"encryption", "text", "aws-owned (the default), kms, or the ARN, id or alias of a KMS key"},
      {"class", "text", "standard (the default) or infrequent-access"},
      {"tags", "map", "The table's tags"},
      {"parameter", "text", "The name of the parameter for the table's name in the CloudFormation and Terraform exports"},
      {"indexes", "map:index", "The secondary indexes"},
    }},
    {"throughput", "Provisioned capacity", {
      {"read", "int", "Read units per second", true},
      {"write", "int", "Write units per second", true},
    }},
    {"index", "A secondary index", {
      {"about", "text", "Description"},
      {"key", "list", "Partition attribute, then sort attribute"},
      {"hash", "list", "Up to four partition attributes"},
      {"range", "list", "Up to four sort attributes"},
      {"local", "bool", "A local secondary index: the table's partition key, another sort key"},
      {"project", "text|list", "all, keys, or the attributes to copy"},
    }},
    {"entity", "A kind of item", {
      {"about", "text", "Description"},
      {"table", "text", "The table; required if the design has several"},
      {"type", "text", "The value of the table's type attribute; default: the entity's name"},
      {"key", "text|list", "The templates of the table's key attributes", true},
      {"fields", "map", "The fields: `name: type modifiers = default`", true},
      {"index", "map:entry", "Entries in secondary indexes"},
      {"unique", "map:guard", "Unique values: guard items written in the same transaction"},
      {"ttl", "text", "When it expires: `created_at + 1h`"},
      {"flow", "map", "Allowed transitions of a status field: `status: {pending: [active]}`"},
      {"shard", "map:shard", "Computed fields that spread a key over several partitions"},
      {"pack", "map:pack", "Fields that are compressed"},
      {"spill", "map:spill", "Fields that move to blob storage when large"},
      {"each", "map", "One child item per member of a list or set: `tags: SiteTag.tag`"},
      {"size", "text", "Typical size of an item, `2KB`"},
      {"count", "int", "Number of items"},
      {"examples", "list", "Sample items: their attributes or fields"},
      {"formerly", "list", "Former keys of the entity's items, as lists of templates; `verify --repair` moves such items to the current key"},
      {"additional", "bool", "Items may have undeclared attributes, which operations accept, store and return"},
    }},
    {"entry", "An entry in a secondary index", {
      {"on", "text", "The index", true},
      {"key", "text|list", "The templates of the index's key attributes", true},
      {"if", "text", "Condition: the entry exists only while it is true"},
      {"one", "bool", "At most one item has these values"},
      {"about", "text", "Description"},
    }},
    {"guard", "A uniqueness guard: a template, or an object", {
      {"key", "text|list", "The templates of the table's key attributes; one template is used for both", true},
      {"type", "text", "The value of the table's type attribute"},
      {"keeps", "list", "Further fields to copy into the guard; the owner's key is always copied"},
    }},
    {"shard", "A computed field that spreads a key", {
      {"of", "text", "The field that is hashed", true},
      {"count", "int|text", "The number of shards: a constant, or Entity.field where it is stored", true},
      {"epochs", "text", "Entity.field that holds the history of counts: a list of (from, shard_count)"},
      {"initial", "int", "The count until one is stored; default: 1"},
      {"most", "int", "The maximum count; default: 64"},
      {"lead", "text", "How long after it is set a new epoch begins, at least"},
    }},
    {"pack", "Compression of a field", {
      {"over", "text", "Pack values larger than this", true},
      {"saves", "text", "Store the packed form only if it saves at least this share"},
      {"as", "text", "binary (the default) or base64"},
      {"figures", "bool|map", "Set the fields compressed, compression_algorithm, original_size, storage_size, compression_ratio, or the fields that a map names for some of these"},
    }},
    {"spill", "Blob storage of a field", {
      {"over", "text", "Spill values larger than this after packing", true},
    }},
    {"limit", "A rate limit", {
      {"in", "text", "The entity whose items count the calls", true},
      {"window", "text", "The length of the window", true},
      {"slice", "text", "The granularity of counting; default: the window"},
      {"max", "int", "The maximum number of calls in a window", true},
    }},
    {"tally", "Aggregates maintained on write", {
      {"of", "text", "The entity that is counted", true},
      {"into", "text", "The entity that holds the aggregates", true},
      {"by", "map", "Key fields of the target, computed from the counted item", true},
      {"add", "map", "Counters and the amount to add to each"},
      {"min", "map", "Fields that hold the minimum of a value over the counted items"},
      {"max", "map", "Fields that hold the maximum of a value over the counted items"},
      {"when", "text", "Condition: count only items for which it is true"},
      {"through", "text", "transaction (the default) or stream"},
    }},
    {"operation", "An operation", {
      {"about", "text", "Description"},
      {"takes", "map", "The inputs: `name: type modifiers = default`, where a type may be Entity.field"},
      {"knows", "list", "The values that the caller has; the checker compares them with what the key needs"},
      {"errors", "text", "raised (the default), or ignored: the described code swallows every error"},
      {"allow", "text|list", "Roles, or a condition on `caller` and the inputs"},
      {"cache", "text", "How long a read may be answered from memory, unless a write through this server changes its result: `5m`"},
      {"peak", "text", "Peak rate of calls, for finding hot partitions: `500/s`, `500/s per tenant_id`"},
      {"average", "text", "Average rate of calls, for the monthly cost: `10K/month`, `2/s`"},
      {"rate", "text", "Obsolete: use `peak`"},
      {"get", "text", "Read one item: Entity, Entity.entry or Entity.guard"},
      {"query", "text|list|object:raw", "Read items: Entity or Entity.entry, a list of several in one partition, or a raw key condition"},
      {"scan", "text", "Read a whole table for an entity"},
      {"by", "list|map", "The fields to read by: names, or `field: value`"},
      {"range", "text|map", "Limit a sort field to the inputs `from` and `to`, or to `field: [low, high]`"},
      {"prefix", "text|map", "Sort field that must begin with the input of the same name, or `field: value`"},
      {"filter", "text", "A condition on the items read"},
      {"order", "text", "ascending (the default) or descending"},
      {"limit", "int", "Items per page"},
      {"one", "bool", "The answer is one item"},
      {"all", "bool", "Read all pages and return them together"},
      {"consistent", "bool", "A strongly consistent read"},
      {"finds", "list", "Raw reads: the entities that the read is intended to find"},
      {"put", "text", "Write a whole item"},
      {"update", "text", "Change an existing item"},
      {"upsert", "text", "Change an item, or create it"},
      {"delete", "text", "Delete an item"},
      {"set", "list|map", "Fields and their values; a list names inputs"},
      {"add", "map", "Amounts to add to counters, members to add to sets"},
      {"take", "map", "Members to remove from sets"},
      {"remove", "list", "Fields to remove"},
      {"additional", "bool", "Also write attributes of the call that are not inputs; the entity must have `additional` too"},
      {"if", "text", "absent, present, or a condition on the item"},
      {"else", "int|object:failure", "The answer when the condition fails"},
      {"raw", "text", "A DynamoDB update expression"},
      {"atomic", "list:write", "Writes that happen together or not at all"},
      {"steps", "list:step", "The steps, in order"},
      {"returns", "any", "The answer; default: the item or items"},
      {"fields", "list", "The fields to return; default: all except secret fields"},
      {"bad", "map:failure", "Steps to run when an input is invalid, by input: `domain: {status: 400, also: [...]}`"},
      {"idempotent", "text", "A guard: if it already exists, the answer is its owner"},
    }},
    {"raw", "A raw key condition", {
      {"table", "text", "The table; required if there are several"},
      {"index", "text", "The index; default: the table itself"},
      {"where", "text", "The key condition, with templates in its literals", true},
    }},
    {"step", "A step of an operation", {
      {"get", "text", "Read one item"},
      {"query", "text|list|object:raw", "Read items"},
      {"scan", "text", "Read a whole table for an entity"},
      {"by", "list|map", "The fields to read by"},
      {"range", "text|map", "Limit a sort field to a range"},
      {"prefix", "text|map", "Sort field that must begin with a value"},
      {"filter", "text", "A condition on the items read"},
      {"order", "text", "ascending or descending"},
      {"limit", "int|text", "Items per page; or the rate limit to count the call in"},
      {"one", "bool", "One item"},
      {"all", "bool", "All pages"},
      {"consistent", "bool", "A strongly consistent read"},
      {"as", "text", "The name of the result, for later steps"},
      {"none", "int|object:failure", "The answer when nothing was found; if missing, the result is null"},
      {"require", "text", "A condition that must be true"},
      {"let", "map", "Named values, computed once: `site_id: ulid()`"},
      {"next", "text", "Entity.counter: adds 1; `as` names the new value, which is unique"},
      {"atomic", "list:write", "Writes that happen together or not at all"},
      {"put", "text", "Write a whole item"},
      {"update", "text", "Change an existing item"},
      {"upsert", "text", "Change an item, or create it"},
      {"delete", "text", "Delete an item"},
      {"check", "text", "Check a condition on an item without writing it"},
      {"set", "list|map", "Fields and their values"},
      {"from", "text", "With put: copy the item that this earlier step found; `set` overrides fields"},
      {"add", "map", "Amounts to add to counters, members to add to sets"},
      {"take", "map", "Members to remove from sets"},
      {"remove", "list", "Fields to remove"},
      {"additional", "bool", "Also write attributes of the call that are not inputs; the entity must have `additional` too"},
      {"if", "text", "absent, present, or a condition on the item"},
      {"raw", "text", "A DynamoDB update expression"},
      {"cascade", "text", "Delete all items that this query finds, page by page: Entity or Entity.entry"},
      {"for", "text", "A list to loop over; `as` names the member"},
      {"do", "list:step", "The steps for each member"},
      {"undo", "list:write", "Writes, in one transaction, that revert this write if a later step fails"},
      {"when", "text", "Condition: the step runs only if it holds"},
      {"else", "int|object:failure", "The answer when the condition fails"},
    }},
    {"write", "A write", {
      {"put", "text", "Write a whole item"},
      {"update", "text", "Change an existing item"},
      {"upsert", "text", "Change an item, or create it"},
      {"delete", "text", "Delete an item"},
      {"check", "text", "Check a condition on an item without writing it"},
      {"by", "list|map", "The key's fields"},
      {"set", "list|map", "Fields and their values"},
      {"from", "text", "With put: copy the item that this earlier step found; `set` overrides fields"},
      {"add", "map", "Amounts to add to counters, members to add to sets"},
      {"take", "map", "Members to remove from sets"},
      {"remove", "list", "Fields to remove"},
      {"additional", "bool", "Also write attributes of the call that are not inputs; the entity must have `additional` too"},
      {"if", "text", "absent, present, or a condition on the item"},
      {"raw", "text", "A DynamoDB update expression"},
      {"when", "text", "Condition: the write is left out unless it is true"},
      {"else", "int|object:failure", "The answer when its condition fails"},
      {"for", "text", "A list to loop over; the writes of `do` are added to the transaction for each member, named by `as`"},
      {"as", "text", "The name of each member"},
      {"most", "int", "The maximum number of members; default: the bound of the list"},
      {"do", "list:step", "The writes for each member, preceded by the reads and values that they use"},
    }},
    {"failure", "How an operation fails", {
      {"status", "int", "The HTTP status", true},
      {"message", "text", "The message to the caller"},
      {"field", "text", "The input to report as invalid"},
      {"also", "list:step", "Steps to run before the answer"},
      {"again", "int", "How often to retry the whole operation before it fails"},
    }},
    {"reaction", "An HTTP call or an operation that runs when items change", {
      {"on", "text", "The entity", true},
      {"when", "list", "insert, modify, remove, expire; default: all"},
      {"if", "text", "A condition on `old` and `new`"},
      {"call", "text", "The configured HTTP endpoint"},
      {"do", "text", "Instead of an endpoint: an operation of the design to run once for each change"},
      {"send", "map", "The body, from `old`, `new` and $asked"},
      {"ask", "text", "A read to run first, with the item's fields as inputs; its answer is $asked"},
      {"format", "text", "json (the default), or cloudevent: the body is the data of a CloudEvent"},
      {"then", "text", "The operation that records each outcome"},
      {"with", "map", "Inputs of `then` or `do`, from `old`, `new`, $reply, $status, $errorMessage, $duration_ms and $event"},
      {"retries", "int", "Number of retries"},
    }},
    {"alert", "An alarm threshold: monthly cost, or units per second on a table", {
      {"says", "text", "The statement or description in words"},
      {"cost", "text", "Dollars per month"},
      {"table", "text", "The table that the units apply to"},
      {"reads", "text", "Read units: `10/s`"},
      {"writes", "text", "Write units: `100/s`"},
    }},
    {"claim", "A statement about the design", {
      {"says", "text", "The statement or description in words", true},
      {"unique", "text", "No two items share this: Entity.field or Entity.entry"},
      {"distinct", "list", "These entities have separate partition keys; `all` for every one"},
      {"isolated", "list", "Reads of these entities return nothing else; `all` for every one"},
      {"spreads", "text", "The sort key of this entity spreads its load over partitions"},
      {"encrypted", "text", "Entity.field is encrypted in the item"},
      {"ttl", "map", "Entities and their lifetimes"},
      {"sparse", "text", "This index holds only some of the items"},
      {"requests", "map", "Operations and the maximum number of requests that each makes"},
      {"stream", "text", "This table has a stream"},
      {"billing", "map", "Tables and their billing modes"},
      {"keeps", "text", "No item of this entity is overwritten by another"},
      {"saves", "map", "Packed fields and the share that packing saves"},
      {"partition", "text", "Some entity has a partition key that matches this template"},
      {"only", "map", "Reads and the field of which each returns only one value"},
      {"request", "map", "A boto3 request: `client` or `table`, its parameters, `typed`, `plain` or `floats`"},
      {"retryable", "list", "The errors after which a request is retried"},
      {"idempotent", "text", "Calling this operation twice has the same effect as calling it once"},
      {"follows", "map", "Child entities and the field whose members they mirror: `SiteTag: Site.tags`"},
    }},
  };
  return kinds;
}
// clang-format on

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      {"steps", {}},
      {"for", {"as", "do", "when", "most"}},
      {"get", {"by", "filter", "one", "consistent", "as", "none", "else", "when"}},
      {"query",
       {"by", "range", "prefix", "filter", "order", "limit", "one", "all", "consistent", "as", "none", "else", "when"}},
      {"scan", {"by", "filter", "limit", "one", "all", "consistent", "as", "none", "else", "when"}},
      {"require", {"else", "when"}},
      {"let", {"when"}},
      {"next", {"as", "by", "if", "else", "when", "undo"}},
      {"cascade", {"by", "range", "prefix", "filter", "when"}},
      {"atomic", {"when", "undo"}},
      {"put", {"by", "set", "from", "additional", "if", "else", "when", "undo"}},
      {"update", {"by", "set", "add", "take", "remove", "additional", "raw", "if", "else", "when", "undo"}},
      {"upsert", {"by", "set", "add", "take", "remove", "additional", "raw", "if", "else", "when", "undo"}},
      {"delete", {"by", "if", "else", "when", "undo"}},
      {"check", {"by", "if", "else", "when"}},
      {"limit", {"by", "else", "when"}},
  };
  return all;
}

const ObjectKind& object_kind(std::string_view name) {
  const auto& kinds = vocabulary();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const ObjectKind& kind) { return kind.name == name; });
  CHECK(found != kinds.end(), name);
  return *found;
}

namespace {

std::string shape_schema(std::string_view shape) {
  std::vector<std::string> choices;
  while (!shape.empty()) {
    const size_t end = std::min(shape.find('|'), shape.size());
    const std::string_view alternative = shape.substr(0, end);
    shape.remove_prefix(std::min(end + 1, shape.size()));
    const size_t colon = alternative.find(':');
    const std::string_view kind = alternative.substr(0, colon);
    const std::string_view target = colon == std::string_view::npos ? "" : alternative.substr(colon + 1);
    const std::string reference = fmt::format(R"({{"$ref": "#/$defs/{}"}})", target);
    if (alternative == "text")
      choices.emplace_back(R"({"type": ["string", "number", "boolean"]})");
    else if (alternative == "int")
      choices.emplace_back(R"({"type": "integer"})");
    else if (alternative == "bool")
      choices.emplace_back(R"({"type": "boolean"})");
    else if (alternative == "list")
      choices.emplace_back(R"({"type": "array"})");
    else if (alternative == "map")
      choices.emplace_back(R"({"type": "object"})");
    else if (alternative == "any")
      choices.emplace_back("true");
    else if (kind == "object")
      choices.push_back(reference);
    else if (kind == "list")
      choices.push_back(fmt::format(R"({{"type": "array", "items": {}}})", reference));
    else
      choices.push_back(fmt::format(R"({{"type": "object", "additionalProperties": {}}})", reference));
  }
  if (choices.size() == 1) return choices[0];
  return fmt::format(R"({{"anyOf": [{}]}})", fmt::join(choices, ", "));
}

std::string object_schema(const ObjectKind& kind, std::string_view indent) {
  std::vector<std::string> properties;
  std::vector<std::string> required;
  for (const Word& word : kind.words) {
    const std::string shape = shape_schema(word.shape);
    properties.push_back(fmt::format(R"({}  "{}": {{"description": "{}"{}}})", indent, word.name, word.about,
                                     shape == "true" ? "" : ", " + shape.substr(1, shape.size() - 2)));
    if (word.required) required.push_back(fmt::format("\"{}\"", word.name));
  }
  return fmt::format(
      "{{\"type\": \"object\", \"description\": \"{}\", \"additionalProperties\": false,\n{}\"required\": "
      "[{}],\n{}\"properties\": {{\n{}\n{}}}}}",
      kind.about, indent, fmt::join(required, ", "), indent, fmt::join(properties, ",\n"), indent);
}

}  // namespace

std::string design_schema_json() {
  std::string out =
      "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n\"title\": \"Trestle design\",\n\"$ref\": "
      "\"#/$defs/design\",\n\"$defs\": {\n";
  bool first = true;
  for (const ObjectKind& kind : vocabulary()) {
    if (!first) out += ",\n";
    first = false;
    if (kind.name == "type") {
      out += R"(  "type": {"description": "A type, or a record of fields", "type": ["string", "object"]})";
    } else if (kind.name == "guard") {
      out += fmt::format(R"(  "guard": {{"anyOf": [{{"type": "string"}}, {{"type": "array"}}, {}]}})",
                         object_schema(kind, "    "));
    } else {
      out += fmt::format("  \"{}\": {}", kind.name, object_schema(kind, "    "));
    }
  }
  return out + "\n}}\n";
}

}  // namespace trestle::design
