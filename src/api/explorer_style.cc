#include "api/explorer_page.h"

namespace trestle::api {

std::string_view explorer_style() {
  return R"css(
:root {
  color-scheme: light;
  --paper: #f6f5f2; --card: #ffffff; --ink: #1d2430; --soft: #5d6675; --line: #dedbd3; --well: #efede7;
  --accent: #0b6b62; --accent-ink: #ffffff; --tint: #e0f0ed; --read: #1f5fa8; --write: #9a4b00;
  --good: #17763f; --bad: #b3261e; --warn: #8a5a00; --string: #17663c; --number: #8a3b9e; --name: #1f5fa8; --literal: #a04a00;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
}
:root[data-theme="dark"] {
  color-scheme: dark;
  --paper: #12161c; --card: #1a2028; --ink: #e6e9ee; --soft: #98a2b1; --line: #2c3440; --well: #141a21;
  --accent: #4fc3b4; --accent-ink: #06211e; --tint: #17322f; --read: #7db4f0; --write: #f0a95c;
  --good: #5fd08d; --bad: #ff8a80; --warn: #f0c05c; --string: #8fd3a5; --number: #d6a3e6; --name: #8fbdf2; --literal: #f0b27a;
}
* { box-sizing: border-box; }
html { height: 100%; }
body { margin: 0; min-height: 100%; background: var(--paper); color: var(--ink); font: 15px/1.5 var(--sans); }
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 12px; top: 12px; z-index: 9; background: var(--card); padding: 8px 12px; }
input, select, textarea, button { font: inherit; color: inherit; }
input, select, textarea {
  background: var(--card); border: 1px solid var(--line); border-radius: 7px; padding: 6px 10px; min-width: 0;
}
textarea { font: 13px/1.5 var(--mono); resize: vertical; width: 100%; }
button { cursor: pointer; background: var(--card); border: 1px solid var(--line); border-radius: 7px; padding: 6px 12px; }
button:hover { border-color: var(--accent); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); font-weight: 600; padding: 8px 20px; }
button.main:disabled { opacity: .6; cursor: progress; }
kbd {
  font: 12px var(--mono); color: var(--soft); border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 5px;
  padding: 0 6px; background: var(--well);
}
.top {
  position: sticky; top: 0; z-index: 5; display: flex; align-items: center; gap: 14px; padding: 10px 20px;
  background: var(--card); border-bottom: 1px solid var(--line);
}
.brand { display: flex; align-items: center; gap: 8px; font-weight: 700; letter-spacing: .01em; color: var(--ink); text-decoration: none; }
.brand svg { width: 26px; height: 26px; fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.crumbs { display: flex; align-items: center; gap: 8px; }
.crumbs select { font-weight: 600; }
.chip { font-size: 12px; color: var(--soft); background: var(--well); border-radius: 99px; padding: 1px 9px; white-space: nowrap; }
.chip:empty { display: none; }
.signin { margin-left: auto; display: flex; align-items: center; gap: 6px; }
.signin input { width: 16em; font: 13px var(--mono); }
.who { font-size: 12.5px; color: var(--soft); max-width: 14em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.quiet { color: var(--soft); font-size: 14px; }
.icon { width: 36px; height: 36px; padding: 0; font-size: 16px; line-height: 1; }
.page { display: grid; grid-template-columns: 290px minmax(0, 1fr); }
.side {
  position: sticky; top: 57px; height: calc(100vh - 57px); overflow: auto; padding: 16px 10px 40px 14px;
  border-right: 1px solid var(--line);
}
.find { position: relative; margin: 0 4px 10px 0; }
.find input { width: 100%; padding-right: 34px; }
.find kbd { position: absolute; right: 9px; top: 8px; pointer-events: none; }
.side h2 { font-size: 12px; font-weight: 600; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); margin: 16px 8px 4px; }
.side h2 span { font-weight: 400; }
.side a {
  display: flex; align-items: center; gap: 8px; padding: 4px 8px; border-radius: 7px; color: var(--ink); text-decoration: none;
  font: 13.5px/1.5 var(--mono); overflow-wrap: anywhere;
}
.side a:hover { background: var(--well); }
.side a[aria-current] { background: var(--tint); color: var(--accent); font-weight: 600; }
.side a::before { content: ""; flex: none; width: 7px; height: 7px; border-radius: 50%; background: var(--read); }
.side a.write::before { background: var(--write); border-radius: 2px; }
.side a .lock { margin-left: auto; font-size: 11px; color: var(--soft); }
main { padding: 26px 30px 80px; max-width: 1180px; outline: none; }
main h1 { font: 600 24px/1.3 var(--mono); margin: 0 0 4px; overflow-wrap: anywhere; }
.kind { font: 600 11px var(--sans); letter-spacing: .06em; text-transform: uppercase; border-radius: 5px; padding: 3px 8px; vertical-align: 5px; margin-left: 10px; color: var(--card); background: var(--read); }
.kind.write { background: var(--write); }
.about { color: var(--soft); margin: 0 0 6px; max-width: 75ch; }
.rule { font-size: 13.5px; color: var(--soft); margin: 0 0 10px; }
.rule code, .about code { font: 13px var(--mono); color: var(--ink); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 18px 20px; margin: 16px 0; }
.tabs { display: flex; gap: 4px; margin-bottom: 12px; align-items: center; flex-wrap: wrap; }
.tabs button { border-color: transparent; background: transparent; color: var(--soft); padding: 4px 12px; }
.tabs button[aria-selected="true"] { background: var(--tint); color: var(--accent); font-weight: 600; }
.tabs .gap { flex: 1; }
.field { display: grid; grid-template-columns: minmax(130px, 220px) minmax(0, 1fr); grid-template-rows: auto 1fr; gap: 4px 18px; padding: 9px 0; border-top: 1px solid var(--line); }
.field:first-child { border-top: 0; }
.field label { font: 600 13.5px/1.5 var(--mono); padding-top: 6px; overflow-wrap: anywhere; }
.field label .must { color: var(--bad); }
.field .type { grid-column: 1; font-size: 12.5px; color: var(--soft); margin-top: -2px; overflow-wrap: anywhere; }
.field .control { grid-column: 2; grid-row: 1 / span 2; }
.field .control input:not([type=checkbox]), .field .control select { width: 100%; }
.field .none { font-size: 12.5px; color: var(--soft); display: inline-flex; gap: 6px; align-items: center; margin-top: 4px; }
.control button { margin-top: 6px; }
.fault { color: var(--bad); font-size: 13px; margin-top: 4px; }
.field.wrong input, .field.wrong textarea, .field.wrong select { border-color: var(--bad); }
.empty { color: var(--soft); margin: 4px 0; }
.send { display: flex; align-items: center; gap: 12px; margin-top: 14px; flex-wrap: wrap; }
.send small { color: var(--soft); }
.reply-head { display: flex; align-items: center; gap: 12px; flex-wrap: wrap; margin-bottom: 10px; }
.status { font: 700 14px var(--mono); border-radius: 6px; padding: 3px 10px; color: var(--card); background: var(--good); }
.status.bad { background: var(--bad); }
.status.warn { background: var(--warn); }
.figures { color: var(--soft); font-size: 13.5px; }
pre {
  margin: 0; padding: 14px 16px; background: var(--well); border: 1px solid var(--line); border-radius: 9px; overflow: auto; max-height: 62vh;
  font: 13px/1.55 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2;
}
.s { color: var(--string); } .n { color: var(--number); } .k { color: var(--name); } .l { color: var(--literal); }
details { margin: 12px 0 0; }
summary { cursor: pointer; color: var(--soft); font-size: 14px; }
details pre, details table { margin-top: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
td, th { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; border-top: 1px solid var(--line); }
td:first-child { font-family: var(--mono); white-space: nowrap; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 16px; margin-top: 18px; }
.tile { display: block; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 18px 20px; color: var(--ink); text-decoration: none; }
.tile:hover { border-color: var(--accent); }
.tile b { font: 600 17px var(--mono); color: var(--accent); }
.tile p { color: var(--soft); margin: 6px 0; font-size: 14px; }
body.index .side, body.index #openapi { display: none; }
body.index .page { grid-template-columns: minmax(0, 1fr); }
body.index main { margin: 0 auto; width: 100%; }
@media (max-width: 860px) {
  .top { flex-wrap: wrap; }
  .signin { margin-left: 0; order: 9; flex: 1 1 100%; }
  .signin input { flex: 1; }
  .page { grid-template-columns: minmax(0, 1fr); }
  .side { position: static; height: auto; max-height: 34vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 18px 16px 60px; }
  .field { grid-template-columns: minmax(0, 1fr); }
  .field .control { grid-column: 1; grid-row: auto; }
}
@media (prefers-reduced-motion: no-preference) { button, .side a, .tile { transition: background .12s, border-color .12s; } }
)css";
}

}  // namespace trestle::api
