// Runs the suite: finds or starts a server, creates the shared tables, runs the case files, deletes the tables and
// stops the server if it started one. Arguments are names of case files; the default is all files of cases/.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const kStartTimeoutMs = 120_000;

// Starts `build/trestle serve` on a free port; resolves to its endpoint and a function that stops it.
function startServer(...more) {
  const program = process.env.TRESTLE_PROGRAM ?? join(root, 'build/trestle');
  const child = spawn(program, ['serve', '--memory-store', '--port', '0', ...more], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolveStart, rejectStart) => {
    let said = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      rejectStart(new Error(`no endpoint printed:\n${said}`));
    }, kStartTimeoutMs);
    const read = (part) => {
      said += part;
      const found = /http:\/\/127\.0\.0\.1:\d+(?=\s)/.exec(said);
      if (!found) return;
      clearTimeout(timer);
      resolveStart({ endpoint: found[0], stop: () => stop(child), exited: () => child.exitCode ?? child.signalCode });
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', (part) => {
      process.stderr.write(part);
      read(part);
    });
    child.on('error', (error) => {
      clearTimeout(timer);
      rejectStart(error);
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      rejectStart(new Error(`${program} ended with ${code}:\n${said}`));
    });
  });
}

function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolveStop) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    child.on('exit', () => {
      clearTimeout(timer);
      resolveStop();
    });
    child.kill('SIGTERM');
  });
}

function caseFiles(names) {
  const all = readdirSync(join(here, 'cases'))
    .filter((file) => file.endsWith('.test.mjs'))
    .sort();
  if (names.length === 0) return all;
  return names.map((wanted) => {
    const file = all.find((one) => one === wanted || one === `${wanted}.test.mjs`);
    if (!file) throw new Error(`no case file ${wanted}; there are: ${all.join(' ')}`);
    return file;
  });
}

function runFiles(files) {
  const reporter = process.env.TRESTLE_REPORTER ?? join(here, 'harness/reporter.mjs');
  const args = ['--test', '--test-concurrency=2', `--test-reporter=${reporter}`];
  const child = spawn(process.execPath, [...args, ...files.map((file) => join(here, 'cases', file))], {
    cwd: here,
    stdio: 'inherit',
  });
  return new Promise((resolveRun, rejectRun) => {
    child.on('error', rejectRun);
    child.on('exit', (code) => resolveRun(code ?? 1));
  });
}

// One server that accepts any signature, and one that knows a single access key (see cases/signature.test.mjs).
async function startServers() {
  const folder = mkdtempSync(join(tmpdir(), 'trestle-sdk-js-'));
  const file = join(folder, 'credentials');
  writeFileSync(file, '[default]\naws_access_key_id = AKIDGUARDED\naws_secret_access_key = the/secret+key\n');
  try {
    const open = await startServer('--cors', '*'); // DynamoDB also replies to pages of any origin
    const guarded = await startServer('--credentials', file).catch(async (error) => {
      await open.stop();
      throw error;
    });
    process.env.TRESTLE_ENDPOINT = open.endpoint;
    process.env.TRESTLE_GUARDED_ENDPOINT = guarded.endpoint;
    return [open, guarded];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function main() {
  const files = caseFiles(process.argv.slice(2));
  const servers = process.env.TRESTLE_ENDPOINT ? [] : await startServers();
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  process.env.TRESTLE_TABLE_PREFIX ??= `sdkjs-${Date.now().toString(36)}`;
  const { call } = await import('./harness/client.mjs');
  const { tables } = await import('./harness/tables.mjs');
  const { waitUntilActive } = await import('./harness/lifecycle.mjs');
  let code = 1;
  try {
    for (const table of tables) await call('CreateTable', table);
    for (const { TableName } of tables) await waitUntilActive(TableName);
    code = await runFiles(files);
    for (const server of servers)
      if (server.exited() !== null) throw new Error(`a server ended during the run: ${server.exited()}`);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    if (servers.length === 0)
      for (const { TableName } of tables) await call('DeleteTable', { TableName }).catch(() => {});
  }
  process.exitCode = code;
}

await main();
