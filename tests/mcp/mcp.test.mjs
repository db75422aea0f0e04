// `trestle mcp`, used like an agent does, through the official client of the Model Context Protocol.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const program = resolve(root, process.env.TRESTLE_BINARY ?? 'build/trestle');
const authz = join(root, 'designs/authz.yaml');
const environment = { ...process.env, AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
const startTimeoutMs = 120_000;

async function connected(...flags) {
  const client = new Client({ name: 'trestle-test', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: program, args: ['mcp', ...flags], env: environment, cwd: root }));
  return client;
}

async function within(flags, work) {
  const client = await connected(...flags);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function called(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.content.length, 1);
  assert.equal(result.content[0].type, 'text');
  return { text: result.content[0].text, isError: result.isError };
}

async function reply(client, name, args) {
  const { text, isError } = await called(client, name, args);
  assert.equal(isError, false, text);
  return text;
}

async function refusal(client, name, args) {
  const { text, isError } = await called(client, name, args);
  assert.equal(isError, true, text);
  return text;
}

const names = async (client) => (await client.listTools()).tools.map((tool) => tool.name);
const key = (pk) => ({ pk: { S: pk } });

function startServer(...flags) {
  const server = spawn(program, ['serve', '--memory-store', '--port', '0', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolveStart, rejectStart) => {
    let output = '';
    const fail = (reason) => rejectStart(new Error(`${reason}:\n${output}`));
    const timer = setTimeout(fail, startTimeoutMs, 'no endpoint printed');
    server.on('error', fail).on('exit', (code) => fail(`the server ended with ${code}`));
    server.stdout.setEncoding('utf8').on('data', (part) => {
      output += part;
      const endpoint = /http:\/\/127\.0\.0\.1:\d+(?=\s)/.exec(output)?.[0];
      if (!endpoint) return;
      clearTimeout(timer);
      resolveStart({ server, endpoint });
    });
  });
}

describe('on a running server', () => {
  let folder, server, endpoint;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trestle-mcp-'));
    const table = {
      TableName: 'music',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    };
    await writeFile(join(folder, 'tables.json'), JSON.stringify(table));
    await writeFile(join(folder, 'items.json'), JSON.stringify({ music: [{ pk: 'a', n: 1 }, { pk: 'b', n: 2 }] }));
    const flags = ['--tables', join(folder, 'tables.json'), '--seed', join(folder, 'items.json')];
    ({ server, endpoint } = await startServer(...flags));
  });
  after(async () => {
    server?.removeAllListeners('exit').kill();
    await rm(folder, { recursive: true, force: true });
  });

  test('the server introduces itself', () =>
    within(['--on', endpoint], async (client) => {
      assert.equal(client.getServerVersion().name, 'trestle');
      assert.ok(client.getInstructions().includes('list_tables'));
      await client.ping();
    }));

  test('tables and items are read', () =>
    within(['--on', endpoint], async (client) => {
      assert.deepEqual(JSON.parse(await reply(client, 'list_tables')).TableNames, ['music']);
      assert.equal(JSON.parse(await reply(client, 'describe_table', { TableName: 'music' })).Table.TableStatus, 'ACTIVE');
      const { Item } = JSON.parse(await reply(client, 'get_item', { TableName: 'music', Key: key('a') }));
      assert.deepEqual(Item, { pk: { S: 'a' }, n: { N: '1' } });
      const queried = await reply(client, 'query', {
        TableName: 'music',
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: { ':p': { S: 'b' } },
      });
      assert.equal(JSON.parse(queried).Count, 1);
      const page = JSON.parse(await reply(client, 'scan', { TableName: 'music', Limit: 1 }));
      assert.equal(page.Items.length, 1);
      const rest = { TableName: 'music', ExclusiveStartKey: page.LastEvaluatedKey };
      assert.equal(JSON.parse(await reply(client, 'scan', rest)).Items.length, 1);
      const selected = await reply(client, 'execute_statement', { Statement: ' select * from music' });
      assert.equal(JSON.parse(selected).Items.length, 2);
    }));

  test('nothing can be written unless it is allowed', () =>
    within(['--on', endpoint], async (client) => {
      const offered = await names(client);
      for (const tool of ['put_item', 'update_item', 'delete_item']) {
        assert.ok(!offered.includes(tool));
        await assert.rejects(client.callTool({ name: tool, arguments: {} }), /there is no tool/);
      }
      const statement = { Statement: "INSERT INTO music VALUE {'pk': 'x'}" };
      assert.match(await refusal(client, 'execute_statement', statement), /--allow-writes/);
      assert.ok((await client.listTools()).tools.every((tool) => tool.annotations.readOnlyHint));
    }));

  test('items are written where it is allowed', () =>
    within(['--on', endpoint, '--allow-writes'], async (client) => {
      await reply(client, 'put_item', { TableName: 'music', Item: key('c') });
      const update = { TableName: 'music', Key: key('c'), UpdateExpression: 'SET n = :n', ReturnValues: 'ALL_NEW' };
      const changed = await reply(client, 'update_item', { ...update, ExpressionAttributeValues: { ':n': { N: '3' } } });
      assert.deepEqual(JSON.parse(changed).Attributes, { pk: { S: 'c' }, n: { N: '3' } });
      await reply(client, 'execute_statement', { Statement: "DELETE FROM music WHERE pk = 'c'" });
      assert.equal(await reply(client, 'get_item', { TableName: 'music', Key: key('c') }), '{}');
    }));

  test("errors are DynamoDB's", () =>
    within(['--on', endpoint], async (client) => {
      assert.match(await refusal(client, 'scan', { TableName: 'nowhere' }), /^ResourceNotFoundException: /);
      assert.match(await refusal(client, 'get_item', { TableName: 'music', Key: {} }), /^ValidationException: /);
    }));
});

describe('designs', () => {
  test('are checked, planned, costed and documented', () =>
    within(['--memory-store'], async (client) => {
      const checked = JSON.parse(await reply(client, 'design_check', { file: authz }));
      assert.ok(checked.findings.every((finding) => finding.severity !== 'error'));
      const wrong = await reply(client, 'design_check', { text: 'design: x\nindexs: {}\n' });
      assert.match(wrong, /T002/);
      assert.match(await reply(client, 'design_plan', { file: authz, operation: 'createTenant' }), /TransactWriteItems/);
      assert.match(await refusal(client, 'design_plan', { file: authz, operation: 'nothing' }), /no operation/);
      assert.match(await reply(client, 'design_cost', { file: authz }), /month/);
      assert.match(await reply(client, 'design_docs', { file: authz }), /<html/);
      assert.match(await refusal(client, 'design_check', { file: '/nowhere.yaml' }), /nowhere\.yaml/);
      assert.match(await refusal(client, 'design_check', {}), /`file` or `text`/);
    }));

  test('findings are explained', () =>
    within(['--memory-store'], async (client) => {
      const paragraph = await reply(client, 'explain_finding', { code: 'T203' });
      assert.match(paragraph, /^\*\*T203 [^]*Repair/);
      assert.ok(!paragraph.includes('T204'));
      assert.match(await reply(client, 'explain_finding', { code: 'T001' }), /^\| T001 \|/);
      assert.match(await refusal(client, 'explain_finding', { code: 'T999' }), /no finding/);
    }));

  test('operations are called', () =>
    within(['--memory-store', '--design', authz, '--allow-writes'], async (client) => {
      const created = { operation: 'createTenant', inputs: { name: 'acme' } };
      await reply(client, 'call_operation', created);
      assert.match(await refusal(client, 'call_operation', created), /\(409\)/);
      const found = await reply(client, 'call_operation', { design: 'authz', operation: 'tenantByName', inputs: { name: 'acme' } });
      assert.equal(JSON.parse(found).item.name, 'acme');
    }));

  test('operations that write need to be allowed', () =>
    within(['--memory-store', '--design', authz], async (client) => {
      const { description } = (await client.listTools()).tools.find((tool) => tool.name === 'call_operation');
      assert.ok(description.includes('authz.tenantByName(name)') && !description.includes('createTenant'));
      const refused = await refusal(client, 'call_operation', { operation: 'createTenant', inputs: { name: 'acme' } });
      assert.match(refused, /--allow-writes/);
    }));
});

// Messages that the client library does not send.
describe('the protocol', () => {
  async function answers(...lines) {
    const child = spawn(program, ['mcp', '--memory-store'], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(lines.map((line) => `${line}\n`).join(''));
    let output = '';
    for await (const part of child.stdout.setEncoding('utf8')) output += part;
    return output.trim().split('\n').filter(Boolean).map((line) => JSON.parse(line));
  }

  test('bad messages get an error each, and do not end the server', async () => {
    const ping = '{"jsonrpc":"2.0","id":"last","method":"ping"}';
    const [parse, request, method, last] = await answers('{', '[]', '{"jsonrpc":"2.0","id":7,"method":"nothing"}', '', ping);
    assert.deepEqual([parse.error.code, parse.id], [-32700, null]);
    assert.equal(request.error.code, -32600);
    assert.deepEqual([method.error.code, method.id], [-32601, 7]);
    assert.deepEqual(last, { jsonrpc: '2.0', id: 'last', result: {} });
  });

  test('notifications get no answer, and an unknown revision the last known', async () => {
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '1999-01-01' } };
    const [first, ...more] = await answers('{"jsonrpc":"2.0","method":"notifications/initialized"}', JSON.stringify(initialize));
    assert.equal(first.result.protocolVersion, '2025-06-18');
    assert.deepEqual(more, []);
  });
});
