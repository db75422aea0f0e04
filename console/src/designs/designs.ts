// The designs that the server runs: their list, descriptions (design.json) and OpenAPI documents, read when first needed.
import { signal } from '@preact/signals';
import type { Item } from '../values';

export interface Listed { name: string; version: number; about?: string; operations: number }
export interface Finding { code: string; severity: 'error' | 'warning' | 'note'; line: number; column: number; message: string; repair?: string }
export interface Description {
  source: string; name: string; version: number; about: string;
  report: { errors: number; warnings: number; notes: number; findings: Finding[]; excused: any[] };
  tables: { name: string; type: string; ttl: string; key: string[]; indexes: { name: string; local: boolean; key: string[] }[] }[];
  entities: { name: string; about: string; table: string; type: string; key: string[]; guards: string[]; fields: { name: string; type: string }[] }[];
  operations: { name: string; write: boolean; about: string; line: number; inputs: { name: string; type: string; optional: boolean; of: string }[]; entities: string[] }[];
  plans: any[];
  document: string;
}
export const designs = signal<Listed[] | null>(null);
export const descriptions = signal<Record<string, Description>>({});
export const runAtOnce = signal(''); // the read that the runner calls as soon as it shows it
export const documents = signal<Record<string, any>>({}); // OpenAPI

// Who calls designs' operations. Kept for this tab only.
export interface Caller { scheme: 'bearer' | 'key'; value: string }
const callerName = 'trestle-caller';
export const caller = signal<Caller>(JSON.parse(sessionStorage.getItem(callerName) ?? '{"scheme":"bearer","value":""}'));
export function setCaller(next: Caller): void {
  caller.value = next;
  sessionStorage.setItem(callerName, JSON.stringify(next));
}
export function callerHeaders(): Record<string, string> {
  const value = caller.value.value.trim();
  if (!value) return {};
  return caller.value.scheme === 'key' ? { 'X-Api-Key': value } : { Authorization: 'Bearer ' + value };
}

async function read(path: string, init: RequestInit = {}): Promise<any> {
  const reply = await fetch(path, { ...init, headers: { Accept: 'application/json', ...callerHeaders(), ...(init.headers ?? {}) } });
  const body = await reply.json().catch(() => null);
  if (!reply.ok) throw new Error(body?.detail ?? `${path}: ${reply.status}`);
  return body;
}
export const readDesign = read;
export async function loadDesigns(): Promise<void> { designs.value = (await read('/designs')).designs; }
export async function loadDescription(name: string): Promise<Description> {
  const entry = await read(`/designs/${encodeURIComponent(name)}/design.json`);
  descriptions.value = { ...descriptions.value, [name]: entry };
  return entry;
}
export async function loadDescriptions(): Promise<void> {
  if (designs.value === null) await loadDesigns();
  await Promise.all((designs.value ?? []).filter((design) => !descriptions.value[design.name]).map((design) => loadDescription(design.name).catch(() => undefined)));
}
export async function loadDocument(name: string): Promise<any> {
  const entry = await read(`/designs/${encodeURIComponent(name)}/openapi.json`);
  documents.value = { ...documents.value, [name]: entry };
  return entry;
}
export async function checkDesign(source: string, signal: AbortSignal): Promise<Description> {
  return read('/designs/check', { method: 'POST', body: source, headers: { 'Content-Type': 'application/yaml' }, signal });
}

// ---- Colours: the circle in equal parts, neighbours in the file far apart on it, as in the design's document.

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
export function hueOf(number: number, count: number): number {
  let stride = Math.max(1, Math.floor((count * 2 + 2) / 5));
  while (gcd(stride, count) !== 1) ++stride;
  return (255 + Math.floor((((number * stride) % count) * 360) / count)) % 360;
}

export interface FoundEntity { name: string; hue: number }
// Says which entity an item of the table is: by the table's type attribute, else by the key's templates.
export function entityFinder(table: string): { find: (item: Item) => FoundEntity | undefined; legend: FoundEntity[] } | null {
  for (const design of Object.values(descriptions.value)) {
    const described = design.tables.find((entry) => entry.name === table);
    if (!described) continue;
    const all = design.entities.map((entity, i) => ({ ...entity, hue: hueOf(i, design.entities.length) })).filter((entity) => entity.table === table);
    const patterns = all.map((entry) => entry.key.map((template) => new RegExp('^' + template.split(/\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*') + '$')));
    const find = (item: Item): FoundEntity | undefined => {
      const type = described.type ? item[described.type]?.S : undefined;
      const typed = type && all.find((entry) => entry.type === type || entry.guards.includes(type));
      if (typed) return { name: typed.type === type ? typed.name : type!, hue: typed.hue };
      const at = patterns.findIndex((parts) => parts.every((pattern, i) => { const value = item[described.key[i]]; return value && pattern.test(value.S ?? value.N ?? ''); }));
      return at >= 0 ? { name: all[at].name, hue: all[at].hue } : undefined;
    };
    return { find, legend: all.map(({ name, hue }) => ({ name, hue })) };
  }
  return null;
}
