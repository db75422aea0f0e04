// The section on writes: what each does, step by step, in the terms of the design.
#include "design/docs/docs_impl.h"

namespace trestle::design {
namespace {

Html steps_html(const DocsContext& context, const std::vector<Step>& steps);

Html code(const Expression& expression) {
  Html out;
  out << "<code>" << expression_text(expression) << "</code>";
  return out;
}

Html otherwise_html(const DocsContext& context, const std::shared_ptr<const Failure>& failure) {
  Html out;
  if (!failure) return out;
  out << " <span class=\"else\" title=\"" << failure->message << "\">else " << failure->status;
  if (failure->retries_max > 0) out << ", after " << failure->retries_max << " more tries";
  out << "</span>";
  if (!failure->also.empty()) out << "<span class=\"quiet\">, and first:</span>" << steps_html(context, failure->also);
  return out;
}

Html bindings_html(const std::vector<Binding>& bindings, Markup sign) {
  Html out;
  for (const Binding& binding : bindings) {
    if (!out.empty()) out << ", ";
    out << "<code>" << binding.field;
    if (binding.element) out << "[" << expression_text(*binding.element) << "]";
    out << " " << sign << " " << expression_text(binding.value) << "</code>";
  }
  return out;
}

Markup verb(Write::Kind kind) {
  switch (kind) {
    case Write::Kind::kPut:
      return "Put";
    case Write::Kind::kUpdate:
      return "Update";
    case Write::Kind::kUpsert:
      return "Create or update";
    case Write::Kind::kDelete:
      return "Delete";
    case Write::Kind::kCheck:
      return "Check";
  }
  return "";
}

Html write_html(const DocsContext& context, const Write& write) {
  Html out;
  out << "<span class=\"verb\">" << verb(write.kind) << "</span> " << entity_label(context, write.entity);
  const Entity* entity = context.design.entity(write.entity);
  if (entity != nullptr && !entity->unique.empty() && write.kind != Write::Kind::kCheck) {
    out << " <span class=\"quiet small\">with its guards</span>";
  }
  const auto part = [&](Markup word, const Html& what) {
    if (!what.empty()) out << " <span class=\"quiet\">" << word << "</span> " << what;
  };
  part("set", bindings_html(write.set, "="));
  part("add", bindings_html(write.add, "+"));
  part("take", bindings_html(write.take, "\u2212"));
  if (!write.raw.empty()) out << " <code>" << write.raw << "</code>";
  if (write.exists == Write::Exists::kAbsent) out << " <span class=\"quiet\">if absent</span>";
  if (write.exists == Write::Exists::kPresent) out << " <span class=\"quiet\">if present</span>";
  if (write.condition)
    part(write.exists == Write::Exists::kEither ? Markup("if") : Markup("and"), code(*write.condition));
  if (write.when) part("only when", code(*write.when));
  out << otherwise_html(context, write.otherwise);
  return out;
}

Html step_html(const DocsContext& context, const Step& step) {
  Html out;
  if (step.when) out << "<span class=\"quiet\">When</span> " << code(*step.when) << "<span class=\"quiet\">:</span> ";
  switch (step.kind) {
    case Step::Kind::kFind:
    case Step::Kind::kCascade: {
      if (!step.access) break;
      const KeyCondition condition = key_condition_of(context.design, *step.access);
      out << "<span class=\"verb\">" << (step.kind == Step::Kind::kFind ? Markup("Read") : Markup("Delete every"))
          << "</span> " << entity_label(context, step.access->entity) << " <span class=\"quiet\">by</span> <code>"
          << key_condition_text(condition) << "</code>";
      if (!condition.index.empty()) out << " <span class=\"quiet\">in</span> " << condition.index;
      break;
    }
    case Step::Kind::kRequire:
      if (step.value) out << "<span class=\"verb\">Require</span> " << code(*step.value);
      break;
    case Step::Kind::kLet:
      out << "<span class=\"verb\">Let</span> " << bindings_html(step.values, "=");
      break;
    case Step::Kind::kLimit:
      out << "<span class=\"verb\">Count</span> in " << step.limit;
      if (const Limit* limit = context.design.limit(step.limit))
        out << " <span class=\"quiet\">(at most " << limit->max << " in " << duration_text(limit->window_s)
            << ")</span>";
      break;
    case Step::Kind::kAtomic:
      if (!step.next.empty())
        out << "<span class=\"verb\">Take the next</span> <code>" << step.next
            << "</code> <span class=\"quiet\">as</span> <code>$" << step.name << "</code>: ";
      if (step.writes.size() == 1 && step.steps.empty()) {
        out << write_html(context, step.writes[0]);
      } else {
        out << "<span class=\"verb\">In one transaction</span><ul class=\"steps\">\n";
        for (const Write& write : step.writes) out << "<li>" << write_html(context, write) << "</li>\n";
        for (const Step& loop : step.steps) out << "<li>" << step_html(context, loop) << "</li>\n";
        out << "</ul>";
      }
      break;
    case Step::Kind::kFor:
      out << "<span class=\"verb\">For each</span> <code>$" << step.name << "</code> <span class=\"quiet\">of</span> ";
      if (step.value) out << code(*step.value);
      if (step.most > 0) out << " <span class=\"quiet\">(at most " << step.most << ")</span>";
      out << steps_html(context, step.steps);
      break;
  }
  if (!step.undo.empty())
    out << "<span class=\"quiet\">, and if a later step fails:</span>" << steps_html(context, step.undo);
  out << otherwise_html(context, step.otherwise);
  return out;
}

Html steps_html(const DocsContext& context, const std::vector<Step>& steps) {
  Html out;
  out << "<ul class=\"steps\">\n";
  for (const Step& step : steps) out << "<li>" << step_html(context, step) << "</li>\n";
  out << "</ul>";
  return out;
}

}  // namespace

Html docs_writes(const DocsContext& context) {
  Html out;
  for (const Operation& operation : context.design.operations) {
    if (!operation.is_write) continue;
    if (out.empty())
      out << "<div class=\"panel\"><table class=\"grid stack\">\n<thead><tr><th>Operation</th><th "
             "style=\"width:24%\">Takes</th><th>Does</th></tr></thead>\n<tbody>\n";
    out << "<tr><td class=\"name\">" << operation.name;
    if (operation.peak.declared()) {
      out << "<small>at most " << rate_text(operation.peak.per_second);
      for (size_t i = 0; i < operation.peak.per.size(); ++i)
        out << (i == 0 ? Markup(" per ") : Markup(", ")) << operation.peak.per[i];
      out << "</small>";
    }
    if (operation.average.declared())
      out << "<small>on average " << rate_text(operation.average.per_second) << "</small>";
    if (!operation.about.empty()) out << "<small>" << operation.about << "</small>";
    out << "</td><td>" << inputs_html(operation);
    if (operation.allow)
      out << "<div class=\"tiny\">only if <code>" << expression_text(*operation.allow) << "</code></div>";
    out << "</td><td>" << steps_html(context, operation.steps) << "</td></tr>\n";
  }
  if (!out.empty()) out << "</tbody></table></div>\n";
  return out;
}

}  // namespace trestle::design
