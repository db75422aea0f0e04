// The chosen calls of a rehearsal: for each operation, inputs that exercise its different paths. Pure and
// deterministic.
//
// Inputs come from the sample items (design/sample/sample_draft.h), so that ids name existing items; from replies to
// earlier calls, such as a generated key; or are values that no item has. Each operation is called with all optional
// inputs, with none, and with each one alone omitted, null or present; with every value of an enum; with the least and
// greatest numbers; with lists as long as their types allow; and, if two inputs name items of the same kind, with the
// same item and with different ones.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "design/sample/sample_draft.h"
#include "runtime/values/plain.h"

namespace trestle::rehearsal {

using Drafts = std::map<const design::Entity*, std::vector<design::SampleDraft>>;

// The fields of a sample item as inputs of its load operation (design/plan/load_operation.h). Counters, revisions and
// computed fields are omitted.
runtime::Plain loaded_fields(const design::Design& design, const design::Entity& entity,
                             const design::SampleDraft& draft, size_t index);

// Values from replies, by field name.
using Remembered = std::map<std::string, runtime::Plain, std::less<>>;
// Adds every scalar of a reply under its name.
void remember(const runtime::Plain& reply, Remembered& remembered);

class CallMaker {
 public:
  CallMaker(const design::Design& design, const Drafts& drafts) : design_(design), drafts_(drafts) {}

  std::vector<runtime::Plain> calls(const design::Operation& operation, const Remembered& remembered);

 private:
  std::vector<runtime::Plain> with_rivals_apart(const design::Operation& operation,
                                                std::vector<runtime::Plain> calls) const;

  const design::Design& design_;
  const Drafts& drafts_;
  size_t fresh_ = 100;  // the next index of values that no sample has
};

}  // namespace trestle::rehearsal
