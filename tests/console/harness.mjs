// A program under test, a real Chromium, and helpers for common user actions.
//
//   const stage = await open({ flags: ['--design', 'designs'] });    // server and page; closed by stage.close()
//   await stage.visit('#/tables/music');
//   await stage.aws('PutItem', { ... });                             // as another client would
//
// TRESTLE_BINARY names the program (default: build/trestle). CONSOLE_DIST=console/dist serves the console's files from that
// folder instead of the program's own, for work on the front end without building the program.
// Every page fails its test if it violates its Content-Security-Policy, throws, or requests another host.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const binary = path.resolve(process.env.TRESTLE_BINARY ?? path.join(repository, 'build/trestle'));
const startMs = 60_000;

// Servers that a failed test left running end with the test process and do not delay its exit.
const children = new Set();
process.on('exit', () => { for (const child of children) child.kill('SIGKILL'); });

// A last argument that is not a flag is added to the program's environment.
export async function serve(...flags) {
  const env = typeof flags.at(-1) === 'object' ? flags.pop() : {};
  const folder = await mkdtemp(path.join(tmpdir(), 'trestle-console-'));
  const child = spawn(binary, ['serve', '--port', '0', '--data', path.join(folder, 'data'), ...flags], { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any', AWS_REGION: 'us-east-1', ...env } });
  children.add(child);
  let output = '';
  const url = await new Promise((found, failed) => {
    const late = setTimeout(() => failed(new Error('the server did not start: ' + output)), startMs);
    const read = (bytes) => {
      output += bytes;
      const match = /DynamoDB's API on (\S+)\n[^]*Console: /.exec(output);
      if (match) { clearTimeout(late); found(match[1]); }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => { clearTimeout(late); failed(new Error(`the server ended (${code}): ${output}`)); });
  });
  child.removeAllListeners('exit');
  child.on('exit', () => children.delete(child));
  for (const handle of [child, child.stdout, child.stderr]) handle.unref();
  return {
    url,
    folder,
    async stop() {
      child.ref();
      const ended = new Promise((resume) => child.on('exit', resume));
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

// Designs that run on another server's tables, with --on.
export async function serveOn(design, ...flags) {
  const behind = await serve('--memory-store');
  const ring = path.join(behind.folder, 'ring');
  await writeFile(ring, 'k1 ' + Buffer.alloc(32, 7).toString('base64') + '\n');
  const front = await serve('--memory-store', '--design', design, '--on', behind.url, '--create', '--keys', ring, ...flags);
  return { url: front.url, folder: front.folder, behind, stop: async () => { await front.stop(); await behind.stop(); } };
}

export async function aws(url, operation, input, key = 'any') {
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const service = /Stream|Shard|GetRecords/.test(operation) ? 'DynamoDBStreams_20120810' : 'DynamoDB_20120810';
  const reply = await fetch(url, { method: 'POST', body: JSON.stringify(input), headers: { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': `${service}.${operation}`, 'X-Amz-Date': date,
    Authorization: `AWS4-HMAC-SHA256 Credential=${key}/${date.slice(0, 8)}/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}` } });
  const answer = await reply.json();
  if (!reply.ok) throw new Error(`${operation}: ${JSON.stringify(answer)}`);
  return answer;
}

let browser = null;
export async function launch() {
  return (browser ??= await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] }));
}
export async function closeBrowser() {
  await browser?.close();
  browser = null;
}

export async function open({ flags = ['--memory-store'], server = null, viewport = { width: 1360, height: 860 }, theme = 'light' } = {}) {
  const own = server ?? (await serve(...flags));
  const context = await (await launch()).newContext({ viewport, colorScheme: theme, acceptDownloads: true });
  const dist = process.env.CONSOLE_DIST;
  if (dist) {
    const types = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
    const policy = (await fetch(own.url + '/console/')).headers.get('content-security-policy');
    await context.route(/\/console\/([a-z]*\.(js|css|svg|html))?(\?.*)?$/, async (route) => {
      const name = path.basename(new URL(route.request().url()).pathname.replace(/\/$/, '/index.html'));
      await route.fulfill({ body: await readFile(path.join(dist, name)), contentType: types[name.split('.').pop()], headers: { 'Content-Security-Policy': policy } });
    });
  }
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.CONSOLE_TIMEOUT_MS ?? 20_000));
  const troubles = [];
  page.on('pageerror', (error) => troubles.push('thrown: ' + error.stack));
  page.on('console', (message) => { if (message.type() === 'error' && /Content Security Policy/.test(message.text())) troubles.push(message.text()); });
  page.on('request', (request) => { if (!request.url().startsWith(own.url) && !/^(blob|data|about):/.test(request.url())) troubles.push('another host: ' + request.url()); });
  return {
    page, server: own, url: own.url,
    aws: (operation, input) => aws(own.behind?.url ?? own.url, operation, input), // with --on, the tables of that server
    async visit(fragment) {
      await page.goto('about:blank'); // so that the console restarts, which a change of fragment alone would not do
      await page.goto(own.url + '/console/' + fragment);
      await page.locator('#main').waitFor();
    },
    message: (text) => page.locator('.message', { hasText: text }).first().waitFor(),
    async close() {
      await context.close();
      if (!server) await own.stop();
      if (troubles.length) throw new Error('The page had troubles:\n' + troubles.join('\n'));
    },
  };
}

export async function fillEditor(page, label, text) {
  const content = page.locator(`[data-editor="${label}"] .cm-content`);
  await content.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}
export async function until(condition, what) {
  const giveUpAt = Date.now() + 30_000;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (Date.now() > giveUpAt) throw new Error(what + ' did not happen');
    await new Promise((resume) => setTimeout(resume, 25));
  }
}
