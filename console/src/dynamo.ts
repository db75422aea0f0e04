// Calls DynamoDB's API of this server, as any client does, and keeps what was asked and answered for the request panel.
import { signal } from '@preact/signals';
import { signed } from './sigv4';
import { accessKey, database, facts, signInShown } from './state';

export interface Exchange {
  id: number; operation: string; input: any; output?: any; error?: ApiError; ms: number; at: Date; units?: number;
}
export class ApiError extends Error {
  constructor(readonly kind: string, message: string, readonly status: number, readonly body: any) { super(message || kind); }
}

export const exchanges = signal<Exchange[]>([]);
export const shownExchange = signal<Exchange | null>(null);
let lastExchange = 0;
const historyMax = 100;

const streamOperations = new Set(['ListStreams', 'DescribeStream', 'GetShardIterator', 'GetRecords']);

export interface CallOptions { quiet?: boolean; signal?: AbortSignal }

// `quiet` calls (lists at the side, polling) do not appear in the request panel.
export async function call(operation: string, input: any, options: CallOptions = {}): Promise<any> {
  const began = performance.now();
  const exchange: Exchange = { id: ++lastExchange, operation, input, ms: 0, at: new Date() };
  try {
    exchange.output = await send(operation, input, options.signal);
    exchange.units = unitsOf(exchange.output);
    return exchange.output;
  } catch (error: any) {
    exchange.error = error instanceof ApiError ? error : new ApiError('NetworkError', error.message, 0, null);
    throw exchange.error;
  } finally {
    exchange.ms = performance.now() - began;
    if (!options.quiet) {
      exchanges.value = [exchange, ...exchanges.value].slice(0, historyMax);
      shownExchange.value = exchange;
    }
  }
}

async function send(operation: string, input: any, abort?: AbortSignal): Promise<any> {
  if (facts.value.signs && !accessKey.value) {
    signInShown.value = true;
    throw new ApiError('NotSignedIn', 'This server asks for an access key. Sign in first.', 403, null);
  }
  const path = database.value === 'on' ? '/on' : '/';
  const body = JSON.stringify(input);
  const service = streamOperations.has(operation) ? 'DynamoDBStreams_20120810' : 'DynamoDB_20120810';
  const headers = { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': service + '.' + operation };
  const key = accessKey.value;
  const all = key ? await signed({ path, headers, body, region: facts.value.region }, key) : { ...headers, ...unsigned() };
  const reply = await fetch(path, { method: 'POST', headers: all, body, signal: abort });
  const text = await reply.text();
  let answer: any;
  try { answer = text ? JSON.parse(text) : {}; } catch { answer = { message: text }; }
  if (reply.ok) return answer;
  const kind = String(answer.__type ?? reply.status).split('#').pop()!;
  throw new ApiError(kind, answer.message ?? answer.Message ?? '', reply.status, answer);
}

// A server without `--credentials` accepts any well-formed signature.
function unsigned(): Record<string, string> {
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return {
    'X-Amz-Date': date,
    Authorization: `AWS4-HMAC-SHA256 Credential=console/${date.slice(0, 8)}/${facts.value.region}/dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=${'0'.repeat(64)}`,
  };
}

function unitsOf(output: any): number | undefined {
  const capacity = output?.ConsumedCapacity;
  if (!capacity) return undefined;
  const all = Array.isArray(capacity) ? capacity : [capacity];
  return all.reduce((sum: number, entry: any) => sum + (entry.CapacityUnits ?? 0), 0);
}

// Every page of a list operation.
export async function everyPage(operation: string, input: any, from: string, to: string, list: string): Promise<any[]> {
  const all: any[] = [];
  let start: any;
  do {
    const page = await call(operation, start === undefined ? input : { ...input, [to]: start }, { quiet: true });
    all.push(...(page[list] ?? []));
    start = page[from];
  } while (start !== undefined && all.length < 2000);
  return all;
}
