// The section on limits, tallies, roles, reactions and claims.
#include "design/docs/docs_impl.h"
#include "design/plan/extreme_read.h"

namespace trestle::design {
namespace {

Html limits_html(const DocsContext& context) {
  Html out;
  for (const Limit& limit : context.design.limits) {
    out << "<tr><td class=\"name\">" << limit.name << "</td><td>at most " << limit.max << " in "
        << duration_text(limit.window_s) << ", counted by " << duration_text(limit.slice_s) << " in "
        << entity_label(context, limit.entity) << "</td></tr>\n";
  }
  return out;
}

Html tallies_html(const DocsContext& context) {
  Html out;
  for (const Tally& tally : context.design.tallies) {
    out << "<tr><td class=\"name\">" << tally.name << "</td><td>each " << entity_label(context, tally.of);
    if (tally.when) out << " with <code>" << expression_text(*tally.when) << "</code>";
    out << " counts in " << entity_label(context, tally.into) << ": ";
    bool first = true;
    const auto figure = [&](const Binding& binding) {
      out << (first ? Markup("<code>") : Markup(", <code>")) << binding.field;
      first = false;
      if (binding.element) out << "[" << expression_text(*binding.element) << "]";
    };
    for (const Binding& add : tally.add) {
      figure(add);
      out << " + " << expression_text(add.value) << "</code>";
    }
    for (const TallyExtreme& extreme : tally.extremes) {
      figure(extreme.figure);
      out << " = " << (extreme.greatest ? Markup("max(") : Markup("min(")) << expression_text(extreme.figure.value)
          << ")</code>";
      const auto query = never_comes_back(context.design, tally, extreme)
                             ? std::nullopt
                             : extreme_query(context.design, tally, extreme, 0);
      if (query)
        out << " <span class=\"quiet small\">(if that value is removed, the next is queried in "
            << (query->index.empty() ? query->table : query->index) << ")</span>";
    }
    out << (tally.through_stream ? Markup(", through the stream") : Markup(", in the same transaction"))
        << "</td></tr>\n";
  }
  return out;
}

Html roles_html(const DocsContext& context) {
  Html out;
  for (const Role& role : context.design.roles)
    out << "<tr><td class=\"name\">" << role.name << "</td><td>a caller with <code>" << expression_text(role.rule)
        << "</code></td></tr>\n";
  return out;
}

Html reactions_html(const DocsContext& context) {
  Html out;
  for (const Reaction& reaction : context.design.reactions) {
    out << "<tr><td class=\"name\">" << reaction.name << "</td><td>when " << entity_label(context, reaction.entity)
        << " is";
    bool first = true;
    const auto when = [&](bool on, Markup word) {
      if (!on) return;
      out << (first ? Markup(" ") : Markup(" or ")) << word;
      first = false;
    };
    when(reaction.on_insert, "created");
    when(reaction.on_modify, "changed");
    when(reaction.on_remove, "removed");
    when(reaction.on_expire, "expired");
    if (!reaction.ask.empty()) out << ", ask " << reaction.ask;
    if (reaction.run.empty())
      out << ", call <code>" << reaction.call << "</code>";
    else
      out << ", do <code>" << reaction.run << "</code>, once";
    if (reaction.cloud_event) out << " with a CloudEvent";
    if (!reaction.then.empty()) out << "; the outcome goes to " << reaction.then;
    out << "</td></tr>\n";
  }
  return out;
}

Html claims_html(const DocsContext& context) {
  Html out;
  for (const Claim& claim : context.design.claims)
    out << "<tr><td class=\"name\">" << claim.kind << "</td><td>\u201c" << claim.says << "\u201d <span class=\"quiet\">"
        << claim.subject << "</span></td></tr>\n";
  return out;
}

}  // namespace

Html docs_behaviour(const DocsContext& context) {
  Html out;
  const auto group = [&](Markup title, const Html& rows) {
    if (rows.empty()) return;
    out << "<h3>" << title
        << "</h3>\n<div class=\"panel\"><table>\n<colgroup><col style=\"width:220px\"><col></colgroup><tbody>\n"
        << rows << "</tbody></table></div>\n";
  };
  group("Limits", limits_html(context));
  group("Aggregates maintained on write", tallies_html(context));
  group("Roles", roles_html(context));
  group("Reactions", reactions_html(context));
  group("What the document claims", claims_html(context));
  return out;
}

}  // namespace trestle::design
