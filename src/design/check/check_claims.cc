// T601 to T616: false claims about keys, indexes, tables and items.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/ascii.h"
#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

class ClaimCheck {
 public:
  ClaimCheck(const CheckContext& context, Findings& findings)
      : context_(context), design_(context.design), findings_(findings) {}

  void check(const Claim& claim) {
    claim_ = &claim;
    if (claim.kind == "unique")
      unique();
    else if (claim.kind == "distinct")
      distinct();
    else if (claim.kind == "isolated")
      isolated();
    else if (claim.kind == "spreads")
      spreads();
    else if (claim.kind == "encrypted")
      encrypted();
    else if (claim.kind == "ttl")
      ttl();
    else if (claim.kind == "sparse")
      sparse();
    else if (claim.kind == "requests")
      requests();
    else if (claim.kind == "stream")
      stream();
    else if (claim.kind == "billing")
      billing();
    else if (claim.kind == "keeps")
      keeps();
    else if (claim.kind == "saves")
      saves();
    else if (claim.kind == "partition")
      partition();
    else
      check_behaviour_claim(context_, claim, findings_);
  }

 private:
  void wrong(std::string_view code, std::string because, std::string repair = {},
             Severity severity = Severity::kError) {
    findings_.add(code, severity, claim_->place, fmt::format("the claim \"{}\" is false: {}", claim_->says, because),
                  std::move(repair));
  }
  const Entity* entity(std::string_view name) {
    const Entity* found = design_.entity(name.substr(0, name.find('.')));
    if (found == nullptr)
      findings_.mistake("T004", claim_->place, fmt::format("there is no entity `{}`", name.substr(0, name.find('.'))));
    return found;
  }
  std::string_view member() const {
    const size_t dot = claim_->subject.find('.');
    return dot == std::string::npos ? "" : std::string_view(claim_->subject).substr(dot + 1);
  }
  bool intended(const std::string& name) const {
    return claim_->values.empty() || claim_->values[0] == "all" ||
           std::find(claim_->values.begin(), claim_->values.end(), name) != claim_->values.end();
  }

  void unique() {
    const Entity* subject = entity(claim_->subject);
    if (subject == nullptr) return;
    const std::string_view name = member();
    if (const IndexEntry* entry = subject->entry(name)) {
      std::set<std::string> fields;
      for (const Template& key : entry->key) {
        for (std::string& field : key.fields()) fields.insert(std::move(field));
      }
      const bool guarded = std::any_of(subject->unique.begin(), subject->unique.end(), [&](const Guard& guard) {
        return !guard.key.empty() && std::all_of(fields.begin(), fields.end(), [&](const std::string& f) {
          return guard.key[0].uses(f) || guard.key.back().uses(f);
        });
      });
      if (!guarded) {
        wrong("T601",
              fmt::format("an index never rejects a write: two {} items with the same {} both get an entry in {}",
                          subject->name, fmt::join(fields, " and "), entry->index),
              fmt::format("add a guard: `unique: {{{}: \"...#{{{}}}\"}}`", *fields.begin(), fmt::join(fields, "}#{")));
      }
      return;
    }
    if (subject->guard(name) != nullptr ||
        (subject->in_key(name) && subject->key.back().fields() == std::vector<std::string>{std::string(name)}))
      return;
    // A guard modeled as a separate entity that operations put together with its owner.
    for (const Entity& guard : design_.entities) {
      const bool holds = &guard != subject && !guard.key.empty() &&
                         guard.key[0].fields() == std::vector<std::string>{std::string(name)};
      if (!holds || context_.writes_to(guard.name).empty()) continue;
      bool removed = false;
      for (const auto& [operation, write, writes_in_transaction, on_failure] : context_.writes_to(guard.name))
        removed = removed || write->kind == Write::Kind::kDelete;
      if (!removed) {
        wrong("T602",
              fmt::format("{} is put when a {} is created, but nothing replaces it when `{}` changes or deletes it "
                          "with its owner: the old value stays taken, and the new one is not guarded",
                          guard.name, subject->name, name),
              fmt::format("declare it as a guard: `unique: {{{}: \"{}\"}}`", name, guard.key[0].text));
      }
      return;
    }
    wrong("T601", fmt::format("nothing makes `{}` of {} unique", name, subject->name), "guard it with `unique`");
  }

  void distinct() {
    std::map<std::string, std::vector<std::string>> by_prefix;
    for (const Entity& other_entity : design_.entities) {
      if (intended(other_entity.name) && !other_entity.key.empty())
        by_prefix[other_entity.table + "\n" + other_entity.key[0].literal_prefix()].push_back(other_entity.name);
    }
    std::vector<std::string> shared;
    for (const auto& [prefix, names] : by_prefix) {
      if (names.size() > 1)
        shared.push_back(fmt::format("{} share `{}`", fmt::join(names, " and "), prefix.substr(prefix.find('\n') + 1)));
    }
    if (!shared.empty())
      wrong("T603", fmt::format("{}", fmt::join(shared, "; ")),
            "correct the claim, and distinguish entities by the prefix of the sort key instead", Severity::kWarning);
  }

  void isolated() {
    std::vector<std::string> mixed;
    for (const Operation& operation : design_.operations) {
      each_access(operation, [&](const Access& access) {
        if (mixed_read(access)) mixed.push_back(operation.name);
      });
    }
    if (!mixed.empty())
      wrong("T604",
            fmt::format("{} {} items of several entities", fmt::join(mixed, ", "),
                        mixed.size() == 1 ? "returns" : "return"),
            "narrow the read to a prefix that only the intended items have");
  }
  bool mixed_read(const Access& access) {
    Findings found;
    // The same condition as T203, for this read only.
    if (raw_.empty()) {
      check_raw_reads(context_, found);
      check_reads(context_, found);
      raw_ = found.take();
    }
    return std::any_of(raw_.begin(), raw_.end(),
                       [&](const Finding& f) { return f.code == "T203" && f.place == access.place; });
  }

  void spreads() {
    wrong("T605",
          "only the partition key decides where an item is stored; items with the same partition key stay together "
          "whatever their sort keys",
          "add a field with many values, or a shard, to the partition key");
  }

  void encrypted() {
    const Entity* subject = entity(claim_->subject);
    const Field* field = subject == nullptr ? nullptr : subject->field(member());
    if (field != nullptr && !field->encrypted) {
      wrong("T606",
            fmt::format("`{}` of {} is stored in plain text; DynamoDB's encryption at rest does not hide it from "
                        "anyone who can read the table",
                        field->name, subject->name),
            "declare the field `encrypted`");
    }
  }

  void ttl() {
    const Entity* subject = entity(claim_->subject);
    if (subject == nullptr) return;
    const Table* table = design_.table(subject->table);
    const auto claimed = claim_->values.empty() ? std::nullopt : parse_duration_s(claim_->values[0]);
    if (claimed && *claimed < 3600) {
      wrong("T616",
            fmt::format("TTL deletes expired items in the background, within days: after {} they usually still exist",
                        duration_text(*claimed)),
            "compare the expiry time when reading, and let TTL delete the items later", Severity::kWarning);
    }
    // A name that differs only in case is reported by T502.
    const bool has_field =
        table != nullptr && !table->ttl_attribute.empty() && std::ranges::any_of(subject->fields, [&](const Field& f) {
          return equals_ignoring_case(f.name, table->ttl_attribute);
        });
    if (!subject->ttl && !has_field) {
      wrong("T607",
            table != nullptr && !table->ttl_attribute.empty()
                ? fmt::format("no {} has the TTL attribute `{}`", subject->name, table->ttl_attribute)
                : fmt::format("neither table {} nor {} has a TTL attribute", subject->table, subject->name),
            "declare `ttl` in the table and when the entity expires");
      return;
    }
    if (!subject->ttl || !claimed) return;
    std::set<int64_t> found;
    each_expression(*subject->ttl, [&](const Expression& e) {
      if (e.is(Expression::Kind::kDuration)) found.insert(e.duration_s);
    });
    if (!found.empty() && !found.contains(*claimed)) {
      wrong("T607", fmt::format("{} expires after {}", subject->name, duration_text(*found.begin())),
            "correct one of the two");
    }
  }

  void sparse() {
    for (const Table& table : design_.tables) {
      if (table.index(claim_->subject) == nullptr) continue;
      for (const Entity& entity : design_.entities) {
        if (entity.table != table.name) continue;
        const bool always = std::any_of(entity.index.begin(), entity.index.end(), [&](const IndexEntry& e) {
          if (e.index != claim_->subject || e.condition) return false;
          return std::all_of(e.key.begin(), e.key.end(), [&](const Template& t) {
            for (const std::string& field : t.fields()) {
              if (entity.field(field) != nullptr && entity.field(field)->optional) return false;
            }
            return true;
          });
        });
        if (!always) return;
      }
      wrong("T608",
            fmt::format("every item of every entity has the key of {}, so the index contains the whole table again",
                        claim_->subject),
            "leave the key attribute out of items that are not looked up by it", Severity::kWarning);
    }
  }

  // The number of sequential requests of an operation. A loop makes one or more per member.
  void requests() {
    const Operation* operation = design_.operation(claim_->subject);
    if (operation == nullptr)
      return findings_.mistake("T004", claim_->place, fmt::format("there is no operation `{}`", claim_->subject));
    size_t count = operation->access ? 1 : 0;
    bool loops = false;
    for (const Step& step : operation->steps) {
      if (step.access) ++count;
      if (!step.writes.empty()) ++count;
      if (step.kind == Step::Kind::kFor) loops = true;
    }
    const int64_t most = claim_->values.empty() ? 1 : std::atoll(claim_->values[0].c_str());
    if (!loops && static_cast<int64_t>(count) <= most) return;
    wrong("T609",
          loops ? fmt::format("`{}` makes {} requests and then one more for each member of a list", claim_->subject,
                              count)
                : fmt::format("`{}` makes {} requests", claim_->subject, count),
          "store the data it needs together, so that one read returns it");
  }

  void stream() {
    const Table* table = design_.table(claim_->subject);
    if (table != nullptr && !table->stream)
      wrong("T610", fmt::format("table {} has no stream", table->name), "declare `stream: new-and-old`");
  }

  void billing() {
    const Table* table = design_.table(claim_->subject);
    if (table == nullptr) return;
    const bool both = claim_->values.size() > 1 || (!claim_->values.empty() && claim_->values[0] == "both");
    const std::string_view real = table->billing == BillingMode::kProvisioned ? "provisioned" : "on-demand";
    if (both)
      wrong("T611", "a table has one billing mode, never both", "choose one; provisioned tables can use auto scaling");
    else if (!claim_->values.empty() && claim_->values[0] != real)
      wrong("T611", fmt::format("table {} is {}", table->name, real), "correct one of the two");
  }

  void keeps() {
    const Entity* subject = entity(claim_->subject);
    if (subject == nullptr || subject->key.empty()) return;
    Findings found;
    check_keys(context_, found);
    for (const Finding& finding : found.list()) {
      const bool own = std::any_of(subject->key.begin(), subject->key.end(),
                                   [&](const Template& t) { return t.place == finding.place; });
      if (own && (finding.code == "T104" || finding.code == "T103" || finding.code == "T106")) {
        return wrong(
            "T612",
            fmt::format("two {} items can have the same key, and the second overwrites the first", subject->name),
            "see the finding at its key");
      }
    }
  }

  void saves() {
    const Entity* subject = entity(claim_->subject);
    const auto share = claim_->values.empty() ? std::nullopt : parse_share(claim_->values[0]);
    if (subject == nullptr || !share) return;
    for (const Pack& pack : subject->packs) {
      if (pack.field != member()) continue;
      const double real = pack.base64 ? 1 - (1 - pack.saves) * 4 / 3 : pack.saves;
      if (real + 1e-9 < *share) {
        wrong("T613",
              fmt::format("`{}` is stored packed only if that saves at least {:.0f}%{}", pack.field, pack.saves * 100,
                          pack.base64 ? fmt::format(", {:.0f}% after base64", real * 100) : ""),
              "claim no more than the guaranteed saving");
      }
    }
  }

  void partition() {
    Findings ignored;
    const auto key = parse_template(claim_->subject, claim_->place, ignored);
    if (!key) return;
    const StringSet strings = strings_of(*key, [](std::string_view) -> const FieldType* { return nullptr; });
    for (const KeySpace& space : context_.spaces) {
      if (space.index != nullptr) continue;
      for (const Occupant& occupant : space.occupants) {
        if (StringSet::common(occupant.strings[0], strings)) return;
      }
    }
    wrong("T614", fmt::format("no entity has a partition key that matches `{}`", claim_->subject), "correct the claim",
          Severity::kWarning);
  }

  const CheckContext& context_;
  const Design& design_;
  Findings& findings_;
  const Claim* claim_ = nullptr;
  std::vector<Finding> raw_;
};

}  // namespace

void check_claims(const CheckContext& context, Findings& findings) {
  ClaimCheck check(context, findings);
  for (const Claim& claim : context.design.claims) check.check(claim);
}

}  // namespace trestle::design
