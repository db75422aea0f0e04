#include "api/explorer_page.h"

namespace trestle::api {

std::string_view explorer_script() {
  return R"js(
'use strict';
const $ = (id) => document.getElementById(id);
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
};

// ---- Theme and signing in ------------------------------------------------------------------------------------------

const themes = ['system', 'light', 'dark'];
const dark = matchMedia('(prefers-color-scheme: dark)');
let theme = localStorage.getItem('trestle-theme') || 'system';
function showTheme() {
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  $('theme').textContent = { system: '◐', light: '☀', dark: '☾' }[theme];
  $('theme').title = 'Theme: ' + theme;
}
$('theme').onclick = () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  localStorage.setItem('trestle-theme', theme);
  showTheme();
};
dark.addEventListener('change', showTheme);
showTheme();

function credentialHeaders() {
  const value = $('credential').value.trim();
  if (!value) return {};
  return $('scheme').value === 'key' ? { 'X-Api-Key': value } : { Authorization: 'Bearer ' + value };
}
function showWho() {
  const value = $('credential').value.trim();
  let who = '';
  if (value && $('scheme').value === 'bearer') {
    try {
      const claims = JSON.parse(atob(value.split('.')[1].replace(/-/g, '+').replace(/_/g, '/')));
      const over = claims.exp && claims.exp * 1000 < Date.now();
      who = (claims.sub || '?') + (over ? ' (expired)' : '');
    } catch { who = 'not a JWT'; }
  }
  $('who').textContent = who;
  $('who').title = who;
  sessionStorage.setItem('trestle-credential', JSON.stringify([$('scheme').value, value]));
  showCommand();
}
[$('scheme').value, $('credential').value] = JSON.parse(sessionStorage.getItem('trestle-credential') || '["bearer",""]');
$('credential').oninput = $('scheme').onchange = showWho;

// ---- What is served ------------------------------------------------------------------------------------------------

let api = null;       // the OpenAPI document
let operations = [];  // {name, path, post, get, write}
let current = null;
const drafts = {};    // what was typed, by operation

const designName = decodeURIComponent((location.pathname.match(/^\/designs\/([^/]+)\//) || [])[1] || '');

function resolved(schema) {
  let here = schema || {};
  for (let i = 0; here.$ref && i < 20; ++i) here = here.$ref.split('/').slice(1).reduce((at, name) => at[name], api);
  return here;
}
// The schema without the alternative null, and whether there was one.
function unwrapped(schema) {
  const here = resolved(schema);
  if (here.anyOf && here.anyOf.some((one) => one.type === 'null'))
    return [resolved(here.anyOf.find((one) => one.type !== 'null')), true];
  return [here, false];
}
function typeText(schema) {
  const here = resolved(schema);
  const bounds = (low, high, unit) =>
    low === undefined && high === undefined ? '' : ` ${low ?? ''}..${high ?? ''}${unit}`;
  if (here.enum) return here.enum.join(' | ');
  if (here.type === 'array') return `list of ${typeText(here.items)}` + bounds(here.minItems, here.maxItems, '');
  if (here.type === 'object') return here.additionalProperties ? `map of ${typeText(here.additionalProperties)}` : 'object';
  if (here.type === 'integer' || here.type === 'number') return (here.description || here.type) + bounds(here.minimum, here.maximum, '');
  if (here.type === 'string')
    return (here.description || here.format || (here.anyOf ? here.anyOf.map((one) => one.format).join(' or ') : 'text')) +
      bounds(here.minLength, here.maxLength, ' characters');
  return here.type || 'any JSON';
}

// ---- The list at the side ------------------------------------------------------------------------------------------

function showOperations() {
  const wanted = $('find').value.trim().toLowerCase();
  const list = $('operations');
  list.replaceChildren();
  for (const [title, write] of [['Reads', false], ['Writes', true]]) {
    const found = operations.filter((one) => one.write === write && one.name.toLowerCase().includes(wanted));
    if (!found.length) continue;
    list.append(make('h2', {}, title + ' ', make('span', {}, String(found.length))));
    for (const one of found) {
      list.append(make('a', { href: '#' + one.name, class: write ? 'write' : 'read', 'aria-current': one === current && 'page' },
        one.name, one.post.security ? make('span', { class: 'lock', title: one.post['x-trestle-allow'] || 'signed in' }, 'signed in') : undefined));
    }
  }
  if (!list.children.length) list.append(make('p', { class: 'empty' }, 'No operation has that in its name.'));
}
$('find').oninput = showOperations;
const links = () => [...$('operations').querySelectorAll('a')];
function moveFocus(step) {
  const all = links();
  const at = all.indexOf(document.activeElement);
  const to = all[Math.max(0, Math.min(all.length - 1, at + step))];
  if (to) to.focus();
}
$('find').onkeydown = (event) => {
  if (event.key === 'ArrowDown') { moveFocus(1); event.preventDefault(); }
  if (event.key === 'Enter' && links().length) { location.hash = links()[0].getAttribute('href'); }
  if (event.key === 'Escape') { $('find').value = ''; showOperations(); }
};
$('operations').onkeydown = (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  if (step < 0 && links().indexOf(document.activeElement) === 0) $('find').focus();
  else moveFocus(step);
  event.preventDefault();
};
document.addEventListener('keydown', (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) { $('find').focus(); event.preventDefault(); }
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && current) { send(); event.preventDefault(); }
});

// ---- The form ------------------------------------------------------------------------------------------------------

function control(name, schema, draft) {
  const id = 'in-' + name;
  const value = draft.values[name];
  const keep = (event) => { draft.values[name] = event.target.value; showCommand(); };
  if (schema.enum || schema.type === 'boolean') {
    const options = schema.enum || ['true', 'false'];
    return make('select', { id, onchange: keep }, make('option', { value: '' }, '—'),
      ...options.map((one) => make('option', { value: one, selected: value === one }, one)));
  }
  const placeholder = schema.default !== undefined ? JSON.stringify(schema.default) : schema.description && /\d/.test(schema.description) && schema.pattern ? schema.description : '';
  if (schema.type === 'array' && ['string', 'integer', 'number'].includes(resolved(schema.items).type)) {
    const area = make('textarea', { id, rows: 2, placeholder: 'one per line', oninput: keep, spellcheck: 'false' });
    area.value = value || '';
    return area;
  }
  if (schema.type === 'object' || schema.type === 'array' || !schema.type || (schema.maxLength || 0) > 400) {
    const area = make('textarea', { id, rows: 4, oninput: keep, spellcheck: 'false', placeholder: schema.type === 'string' ? '' : schema.type === 'array' ? '[ ]' : schema.type === 'object' ? '{ }' : 'JSON' });
    area.value = value || '';
    return area;
  }
  const input = make('input', { id, type: 'text', oninput: keep, placeholder, autocomplete: 'off', spellcheck: 'false',
    inputmode: schema.type === 'integer' || schema.type === 'number' ? 'decimal' : undefined });
  input.value = value || '';
  return input;
}

// The typed value of what was typed; undefined: left out.
function valueOf(text, schema) {
  if (text === undefined || text === '') return undefined;
  if (schema.type === 'boolean') return text === 'true';
  if (schema.type === 'integer' || schema.type === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  if (schema.type === 'array' && !text.trim().startsWith('[')) {
    const inner = resolved(schema.items);
    return text.split('\n').map((line) => line.trim()).filter(Boolean).map((line) => valueOf(line, inner));
  }
  if (schema.type === 'string') return text;
  try { return JSON.parse(text); } catch { return text; }
}
function inputsOf(one, draft) {
  if (draft.raw !== null) return JSON.parse(draft.raw || '{}');
  const inputs = {};
  for (const [name, schema] of Object.entries(schemaOf(one).properties || {})) {
    const [plain, nullable] = unwrapped(schema);
    const value = nullable && draft.nulls[name] ? null : valueOf(draft.values[name], plain);
    if (value !== undefined) inputs[name] = value;
  }
  return inputs;
}
const schemaOf = (one) => resolved(one.post.requestBody.content['application/json'].schema);
const draftOf = (one) => drafts[one.name] ||= { values: {}, nulls: {}, raw: null, method: 'POST', headers: {} };

function fieldRow(name, schema, required, draft) {
  const [plain, nullable] = unwrapped(schema);
  const element = control(name, plain, draft);
  return make('div', { class: 'field', 'data-field': name },
    make('label', { for: 'in-' + name }, name, required ? make('span', { class: 'must', title: 'needed' }, ' *') : undefined),
    make('div', { class: 'type' }, typeText(plain)),
    make('div', { class: 'control' }, element,
      nullable ? make('label', { class: 'none' }, make('input', { type: 'checkbox', checked: draft.nulls[name], onchange: (event) => { draft.nulls[name] = event.target.checked; element.disabled = event.target.checked; showCommand(); } }), 'null: remove it') : undefined,
      make('div', { class: 'fault', role: 'alert' })));
}

function headerRows(one, draft) {
  const rows = [];
  for (const parameter of (one.post.parameters || []).filter((each) => each.in === 'header')) {
    const input = make('input', { id: 'in-' + parameter.name, type: 'text', autocomplete: 'off', spellcheck: 'false',
      oninput: (event) => { draft.headers[parameter.name] = event.target.value; showCommand(); } });
    input.value = draft.headers[parameter.name] || '';
    const make_key = parameter.name === 'Idempotency-Key' && crypto.randomUUID
      ? make('button', { type: 'button', onclick: () => { input.value = draft.headers[parameter.name] = crypto.randomUUID(); showCommand(); } }, 'Make one') : undefined;
    rows.push(make('div', { class: 'field', 'data-field': parameter.name },
      make('label', { for: 'in-' + parameter.name }, parameter.name), make('div', { class: 'type' }, 'header'),
      make('div', { class: 'control' }, input, make_key, make('div', { class: 'fault', role: 'alert' }))));
  }
  return rows;
}

function showForm() {
  const one = current;
  const draft = draftOf(one);
  const schema = schemaOf(one);
  const required = new Set(schema.required || []);
  const body = make('div', {});
  if (draft.raw === null) {
    const names = Object.keys(schema.properties || {});
    for (const name of names) body.append(fieldRow(name, schema.properties[name], required.has(name), draft));
    if (!names.length) body.append(make('p', { class: 'empty' }, 'It takes no inputs.'));
  } else {
    const area = make('textarea', { rows: Math.min(24, Math.max(6, draft.raw.split('\n').length + 1)), spellcheck: 'false', 'aria-label': 'Inputs as JSON', oninput: (event) => { draft.raw = event.target.value; showCommand(); } });
    area.value = draft.raw;
    body.append(area);
  }
  if (draft.method === 'POST') body.append(...headerRows(one, draft));
  const tab = (label, on, act) => make('button', { type: 'button', role: 'tab', 'aria-selected': String(on), onclick: () => { act(); showForm(); showCommand(); } }, label);
  const tabs = make('div', { class: 'tabs', role: 'tablist' },
    tab('Form', draft.raw === null, () => { draft.raw = null; }),
    tab('JSON', draft.raw !== null, () => { if (draft.raw === null) draft.raw = JSON.stringify(inputsOf(one, draft), null, 2); }),
    make('span', { class: 'gap' }),
    ...(one.get ? ['POST', 'GET'].map((method) => tab(method, draft.method === method, () => { draft.method = method; })) : []));
  $('form').replaceChildren(tabs, body);
}

// ---- Calling -------------------------------------------------------------------------------------------------------

function requestOf(one, draft) {
  const inputs = inputsOf(one, draft);
  const url = new URL(one.path, location.origin);
  const headers = { Accept: 'application/json', ...credentialHeaders() };
  if (draft.method === 'GET') {
    for (const [name, value] of Object.entries(inputs)) {
      const plain = (each) => (typeof each === 'object' ? JSON.stringify(each) : String(each));
      for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(name, plain(each));
    }
    return { url, method: 'GET', headers };
  }
  headers['Content-Type'] = 'application/json';
  for (const [name, value] of Object.entries(draft.headers)) if (value) headers[name] = value;
  return { url, method: 'POST', headers, body: JSON.stringify(inputs) };
}
const quoted = (text) => "'" + text.replace(/'/g, "'\\''") + "'";
function showCommand() {
  if (!current || !$('command')) return;
  try {
    const request = requestOf(current, draftOf(current));
    const parts = ['curl -sS' + (request.method === 'GET' ? '' : ' -X POST') + ' ' + quoted(request.url.href)];
    for (const [name, value] of Object.entries(request.headers)) if (name !== 'Accept') parts.push('-H ' + quoted(name + ': ' + value));
    if (request.body) parts.push('-d ' + quoted(request.body));
    $('command').textContent = parts.join(' \\\n  ');
  } catch (error) { $('command').textContent = 'The JSON cannot be read: ' + error.message; }
}
function coloured(text) {
  const pre = make('pre', { tabindex: '0' });
  const pattern = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    pre.append(text.slice(from, found.index));
    const kind = found[1] ? (found[2] ? 'k' : 's') : /[tfn]/.test(found[0][0]) ? 'l' : 'n';
    pre.append(make('span', { class: kind }, found[1] || found[0]), found[2] || '');
    from = found.index + found[0].length;
  }
  pre.append(text.slice(from));
  return pre;
}
// Indents JSON without reading its numbers, of which some have more digits than JavaScript keeps.
function indented(text) {
  let depth = 0, out = '';
  for (const token of text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) || []) {
    const line = () => '\n' + '  '.repeat(depth);
    if (token === '{' || token === '[') { ++depth; out += token + line(); }
    else if (token === '}' || token === ']') { --depth; out = /[{[]\s*$/.test(out) ? out.replace(/\s+$/, '') + token : out + line() + token; }
    else if (token === ',') out += token + line();
    else if (token === ':') out += ': ';
    else out += token;
  }
  return out;
}

function showFaults(problem) {
  for (const row of document.querySelectorAll('.field')) {
    const name = row.dataset.field;
    const faults = (problem?.errors || []).filter((one) => one.field === name || one.field.startsWith(name + '.') || one.field.startsWith(name + '['));
    row.classList.toggle('wrong', faults.length > 0);
    row.querySelector('.fault').textContent = faults.map((one) => (one.field === name ? '' : one.field + ' ') + one.reason).join('; ');
  }
  const first = document.querySelector('.field.wrong input, .field.wrong textarea, .field.wrong select');
  if (first) first.focus();
}

async function send() {
  const one = current;
  const draft = draftOf(one);
  const out = $('reply');
  const button = $('send');
  let request;
  try { request = requestOf(one, draft); } catch (error) {
    out.replaceChildren(make('p', { class: 'fault' }, 'The JSON cannot be read: ' + error.message));
    return;
  }
  button.disabled = true;
  const began = performance.now();
  try {
    const response = await fetch(request.url, request);
    const text = await response.text();
    const took = performance.now() - began;
    if (one !== current) return;
    let json = null;
    try { json = JSON.parse(text); } catch { /* shown as it is */ }
    showFaults(response.ok ? null : json);
    showReply(one, draft, response, text, json, took);
  } catch (error) {
    out.replaceChildren(make('p', { class: 'fault' }, 'No answer: ' + error.message));
  } finally { button.disabled = false; }
}

function showReply(one, draft, response, text, json, took) {
  const kind = response.ok || response.status === 304 ? '' : response.status === 429 || response.status === 503 ? ' warn' : ' bad';
  const told = ['etag', 'retry-after', 'www-authenticate'].filter((name) => response.headers.get(name))
    .map((name) => name + ': ' + response.headers.get(name));
  const head = make('div', { class: 'reply-head' },
    make('span', { class: 'status' + kind }, String(response.status)),
    make('span', { class: 'figures' }, `${took.toFixed(1)} ms · ${new Blob([text]).size} bytes` + (json?.items ? ` · ${json.items.length} items` : '') + told.map((line) => ' · ' + line).join('')));
  if (json?.next) {
    head.append(make('button', { type: 'button', onclick: () => {
      if (draft.raw !== null) draft.raw = JSON.stringify({ ...JSON.parse(draft.raw || '{}'), next: json.next }, null, 2);
      draft.values.next = json.next;
      showForm(); showCommand(); send();
    } }, 'Next page →'));
  }
  const copy = make('button', { type: 'button', onclick: () => navigator.clipboard?.writeText(text).then(() => { copy.textContent = 'Copied'; }) }, 'Copy');
  if (text) head.append(copy);
  $('reply').replaceChildren(head, text ? coloured(json !== null ? indented(text) : text) : make('p', { class: 'empty' }, 'An empty reply.'));
}

// ---- Pages ---------------------------------------------------------------------------------------------------------

function showOperation() {
  const name = decodeURIComponent(location.hash.slice(1));
  current = operations.find((one) => one.name === name) || operations[0];
  showOperations();
  if (!current) return;
  const one = current;
  document.title = `${one.name} · ${designName}`;
  const failures = Object.entries(one.post.responses).filter(([status]) => status !== '200');
  const success = one.post.responses['200'];
  const allow = one.post['x-trestle-allow'];
  $('main').replaceChildren(
    make('h1', {}, one.name, make('span', { class: 'kind' + (one.write ? ' write' : '') }, one.write ? 'write' : 'read')),
    make('p', { class: 'about' }, one.post.description || ''),
    make('p', { class: 'rule' }, make('code', {}, 'POST ' + one.path), allow ? make('span', {}, ' · allowed if ', make('code', {}, allow)) : ' · open to everyone'),
    make('section', { class: 'card', 'aria-label': 'Inputs' }, make('div', { id: 'form' }),
      make('div', { class: 'send' }, make('button', { class: 'main', id: 'send', type: 'button', onclick: send }, 'Send'), make('small', {}, make('kbd', {}, 'Ctrl'), ' ', make('kbd', {}, 'Enter')))),
    make('section', { class: 'card', 'aria-label': 'Reply', 'aria-live': 'polite' }, make('div', { id: 'reply' }, make('p', { class: 'empty' }, 'The reply will stand here.'))),
    make('section', { class: 'card', 'aria-label': 'The same by curl' },
      make('div', { class: 'tabs' }, make('span', { class: 'figures' }, 'The same by curl'), make('span', { class: 'gap' }), make('button', { type: 'button', onclick: (event) => navigator.clipboard?.writeText($('command').textContent).then(() => { event.target.textContent = 'Copied'; }) }, 'Copy')),
      make('pre', { id: 'command', tabindex: '0' })),
    make('details', {}, make('summary', {}, 'What it answers'), coloured(JSON.stringify(expanded(success.content?.['application/json'].schema), null, 2))),
    make('details', {}, make('summary', {}, 'How it can refuse'), make('table', {}, ...failures.map(([status, response]) => make('tr', {}, make('td', {}, status), make('td', {}, resolved(response).description))))));
  showForm();
  showCommand();
}
function expanded(schema, depth = 0) {
  const here = depth < 4 ? resolved(schema) : schema || {};
  if (Array.isArray(here) || typeof here !== 'object' || here === null) return here;
  const out = {};
  for (const [name, value] of Object.entries(here)) {
    if (name === 'properties') out[name] = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expanded(each, depth + 1)]));
    else if (name === 'items' || name === 'additionalProperties') out[name] = expanded(value, depth + 1);
    else out[name] = value;
  }
  return out;
}

async function begin() {
  const list = (await (await fetch('/designs', { headers: { Accept: 'application/json' } })).json()).designs;
  $('designs').append(...(designName ? [] : [make('option', { value: '' }, 'All designs')]),
    ...list.map((one) => make('option', { value: one.explorer, selected: one.name === designName }, one.name)));
  $('designs').onchange = (event) => { if (event.target.value) location.href = event.target.value; };
  showWho();
  if (!designName) {
    document.body.classList.add('index');
    $('main').append(make('h1', {}, 'Designs'), make('p', { class: 'about' }, 'Each is one file: its tables, its operations, and this page. DynamoDB’s own API answers on the same port.'),
      make('div', { class: 'grid' }, ...list.map((one) => make('a', { class: 'tile', href: one.explorer }, make('b', {}, one.name), make('p', {}, one.about || ''), make('span', { class: 'chip' }, one.operations + ' operations'), ' ', make('span', { class: 'chip' }, 'version ' + one.version)))));
    return;
  }
  api = await (await fetch('openapi.json')).json();
  $('version').textContent = 'version ' + api.info.version;
  operations = Object.entries(api.paths).map(([path, methods]) => ({
    name: methods.post.operationId, path, post: methods.post, get: methods.get, write: methods.post.tags.includes('writes') }));
  addEventListener('hashchange', () => { showOperation(); $('main').focus({ preventScroll: true }); scrollTo(0, 0); });
  showOperation();
}
begin().catch((error) => { $('main').append(make('p', { class: 'fault' }, 'The design could not be read: ' + error.message)); });
)js";
}

}  // namespace trestle::api
