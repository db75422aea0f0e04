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
  const Prices* prices = nullptr;  // null: the page shows no monthly cost

  // The entity's index in the file, and its colour as a hue angle, which is 0 if the design has no such entity.
  size_t number_of(const Entity& entity) const { return static_cast<size_t>(&entity - design.entities.data()); }
  int hue_of(const Entity& entity) const;
};

// A coloured label that links to the entity, or plain text if the design has no entity of that name.
Html entity_label(const DocsContext& context, std::string_view name);
// A key template or a part of it, with the placeholders highlighted.
Html template_html(const std::vector<ConditionPiece>& pieces);
Html condition_html(const KeyCondition& condition);
Html inputs_html(const Operation& operation);
// "PK, SK"; types other than S are shown.
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
