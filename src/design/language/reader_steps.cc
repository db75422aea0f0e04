// Reads the steps of operations: reads, conditions, writes, failures and answers.
#include <fmt/format.h>

#include <algorithm>

#include "design/language/reader_impl.h"
#include "design/language/vocabulary.h"

namespace trestle::design {

std::shared_ptr<const Failure> Reader::read_failure(const Node* node) {
  if (node == nullptr) return nullptr;
  auto failure = std::make_shared<Failure>();
  if (node->kind == Node::Kind::kScalar) {
    failure->status = static_cast<int>(integer(node, "else").value_or(409));
  } else if (object(*node, "failure")) {
    failure->status = static_cast<int>(integer(node->find("status"), "status").value_or(409));
    failure->message = text(node->find("message"), "message");
    failure->field = text(node->find("field"), "field");
    if (const Node* also = node->find("also")) failure->also = read_steps(*also);
    failure->retries_max = static_cast<int>(integer(node->find("again"), "again").value_or(0));
  }
  if (failure->status < 400 || failure->status > 599) wrong(*node, "a failure", "an HTTP status from 400 to 599");
  return failure;
}

namespace {

// Whether the condition tests the existence of a field of the entity's key, or of a key attribute: every item has them,
// so this tests whether the item exists. A missing item has no other field either, but that is not what a test of one
// of them asks.
bool tests_presence(const Expression& condition, const Entity& entity, const Table* table) {
  using Kind = Expression::Kind;
  const auto is_key = [&](const Expression& e) {
    return e.is(Kind::kName) && (entity.in_key(e.text) || (table != nullptr && table->key.contains(e.text)));
  };
  bool tests = false;
  each_expression(condition, [&](const Expression& part) {
    const bool is_test = part.is(Kind::kCall) && (part.text == "exists" || part.text == "attribute_exists" ||
                                                  part.text == "attribute_not_exists");
    const auto is_null = [](const Expression& e) { return e.is(Kind::kNull); };
    const bool compares = part.is(Kind::kCompare) && std::ranges::any_of(part.arguments, is_null);
    if (is_test || compares) tests = tests || std::ranges::any_of(part.arguments, is_key);
  });
  return tests;
}

}  // namespace

std::optional<Write> Reader::read_write(const Node& node) {
  Write write;
  const Node* found = nullptr;
  for (const auto& [word, kind] : {std::pair("put", Write::Kind::kPut),
                                   {"update", Write::Kind::kUpdate},
                                   {"upsert", Write::Kind::kUpsert},
                                   {"delete", Write::Kind::kDelete},
                                   {"check", Write::Kind::kCheck}}) {
    const Node* named = node.find(word);
    if (named == nullptr) continue;
    if (found != nullptr) wrong(*named, "a write", "one of put, update, upsert, delete, check");
    found = named;
    write.kind = kind;
  }
  if (found == nullptr) return std::nullopt;
  write.place = found->place;
  write.entity = text(found, "what is written");
  write.sets_inputs = write.kind == Write::Kind::kPut;
  if (design_.entity(write.entity) == nullptr) {
    std::vector<std::string> known;
    for (const Entity& entity : design_.entities) known.push_back(entity.name);
    unknown(found->place, "entity", write.entity, known);
  }
  if (const Node* by = node.find("by")) write.by = bindings(*by, true);
  if (const Node* set = node.find("set")) write.set = bindings(*set, true);
  if (const Node* from = node.find("from")) {
    write.from = text(from, "from");
    if (write.kind != Write::Kind::kPut || !write.from.starts_with('$'))
      wrong(*from, "from", "`$name` of an earlier step, in a put");
    else
      write.from.erase(0, 1);
  }
  if (const Node* additional = node.find("additional")) {
    write.additional = boolean(additional, "additional");
    const bool fills =
        write.kind == Write::Kind::kPut || write.kind == Write::Kind::kUpdate || write.kind == Write::Kind::kUpsert;
    const Entity* entity = design_.entity(write.entity);
    if (write.additional && (!fills || node.find("raw") != nullptr))
      wrong(*additional, "additional", "a put, update or upsert without `raw`");
    else if (write.additional && entity != nullptr && !entity->additional)
      wrong(*additional, "additional", fmt::format("`additional: true` in the entity {} too", entity->name));
  }
  if (const Node* add = node.find("add")) write.add = bindings(*add, false);
  if (const Node* take = node.find("take")) write.take = bindings(*take, false);
  write.remove = texts(node.find("remove"), "remove");
  if (const Node* condition = node.find("if")) {
    if (condition->text == "absent")
      write.exists = Write::Exists::kAbsent;
    else if (condition->text == "present")
      write.exists = Write::Exists::kPresent;
    else
      write.condition = expression(condition);
  }
  // An update, and a condition of a deletion or check, imply that the item exists. In DynamoDB, `role <> owner` and
  // `attribute_not_exists(closed)` also hold for a missing item.
  const Entity* written = design_.entity(write.entity);
  const bool updates = write.kind == Write::Kind::kUpdate && node.find("raw") == nullptr;
  const bool deletes = write.kind == Write::Kind::kDelete || write.kind == Write::Kind::kCheck;
  if (write.exists == Write::Exists::kEither && (updates || (deletes && write.condition))) {
    const bool tests = write.condition && written != nullptr &&
                       tests_presence(*write.condition, *written, design_.table(written->table));
    if (!tests) write.exists = Write::Exists::kPresent;
  }
  write.otherwise = read_failure(node.find("else"));
  write.when = expression(node.find("when"));
  if (const Node* raw = node.find("raw")) read_raw_update(node, *raw, write);
  // Unbound fields of the key take the input of the same name.
  if (const Entity* entity = design_.entity(write.entity); entity != nullptr && write.kind != Write::Kind::kPut) {
    for (const Template& key : entity->key) {
      for (const std::string& field : key.fields()) {
        const Shard* shard = entity->shard(field);
        const std::string& wanted = shard == nullptr ? field : shard->of;
        const auto bound = [&](const std::vector<Binding>& list) {
          return std::any_of(list.begin(), list.end(), [&](const Binding& b) { return b.field == wanted; });
        };
        if (!bound(write.by) && !(write.kind == Write::Kind::kUpsert && bound(write.set))) {
          write.by.push_back({.field = wanted,
                              .element = {},
                              .value = {.kind = Expression::Kind::kInput, .text = wanted, .place = write.place},
                              .place = write.place});
        }
      }
    }
  }
  return write;
}

void Reader::read_raw_update(const Node& node, const Node& raw, Write& write) {
  write.raw = text(&raw, "raw");
  write.raw_place = raw.place;
  // Without a condition, an update expression also creates the item, so `else` would have nothing to refuse.
  const bool refuses = write.otherwise != nullptr && !write.condition && write.exists == Write::Exists::kEither;
  if (write.kind == Write::Kind::kUpdate && refuses) write.exists = Write::Exists::kPresent;
  for (const char* word : {"add", "take", "remove"}) {
    if (const Node* ignored = node.find(word))
      wrong(*ignored, word, "`raw` without it: the update expression is sent as written");
  }
  const Entity* entity = design_.entity(write.entity);
  for (const Binding& set : write.set) {
    if (entity != nullptr && !entity->in_key(set.field))
      findings_.mistake("T003", set.place, fmt::format("`set: {{{}}}` with `raw` would be ignored", set.field),
                        "the update expression is sent as written: set the attribute in it");
  }
}

// Reports words that belong to another kind of step and would be ignored.
void Reader::check_words(const Node& node) {
  const auto verb = std::ranges::find_if(
      verbs(), [&](const Verb& known_verb) { return node.find(std::string(known_verb.name)) != nullptr; });
  if (verb == verbs().end()) return;
  for (const Entry& entry : node.entries) {
    const auto is_it = [&](std::string_view word) { return word == entry.key; };
    const bool of_steps = entry.key == "steps" || std::ranges::any_of(object_kind("step").words, is_it, &Word::name);
    if (!of_steps || entry.key == verb->name || std::ranges::any_of(verb->takes, is_it)) continue;
    findings_.mistake(
        "T002", entry.place, fmt::format("`{}` is not allowed with `{}`", entry.key, verb->name),
        entry.key == "as"
            ? "only reads can be named; to use a value in several writes, define it first with `let: {id: ulid()}`"
        : verb->takes.empty() ? "put it into the step that it applies to"
                              : fmt::format("`{}` allows: {}", verb->name, fmt::join(verb->takes, ", ")));
  }
}

void Reader::read_writes(const Node& node, Step& step) {
  if (node.kind != Node::Kind::kList) return wrong(node, "atomic", "a list of writes");
  for (const Node& item : node.items) {
    if (!object(item, "write")) continue;
    check_words(item);
    if (item.find("for") != nullptr)
      step.steps.push_back(read_loop(item));
    else if (auto write = read_write(item))
      step.writes.push_back(std::move(*write));
    else
      wrong(item, "a write", "put, update, upsert, delete, check or for");
  }
}

// Reads a loop within a transaction: its reads and values come first, then all its writes form one step.
Step Reader::read_loop(const Node& node) {
  Step loop{.kind = Step::Kind::kFor, .place = node.place};
  loop.name = text(node.find("as"), "as");
  loop.when = expression(node.find("when"));
  loop.value = expression(node.find("for"));
  loop.most = integer(node.find("most"), "most").value_or(0);
  if (loop.name.empty()) wrong(node, "for", "`as` with a name for each member");
  const Node* body = node.find("do");
  if (body == nullptr) {
    wrong(node, "for", "`do` with writes");
    return loop;
  }
  Step writes{.kind = Step::Kind::kAtomic, .place = body->place};
  for (Step& step : read_steps(*body)) {
    const bool reads =
        step.kind == Step::Kind::kFind || step.kind == Step::Kind::kLet || step.kind == Step::Kind::kRequire;
    if (step.kind == Step::Kind::kAtomic && step.steps.empty() && step.writes.size() == 1)
      writes.writes.push_back(std::move(step.writes[0]));
    else if (reads && writes.writes.empty())
      loop.steps.push_back(std::move(step));
    else
      findings_.mistake("T003", step.place,
                        "within `atomic`, `do` contains reads, `let` and `require`, followed by single writes");
  }
  loop.steps.push_back(std::move(writes));
  return loop;
}

// Whether an item needs only its key and fields with generated or default values, so that the first `next` can create
// it.
static bool can_begin_empty(const Entity& entity) {
  if (!entity.index.empty() || !entity.unique.empty() || !entity.eaches.empty()) return false;
  return std::ranges::all_of(entity.fields, [&](const Field& field) {
    return entity.in_key(field.name) || field.optional || field.automatic || field.touched || field.counter ||
           field.revision || field.default_value;
  });
}

// Reads `next: Project.lastNumber`: an update that adds 1, whose result is the new number.
void Reader::read_next(const Node& node, const Node& next, Step& step) {
  step.kind = Step::Kind::kAtomic;
  const std::string name = text(&next, "next");
  const size_t dot = name.find('.');
  const Entity* entity = design_.entity(name.substr(0, dot));
  const Field* field = entity == nullptr || dot == std::string::npos ? nullptr : entity->field(name.substr(dot + 1));
  if (field == nullptr || !field->counter) return wrong(next, "next", "Entity.counter");
  if (step.name.empty()) wrong(node, "next", "`as` with a name for the number");
  // Read the equivalent update.
  Node update = node;
  std::erase_if(update.entries, [](const Entry& entry) { return entry.key == "next" || entry.key == "as"; });
  Node target = next;
  target.text = entity->name;
  const bool creates = node.find("else") == nullptr && node.find("if") == nullptr && can_begin_empty(*entity);
  update.entries.push_back({.key = creates ? "upsert" : "update", .place = next.place, .value = std::move(target)});
  auto write = read_write(update);
  if (!write) return;
  write->add.push_back({.field = field->name,
                        .element = {},
                        .value = {.kind = Expression::Kind::kNumber, .text = "1", .place = next.place},
                        .place = next.place});
  step.next = field->name;
  step.when.reset();
  step.otherwise = nullptr;
  step.writes.push_back(std::move(*write));
}

std::optional<Step> Reader::read_step(const Node& node) {
  if (!object(node, "step")) return std::nullopt;
  check_words(node);
  Step step{.place = node.place};
  step.name = text(node.find("as"), "as");
  step.when = expression(node.find("when"));
  step.otherwise = read_failure(node.find("none") != nullptr ? node.find("none") : node.find("else"));
  if (const Node* undo = node.find("undo")) {
    Step back{.kind = Step::Kind::kAtomic, .place = undo->place};
    read_writes(*undo, back);
    step.undo.push_back(std::move(back));
  }
  const Node* limit = node.find("limit");
  if (const Node* loop = node.find("for")) {
    step.kind = Step::Kind::kFor;
    step.value = expression(loop);
    if (const Node* body = node.find("do"))
      step.steps = read_steps(*body);
    else
      wrong(node, "for", "`do` with steps");
    if (step.name.empty()) wrong(node, "for", "`as` with a name for each member");
  } else if (auto access = read_access(node)) {
    step.kind = Step::Kind::kFind;
    if (limit != nullptr) access->limit = integer(limit, "limit").value_or(0);
    step.access = std::move(*access);
  } else if (const Node* require = node.find("require")) {
    step.kind = Step::Kind::kRequire;
    step.value = expression(require);
    if (!step.otherwise) wrong(node, "require", "`else` with a status");
  } else if (const Node* let = node.find("let")) {
    step.kind = Step::Kind::kLet;
    step.values = bindings(*let, false);
  } else if (const Node* next = node.find("next")) {
    read_next(node, *next, step);
  } else if (limit != nullptr) {
    step.kind = Step::Kind::kLimit;
    step.limit = text(limit, "limit");
    if (const Node* by = node.find("by")) step.by = bindings(*by, true);
    if (design_.limit(step.limit) == nullptr) {
      std::vector<std::string> known;
      for (const Limit& known_limit : design_.limits) known.push_back(known_limit.name);
      unknown(limit->place, "limit", step.limit, known);
    }
  } else if (const Node* cascade = node.find("cascade")) {
    step.kind = Step::Kind::kCascade;
    Node query = node;
    query.entries.push_back({.key = "query", .place = cascade->place, .value = *cascade});
    step.access = read_access(query);
  } else if (const Node* atomic = node.find("atomic")) {
    step.kind = Step::Kind::kAtomic;
    read_writes(*atomic, step);
  } else if (auto write = read_write(node)) {
    step.kind = Step::Kind::kAtomic;
    step.when.reset();
    step.otherwise = nullptr;
    step.writes.push_back(std::move(*write));
  } else {
    wrong(node, "a step", "get, query, require, let, next, limit, atomic, put, update, upsert, delete, cascade or for");
    return std::nullopt;
  }
  if (!step.undo.empty() && step.kind != Step::Kind::kAtomic) {
    findings_.mistake("T003", step.undo[0].place,
                      "`undo` is only allowed on a write: put, update, upsert, delete or atomic");
    step.undo.clear();
  }
  return step;
}

std::vector<Step> Reader::read_steps(const Node& node) {
  std::vector<Step> steps;
  if (node.kind != Node::Kind::kList) {
    wrong(node, "steps", "a list of steps");
    return steps;
  }
  for (const Node& item : node.items) {
    if (auto step = read_step(item)) steps.push_back(std::move(*step));
  }
  return steps;
}

Answer Reader::read_answer(const Node& node) {
  Answer answer{.place = node.place};
  if (node.kind == Node::Kind::kScalar) {
    answer.value = expression(&node);
  } else if (node.kind == Node::Kind::kMap && node.find("each") != nullptr) {
    answer.each = expression(node.find("each"));
    answer.key = expression(node.find("key"));
    answer.where = expression(node.find("where"));
    if (const Node* of = node.find("of"))
      answer.of = std::make_shared<const Answer>(read_answer(*of));
    else
      wrong(node, "each", "`of` with the result for each member");
  } else if (node.kind == Node::Kind::kMap) {
    for (const Entry& entry : node.entries) answer.members.emplace_back(entry.key, read_answer(entry.value));
  } else {
    wrong(node, "returns", "an expression, `name: value` results, or {each: list, of: result}");
  }
  return answer;
}

}  // namespace trestle::design
