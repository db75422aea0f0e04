// The style sheet of the document. An entity's colours are derived from one hue angle, --h, in light and dark mode.
#include "design/docs/docs_impl.h"

namespace trestle::design {

Html docs_style() {
  Html out;
  out << R"css(
:root { color-scheme: light dark;
  --bg: #fafaf8; --panel: #ffffff; --ink: #1b1d21; --soft: #5c636d; --faint: #6f7680; --line: #e4e4e0; --rule: #d3d3cd;
  --code: #f3f3ef; --link: #2456c7; --error: #b3261e; --warning: #8f5a00; --note: #3a6291; --good: #1d7243;
  --c-l: 0.50; --c-c: 0.145; --t-l: 0.968; --t-c: 0.022; --m-l: 0.885; --m-c: 0.062;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media (prefers-color-scheme: dark) { :root {
  --bg: #131417; --panel: #1a1c20; --ink: #e6e7ea; --soft: #a2a9b4; --faint: #8a919c; --line: #2a2d33; --rule: #3a3e46;
  --code: #22252a; --link: #8db1ff; --error: #ff9a90; --warning: #f0bf6a; --note: #9cc3ee; --good: #7dd6a3;
  --c-l: 0.82; --c-c: 0.105; --t-l: 0.255; --t-c: 0.028; --m-l: 0.41; --m-c: 0.07; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 24px; }
body { margin: 0; background: var(--bg); color: var(--ink); -webkit-font-smoothing: antialiased;
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif; }
a { color: inherit; text-decoration: none; } a:hover { text-decoration: underline; text-underline-offset: 3px; }
code, .mono { font-family: var(--mono); font-size: 0.86em; font-variant-ligatures: none; overflow-wrap: anywhere; }

.page { display: grid; grid-template-columns: 228px minmax(0, 1fr); max-width: 1480px; margin: 0 auto; }
nav { position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto; padding: 40px 12px 40px 28px; font-size: 13px; }
nav b { display: block; font-size: 14px; margin-bottom: 14px; overflow-wrap: anywhere; }
nav ol { list-style: none; margin: 0; padding: 0; } nav ol ol { margin: 2px 0 8px; }
nav li { margin: 1px 0; } nav a { display: block; padding: 3px 8px; border-radius: 6px; color: var(--soft); overflow-wrap: anywhere; }
nav a:hover { background: var(--line); color: var(--ink); text-decoration: none; }
nav ol ol a { padding-left: 18px; font-size: 12px; line-height: 1.4; }
.dot { display: inline-block; width: 8px; height: 8px; border-radius: 50%; background: var(--c); margin-right: 7px; }
main { padding: 40px 40px 96px 28px; min-width: 0; }

header h1 { font-size: 38px; line-height: 1.1; letter-spacing: -0.022em; font-weight: 680; margin: 0 0 10px; overflow-wrap: anywhere; }
header .lead { font-size: 18px; line-height: 1.45; color: var(--soft); margin: 0; max-width: 62ch; }
header .kicker { font-size: 12.5px; color: var(--faint); margin: 0 0 8px; }
.figures { margin-top: 24px; display: flex; flex-wrap: wrap; gap: 1px; border: 1px solid var(--line); border-radius: 12px; background: var(--line); overflow: hidden; }
.figures div { flex: 1 1 96px; padding: 13px 18px 12px; background: var(--panel); }
.figures b { display: block; font-size: 24px; line-height: 1.15; font-weight: 640; letter-spacing: -0.01em; font-variant-numeric: tabular-nums; }
.figures span { font-size: 12.5px; color: var(--soft); }
.figures .bad b { color: var(--error); } .figures .warn b { color: var(--warning); } .figures .good b { color: var(--good); }

section { margin-top: 60px; }
h2 { font-size: 23px; letter-spacing: -0.014em; line-height: 1.2; font-weight: 660; margin: 0 0 6px; }
h2 + p { color: var(--soft); margin: 0 0 20px; max-width: 76ch; }
h3 { font-size: 16.5px; line-height: 1.3; font-weight: 640; margin: 32px 0 8px; overflow-wrap: anywhere; }
h4 { font-size: 12px; font-weight: 600; color: var(--faint); margin: 16px 0 5px; }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
.quiet { color: var(--soft); } .small { font-size: 12.5px; } .tiny { font-size: 11.5px; color: var(--faint); }

table { width: 100%; border-collapse: collapse; font-size: 13.5px; line-height: 1.45; }
th { text-align: left; font-size: 12px; font-weight: 600; color: var(--faint); padding: 9px 14px 8px; border-bottom: 1px solid var(--rule); vertical-align: bottom; white-space: nowrap; }
td { padding: 8px 14px; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody:last-child > tr:last-child > td, tbody:last-child > tr > td[rowspan] { border-bottom: 0; }
.grid td, .grid th { padding-left: 4px; } .grid td.name, .grid td.under, .grid th:first-child { padding-left: 16px; }
td.name { font-weight: 600; font-size: 13px; } td.name small { display: block; font-weight: 400; font-size: 12px; color: var(--soft); line-height: 1.4; margin-top: 2px; max-width: 34ch; }
td.range { color: var(--faint); font-size: 12px; white-space: nowrap; font-variant-numeric: tabular-nums; line-height: 1.65; } th.num { text-align: right; } .num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }

.e { --c: oklch(var(--c-l) var(--c-c) var(--h)); --t: oklch(var(--t-l) var(--t-c) var(--h)); --m: oklch(var(--m-l) var(--m-c) var(--h)); }
.label { display: inline-block; color: var(--c); background: var(--t); border: 1px solid var(--m); border-radius: 5px; padding: 0 7px; font-size: 12px; line-height: 19px; font-weight: 600; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
.label.guard { background: var(--panel); border-style: dashed; font-weight: 500; font-size: 11px; padding: 0 5px; }
.tag { display: inline-block; border-radius: 5px; background: var(--code); color: var(--soft); padding: 0 6px; font-size: 11.5px; line-height: 18px; margin: 1px 3px 1px 0; }
.at { color: var(--ink); font-weight: 600; } .op { color: var(--faint); } .var { color: var(--link); } .e .var { color: var(--c); font-weight: 600; }
.clause { display: block; padding-left: 1.2em; text-indent: -1.2em; }
.request { font-size: 12px; color: var(--soft); white-space: nowrap; }
.request b { font-weight: 600; color: var(--ink); }
.in { display: inline-block; margin: 0 8px 0 0; white-space: nowrap; } .in .opt { color: var(--faint); }

.cards { display: grid; gap: 18px; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
.card > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 14px; padding: 12px 20px 10px; background: var(--t); border-bottom: 1px solid var(--m); }
.card > header h3 { margin: 0; color: var(--c); font-size: 17px; } .card > header .facts { margin-left: auto; font-size: 12.5px; color: var(--soft); }
.card > header p { flex-basis: 100%; margin: 0; font-size: 13.5px; color: var(--soft); }
.card .halves { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.card .halves > div { padding: 4px 20px 16px; min-width: 0; } .card .halves > div + div { border-left: 1px solid var(--line); }
.rows { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 14px; margin: 0; font-size: 13px; line-height: 1.5; }
.rows dt { color: var(--soft); overflow-wrap: anywhere; } .rows dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.rows.fields dt { color: var(--ink); font-family: var(--mono); font-size: 12px; line-height: 19.5px; }
.rows.fields dd { color: var(--soft); font-size: 12.5px; }

.space { margin-top: 26px; } .space > h3 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; margin: 0 0 8px; }
.space > h3 .small { font-weight: 400; color: var(--soft); }
.items { table-layout: fixed; font-size: 12px; } .items th { font-size: 11.5px; }
.items td { padding: 6px 12px; border-bottom-color: var(--line); } .items tbody { border-top: 2px solid var(--rule); } .items thead + tbody { border-top: 0; }
.items td.p { background: var(--panel); border-right: 1px solid var(--line); font-weight: 600; }
.items td.k { font-family: var(--mono); font-size: 11px; line-height: 1.5; overflow-wrap: anywhere; } .items td.s, .items td.a, .items td.w { background: var(--t); }
.items td.w { box-shadow: inset 3px 0 0 var(--c); padding-left: 14px; }
.items tr.guard td.s, .items tr.guard td.a, .items tr.guard td.w { background: repeating-linear-gradient(135deg, var(--t) 0 6px, transparent 6px 12px); }
.attrs { display: flex; flex-wrap: wrap; gap: 3px 16px; margin: 0; } .attrs div { max-width: min(100%, 310px); min-width: 0; }
.attrs dt { font-size: 10.5px; line-height: 1.3; color: var(--soft); } .attrs dd { margin: 0; font-family: var(--mono); font-size: 11px; line-height: 1.35; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.attrs .ix { opacity: 0.62; }
.absent { padding: 9px 14px; font-size: 12.5px; color: var(--soft); border-top: 1px solid var(--line); }

.steps { margin: 0; padding: 0; list-style: none; } .steps > li { margin: 0 0 4px; } .steps .steps { margin: 3px 0 3px 2px; padding-left: 12px; border-left: 2px solid var(--line); }
.verb { font-weight: 600; } .else { color: var(--soft); white-space: nowrap; }

.diagram { padding: 18px 18px 14px; overflow-x: auto; } .diagram svg { display: block; width: 100%; min-width: 880px; height: auto; font-family: inherit; }
.diagram text { fill: var(--ink); font-size: 12.5px; } .diagram .sub { fill: var(--soft); font-size: 10.5px; font-family: var(--mono); } .diagram .head { fill: var(--faint); font-size: 11.5px; font-weight: 600; }
.diagram .box { fill: var(--code); stroke: var(--rule); } .diagram .ent { fill: var(--t); stroke: var(--m); } .diagram .entname { fill: var(--c); font-weight: 600; }
.diagram .link { fill: none; stroke: var(--c); stroke-width: 1.6; opacity: 0.72; } .diagram .wide { stroke-width: 2.4; opacity: 0.9; } .diagram .unread { stroke-dasharray: 2 4; opacity: 0.8; }
.diagram .pin { fill: var(--c); } .diagram .writes { fill: var(--soft); font-style: italic; }

.finding { display: grid; grid-template-columns: 88px 52px 70px minmax(0, 1fr); gap: 0 12px; padding: 11px 18px; border-bottom: 1px solid var(--line); font-size: 13.5px; } .finding:last-child { border-bottom: 0; }
.finding p { margin: 0; overflow-wrap: anywhere; } .finding .repair { color: var(--soft); margin-top: 2px; }
.sev { font-weight: 600; } .sev.error { color: var(--error); } .sev.warning { color: var(--warning); } .sev.note { color: var(--note); } .sev.suppressed { color: var(--faint); }
.empty { padding: 16px 18px; color: var(--soft); }
footer { margin-top: 64px; padding-top: 16px; border-top: 1px solid var(--line); font-size: 12.5px; color: var(--faint); }

.bills { max-width: 560px; margin: 0 0 18px; } .bill td:first-child { padding-left: 16px; } .bill tfoot td { font-weight: 650; border-bottom: 0; border-top: 2px solid var(--rule); padding-top: 9px; padding-bottom: 10px; }
.month td.name { width: 24%; } .month td.bar { width: 26%; vertical-align: middle; } .month .bar span { display: block; height: 8px; border-radius: 4px; background: var(--link); opacity: 0.75; }
.cost td.num, .cost th.num { padding-left: 18px; padding-right: 6px; } .cost td.name { width: 24%; }
@media (max-width: 1040px) { .page { grid-template-columns: minmax(0, 1fr); } nav { display: none; } main { padding: 28px 20px 64px; } }
@media (max-width: 760px) { .card .halves { grid-template-columns: minmax(0, 1fr); } .card .halves > div + div { border-left: 0; border-top: 1px solid var(--line); } .panel { overflow-x: auto; } .items { min-width: 880px; } .figures div { flex-basis: 22%; padding: 11px 12px 10px; }
  .places td:last-child { min-width: 250px; }
  .stack thead, .cost thead, .month thead { display: none; } .stack, .stack tbody, .stack tr, .stack td, .cost tbody, .month tbody { display: block; width: auto; }
  .stack tr { padding: 10px 16px; border-bottom: 1px solid var(--line); } .stack tbody tr:last-child { border-bottom: 0; } .stack tbody + tbody { border-top: 1px solid var(--rule); }
  .stack td, .stack td.name { border: 0; padding: 2px 0; } .stack td.name small { max-width: none; } .stack td:empty { display: none; } .request { white-space: normal; }
  .cost tr, .month tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 6px; padding: 9px 16px; border-bottom: 1px solid var(--line); } .cost tr:last-child, .month tr:last-child { border-bottom: 0; }
  .cost td, .month td, .cost td.num, .month td.num { border: 0; padding: 0; } .cost td.name, .month td.name { width: 100%; padding: 0 0 2px; } .cost td.small { width: 100%; }
  .cost td::before, .month td.num::before { color: var(--soft); font-size: 12px; font-weight: 400; } .cost td:nth-child(2)::before { content: "requests "; } .cost td:nth-child(3)::before { content: "\B7  read "; } .cost td:nth-child(5)::before { content: "\B7  write "; } .cost td.small:not(:empty)::before { content: "stream: "; }
  .month td:nth-child(2)::before { content: "calls "; } .month td:nth-child(3)::before { content: "\B7  read "; } .month td:nth-child(4)::before { content: "\B7  write "; } .month td:nth-child(5) { margin-left: auto; } .month td.bar { width: 100%; padding-top: 5px; } .finding { grid-template-columns: auto auto 1fr; } .finding > div:last-child { grid-column: 1 / -1; } }
@media print {
  :root { color-scheme: light; --bg: #ffffff; --panel: #ffffff; --ink: #000000; --soft: #444444; --faint: #666666; --line: #dddddd; --rule: #bbbbbb; --code: #f4f4f4;
    --link: #1b3f91; --error: #b3261e; --warning: #8f5a00; --note: #3a6291; --good: #1d7243; --c-l: 0.46; --c-c: 0.145; --t-l: 0.968; --t-c: 0.022; --m-l: 0.885; --m-c: 0.062; }
  @page { size: A4 landscape; margin: 13mm; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  body { font-size: 12px; } header h1 { font-size: 30px; margin-bottom: 6px; } header .lead { font-size: 15px; max-width: none; } h2 + p { max-width: none; margin-bottom: 12px; } .figures { margin-top: 14px; } .figures div { padding: 8px 14px; } .figures b { font-size: 20px; }
  .diagram { padding: 10px; } .diagram svg { min-width: 0; max-height: 102mm; } section:has(.diagram.tall) { break-before: page; } .diagram.tall svg { max-height: 140mm; }
  .page { display: block; } nav { display: none; } main { padding: 0; } section { margin-top: 30px; }
  h2, h2 + p, h3, h4, thead { break-after: avoid; } section:has(.space) { break-before: page; } h2 + p, .card, tbody tr, .finding, .items tr, .steps > li, .figures, .diagram { break-inside: avoid; } .panel, .card { overflow: visible; }
  .attrs dd { white-space: normal; overflow-wrap: anywhere; } }
)css";
  return out;
}

}  // namespace trestle::design
