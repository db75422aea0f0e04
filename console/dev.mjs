// For work on the console: serves console/dist as the program would, and passes every other request to a running one.
//
//   build/trestle serve --memory-store --design designs --port 8001 &
//   node console/dev.mjs http://127.0.0.1:8001        # then open the address that it prints
import http from 'node:http';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const target = new URL(process.argv[2] ?? 'http://127.0.0.1:8000');
const dist = path.join(path.dirname(new URL(import.meta.url).pathname), 'dist');
const types = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

http.createServer(async (request, response) => {
  const file = /^\/console\/([a-z]*\.?[a-z]*)(\?.*)?$/.exec(request.url)?.[1];
  if (file !== undefined && file !== 'server.json') {
    const name = file || 'index.html';
    try {
      const bytes = await readFile(path.join(dist, name));
      response.writeHead(200, { 'Content-Type': types[name.split('.').pop()], 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' });
      return response.end(bytes);
    } catch {
      response.writeHead(404);
      return response.end();
    }
  }
  const passed = http.request({ host: target.hostname, port: target.port, path: request.url, method: request.method,
    headers: { ...request.headers, host: target.host } }, (reply) => {
    response.writeHead(reply.statusCode, reply.headers);
    reply.pipe(response);
  });
  passed.on('error', (error) => { response.writeHead(502); response.end(String(error)); });
  request.pipe(passed);
}).listen(Number(process.argv[3] ?? 0), '127.0.0.1', function () { console.log(`http://127.0.0.1:${this.address().port}/console/`); });
