// Raw HTTP to the endpoint: `send` writes exactly the request it is given, signed or not, and returns the reply's bytes.
import http from 'node:http';
import https from 'node:https';
import { createHash, createHmac } from 'node:crypto';
import { credentials, endpoint, region } from './endpoint.mjs';

const url = new URL(endpoint);
const transport = url.protocol === 'https:' ? https : http;
export const hostHeader = url.host;

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const hmac = (key, data) => createHmac('sha256', key).update(data).digest();

// AWS Signature Version 4 over every header given, the body and the path.
export function signed({ method = 'POST', path = '/', headers = {}, body = '', date = new Date(), keys = credentials }) {
  const stamp = date.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = stamp.slice(0, 8);
  const all = { host: hostHeader, 'x-amz-date': stamp, ...lowered(headers) };
  if (keys.sessionToken) all['x-amz-security-token'] = keys.sessionToken;
  const names = Object.keys(all).sort();
  const signedHeaders = names.join(';');
  const [target, query = ''] = path.split('?');
  const canonical = [
    method, target, query, ...names.map((name) => `${name}:${String(all[name]).trim()}`), '', signedHeaders, sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/dynamodb/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key = [region, 'dynamodb', 'aws4_request'].reduce(hmac, hmac(`AWS4${keys.secretAccessKey}`, day));
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  all.authorization =
    `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  return all;
}

const lowered = (headers) => Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]));

// `write` may take over sending the body (chunks, waiting for 100-continue); by default the body is sent whole.
export function send({ method = 'POST', path = '/', headers = {}, body = '', agent, write }) {
  return new Promise((resolve, reject) => {
    const request = transport.request({ host: url.hostname, port: url.port, method, path, headers, agent }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts), continued });
      });
    });
    let continued = false;
    request.on('continue', () => { continued = true; });
    request.on('error', reject);
    if (write) write(request);
    else request.end(body);
  });
}

export const kJson = 'application/x-amz-json-1.0';
export const target = (operation) => `DynamoDB_20120810.${operation}`;

// A signed call of an operation with a body given as text: what an SDK would send, byte for byte under our control.
export function callRaw(operation, body, extra = {}) {
  const headers = { 'content-type': kJson, 'x-amz-target': target(operation), ...extra };
  return send({ headers: { ...signed({ headers, body }), 'content-length': Buffer.byteLength(body) }, body });
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
