#include "simulation/reference_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/check.h"
#include "design/plan/plan.h"
#include "runtime/tables.h"
#include "runtime/values/ulid.h"
#include "simulation/world.h"

namespace trestle {
namespace {

constexpr size_t kRandomLength = 26;  // the length of a ULID; tokens and digests are longer
constexpr size_t kTimeDigits = 10;    // of a time in seconds

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }
bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

// The length of a time such as "2026-01-15T12:00:00.123Z" at the start of `text`; 0 if there is none.
size_t time_length(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd";
  if (text.size() < kForm.size()) return 0;
  for (size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == 'd' ? !is_decimal_digit(text[i]) : text[i] != kForm[i]) return 0;
  }
  size_t length = kForm.size();
  while (length < text.size() && (is_decimal_digit(text[length]) || text[length] == '.' || text[length] == 'Z'))
    ++length;
  return length;
}

// Calls `word` for each word, `time` for each time, and `other` for each character in between.
template <class Word, class Time, class Other>
void each_word(std::string_view text, const Word& word, const Time& time, const Other& other) {
  while (!text.empty()) {
    if (const size_t length = time_length(text); length > 0) {
      time(text.substr(0, length));
      text.remove_prefix(length);
      continue;
    }
    size_t length = 0;
    // A time may directly follow a word, as in "RATE#" + time, so times are only looked for at the start of a word.
    while (length < text.size() && is_word_character(text[length])) ++length;
    if (length == 0) {
      other(text[0]);
      length = 1;
    } else {
      word(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
}

// Erases the text after each `prefix`, up to the next quotation mark.
std::string without_values(std::string text, std::string_view prefix) {
  for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
    at += prefix.size();
    text.erase(at, text.find('"', at) - at);
  }
  return text;
}

// The nonces of encrypted values are random, and the duration of endpoint calls is measured.
std::string without_random_values(std::string text) {
  text = without_values(std::move(text), R"({"B":")");
  return without_values(std::move(text), R"("duration_ms":{"N":")");
}

std::string canonical_line(const std::string& line, const std::set<std::string>& known) {
  std::string text;
  const bool has_generated =
      std::ranges::any_of(generated_words(line), [&](const std::string& word) { return !known.contains(word); });
  each_word(
      without_random_values(line),
      [&](std::string_view word) {
        const bool is_number = std::ranges::all_of(word, is_decimal_digit);
        if (is_number && has_generated && text.ends_with('#')) {
          text += "<shard>";  // computed from a generated id
        } else if (is_number && word.size() >= kTimeDigits) {
          text += "<time>";
        } else if (word.size() < kRandomLength || known.contains(std::string(word))) {
          text += word;
        } else {
          text += runtime::is_ulid(word) ? "<ulid>" : "<random>";
        }
      },
      [&](std::string_view) { text += "<time>"; }, [&](char c) { text += c; });
  return text;
}

std::unique_ptr<Engine> reference_engine() {
  EngineOptions options;
  options.store.in_memory = true;
  options.store.cache_bytes = size_t{8} << 20;
  options.throttles = false;
  options.expiry.interval_ms = 0;
  auto engine = Engine::open(std::move(options));
  CHECK(engine.has_value());
  return std::move(*engine);
}

}  // namespace

runtime::Plain SampledInputs::next(const SampledCall& call) {
  if (call.repeat_of) {
    inputs_.push_back(inputs_.at(*call.repeat_of));
  } else {
    auto calls = maker_.calls(*call.operation, remembered_);
    inputs_.push_back(std::move(calls[call.choice % calls.size()]));
  }
  return inputs_.back();
}

std::set<std::string> generated_words(std::string_view text) {
  std::set<std::string> words;
  each_word(
      text,
      [&](std::string_view word) {
        if (word.size() >= kRandomLength) words.emplace(word);
      },
      [](std::string_view) {}, [](char) {});
  return words;
}

namespace {

void add_written(const std::vector<design::PlanStep>& steps, std::set<const design::Entity*>& written) {
  for (const design::PlanStep& step : steps) {
    if (step.kind == design::PlanStep::Kind::kWrite || step.kind == design::PlanStep::Kind::kLimit) {
      for (const design::Request& request : step.requests) written.insert(request.entity);
    }
    add_written(step.steps, written);
  }
}

// Entities whose items may differ after faults. Items that count calls for a limit: a call that is repeated because it
// had no answer is counted again. Items written by `also` steps: if these fail, the call's refusal is unchanged.
std::set<const design::Entity*> inexact_entities(const design::Design& design) {
  std::set<const design::Entity*> entities;
  for (const design::Limit& limit : design.limits) entities.insert(design.entity(limit.entity));
  for (const design::Plan& plan : design::plan_design(design)) {
    for (const auto& [failure, steps] : plan.also) add_written(steps, entities);
  }
  entities.erase(nullptr);
  return entities;
}

// The fields that store how many calls a limit still allows, which differs as the limit's items do.
std::set<std::string> inexact_fields(const design::Design& design) {
  std::set<std::string> fields;
  const auto add = [&](const auto& self, const std::vector<design::PlanStep>& steps,
                       std::set<std::string> counts) -> void {
    for (const design::PlanStep& step : steps) {
      if (step.kind == design::PlanStep::Kind::kLimit) counts.insert(step.name);
      for (const design::Request& request : step.requests) {
        for (const design::FieldValue& field : request.fields) {
          design::each_expression(field.source.expression, [&](const design::Expression& part) {
            if (part.is(design::Expression::Kind::kInput) && counts.contains(part.text)) fields.insert(field.name);
          });
        }
      }
      self(self, step.steps, counts);
    }
  };
  for (const design::Plan& plan : design::plan_design(design)) add(add, plan.steps, {});
  return fields;
}

bool is_of_any(const std::set<const design::Entity*>& entities, const design::Table& table, ItemView item) {
  const auto type = item.find(table.type_attribute);
  return type && std::ranges::any_of(entities, [&](const design::Entity* entity) {
           return entity->table == table.name && entity->type == type->scalar();
         });
}

}  // namespace

Result<std::vector<std::string>> design_lines(Engine& engine, const design::Design& design,
                                              const std::set<std::string>& known) {
  std::vector<std::string> lines;
  const std::set<const design::Entity*> inexact = inexact_entities(design);
  const std::set<std::string> left_out = inexact_fields(design);
  for (const design::Table& table : design.tables) {
    ScanRequest scan;
    scan.table_name = table.name;
    do {
      TRY_INTO(const auto page, engine.scan(scan));
      for (size_t i = 0; i < page.items.size(); ++i) {
        if (is_of_any(inexact, table, page.items[i])) continue;
        ItemEditor exact(page.items[i]);
        for (const std::string& field : left_out) exact.remove(field);
        lines.push_back(fmt::format("{} {}", table.name, canonical_line(item_text(exact.build()), known)));
      }
      scan.exclusive_start_key = page.last_evaluated_key;
    } while (scan.exclusive_start_key);
  }
  std::ranges::sort(lines);
  return lines;
}

ReferenceDesign::ReferenceDesign(const rehearsal::SampledDesign& sampled, const runtime::KeyRing& keys)
    : sampled_(sampled),
      keys_(keys),
      caller_(sampled.caller()),
      clock_(sampled.now_ms()),
      engine_(reference_engine()),
      inputs_(sampled) {
  CHECK(runtime::create_tables(sampled.design(), *engine_).has_value());
  auto opened =
      runtime::DesignRuntime::open(sampled.design(), *engine_, {.keys = &keys_, .blobs = &blobs_, .clock = &clock_});
  CHECK(opened.has_value());
  runtime_ = std::move(*opened);
  runtime::CallContext context;
  context.caller = caller_;
  for (const rehearsal::SampledDesign::Load& load : sampled.loads()) {
    for (const runtime::Plain& fields : load.items) {
      Call database_call;
      (void)runtime_->call(*load.operation, fields, {}, context, database_call);
    }
  }
}

std::unique_ptr<ReferenceDesign> ReferenceDesign::copy() const {
  auto result = std::make_unique<ReferenceDesign>(sampled_, keys_);
  for (const PastCall& past : history_) {
    if (past.has_effect) {
      result->apply(past.call, past.is_answered);
    } else {
      result->skip(past.call);
    }
  }
  return result;
}

int ReferenceDesign::apply(const SampledCall& call, bool is_answered) {
  clock_.advance_ms(call.at_ms - clock_.now_ms());
  history_.push_back({.call = call, .has_effect = true, .is_answered = is_answered});
  last_inputs_ = inputs_.next(call);
  runtime::CallContext context;
  context.caller = caller_;
  if (!call.key.empty()) context.idempotency_key = call.key;
  Call database_call;
  const auto reply = runtime_->call(*call.operation, last_inputs_, {}, context, database_call);
  last_refusal_ = reply ? std::string() : fmt::format("{} {}", reply.error().status, reply.error().message);
  if (!reply) return reply.error().status;
  if (is_answered) inputs_.remember(reply->body);
  return 200;
}

void ReferenceDesign::skip(const SampledCall& call) {
  clock_.advance_ms(call.at_ms - clock_.now_ms());
  history_.push_back({.call = call});
  last_inputs_ = inputs_.next(call);
}

Result<std::vector<std::string>> ReferenceDesign::lines(const std::set<std::string>& known) {
  std::string what;
  const ServedDesign served{
      .runtime = runtime_.get(), .engine = engine_.get(), .clock = &clock_, .keys = &keys_, .blobs = &blobs_};
  if (!finish_design_work(served, what)) return failure(ErrorCode::kInternal, what);
  return design_lines(*engine_, sampled_.design(), known);
}

}  // namespace trestle
