// The section on reads: the request of each read and the key condition that finds its items.
#include <algorithm>

#include "design/docs/docs_impl.h"

namespace trestle::design {
namespace {

struct Lookup {
  const Access* access;
  std::string called;  // the step's name
};

void gather(const std::vector<Step>& steps, std::vector<Lookup>& out) {
  for (const Step& step : steps) {
    if (step.access) out.push_back({&*step.access, step.name});
    gather(step.steps, out);
  }
}

Html request_html(const KeyCondition& condition) {
  Html out;
  out << "<span class=\"request\"><b>" << condition.request << "</b> ";
  if (condition.index.empty())
    out << condition.table;
  else
    out << condition.index;
  out << "</span>";
  return out;
}

Html remarks_html(const Access& access, const KeyCondition& condition) {
  Html out;
  const auto add = [&](Markup text) { out << "<span class=\"tag\">" << text << "</span>"; };
  if (condition.then_owner) add("then the item it names");
  if (condition.per_shard) add("once per shard, merged");
  if (access.consistent) add("consistent");
  if (access.descending) add("newest first");
  if (access.one && condition.request == "Query") add("one item");
  if (access.all) add("every page");
  if (access.limit > 0) out << "<span class=\"tag\">limit " << access.limit << "</span>";
  return out;
}

Html found_html(const DocsContext& context, const Access& access) {
  Html out;
  if (!access.entity.empty()) {
    Html found = entity_label(context, access.entity);
    for (const auto& [entity, index] : access.others) found << ", " << entity_label(context, entity);
    return found;
  }
  for (const std::string& name : access.finds) out << entity_label(context, name) << " ";
  return out;
}

void operation_rows(Html& out, const DocsContext& context, const Operation& operation) {
  std::vector<Lookup> lookups;
  if (operation.access) lookups.push_back({&*operation.access, ""});
  gather(operation.steps, lookups);
  const size_t rows = std::max<size_t>(lookups.size(), 1);
  out << "<tbody>";
  for (size_t i = 0; i < rows; ++i) {
    out << "<tr>";
    if (i == 0) {
      out << "<td class=\"name\" rowspan=\"" << rows << "\">" << operation.name;
      if (!operation.about.empty()) out << "<small>" << operation.about << "</small>";
      out << "</td><td rowspan=\"" << rows << "\">" << inputs_html(operation);
      if (operation.allow)
        out << "<div class=\"tiny\">only if <code>" << expression_text(*operation.allow) << "</code></div>";
      out << "</td>";
    }
    if (i < lookups.size()) {
      const Access& access = *lookups[i].access;
      const KeyCondition condition = key_condition_of(context.design, access);
      out << "<td>" << found_html(context, access) << "</td><td>" << request_html(condition) << "<br>"
          << remarks_html(access, condition) << "</td><td>" << condition_html(condition);
      if (access.filter)
        out << "<span class=\"clause small\"><span class=\"quiet\">then keep</span> <code>"
            << expression_text(*access.filter) << "</code></span>";
      out << "</td>";
    } else {
      out << "<td></td><td></td><td></td>";
    }
    out << "</tr>\n";
  }
  out << "</tbody>\n";
}

}  // namespace

Html docs_reads(const DocsContext& context) {
  Html out;
  for (const Operation& operation : context.design.operations) {
    if (operation.is_write) continue;
    if (out.empty()) {
      out << "<div class=\"panel\"><table "
             "class=\"grid stack\">\n<thead><tr><th>Operation</th><th>Takes</th><th>Finds</th><th>Request</th><th>Key "
             "condition</th></tr></thead>\n";
    }
    operation_rows(out, context, operation);
  }
  if (!out.empty()) out << "</table></div>\n";
  return out;
}

}  // namespace trestle::design
