// T221: totals that are computed from only the first page of a read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

constexpr std::array<std::string_view, 5> kTotals = {"sum", "count", "min", "max", "scheduled"};

// Whether the read may return only one page of several: a query or scan without `all`, `one` or a limit.
bool reads_a_page(const Access& access) {
  return access.kind != Access::Kind::kGet && !access.all && !access.one && access.limit == 0;
}

using Pages = std::map<std::string, const Access*>;  // by the name of the result in expressions

const Access* totalled(const Expression& value, const Pages& pages) {
  const Access* found = nullptr;
  each_expression(value, [&](const Expression& e) {
    if (!e.is(Expression::Kind::kCall) || std::find(kTotals.begin(), kTotals.end(), e.text) == kTotals.end()) return;
    each_expression(e, [&](const Expression& inner) {
      if (!inner.is(Expression::Kind::kName) && !inner.is(Expression::Kind::kInput)) return;
      const auto page = pages.find((inner.is(Expression::Kind::kInput) ? "$" : "") + inner.text);
      if (page != pages.end()) found = page->second;
    });
  });
  return found;
}

const Access* totalled(const Answer& answer, const Pages& pages) {
  if (answer.value) {
    if (const Access* access = totalled(*answer.value, pages)) return access;
  }
  for (const AnswerMember& member : answer.members) {
    if (const Access* access = totalled(member.answer, pages)) return access;
  }
  return nullptr;
}

}  // namespace

void check_answers(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    if (!operation.returns) continue;
    Pages pages;
    if (operation.access && reads_a_page(*operation.access)) pages["items"] = &*operation.access;
    each_step(operation.steps, [&](const Step& step) {
      if (step.access && !step.name.empty() && step.kind == Step::Kind::kFind && reads_a_page(*step.access))
        pages["$" + step.name] = &*step.access;
    });
    const Access* access = pages.empty() ? nullptr : totalled(*operation.returns, pages);
    if (access == nullptr) continue;
    // With one small item per day, it takes years to fill a page.
    const Entity* entity = context.design.entity(access->entity);
    const Field* range = entity == nullptr ? nullptr : entity->field(access->range_field);
    const bool few = range != nullptr && range->type.base == BaseType::kDate && entity->item_bytes <= 1024;
    findings.add("T221", few ? Severity::kNote : Severity::kError, access->place,
                 fmt::format("`{}` computes a total from one page only: a query stops at 1 MB and returns "
                             "LastEvaluatedKey, so the remaining items are missing from the total",
                             operation.name),
                 "write `all: true`, which reads every page before answering");
  }
}

}  // namespace trestle::design
