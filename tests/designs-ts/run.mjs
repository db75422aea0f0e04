// Exports a TypeScript client for every design, compiles the clients and the cases with `tsc --strict`, starts a server
// and runs the cases against it. Ends with "N passed, N failed". TRESTLE_DESIGN_ON=URL puts the tables on that DynamoDB
// endpoint.
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const program = process.env.TRESTLE_BINARY ?? join(root, 'build/trestle');
const names = ['authz', 'form-bridge', 'parental-control', 'plugin-auth', 'site-catalog'];
const apiKey = 'the key of the tests';

function startServer(...flags) {
  const child = spawn(program, ['serve', '--memory-store', '--port', '0', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolveStart, rejectStart) => {
    let said = '';
    const timer = setTimeout(() => { child.kill('SIGKILL'); rejectStart(new Error('no endpoint printed:\n' + said)); }, 120_000);
    child.stdout.setEncoding('utf8').on('data', (part) => {
      said += part;
      const found = /http:\/\/127\.0\.0\.1:\d+(?=\s)/.exec(said);
      if (!found) return;
      clearTimeout(timer);
      resolveStart({ url: found[0], stop: () => new Promise((done) => { child.on('exit', done); child.kill('SIGTERM'); }) });
    });
    child.on('exit', (code) => { clearTimeout(timer); rejectStart(new Error(`the server ended with ${code}:\n${said}`)); });
  });
}

const work = mkdtempSync(join(tmpdir(), 'trestle-ts-'));
let passed = 0;
let failed = 0;
try {
  mkdirSync(join(work, 'out'));
  symlinkSync(join(here, 'node_modules'), join(work, 'node_modules'));
  writeFileSync(join(work, 'package.json'), '{"type": "module"}');
  for (const name of names)
    execFileSync(program, ['design', 'export', join(root, 'designs', name + '.yaml'), '--to', 'typescript', '-o', join(work, name + '.ts')]);
  copyFileSync(join(here, 'cases.ts'), join(work, 'cases.ts'));
  execFileSync(process.execPath, [join(here, 'node_modules/typescript/bin/tsc'), '--strict', '--noUncheckedIndexedAccess',
    '--exactOptionalPropertyTypes', '--noUnusedLocals', '--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--lib', 'es2022,dom,dom.iterable',
    '--outDir', join(work, 'out'), join(work, 'cases.ts'), ...names.map((name) => join(work, name + '.ts'))],
    { cwd: work, stdio: ['ignore', 'inherit', 'inherit'] });
  writeFileSync(join(work, 'out', 'package.json'), '{"type": "module"}');
  passed += 1;
  console.log('ok    every client compiles with tsc --strict');

  const keys = join(work, 'api-keys');
  writeFileSync(keys, `tests ${createHash('sha256').update(apiKey).digest('hex')} admin\n`);
  const elsewhere = process.env.TRESTLE_DESIGN_ON;
  if (elsewhere) writeFileSync(join(work, 'ring'), `k1 ${randomBytes(32).toString('base64')}\n`);
  const place = elsewhere ? ['--on', elsewhere, '--create', '--keys', join(work, 'ring'), '--blobs', join(work, 'blobs')] : [];
  const server = await startServer('--design', join(root, 'designs'), '--api-keys', keys, ...place);
  try {
    const { cases } = await import(pathToFileURL(join(work, 'out', 'cases.js')).href);
    for (const [name, run] of Object.entries(cases)) {
      try {
        await run({ url: server.url, apiKey });
        passed += 1;
        console.log(`ok    ${name}`);
      } catch (error) {
        failed += 1;
        console.log(`FAIL  ${name}\n      ${error.stack}`);
      }
    }
  } finally {
    await server.stop();
  }
} catch (error) {
  failed += 1;
  console.log(`FAIL  ${error.message}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
