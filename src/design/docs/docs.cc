#include "design/docs/docs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "design/docs/docs_impl.h"

namespace trestle::design {

// Divides the colour circle into equal parts; entities that are neighbours in the file get distant hues.
int DocsContext::hue_of(const Entity& entity) const {
  const size_t count = design.entities.size();
  size_t stride = std::max<size_t>(1, (count * 2 + 2) / 5);
  while (std::gcd(stride, count) != 1) ++stride;
  return static_cast<int>((255 + number_of(entity) * stride % count * 360 / count) % 360);
}

Html entity_label(const DocsContext& context, std::string_view name) {
  Html out;
  const Entity* entity = context.design.entity(name);
  if (entity == nullptr) return std::move(out << name);
  out << "<a class=\"e label\" style=\"--h:" << context.hue_of(*entity) << "\" href=\"#entity-"
      << context.number_of(*entity) << "\">" << name << "</a>";
  return out;
}

Html template_html(const std::vector<ConditionPiece>& pieces) {
  Html out;
  for (const ConditionPiece& piece : pieces) {
    if (piece.is_value)
      out << "<span class=\"var\">{" << piece.text << "}</span>";
    else
      out << piece.text;
  }
  return out;
}

Html condition_html(const KeyCondition& condition) {
  Html out;
  if (condition.clauses.empty()) return std::move(out << "<span class=\"quiet\">every item</span>");
  for (const KeyClause& clause : condition.clauses) {
    out << "<code class=\"clause\">";
    const auto attribute = [&] { out << "<span class=\"at\">" << clause.attribute << "</span>"; };
    switch (clause.kind) {
      case KeyClause::Kind::kEqual:
        attribute();
        out << " <span class=\"op\">=</span> " << template_html(clause.value);
        break;
      case KeyClause::Kind::kBeginsWith:
        out << "<span class=\"op\">begins_with(</span>";
        attribute();
        out << "<span class=\"op\">,</span> " << template_html(clause.value) << "<span class=\"op\">)</span>";
        break;
      case KeyClause::Kind::kBetween:
        attribute();
        out << " <span class=\"op\">BETWEEN</span> " << template_html(clause.value) << " <span class=\"op\">AND</span> "
            << template_html(clause.upper);
        break;
      case KeyClause::Kind::kRaw:
        out << template_html(clause.value);
        break;
    }
    out << "</code>";
  }
  return out;
}

Html inputs_html(const Operation& operation) {
  Html out;
  for (const Input& input : operation.takes) {
    out << "<span class=\"in\" title=\"" << type_text(input.type) << "\"><code>" << input.name;
    if (input.optional) out << "<span class=\"opt\">?</span>";
    out << "</code></span> ";
  }
  if (out.empty()) out << "<span class=\"quiet\">nothing</span>";
  return out;
}

Html schema_html(const KeySchema& key) {
  Html out;
  const auto list = [&](const std::vector<KeyAttribute>& attributes) {
    for (const KeyAttribute& attribute : attributes) {
      if (!out.empty()) out << ", ";
      out << "<code>" << attribute.name << "</code>";
      if (attribute.type != ValueType::kString) out << " " << type_name(attribute.type);
    }
  };
  list(key.hash);
  list(key.range);
  return out;
}

namespace {

struct Chapter {
  Markup id;
  Markup title;
  Markup about;
  Html body;
};

std::vector<Chapter> chapters(const DocsContext& context) {
  std::vector<Chapter> all;
  all.push_back({"map", "Map",
                 "Which operation goes through which table or index to reach which entity. A dotted line is an entry "
                 "that no operation reads.",
                 docs_diagram(context)});
  all.push_back({"tables", "Tables", "What is created in DynamoDB.", docs_tables(context)});
  all.push_back({"entities", "Entities", "What is stored, under which keys, and what each index contains.",
                 docs_entities(context)});
  all.push_back({"reads", "Access patterns: reads",
                 "Every read with the request it makes and the key condition that finds its items.",
                 docs_reads(context)});
  all.push_back({"writes", "Access patterns: writes",
                 "Every write, step by step. The writes of one transaction all succeed or all fail.",
                 docs_writes(context)});
  all.push_back({"aggregates", "Aggregate view",
                 "Sample items as DynamoDB would hold them: one block per partition, in the order of the sort key, "
                 "coloured by entity. Hatched rows are guards that keep a value unique. The values are invented; "
                 "the keys come from the design's templates.",
                 docs_aggregates(context)});
  all.push_back({"behaviour", "Rules", "Limits, aggregates maintained on write, roles, and reactions to changes.",
                 docs_behaviour(context)});
  all.push_back({"cost", "Cost",
                 "Capacity units of one call when it succeeds, by AWS's rules, with items of typical size, "
                 "followed by the minimum and the maximum.",
                 docs_cost(context)});
  all.push_back({"month", "Monthly cost",
                 "At the rates that the design declares; operations without a rate are omitted.", docs_month(context)});
  all.push_back({"findings", "Findings", "What <code>trestle design check</code> says about this design.",
                 docs_findings(context)});
  std::erase_if(all, [](const Chapter& chapter) { return chapter.body.empty(); });
  return all;
}

Html navigation(const DocsContext& context, const std::vector<Chapter>& all) {
  Html out;
  out << "<nav aria-label=\"Contents\">\n<b><a href=\"#top\">" << context.design.name << "</a></b>\n<ol>\n";
  for (const Chapter& chapter : all) {
    out << "<li><a href=\"#" << chapter.id << "\">" << chapter.title << "</a>";
    if (chapter.id.text == "entities") {
      out << "<ol>\n";
      for (const Entity& entity : context.design.entities) {
        out << "<li><a href=\"#entity-" << context.number_of(entity)
            << "\"><span class=\"e dot\" style=\"--h:" << context.hue_of(entity) << "\"></span>" << entity.name
            << "</a></li>\n";
      }
      out << "</ol>";
    }
    out << "</li>\n";
  }
  out << "</ol>\n</nav>\n";
  return out;
}

void figure(Html& out, size_t count, Markup singular, Markup plural, Markup kind) {
  out << "<div class=\"" << kind << "\"><b>" << count << "</b><span>" << (count == 1 ? singular : plural)
      << "</span></div>\n";
}

Html head(const DocsContext& context) {
  const Design& design = context.design;
  Html out;
  out << "<header id=\"top\">\n<p class=\"kicker\">DynamoDB design, version " << design.version << "</p>\n<h1>"
      << design.name << "</h1>\n";
  if (!design.about.empty()) out << "<p class=\"lead\">" << design.about << "</p>\n";
  size_t indexes = 0;
  for (const Table& table : design.tables) indexes += table.indexes.size();
  const auto writes = static_cast<size_t>(std::count_if(design.operations.begin(), design.operations.end(),
                                                        [](const Operation& operation) { return operation.is_write; }));
  const size_t errors = context.report.count(Severity::kError);
  const size_t warnings = context.report.count(Severity::kWarning);
  out << "<div class=\"figures\">\n";
  figure(out, design.tables.size(), "table", "tables", "");
  figure(out, indexes, "index", "indexes", "");
  figure(out, design.entities.size(), "entity", "entities", "");
  figure(out, design.operations.size() - writes, "read", "reads", "");
  figure(out, writes, "write", "writes", "");
  figure(out, errors, "error", "errors", errors > 0 ? Markup("bad") : Markup("good"));
  figure(out, warnings, "warning", "warnings", warnings > 0 ? Markup("warn") : Markup("good"));
  out << "</div>\n</header>\n";
  return out;
}

}  // namespace

std::string docs_html(const Reading& reading, const Report& report, const Prices* prices) {
  const DocsContext context{
      .design = reading.design, .report = report, .samples = sample_items(reading.design), .prices = prices};
  const std::vector<Chapter> all = chapters(context);
  Html page;
  page << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
       << "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
       << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" << context.design.name
       << ": DynamoDB design</title>\n<style>" << docs_style() << "</style>\n</head>\n<body>\n<div class=\"page\">\n";
  page << navigation(context, all) << "<main>\n" << head(context);
  for (const Chapter& chapter : all) {
    page << "<section id=\"" << chapter.id << "\">\n<h2>" << chapter.title << "</h2>\n<p>" << chapter.about << "</p>\n"
         << chapter.body << "</section>\n";
  }
  page << "<footer>Generated by <code>trestle design docs</code> from the design file. Change the file, not this "
          "page.</footer>\n</main>\n</div>\n</body>\n</html>\n";
  return page.str();
}

}  // namespace trestle::design
