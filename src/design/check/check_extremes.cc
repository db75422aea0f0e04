// T334, T335: tallies of least and greatest values.
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

// Whether a value of one type is stored as one of the other, so that both compare.
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
    if (of == nullptr || figure == nullptr) return;
    extreme_ = &extreme;
    word_ = extreme.greatest ? "greatest" : "least";
    if (extreme.figure.element) return refuse("is a member of a map", "use a field for each");
    if (figure->counter || figure->touched || figure->automatic || figure->default_value || into->in_key(figure->name))
      return refuse("is written by something else too", "declare an optional field of the value's type");
    if (writers(*into) > 1) return refuse("is a figure of another tally, or of this one, too", "use a field for each");
    if (is_stored_closed(*into, *figure))
      return refuse("is encrypted, packed or spilled, so that DynamoDB cannot compare it", "store it as it is");
    const Expression& value = extreme.figure.value;
    const Field* field = value.is(Expression::Kind::kName) ? of->field(value.text) : nullptr;
    if (!has_order(figure->type) || (field != nullptr && !compares(figure->type, field->type)))
      return refuse(
          field == nullptr ? "has no order" : fmt::format("does not compare with `{}` of {}", field->name, of->name),
          "declare it with the type of the value: a number, a time, a short text");
    if (figure->extreme != Field::Extreme::kNone) {
      const bool fits = (figure->extreme == Field::Extreme::kMax) == extreme.greatest;
      if (!fits)
        refuse("is declared for the other end", extreme.greatest ? "declare it max<...>" : "declare it min<...>");
      return;
    }
    if (field == nullptr) return refuse("is not the value of a field, so no index finds the next", high_water());
    if (!figure->optional)
      return refuse("has no value while there is no such item", "declare it optional, or " + high_water());
    if (revision_of(*into) == nullptr)
      return refuse(fmt::format("is read again from the items when the one that has it goes, and {} has no revision, "
                                "which shows that none came in between",
                                into->name),
                    fmt::format("add a field `rev: revision` to {}, or {}", into->name, high_water()));
    in_entries(*into, *figure);
    const auto read = extreme_read(design_, tally_, extreme);
    if (!read)
      return refuse(fmt::format("cannot be found again when the {} that has it goes: no key lists them by {} in the "
                                "order of `{}`",
                                of->name, tally_.by.empty() ? "nothing else" : by_text(), field->name),
                    fmt::format("give {} an index entry with the key [{}, {}], or {}", of->name, by_text(),
                                is_numeric(field->type) && !sorts_as_text(field->type)
                                    ? fmt::format("{} padded or as a number", field->name)
                                    : field->name,
                                high_water()));
    if (!read->consistent)
      findings_.add("T335", Severity::kNote, extreme.figure.place,
                    fmt::format("`{}` of tally `{}` is read again from the index `{}`, which Amazon DynamoDB updates a "
                                "moment after the table: a {} written just before may be missed",
                                extreme.figure.field, tally_.name, read->index->name, of->name),
                    "use a local index or the table's own key, or verify from time to time");
  }

 private:
  void refuse(const std::string& why, const std::string& repair) {
    findings_.add("T334", Severity::kError, extreme_->figure.place,
                  fmt::format("the {} value `{}` of tally `{}` {}", word_, extreme_->figure.field, tally_.name, why),
                  repair);
  }
  std::string high_water() const {
    return fmt::format("declare it {}<...>, which never comes back", extreme_->greatest ? "max" : "min");
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
      each_figure(tally, [&](const Binding& one) { count += one.field == extreme_->figure.field ? 1 : 0; });
    }
    return count;
  }
  // The entry comes and goes with the figure, and its other attributes would stay.
  void in_entries(const Entity& into, const Field& figure) {
    const Table* table = design_.table(into.table);
    for (const IndexEntry& entry : into.index) {
      const Index* index = table == nullptr ? nullptr : table->index(entry.index);
      const auto uses = [&](const Template& key) { return key.uses(figure.name); };
      if (index == nullptr || std::none_of(entry.key.begin(), entry.key.end(), uses)) continue;
      for (const auto* half : {&index->key.hash, &index->key.range}) {
        for (const KeyAttribute& attribute : *half) {
          if (table->key.contains(attribute.name) || into.field(attribute.name) != nullptr) continue;
          return refuse(fmt::format("can be absent, and index entry `{}` of {} has `{}` beside it, which would stay",
                                    entry.name, into.name, attribute.name),
                        "index it beside attributes that are fields or of the table's key");
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
