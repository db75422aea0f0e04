// Tests start() and the program of the installed package, with Node's own test runner.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { DynamoDBClient, ListTablesCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { program, start } from 'trestle-db';

const run = promisify(execFile);
const PATIENCE_MS = 60_000;

// A zombie, whose parent (which may be any process) has not collected its status yet, does not count as running.
function isRunning(pid) {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

async function ended(pid) {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (isRunning(pid)) {
    assert.ok(Date.now() < giveUpAt, `process ${pid} still runs`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// A process that starts a server, prints its process id and then runs `then`.
function parent(then) {
  const code = `require('trestle-db').start().then((server) => { console.log(server.pid); ${then} });`;
  return spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function firstLine(stream) {
  for await (const line of createInterface(stream)) return line;
  throw new Error('no line');
}

test('the program is the one of the package', () => {
  assert.match(program(), /node_modules\/trestle-db\/program\/trestle$/);
});

test('servers are independent, and stop', async () => {
  const servers = await Promise.all([start(), start()]);
  assert.notEqual(servers[0].port, servers[1].port);
  for (const server of servers) {
    const client = new DynamoDBClient(server.clientOptions);
    assert.deepEqual((await client.send(new ListTablesCommand({}))).TableNames, []);
    client.destroy();
    await Promise.all([server.stop(), server.stop()]);
    assert.equal(isRunning(server.pid), false);
  }
});

test('tables and items are there at the start, and again after reset()', async () => {
  const server = await start({ tables: 'template.yaml', seed: ['items.json'] });
  const client = new DynamoDBClient(server.clientOptions);
  const artists = async () => (await client.send(new ScanCommand({ TableName: 'Music' }))).Items.map((item) => item.Artist.S).sort();
  assert.deepEqual(await artists(), ['No One You Know']);
  await client.send(new PutItemCommand({ TableName: 'Music', Item: { Artist: { S: 'Acme Band' } } }));
  assert.deepEqual(await artists(), ['Acme Band', 'No One You Know']);
  await server.reset();
  assert.deepEqual(await artists(), ['No One You Know']);
  client.destroy();
  await server.stop();
  await assert.rejects(server.reset(), /ECONNREFUSED/);
});

test('a server with a data folder refuses to reset', async () => {
  const data = mkdtempSync(join(tmpdir(), 'trestle-client-'));
  const server = await start({ data });
  await assert.rejects(server.reset(), /POST \/reset: 403 .*--memory-store/);
  await server.stop();
  rmSync(data, { recursive: true });
});

test('a start that fails rejects with what the program printed', async () => {
  await assert.rejects(start({ flags: ['--no-such-flag'] }), /trestle ended with status 2:\n[^]*--no-such-flag/);
  await assert.rejects(start({ program: '/nowhere/trestle' }), /cannot be run: .*ENOENT/);
});

test('the server stops when its parent is killed', async () => {
  const killed = parent('setInterval(() => {}, 1000);');
  const server = Number(await firstLine(killed.stdout));
  assert.ok(isRunning(server));
  killed.kill('SIGKILL');
  await ended(server);
});

test('a server that nobody stops does not keep its parent running, and ends with it', async () => {
  const careless = parent('');
  const server = Number(await firstLine(careless.stdout));
  if (careless.exitCode === null) await once(careless, 'exit');
  assert.equal(careless.exitCode, 0);
  await ended(server);
});

test('npx trestle is the program', async () => {
  const { stdout } = await run('npx', ['--no-install', 'trestle', '--version']);
  assert.match(stdout, /^trestle \d+\.\d+\.\d+\n$/);
  const serving = spawn('npx', ['--no-install', 'trestle', 'serve', '--memory-store', '--port', '0'],
    { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  assert.match(await firstLine(serving.stdout), /serves DynamoDB's API on http:\/\/127\.0\.0\.1:\d+$/);
  process.kill(-serving.pid, 'SIGTERM');
  await once(serving, 'exit');
});
