// DynamoDB's values, and their three written forms: DynamoDB JSON, plain JSON, and a line of text for a table's cell.
// Numbers stay text from end to end: DynamoDB keeps 38 digits, JavaScript 15.

export type Value = { [type: string]: any };
export type Item = Record<string, Value>;
export const typeNames: Record<string, string> = {
  S: 'String', N: 'Number', B: 'Binary', BOOL: 'Boolean', NULL: 'Null', M: 'Map', L: 'List',
  SS: 'String set', NS: 'Number set', BS: 'Binary set',
};

export const typeOf = (value: Value): string => Object.keys(value)[0];
export const same = (a: unknown, b: unknown): boolean => stable(a) === stable(b);

// JSON with sorted names, and sets in order: equal values have equal text.
function stable(value: any): string {
  if (Array.isArray(value)) return '[' + value.map(stable).join() + ']';
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  return '{' + Object.keys(value).sort().map((name) => {
    const inner = /^(SS|NS|BS)$/.test(name) && Array.isArray(value[name]) ? [...value[name]].sort() : value[name];
    return JSON.stringify(name) + ':' + stable(inner);
  }).join() + '}';
}

// ---- Plain JSON

export function plainText(value: Value, indent = 0): string {
  const pad = '\n' + '  '.repeat(indent + 1), end = '\n' + '  '.repeat(indent);
  const list = (parts: string[]) => (parts.length ? '[' + pad + parts.join(',' + pad) + end + ']' : '[]');
  switch (typeOf(value)) {
    case 'S': case 'B': return JSON.stringify(value.S ?? value.B);
    case 'N': return value.N;
    case 'BOOL': return String(value.BOOL);
    case 'NULL': return 'null';
    case 'L': return list(value.L.map((element: Value) => plainText(element, indent + 1)));
    case 'M': return plainItem(value.M, indent);
    case 'NS': return list(value.NS);
    default: return list((value.SS ?? value.BS ?? []).map((element: string) => JSON.stringify(element)));
  }
}
export function plainItem(item: Item, indent = 0): string {
  const pad = '\n' + '  '.repeat(indent + 1);
  const members = Object.entries(item).map(([name, value]) => JSON.stringify(name) + ': ' + plainText(value, indent + 1));
  return members.length ? '{' + pad + members.join(',' + pad) + '\n' + '  '.repeat(indent) + '}' : '{}';
}

// Reads plain JSON. `like` tells types that JSON lacks: where it holds a set or binary and the text still fits, so it stays.
export function readPlainItem(text: string, like?: Item): Item {
  const value = readPlain(text, like && { M: like });
  if (!value.M) throw new Error('An item is a JSON object.');
  return value.M;
}
export function readPlain(text: string, like?: Value): Value {
  let at = 0;
  const fail = (what: string): never => {
    throw new Error(`${what} at line ${text.slice(0, at).split('\n').length}`);
  };
  const blank = () => { while (/\s/.test(text[at] ?? '')) ++at; };
  const string = (): string => {
    const match = /^"(?:[^"\\\n]|\\.)*"/.exec(text.slice(at));
    if (!match) return fail('A string was expected');
    at += match[0].length;
    try { return JSON.parse(match[0]); } catch { return fail('A string with a bad escape'); }
  };
  const value = (hint?: Value): Value => {
    blank();
    const character = text[at];
    if (character === '"') {
      const read = string();
      return hint?.B !== undefined ? { B: read } : { S: read };
    }
    if (character === '{') {
      ++at;
      const members: Item = {};
      for (blank(); text[at] !== '}'; blank()) {
        const name = string();
        blank();
        if (text[at++] !== ':') fail('":" was expected');
        members[name] = value(hint?.M?.[name]);
        blank();
        if (text[at] === ',') ++at; else if (text[at] !== '}') fail('"," or "}" was expected');
      }
      ++at;
      return { M: members };
    }
    if (character === '[') {
      ++at;
      const list: Value[] = [];
      for (blank(); text[at] !== ']'; blank()) {
        list.push(value(hint?.L?.[list.length]));
        blank();
        if (text[at] === ',') ++at; else if (text[at] !== ']') fail('"," or "]" was expected');
      }
      ++at;
      if (list.length && hint?.SS && list.every((element) => element.S !== undefined)) return { SS: list.map((element) => element.S) };
      if (list.length && hint?.BS && list.every((element) => element.S !== undefined)) return { BS: list.map((element) => element.S) };
      if (list.length && hint?.NS && list.every((element) => element.N !== undefined)) return { NS: list.map((element) => element.N) };
      return { L: list };
    }
    const word = /^(true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?)/.exec(text.slice(at))?.[0] ?? fail('A value was expected');
    at += word.length;
    if (word === 'null') return { NULL: true };
    return word === 'true' || word === 'false' ? { BOOL: word === 'true' } : { N: word };
  };
  const read = value(like);
  blank();
  if (at < text.length) fail('Nothing more was expected');
  return read;
}

// ---- Text

export function cellText(value: Value | undefined): string {
  if (!value) return '';
  const type = typeOf(value);
  if (type === 'S' || type === 'N' || type === 'B') return value[type];
  if (type === 'BOOL') return String(value.BOOL);
  if (type === 'NULL') return 'null';
  if (type === 'SS' || type === 'NS' || type === 'BS') return '{' + value[type].join(', ') + '}';
  return plainText(value).replace(/\s+/g, ' ');
}
// A key's or filter's value from what a person typed.
export function typedValue(type: string, text: string): Value {
  if (type === 'BOOL') return { BOOL: text.trim() === 'true' };
  if (type === 'NULL') return { NULL: true };
  if (type === 'M' || type === 'L') return readPlain(text || (type === 'M' ? '{}' : '[]'));
  if (type === 'SS' || type === 'NS' || type === 'BS') return { [type]: text.split('\n').map((line) => line.trim()).filter(Boolean) };
  return { [type]: type === 'N' ? text.trim() : text };
}
export function itemBytes(item: Item): number {
  return new TextEncoder().encode(JSON.stringify(item)).length;
}
