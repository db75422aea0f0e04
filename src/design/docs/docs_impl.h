// Shared by the sections of the document. Internal to design/docs.
#pragma once

#include <string_view>
#include <vector>

#include "design/check/check.h"
#include "design/cost/prices.h"
#include "design/docs/html.h"
#include "design/plan/key_condition.h"
#include "design/sample/sample.h"

namespace trestle::design {

struct DocsContext {
  const Design& design;
  const Report& report;
  std::vector<SampleItem> samples;
  const Prices* prices = nullptr;  // null: the page shows no prices

  // The entity's place in the file, and its colour as an angle; 0 if there is none.
  size_t number_of(const Entity& entity) const { return static_cast<size_t>(&entity - design.entities.data()); }
  int hue_of(const Entity& entity) const;
};

// A coloured label that leads to the entity; plain text if the design has none of that name.
Html entity_label(const DocsContext& context, std::string_view name);
// A key template, or a part of one, with its placeholders highlighted.
Html template_html(const std::vector<ConditionPiece>& pieces);
Html condition_html(const KeyCondition& condition);
Html inputs_html(const Operation& operation);
// "PK, SK" with types other than S.
Html schema_html(const KeySchema& key);

Html docs_style();
Html docs_diagram(const DocsContext& context);
Html docs_tables(const DocsContext& context);
Html docs_entities(const DocsContext& context);
Html docs_reads(const DocsContext& context);
Html docs_writes(const DocsContext& context);
Html docs_aggregates(const DocsContext& context);
Html docs_behaviour(const DocsContext& context);
Html docs_cost(const DocsContext& context);
Html docs_month(const DocsContext& context);
Html docs_findings(const DocsContext& context);

}  // namespace trestle::design
