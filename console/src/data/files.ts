// Items as files: CSV, JSON and DynamoDB JSON, both ways.
import { call } from '../dynamo';
import { cellText, plainItem, plainText, readPlain, type Item, type Value } from '../values';
import { columnsOf } from '../ui/grid';

export type Format = 'csv' | 'json' | 'dynamodb';
export const formatNames: Record<Format, string> = { csv: 'CSV', json: 'JSON', dynamodb: 'DynamoDB JSON' };

const quoted = (text: string) => (/[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);

export function itemsText(items: Item[], format: Format, keys: string[]): { text: string; type: string; ending: string } {
  if (format === 'json') return { text: '[\n' + items.map((item) => plainItem(item)).join(',\n') + '\n]\n', type: 'application/json', ending: 'json' };
  if (format === 'dynamodb') return { text: items.map((item) => JSON.stringify({ Item: item }) + '\n').join(''), type: 'application/x-ndjson', ending: 'dynamodb.jsonl' };
  const columns = columnsOf(items, keys);
  const all = [...columns, ...new Set(items.flatMap(Object.keys).filter((name) => !columns.includes(name)))];
  const cell = (value?: Value) => (!value ? '' : value.M || value.L ? plainText(value).replace(/\n\s*/g, ' ') : cellText(value));
  return { text: [all, ...items.map((item) => all.map((name) => cell(item[name])))].map((row) => row.map(quoted).join() + '\r\n').join(''), type: 'text/csv', ending: 'csv' };
}

function csvRows(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '', inside = false;
  for (let i = 0; i < text.length; ++i) {
    const character = text[i];
    if (inside) {
      if (character === '"' && text[i + 1] === '"') { cell += '"'; ++i; }
      else if (character === '"') inside = false;
      else cell += character;
    } else if (character === '"') inside = true;
    else if (character === ',' || character === '\n') {
      rows.at(-1)!.push(cell.replace(/\r$/, ''));
      cell = '';
      if (character === '\n') rows.push([]);
    } else cell += character;
  }
  if (cell || rows.at(-1)!.length) rows.at(-1)!.push(cell.replace(/\r$/, ''));
  return rows.filter((row) => row.some(Boolean));
}

// The items of a file in any of the three forms. CSV has no types: key attributes have the table's, numbers look like one.
export function readItems(text: string, fileName: string, keyTypes: Record<string, string>): Item[] {
  if (/\.csv$/i.test(fileName)) {
    const [names, ...rows] = csvRows(text);
    return rows.map((row) => Object.fromEntries(names.map((name, i): [string, Value] | null => {
      const cell = row[i] ?? '';
      if (cell === '') return null;
      if (keyTypes[name]) return [name, { [keyTypes[name]]: cell }];
      if (/^[[{]/.test(cell)) { try { return [name, readPlain(cell)]; } catch { /* text then */ } }
      return [name, /^-?(0|[1-9]\d*)(\.\d+)?$/.test(cell) ? { N: cell } : cell === 'true' || cell === 'false' ? { BOOL: cell === 'true' } : { S: cell }];
    }).filter((entry) => entry !== null)));
  }
  const whole = text.trim();
  const objects: Value[] = whole.startsWith('[') ? readPlain(whole).L : whole.split('\n').filter((line) => line.trim()).map((line) => readPlain(line));
  return objects.map((entry, number) => {
    if (!entry.M) throw new Error(`Item ${number + 1} is not a JSON object.`);
    const wrapped = Object.keys(entry.M).length === 1 && entry.M.Item?.M ? entry.M.Item : entry;
    return isDynamoJson(wrapped.M) ? Object.fromEntries(Object.entries(wrapped.M as Item).map(([name, value]) => [name, untyped(value)])) : wrapped.M;
  });
}
const typePattern = /^(S|N|B|BOOL|NULL|M|L|SS|NS|BS)$/;
const isDynamoJson = (item: Item) => Object.values(item).length > 0 && Object.values(item).every((value) => value.M && Object.keys(value.M).length === 1 && typePattern.test(Object.keys(value.M)[0]));
// {"S": "a"} that was read as plain JSON, as the value that it spells.
function untyped(value: Value): Value {
  const [type, inner] = Object.entries(value.M as Item)[0];
  if (type === 'M') return { M: Object.fromEntries(Object.entries(inner.M as Item).map(([name, entry]) => [name, untyped(entry)])) };
  if (type === 'L') return { L: inner.L.map(untyped) };
  if (type === 'SS' || type === 'NS' || type === 'BS') return { [type]: inner.L.map((element: Value) => element.S ?? element.N) };
  return { [type]: inner.S ?? inner.N ?? inner.BOOL ?? true };
}

export interface Progress { done: number; of: number }

// Puts items in batches; what the server leaves unprocessed is sent again after a pause.
export async function putAll(tableName: string, items: Item[], onProgress: (progress: Progress) => void, abort: AbortSignal): Promise<void> {
  await batches(tableName, items.map((item) => ({ PutRequest: { Item: item } })), onProgress, abort);
}
export async function deleteAll(tableName: string, keys: Item[], onProgress: (progress: Progress) => void, abort: AbortSignal): Promise<void> {
  await batches(tableName, keys.map((key) => ({ DeleteRequest: { Key: key } })), onProgress, abort);
}
async function batches(tableName: string, requests: any[], onProgress: (progress: Progress) => void, abort: AbortSignal): Promise<void> {
  let waiting = requests, done = 0, pause = 50;
  while (waiting.length && !abort.aborted) {
    const batch = waiting.slice(0, 25);
    const reply = await call('BatchWriteItem', { RequestItems: { [tableName]: batch }, ReturnConsumedCapacity: 'TOTAL' }, { quiet: done > 0, signal: abort });
    const left = reply.UnprocessedItems?.[tableName] ?? [];
    waiting = [...left, ...waiting.slice(25)];
    done += batch.length - left.length;
    onProgress({ done, of: requests.length });
    if (left.length) {
      await new Promise((resume) => setTimeout(resume, pause));
      pause = Math.min(5000, pause * 2);
    } else pause = 50;
  }
}
