#include "design/language/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace trestle::design {

// clang-format off
const std::vector<ObjectKind>& vocabulary() {
  static const std::vector<ObjectKind> kinds = {
    {"design", "A DynamoDB data design", {
      {"design", "text", "The design's name, as in the URL of its operations", true},
      {"version", "int", "Its version; default: 1"},
      {"about", "text", "What it is for"},
      {"tenant", "text", "The field that identifies the tenant of an item"},
      {"types", "map:type", "Types used by fields: another type under a new name, or a record of fields"},
      {"tables", "map:table", "The tables", true},
      {"entities", "map:entity", "The kinds of items", true},
      {"limits", "map:limit", "Rate windows"},
      {"tallies", "map:tally", "Aggregates maintained on write"},
      {"roles", "map", "Roles of callers: a name and a condition on `caller`"},
      {"reads", "map:operation", "Operations that change nothing"},
      {"writes", "map:operation", "Operations that change something"},
      {"reactions", "map:reaction", "Calls to other services when items change"},
      {"claims", "list:claim", "Statements about the design that the checker verifies"},
      {"alerts", "map:alert", "Thresholds for `export --to alerts` and the alarms of the CloudFormation export"},
    }},
    {"type", "A type: text, or a record of fields", {}},
    {"table", "A table", {
      {"about", "text", "What it is for"},
      {"key", "list", "The key attributes, `name` or `name N` (default: S): partition, then sort", true},
      {"type", "text", "The attribute that carries the entity's name"},
      {"ttl", "text", "The attribute that DynamoDB's TTL reads"},
      {"billing", "text|object:throughput", "on-demand, or {read: 10, write: 5}"},
      {"stream", "text", "keys, new, old or new-and-old"},
      {"recovery", "bool", "Point-in-time recovery"},
      {"deletion_protection", "bool", "DeleteTable is refused"},
      {"encryption", "text", "aws-owned (unless said), kms, or the ARN, id or alias of a KMS key"},
      {"class", "text", "standard (unless said) or infrequent-access"},
      {"tags", "map", "The table's tags"},
      {"parameter", "text", "The parameter of the table's name in the CloudFormation and Terraform exports"},
      {"indexes", "map:index", "The secondary indexes"},
    }},
    {"throughput", "Provisioned capacity", {
      {"read", "int", "Read units a second", true},
      {"write", "int", "Write units a second", true},
    }},
    {"index", "A secondary index", {
      {"about", "text", "What it is for"},
      {"key", "list", "Partition attribute, then sort attribute"},
      {"hash", "list", "Up to four partition attributes"},
      {"range", "list", "Up to four sort attributes"},
      {"local", "bool", "A local secondary index: the table's partition key, another sort key"},
      {"project", "text|list", "all, keys, or the attributes to copy"},
    }},
    {"entity", "A kind of item", {
      {"about", "text", "What it is"},
      {"table", "text", "Its table; required if there are several"},
      {"type", "text", "The value of the table's type attribute; default: the entity's name"},
      {"key", "text|list", "The templates of the table's key attributes", true},
      {"fields", "map", "The fields: `name: type modifiers = default`", true},
      {"index", "map:entry", "Its entries in secondary indexes"},
      {"unique", "map:guard", "Unique values: guard items written in the same transaction"},
      {"ttl", "text", "When it expires: `created_at + 1h`"},
      {"flow", "map", "Allowed changes of a status field: `status: {pending: [active]}`"},
      {"shard", "map:shard", "Computed fields that spread a key over partitions"},
      {"pack", "map:pack", "Fields that are compressed"},
      {"spill", "map:spill", "Fields that move to blob storage when large"},
      {"each", "map", "One child item per member: `tags: SiteTag.tag`"},
      {"size", "text", "Typical size of an item, `2KB`"},
      {"count", "int", "Number of items"},
      {"examples", "list", "Items as a document shows them, attribute by attribute"},
      {"formerly", "list", "Other keys that programs write such items under, as lists of templates; verify moves them"},
      {"additional", "bool", "Attributes beside the fields are taken, stored and answered"},
    }},
    {"entry", "An entry in a secondary index", {
      {"on", "text", "The index", true},
      {"key", "text|list", "The templates of the index's key attributes", true},
      {"if", "text", "The entry exists only while this is true"},
      {"one", "bool", "At most one item has these values"},
      {"about", "text", "What it is for"},
    }},
    {"guard", "A uniqueness guard: a template, or an object", {
      {"key", "text|list", "The templates of the table's key attributes; one template is used for both", true},
      {"type", "text", "The value of the table's type attribute"},
      {"keeps", "list", "Fields copied into the guard, beside the owner's key"},
    }},
    {"shard", "A computed field that spreads a key", {
      {"of", "text", "The field that is hashed", true},
      {"count", "int|text", "How many shards: a number, or Entity.field where it is stored", true},
      {"epochs", "text", "Entity.field of the list of (from, shard_count) with former counts"},
      {"initial", "int", "The count before any is set; default: 1"},
      {"most", "int", "The greatest count; default: 64"},
      {"lead", "text", "A new epoch begins this long after it is set"},
    }},
    {"pack", "Compression of a field", {
      {"over", "text", "From this size on", true},
      {"saves", "text", "Kept packed only if it saves this share"},
      {"as", "text", "binary (unless said) or base64"},
      {"figures", "bool", "Fill the fields compressed, compression_algorithm, original_size, storage_size, compression_ratio"},
    }},
    {"spill", "Blob storage of a field", {
      {"over", "text", "From this size on, after packing", true},
    }},
    {"limit", "A rate window", {
      {"in", "text", "The entity that counts", true},
      {"window", "text", "How long", true},
      {"slice", "text", "The granularity of counting; default: the window"},
      {"max", "int", "How many", true},
    }},
    {"tally", "Aggregates maintained on write", {
      {"of", "text", "The entity that is counted", true},
      {"into", "text", "The entity that holds the figures", true},
      {"by", "map", "Key fields of the figures, from the counted item's", true},
      {"add", "map", "What is added to which counter"},
      {"min", "map", "Figures that are the least value of a field of the counted items"},
      {"max", "map", "Figures that are the greatest value of a field of the counted items"},
      {"when", "text", "Only items for which this is true"},
      {"through", "text", "transaction (the default) or stream"},
    }},
    {"operation", "An operation", {
      {"about", "text", "What it does"},
      {"takes", "map", "The inputs: `name: type modifiers = default`, where a type may be Entity.field"},
      {"knows", "list", "What its caller has; the checker compares it with what the key needs"},
      {"errors", "text", "raised (the default), or ignored: a document's code swallows every error"},
      {"allow", "text|list", "Roles, or a condition on `caller` and the inputs"},
      {"cache", "text", "A read is answered from memory for this long, until a write of this server changes what it reads: `5m`"},
      {"peak", "text", "How often at most, for hot partitions: `500/s`, `500/s per tenant_id`"},
      {"average", "text", "How often over a month, for the monthly cost: `10K/month`, `2/s`"},
      {"rate", "text", "The former word for `peak`"},
      {"get", "text", "Read one item: Entity, Entity.entry or Entity.guard"},
      {"query", "text|list|object:raw", "Read items: Entity or Entity.entry; several of one partition; or a raw key condition"},
      {"scan", "text", "Read a whole table for an entity"},
      {"by", "list|map", "The fields to read by: names, or `field: value`"},
      {"range", "text|map", "The sort field between inputs `from` and `to`, or `field: [low, high]`"},
      {"prefix", "text|map", "The sort field that begins with the input of the same name, or `field: value`"},
      {"filter", "text", "A condition on what was read"},
      {"order", "text", "ascending (the default) or descending"},
      {"limit", "int", "Items a page"},
      {"one", "bool", "The answer is one item"},
      {"all", "bool", "All pages are read and returned together"},
      {"consistent", "bool", "A strongly consistent read"},
      {"finds", "list", "Raw reads: the entities to find"},
      {"put", "text", "Write a whole item"},
      {"update", "text", "Change an item that exists"},
      {"upsert", "text", "Change an item, or create it"},
      {"delete", "text", "Remove an item"},
      {"set", "list|map", "Fields and their values; a list names inputs"},
      {"add", "map", "What is added to counters and sets"},
      {"take", "map", "What is taken out of sets"},
      {"remove", "list", "Fields that are removed"},
      {"additional", "bool", "Attributes of the call that are no inputs are written too; the entity must say so as well"},
      {"if", "text", "absent, present, or a condition on the item"},
      {"else", "int|object:failure", "The answer when it fails"},
      {"raw", "text", "An update expression as a document writes it"},
      {"atomic", "list:write", "Writes that happen together or not at all"},
      {"steps", "list:step", "What it does, one after the other"},
      {"returns", "any", "What it answers; the item or items unless said"},
      {"fields", "list", "The fields that are answered; all that are not secret unless said"},
      {"bad", "map:failure", "What is also done when an input is not of its type, by the input: `domain: {status: 400, also: [...]}`"},
      {"idempotent", "text", "The guard whose owner is the answer when it already exists"},
    }},
    {"raw", "A key condition as a document writes it", {
      {"table", "text", "The table; required if there are several"},
      {"index", "text", "The index; default: the table itself"},
      {"where", "text", "The key condition, with templates in its literals", true},
    }},
    {"step", "A step of an operation", {
      {"get", "text", "Read one item"},
      {"query", "text|list|object:raw", "Read items"},
      {"scan", "text", "Read a whole table for an entity"},
      {"by", "list|map", "The fields to read by"},
      {"range", "text|map", "The sort field between inputs"},
      {"prefix", "text|map", "The sort field that begins with a value"},
      {"filter", "text", "A condition on what was read"},
      {"order", "text", "ascending or descending"},
      {"limit", "int|text", "Items a page; or the rate window that is counted"},
      {"one", "bool", "One item"},
      {"all", "bool", "All pages"},
      {"consistent", "bool", "A strongly consistent read"},
      {"as", "text", "The name of what was found, for later steps"},
      {"none", "int|object:failure", "The answer when nothing was found; without it, absence is null"},
      {"require", "text", "A condition that must be true"},
      {"let", "map", "Values computed once: `site_id: ulid()`"},
      {"next", "text", "Entity.counter: adds 1; `as` names the new number, which nobody else gets"},
      {"atomic", "list:write", "Writes that happen together or not at all"},
      {"put", "text", "Write a whole item"},
      {"update", "text", "Change an item that exists"},
      {"upsert", "text", "Change an item, or create it"},
      {"delete", "text", "Remove an item"},
      {"check", "text", "Only a condition on an item"},
      {"set", "list|map", "Fields and their values"},
      {"from", "text", "With put: the item, found by an earlier step, that it is a copy of but for what is set"},
      {"add", "map", "What is added to counters and sets"},
      {"take", "map", "What is taken out of sets"},
      {"remove", "list", "Fields that are removed"},
      {"additional", "bool", "Attributes of the call that are no inputs are written too; the entity must say so as well"},
      {"if", "text", "absent, present, or a condition on the item"},
      {"raw", "text", "An update expression as a document writes it"},
      {"cascade", "text", "Delete all that this query finds, page by page: Entity or Entity.entry"},
      {"for", "text", "A list; its members are named by `as`"},
      {"do", "list:step", "The steps for each member"},
      {"undo", "list:write", "Writes, made together, that take this write back when a later step refuses"},
      {"when", "text", "The step is taken only if this holds"},
      {"else", "int|object:failure", "The answer when it fails"},
    }},
    {"write", "A write", {
      {"put", "text", "Write a whole item"},
      {"update", "text", "Change an item that exists"},
      {"upsert", "text", "Change an item, or create it"},
      {"delete", "text", "Remove an item"},
      {"check", "text", "Only a condition on an item"},
      {"by", "list|map", "The key's fields"},
      {"set", "list|map", "Fields and their values"},
      {"from", "text", "With put: the item, found by an earlier step, that it is a copy of but for what is set"},
      {"add", "map", "What is added to counters and sets"},
      {"take", "map", "What is taken out of sets"},
      {"remove", "list", "Fields that are removed"},
      {"additional", "bool", "Attributes of the call that are no inputs are written too; the entity must say so as well"},
      {"if", "text", "absent, present, or a condition on the item"},
      {"raw", "text", "An update expression as a document writes it"},
      {"when", "text", "It takes part only if this is true"},
      {"else", "int|object:failure", "The answer when its condition fails"},
      {"for", "text", "A list; the writes of `do` take part for each of its members, named by `as`"},
      {"as", "text", "The name of each member"},
      {"most", "int", "The most members there can be; the list's own bound unless said"},
      {"do", "list:step", "The writes for each member, and the reads and values that they use"},
    }},
    {"failure", "How an operation fails", {
      {"status", "int", "The HTTP status", true},
      {"message", "text", "What the caller reads"},
      {"field", "text", "The input that is to blame"},
      {"also", "list:step", "What is done first"},
      {"again", "int", "How often the whole operation is tried again before it fails"},
    }},
    {"reaction", "An HTTP notification about changes of items", {
      {"on", "text", "The entity", true},
      {"when", "list", "insert, modify, remove, expire; default: all"},
      {"if", "text", "A condition on `old` and `new`"},
      {"call", "text", "The configured HTTP endpoint"},
      {"do", "text", "Instead of an endpoint: an operation of the design, done once for each change"},
      {"send", "map", "The body, from `old`, `new` and $asked"},
      {"ask", "text", "A read that is made first, with the item's fields as inputs; its answer is $asked"},
      {"format", "text", "json (unless said), or cloudevent: what is sent is the data of a CloudEvent"},
      {"then", "text", "The operation that records each outcome"},
      {"with", "map", "Its inputs, from `old`, `new`, $reply, $status, $errorMessage, $duration_ms and $event"},
      {"retries", "int", "How often it is retried"},
    }},
    {"alert", "A threshold: a month's cost, or units a second on a table", {
      {"says", "text", "The document's words"},
      {"cost", "text", "Dollars a month"},
      {"table", "text", "The table whose units are meant"},
      {"reads", "text", "Read units: `10/s`"},
      {"writes", "text", "Write units: `100/s`"},
    }},
    {"claim", "A statement about the design", {
      {"says", "text", "The document's words", true},
      {"unique", "text", "No two items share this: Entity.field or Entity.entry"},
      {"distinct", "list", "These entities have separate partition keys; `all` for every one"},
      {"isolated", "list", "Reads of these entities return nothing else; `all` for every one"},
      {"spreads", "text", "The load of this entity is spread over partitions by its sort key"},
      {"encrypted", "text", "Entity.field is encrypted in the item"},
      {"ttl", "map", "Entities and their lifetimes"},
      {"sparse", "text", "This index holds only some of the items"},
      {"requests", "map", "Operations and the most requests they make"},
      {"stream", "text", "This table has a stream"},
      {"billing", "map", "Tables and how they are billed"},
      {"keeps", "text", "No item of this entity is overwritten by another"},
      {"saves", "map", "Packed fields and what share packing saves"},
      {"partition", "text", "Some entity has a partition key like this"},
      {"only", "map", "Reads and the field of which they return one value alone"},
      {"request", "map", "A request of the document's code: `client` or `table`, its parameters, `typed`, `plain` or `floats`"},
      {"retryable", "list", "The errors after which a request is tried again"},
      {"idempotent", "text", "This operation, called twice, does what it does once"},
      {"follows", "map", "Child entities and the field whose members they follow: `SiteTag: Site.tags`"},
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
    const std::string_view one = shape.substr(0, end);
    shape.remove_prefix(std::min(end + 1, shape.size()));
    const size_t colon = one.find(':');
    const std::string_view kind = one.substr(0, colon);
    const std::string_view target = colon == std::string_view::npos ? "" : one.substr(colon + 1);
    const std::string reference = fmt::format(R"({{"$ref": "#/$defs/{}"}})", target);
    if (one == "text")
      choices.emplace_back(R"({"type": ["string", "number", "boolean"]})");
    else if (one == "int")
      choices.emplace_back(R"({"type": "integer"})");
    else if (one == "bool")
      choices.emplace_back(R"({"type": "boolean"})");
    else if (one == "list")
      choices.emplace_back(R"({"type": "array"})");
    else if (one == "map")
      choices.emplace_back(R"({"type": "object"})");
    else if (one == "any")
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
