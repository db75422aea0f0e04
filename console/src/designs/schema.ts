// Inputs of operations by their JSON Schema: values as a form holds them, their JSON, and samples.
// A number stays the text that was typed (Num), so that none loses digits.

export class Num { constructor(readonly text: string) {} }
export type Schema = any;

export function resolve(schema: Schema, document: any): Schema {
  let here = schema ?? {};
  for (let i = 0; here.$ref && i < 20; ++i) here = here.$ref.split('/').slice(1).reduce((at: any, name: string) => at[name], document);
  return here;
}
// The schema without the alternative null, and whether there was one.
export function unwrap(schema: Schema, document: any): [Schema, boolean] {
  const here = resolve(schema, document);
  const others = here.anyOf?.filter((choice: Schema) => resolve(choice, document).type !== 'null');
  if (here.anyOf && others.length === 1 && others.length < here.anyOf.length) return [resolve(others[0], document), true];
  if (Array.isArray(here.type) && here.type.includes('null')) return [{ ...here, type: here.type.find((entry: string) => entry !== 'null') }, true];
  return [here, false];
}
export function typeText(schema: Schema, document: any): string {
  const here = resolve(schema, document);
  const bounds = (low: any, high: any, unit: string) => (low === undefined && high === undefined ? '' : ` ${low ?? ''}..${high ?? ''}${unit}`);
  if (here.enum) return here.enum.length > 4 ? 'one of ' + here.enum.length : here.enum.join(' | ');
  if (here.type === 'array') return `list of ${typeText(here.items, document)}` + bounds(here.minItems, here.maxItems, '');
  if (here.type === 'object') return here.additionalProperties ? `map of ${typeText(here.additionalProperties, document)}` : 'record';
  if (here.type === 'integer' || here.type === 'number') return (here.description || here.type) + bounds(here.minimum, here.maximum, '');
  if (here.type === 'string') return (here.description || here.format || 'text') + bounds(here.minLength, here.maxLength, '');
  if (here.anyOf) return here.anyOf.map((choice: Schema) => typeText(choice, document)).join(' or ');
  return here.type || 'any JSON';
}

export function jsonText(value: any, indent = 0): string {
  const pad = '\n' + '  '.repeat(indent + 1), end = '\n' + '  '.repeat(indent);
  if (value instanceof Num) return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value.text.trim()) ? value.text.trim() : JSON.stringify(value.text);
  if (Array.isArray(value)) return value.length ? '[' + pad + value.map((entry) => jsonText(entry, indent + 1)).join(',' + pad) + end + ']' : '[]';
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value).filter(([, entry]) => entry !== undefined).map(([name, entry]) => JSON.stringify(name) + ': ' + jsonText(entry, indent + 1));
    return members.length ? '{' + pad + members.join(',' + pad) + end + '}' : '{}';
  }
  return JSON.stringify(value) ?? 'null';
}
// JSON as the form holds it: numbers as they are written.
export function readJson(text: string): any {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => (token.startsWith('"') ? token : JSON.stringify('\u0000' + token)));
  return JSON.parse(marked, (_, value) => (typeof value === 'string' && value.startsWith('\u0000') ? new Num(value.slice(1)) : value));
}

// ---- Samples

// A text that a simple pattern accepts: literals, classes, groups, alternatives (the first is taken), repeats (at their least).
export function patternSample(pattern: string): string {
  let at = 0;
  const source = pattern.replace(/^\^/, '').replace(/\$$/, '');
  const classSample = (inside: string): string => {
    const plain = inside.replace(/\\d/g, '0-9').replace(/\\w/g, 'a-z').replace(/\\(.)/g, '$1');
    const range = /([A-Za-z0-9])-([A-Za-z0-9])/.exec(plain);
    if (plain.startsWith('^')) return ['a', '0', '_', '-'].find((entry) => !new RegExp(`[${inside.slice(1)}]`).test(entry)) ?? 'a';
    return range ? range[1] : plain[0];
  };
  const alternatives = (): string => {
    let out = '', first: string | null = null;
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') { first ??= out; out = ''; ++at; continue; }
      out += atom();
    }
    return first ?? out;
  };
  const atom = (): string => {
    let piece: string;
    const character = source[at++];
    if (character === '[') {
      const end = source.indexOf(']', at + 1);
      piece = classSample(source.slice(at, end));
      at = end + 1;
    } else if (character === '(') {
      if (source.startsWith('?:', at)) at += 2;
      piece = alternatives();
      ++at;
    } else if (character === '\\') { const next = source[at++]; piece = next === 'd' ? '0' : next === 'w' ? 'a' : next; }
    else if (character === '.') piece = 'a';
    else if (character === '^' || character === '$') piece = '';
    else piece = character;
    const repeat = /^(\{(\d+)(,\d*)?\}|[*+?])/.exec(source.slice(at));
    if (!repeat) return piece;
    at += repeat[0].length;
    const least = repeat[2] !== undefined ? Number(repeat[2]) : repeat[0] === '+' ? 1 : 0;
    return piece.repeat(least);
  };
  return alternatives();
}

// What a pattern does not say, its description does.
const described: Record<string, string> = { 'E.164': '+15551234567', 'IANA time zone': 'Europe/Berlin', CIDR: '192.0.2.0/24', 'a domain, or *. and a domain': 'example.com', ULID: '01ARZ3NDEKTSV4RRFFQ69G5FAV', '2025-10-03-14': '2025-10-03-14', '22:00': '22:00' };
const texts: Record<string, string> = { email: 'ada@example.com', uri: 'https://example.com/', url: 'https://example.com/', uuid: '6f1c2a5e-8d0b-4a51-9c3e-2f7d1b0a4c66', ipv4: '192.0.2.1', hostname: 'example.com' };

// Whether a value seen elsewhere under the same name may be one of these.
function fits(value: any, schema: Schema): boolean {
  if (schema.enum) return schema.enum.includes(value);
  if (value instanceof Num) return schema.type === 'integer' || schema.type === 'number';
  if (schema.type !== 'string' || typeof value !== 'string') return false;
  if (schema.pattern && !new RegExp(schema.pattern).test(value)) return false;
  return value.length >= (schema.minLength ?? 0) && value.length <= (schema.maxLength ?? Infinity);
}

// A value that the schema accepts. `known` has values that answers had under the same name.
export function sample(schema: Schema, document: any, name: string, known: Record<string, any>, depth = 0): any {
  const [here] = unwrap(schema, document);
  if (name in known && depth < 3 && fits(known[name], here)) return known[name];
  const shown = schema.examples?.[0] ?? here.examples?.[0];
  if (shown !== undefined && depth < 3) return typeof shown === 'number' ? new Num(String(shown)) : shown;
  if (here.default !== undefined) return typeof here.default === 'number' ? new Num(String(here.default)) : here.default;
  if (here.const !== undefined) return here.const;
  if (here.enum) return here.enum[0];
  switch (here.type) {
    case 'boolean': return true;
    case 'integer': case 'number': return new Num(String(Math.max(here.minimum ?? 1, Math.min(here.maximum ?? 1, 1))));
    case 'array': {
      const entry = sample(here.items, document, name.replace(/s$/, ''), known, depth + 1);
      return Array.from({ length: Math.max(1, here.minItems ?? 1) }, () => entry);
    }
    case 'object': {
      if (here.additionalProperties && !here.properties) return { key: sample(here.additionalProperties, document, 'key', known, depth + 1) };
      const out: any = {};
      for (const [inner, entry] of Object.entries(here.properties ?? {})) if ((here.required ?? []).includes(inner) || depth < 2) out[inner] = sample(entry, document, inner, known, depth + 1);
      return out;
    }
    case 'string': {
      // A period includes now, and what ends has not ended yet.
      const day = 86_400_000, shift = /^from$|since|start/i.test(name) ? -day : /^to$|expir|until|end/i.test(name) ? day : 0;
      const time = new Date(Date.now() + shift).toISOString();
      if (here.format === 'date-time') return time;
      if (here.format === 'date') return time.slice(0, 10);
      if (here.format === 'byte') return 'dHJlc3RsZQ==';
      if (texts[here.format]) return texts[here.format];
      if (described[here.description]) return described[here.description];
      if (here.anyOf?.some((choice: Schema) => choice.format === 'ipv4')) return texts.ipv4;
      const made = here.pattern ? patternSample(here.pattern) : name;
      const least = here.minLength ?? (here.pattern ? 1 : 0);
      let text = made;
      for (let i = 0; text.length < least && i < 100; ++i) text += here.pattern ? (patternSample(here.pattern.replace(/[*+]\$?$/, '{1}$')) || 'a').at(-1) : 'a';
      return here.maxLength !== undefined ? text.slice(0, here.maxLength) : text;
    }
    default:
      if (here.anyOf) return sample(here.anyOf[0], document, name, known, depth + 1);
      return { note: 'any JSON' };
  }
}
