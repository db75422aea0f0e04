// T334, T335: tallies that maintain a minimum or maximum.
#include <fmt/format.h>

#include <algorithm>

#include "design/check/check_impl.h"
#include "design/plan/extreme_read.h"
#include "design/plan/plan.h"

namespace trestle::design {
namespace {

bool has_order(const FieldType& type) {
  switch (type.base) {
    case BaseType::kText:
    case BaseType::kBool:
    case BaseType::kSet:
    case BaseType::kList:
    case BaseType::kMap:
    case BaseType::kRecord:
    case BaseType::kBinary:
    case BaseType::kAny:
      return false;
    default:
      return true;
  }
}

// Whether values of the two types have the same stored form, so that DynamoDB can compare them.
bool compares(const FieldType& a, const FieldType& b) {
  if (stored_type(a) != stored_type(b) || is_time(a) != is_time(b)) return false;
  return !is_time(a) || (a.base == b.base && a.resolution_ms == b.resolution_ms && a.milliseconds == b.milliseconds);
}

class Extremes {
 public:
  Extremes(const CheckContext& context, const Tally& tally, Findings& findings)
      : design_(context.design), tally_(tally), findings_(findings) {}

  void check(const TallyExtreme& extreme) {
    const Entity* of = design_.entity(tally_.of);
    const Entity* into = design_.entity(tally_.into);
    const Field* figure = into == nullptr ? nullptr : into->field(extreme.figure.field);
    // The key of an entity without a table is unknown.
    if (of == nullptr || figure == nullptr || design_.table(of->table) == nullptr) return;
    extreme_ = &extreme;
    word_ = extreme.greatest ? "maximum" : "minimum";
    if (extreme.figure.element) return refuse("is a member of a map", "use a separate field for each");
    if (figure->counter || figure->touched || figure->automatic || figure->default_value || into->in_key(figure->name))
      return refuse("is also written by something else", "declare an optional field with the value's type");
    if (writers(*into) > 1)
      return refuse("is also written by another tally, or twice by this one", "use a separate field for each");
    if (is_stored_closed(*into, *figure))
      return refuse("is encrypted, packed or spilled, so DynamoDB cannot compare it", "store it in plain form");
    const Expression& value = extreme.figure.value;
    const Field* field = value.is(Expression::Kind::kName) ? of->field(value.text) : nullptr;
    if (!has_order(figure->type) || (field != nullptr && !compares(figure->type, field->type)))
      return refuse(field == nullptr ? "has a type without an order"
                                     : fmt::format("cannot be compared with `{}` of {}", field->name, of->name),
                    "declare it with the type of the value: a number, a time or a short string");
    if (figure->extreme != Field::Extreme::kNone) {
      const bool fits = (figure->extreme == Field::Extreme::kMax) == extreme.greatest;
      if (!fits)
        refuse("is declared for the opposite extreme",
               extreme.greatest ? "declare it max<...>" : "declare it min<...>");
      return;
    }
    if (field == nullptr)
      return refuse("is not the value of a field, so no index can find the next value", high_water());
    if (!figure->optional)
      return refuse("has no value while no item is counted", "declare it optional, or " + high_water());
    if (revision_of(*into) == nullptr)
      return refuse(fmt::format("must be read again from the items when the item that holds it is deleted, but {} has "
                                "no revision to detect a concurrent write",
                                into->name),
                    fmt::format("add a field `rev: revision` to {}, or {}", into->name, high_water()));
    in_entries(*into, *figure);
    const auto read = extreme_read(design_, tally_, extreme);
    if (!read)
      return refuse(fmt::format("cannot be found again when the {} that holds it is deleted: no key lists the items by "
                                "{} in the order of `{}`",
                                of->name, tally_.by.empty() ? "nothing else" : by_text(), field->name),
                    fmt::format("give {} an index entry with the key [{}, {}], or {}", of->name, by_text(),
                                is_numeric(field->type) && !sorts_as_text(field->type)
                                    ? fmt::format("{} padded or as a number", field->name)
                                    : field->name,
                                high_water()));
    if (!read->consistent)
      findings_.add("T335", Severity::kNote, extreme.figure.place,
                    fmt::format("`{}` of tally `{}` is read again from the global index `{}`, which Amazon DynamoDB "
                                "updates shortly after the table: a {} written just before may be missed",
                                extreme.figure.field, tally_.name, read->index->name, of->name),
                    "use a local index or the table's own key, or run `verify` from time to time");
  }

 private:
  void refuse(const std::string& why, const std::string& repair) {
    findings_.add("T334", Severity::kError, extreme_->figure.place,
                  fmt::format("the {} `{}` of tally `{}` {}", word_, extreme_->figure.field, tally_.name, why), repair);
  }
  std::string high_water() const {
    return fmt::format("declare it {}<...>, which keeps the value even after its item is deleted",
                       extreme_->greatest ? "max" : "min");
  }
  std::string by_text() const {
    std::string text;
    for (const Binding& by : tally_.by) text += (text.empty() ? "" : ", ") + expression_text(by.value);
    return text;
  }
  size_t writers(const Entity& into) const {
    size_t count = 0;
    for (const Tally& tally : design_.tallies) {
      if (tally.into != into.name) continue;
      each_figure(tally, [&](const Binding& binding) { count += binding.field == extreme_->figure.field ? 1 : 0; });
    }
    return count;
  }
  // If the extreme can be absent, the index entry must disappear with it. The entry's other attributes, if computed,
  // would remain.
  void in_entries(const Entity& into, const Field& figure) {
    const Table* table = design_.table(into.table);
    for (const IndexEntry& entry : into.index) {
      const Index* index = table == nullptr ? nullptr : table->index(entry.index);
      const auto uses = [&](const Template& key) { return key.uses(figure.name); };
      if (index == nullptr || std::none_of(entry.key.begin(), entry.key.end(), uses)) continue;
      for (const auto* half : {&index->key.hash, &index->key.range}) {
        for (const KeyAttribute& attribute : *half) {
          if (table->key.contains(attribute.name) || into.field(attribute.name) != nullptr) continue;
          return refuse(fmt::format("can be absent, but index entry `{}` of {} would keep its key attribute `{}`",
                                    entry.name, into.name, attribute.name),
                        "index it only together with fields, or with attributes of the table's key");
        }
      }
    }
  }

  const Design& design_;
  const Tally& tally_;
  Findings& findings_;
  const TallyExtreme* extreme_ = nullptr;
  std::string_view word_;
};

}  // namespace

void check_extremes(const CheckContext& context, Findings& findings) {
  for (const Tally& tally : context.design.tallies) {
    Extremes extremes(context, tally, findings);
    for (const TallyExtreme& extreme : tally.extremes) extremes.check(extreme);
  }
}

}  // namespace trestle::design
