// Signs a request as AWS's SDKs do (Signature Version 4), with the browser's own cryptography.
// Browsers offer it only on HTTPS and on this machine (secure contexts).

export interface AccessKey { id: string; secret: string; token?: string }
interface ToSign { path: string; headers: Record<string, string>; body: string; region: string }

const text = new TextEncoder();
const hex = (bytes: ArrayBuffer) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const sha256 = async (data: string) => hex(await crypto.subtle.digest('SHA-256', text.encode(data)));
async function hmac(key: ArrayBuffer | Uint8Array, data: string): Promise<ArrayBuffer> {
  const imported = await crypto.subtle.importKey('raw', key as BufferSource, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return crypto.subtle.sign('HMAC', imported, text.encode(data));
}

// The headers to send: those given, and X-Amz-Date, Authorization and, for temporary keys, X-Amz-Security-Token.
export async function signed(request: ToSign, key: AccessKey, now = new Date()): Promise<Record<string, string>> {
  if (!crypto.subtle) throw new Error('Signing needs HTTPS, or a console on this machine: the browser offers no cryptography here.');
  const date = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const headers: Record<string, string> = { ...request.headers, 'X-Amz-Date': date };
  if (key.token) headers['X-Amz-Security-Token'] = key.token;
  const all: Record<string, string> = { host: location.host };
  for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value.trim();
  const names = Object.keys(all).sort();
  const canonical = ['POST', request.path, '', ...names.map((name) => name + ':' + all[name]), '', names.join(';'), await sha256(request.body)].join('\n');
  const scope = [date.slice(0, 8), request.region, 'dynamodb', 'aws4_request'];
  const toSign = ['AWS4-HMAC-SHA256', date, scope.join('/'), await sha256(canonical)].join('\n');
  let derived: ArrayBuffer | Uint8Array = text.encode('AWS4' + key.secret);
  for (const part of scope) derived = await hmac(derived, part);
  headers.Authorization = `AWS4-HMAC-SHA256 Credential=${key.id}/${scope.join('/')}, SignedHeaders=${names.join(';')}, Signature=${hex(await hmac(derived, toSign))}`;
  return headers;
}
