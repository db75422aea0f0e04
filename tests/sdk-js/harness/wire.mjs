// Raw HTTP to an endpoint: `send` writes exactly the given request and returns the reply's bytes; `signed` and
// `presigned` create the headers or the path that authenticate it (AWS Signature Version 4).
//
//   const { send, signed } = wire();
//   const headers = { 'content-type': kJson, 'x-amz-target': target('ListTables') };
//   const reply = await send({ headers: signed({ headers, body: '{}' }), body: '{}' });
import http from 'node:http';
import https from 'node:https';
import { createHash, createHmac } from 'node:crypto';
import { credentials, endpoint, region } from './endpoint.mjs';

export const kJson = 'application/x-amz-json-1.0';
export const target = (operation) => `DynamoDB_20120810.${operation}`;

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const hmac = (key, data) => createHmac('sha256', key).update(data).digest();
const lowered = (headers) =>
  Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]));
const stampOf = (date) => date.toISOString().replace(/[-:]|\.\d{3}/g, '');
const scopeOf = (stamp) => `${stamp.slice(0, 8)}/${region}/dynamodb/aws4_request`;
const canonicalOf = ({ method, path, query, headers, names, body }) =>
  [
    method,
    path,
    query,
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');

function signatureOf(keys, stamp, canonical) {
  const toSign = ['AWS4-HMAC-SHA256', stamp, scopeOf(stamp), sha256(canonical)].join('\n');
  const key = [region, 'dynamodb', 'aws4_request'].reduce(hmac, hmac(`AWS4${keys.secretAccessKey}`, stamp.slice(0, 8)));
  return createHmac('sha256', key).update(toSign).digest('hex');
}

export function wire(at = endpoint) {
  const url = new URL(at);
  const transport = url.protocol === 'https:' ? https : http;
  const host = url.host;

  // The given headers, and those that sign them, the path and the body.
  function signed({ method = 'POST', path = '/', headers = {}, body = '', date = new Date(), keys = credentials }) {
    const stamp = stampOf(date);
    const all = { host, 'x-amz-date': stamp, ...lowered(headers) };
    if (keys.sessionToken) all['x-amz-security-token'] = keys.sessionToken;
    const names = Object.keys(all).sort();
    const [plain, query = ''] = path.split('?');
    const signature = signatureOf(keys, stamp, canonicalOf({ method, path: plain, query, headers: all, names, body }));
    const credential = `${keys.accessKeyId}/${scopeOf(stamp)}`;
    all.authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
    return all;
  }

  // The path whose query string signs the given headers (which must be sent too) and the body.
  function presigned({
    method = 'POST',
    headers = {},
    body = '',
    date = new Date(),
    keys = credentials,
    expires = 300,
  }) {
    const stamp = stampOf(date);
    const all = { host, ...lowered(headers) };
    const names = Object.keys(all).sort();
    const parts = {
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': `${keys.accessKeyId}/${scopeOf(stamp)}`,
      'X-Amz-Date': stamp,
      'X-Amz-Expires': String(expires),
      'X-Amz-SignedHeaders': names.join(';'),
      ...(keys.sessionToken ? { 'X-Amz-Security-Token': keys.sessionToken } : {}),
    };
    const query = Object.keys(parts)
      .sort()
      .map((key) => `${encodeURIComponent(key)}=${encodeURIComponent(parts[key])}`)
      .join('&');
    const canonical = canonicalOf({ method, path: '/', query, headers: all, names, body });
    return `/?${query}&X-Amz-Signature=${signatureOf(keys, stamp, canonical)}`;
  }

  // `write` may take over sending the body (in chunks, or after 100-continue); by default the body is sent as a whole.
  function send({ method = 'POST', path = '/', headers = {}, body = '', agent, write }) {
    return new Promise((resolve, reject) => {
      let continued = false;
      const request = transport.request(
        { host: url.hostname, port: url.port, method, path, headers, agent },
        (response) => {
          const parts = [];
          response.on('data', (part) => parts.push(part));
          response.on('error', reject);
          response.on('end', () => {
            resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts), continued });
          });
        },
      );
      request.on('continue', () => {
        continued = true;
      });
      request.on('error', reject);
      if (write) write(request);
      else request.end(body);
    });
  }

  // A signed call of an operation with a body given as text, so that the test controls every byte.
  function callRaw(operation, body, extra = {}) {
    const headers = { 'content-type': kJson, 'x-amz-target': target(operation), ...extra };
    return send({ headers: { ...signed({ headers, body }), 'content-length': Buffer.byteLength(body) }, body });
  }

  return { host, signed, presigned, send, callRaw };
}

// CRC-32 (the zlib polynomial), as x-amz-crc32 carries it.
const kCrcTable = Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});
export function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = kCrcTable[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
