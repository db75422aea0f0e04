// The bytes on the wire, which SDKs hide. Every request here is written by hand.
import { after, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { endpoint, isRealService } from '../harness/endpoint.mjs';
import { call } from '../harness/client.mjs';
import { crc32, kJson, target, wire } from '../harness/wire.mjs';
import { kHash } from '../harness/tables.mjs';

const { callRaw, host: hostAndPort, presigned, send, signed } = wire();
const kBodyOfList = '{"Limit":1}';
const headersFor = (operation, body, extra = {}) => {
  const headers = { 'content-type': kJson, 'x-amz-target': target(operation), ...extra };
  return { ...signed({ headers, body }), 'content-length': String(Buffer.byteLength(body)) };
};
const typeOf = (reply) => JSON.parse(reply.body).__type.split('#').at(-1);
const messageOf = (reply) => {
  const body = JSON.parse(reply.body);
  return body.message ?? body.Message;
};
function assertWellFormed(reply) {
  assert.match(reply.headers['x-amzn-requestid'], /^[0-9A-Z]{52}$/);
  assert.equal(reply.headers['x-amz-crc32'], String(crc32(reply.body)));
  assert.equal(reply.headers['content-length'], String(reply.body.length));
}

describe('a reply', () => {
  test('has a request id, a checksum, a length and the type that was sent', async () => {
    const reply = await callRaw('ListTables', kBodyOfList);
    assert.equal(reply.status, 200);
    assertWellFormed(reply);
    assert.equal(reply.headers['content-type'], kJson);
    assert.equal(JSON.parse(reply.body).TableNames.length, 1);
  });
  test('that refuses has them too', async () => {
    const reply = await callRaw('ListTables', '{"Limit":0}');
    assert.equal(reply.status, 400);
    assertWellFormed(reply);
    assert.equal(JSON.parse(reply.body).__type, 'com.amazon.coral.validate#ValidationException');
  });
  test('names the exception of the service by its own type', async () => {
    const reply = await callRaw('GetItem', '{"TableName":"nosuchtable","Key":{"a":{"S":"b"}}}');
    assert.equal(reply.status, 400);
    assert.deepEqual(JSON.parse(reply.body), {
      __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
      message: 'Requested resource not found',
    });
  });
  test('has another id each time', async () => {
    const ids = new Set();
    for (let at = 0; at < 5; at++) ids.add((await callRaw('ListTables', kBodyOfList)).headers['x-amzn-requestid']);
    assert.equal(ids.size, 5);
  });
  test('of an operation without output is an empty body or object', async () => {
    const { Table } = await call('DescribeTable', { TableName: kHash });
    const reply = await callRaw('UntagResource', JSON.stringify({ ResourceArn: Table.TableArn, TagKeys: ['none'] }));
    assert.equal(reply.status, 200);
    assert.ok(['', '{}'].includes(reply.body.toString()), reply.body.toString());
  });
});

describe('what is not an operation', () => {
  test('GET / answers that the service is well', async () => {
    const reply = await send({ method: 'GET' });
    assert.equal(reply.status, 200);
    assert.match(reply.body.toString(), /^healthy: dynamodb\.[a-z0-9-]+\.amazonaws\.com $/);
    assert.match(reply.headers['x-amzn-requestid'], /^[0-9A-Z]{52}$/);
  });
  for (const method of ['PUT', 'DELETE']) {
    test(`${method} is not found`, async () => {
      const reply = await send({ method });
      assert.equal(reply.status, 404);
      assert.equal(reply.body.toString(), '<UnknownOperationException/>\n');
      assertWellFormed(reply);
    });
  }
  test('a body of another type is not found', async () => {
    const reply = await send({ headers: { 'content-type': 'text/plain', 'content-length': '2' }, body: 'hi' });
    assert.equal(reply.status, 404);
    assert.equal(reply.body.toString(), '<UnknownOperationException/>\n');
  });
  test('no target', async () => {
    const reply = await send({ headers: { 'content-type': kJson, 'content-length': '2' }, body: '{}' });
    assert.equal(reply.status, 400);
    assert.equal(JSON.parse(reply.body).__type, 'com.amazon.coral.service#UnknownOperationException');
    assertWellFormed(reply);
  });
  for (const wrong of [
    'whatever',
    'DynamoDB_20120810.ListTable',
    'DynamoDB_19990101.ListTables',
    'DynamoDB_20120810',
  ]) {
    test(`the target ${wrong}`, async () => {
      const headers = { 'content-type': kJson, 'x-amz-target': wrong };
      const reply = await send({ headers: { ...signed({ headers, body: '{}' }), 'content-length': '2' }, body: '{}' });
      assert.equal(reply.status, 400);
      assert.equal(typeOf(reply), 'UnknownOperationException');
    });
  }
});

describe('JSON', () => {
  const malformed = ['hi', '{', '{"TableName":', '{"TableName":"abc",}', '[', "{'a':1}", '{"a":1} x', '\u0000'];
  for (const body of malformed) {
    test(`${JSON.stringify(body)} is refused`, async () => {
      const reply = await callRaw('ListTables', body);
      assert.equal(reply.status, 400);
      assert.equal(typeOf(reply), 'SerializationException');
      assertWellFormed(reply);
    });
  }
  test('is read before the target is', async () => {
    const reply = await send({ headers: { 'content-type': kJson, 'content-length': '2' }, body: 'hi' });
    assert.equal(typeOf(reply), 'SerializationException');
  });
  const mistyped = [
    ['ListTables', '{"Limit":"1"}', 'STRING_VALUE cannot be converted to Integer'],
    ['ListTables', '{"Limit":true}', 'TRUE_VALUE cannot be converted to Integer'],
    ['GetItem', '{"TableName":23}', 'NUMBER_VALUE cannot be converted to String'],
    ['GetItem', '{"TableName":23.5}', 'DECIMAL_VALUE cannot be converted to String'],
    ['GetItem', '{"TableName":false}', 'FALSE_VALUE cannot be converted to String'],
    ['GetItem', '{"TableName":["a"]}', 'Unrecognized collection type class java.lang.String'],
    ['GetItem', '{"TableName":{"a":1}}', 'Start of structure or map found where not expected'],
    ['GetItem', '{"TableName":"abc","Key":{"a":"b"}}', 'Unexpected value type in payload'],
    ['GetItem', '{"TableName":"abc","Key":{"a":{"S":23}}}', 'NUMBER_VALUE cannot be converted to String'],
    ['PutItem', '{"TableName":"abc","Item":{"a":{"N":23}}}', 'NUMBER_VALUE cannot be converted to String'],
    ['GetItem', '{"TableName":"abc","Key":"k"}', 'Unexpected field type'],
    [
      'GetItem',
      '{"TableName":"abc","Key":{"a":{"S":"x"}},"ConsistentRead":1}',
      'NUMBER_VALUE cannot be converted to Boolean',
    ],
  ];
  for (const [operation, body, message] of mistyped) {
    test(`${operation} ${body}`, async () => {
      const reply = await callRaw(operation, body);
      assert.equal(reply.status, 400);
      assert.equal(typeOf(reply), 'SerializationException');
      assert.equal(messageOf(reply), message);
    });
  }
  test('binary that is not base64', async () => {
    const reply = await callRaw('GetItem', '{"TableName":"abc","Key":{"a":{"B":"abc"}}}');
    assert.equal(typeOf(reply), 'SerializationException');
  });
  test('members it does not know are passed over', async () => {
    const reply = await callRaw('ListTables', '{"Limit":1,"Nonsense":{"a":[1,2,{}]},"Other":null}');
    assert.equal(reply.status, 200);
  });
  test('null is as good as absent', async () => {
    const reply = await callRaw('ListTables', '{"Limit":1,"ExclusiveStartTableName":null}');
    assert.equal(reply.status, 200);
  });
  test('escapes of every kind', async () => {
    const name = '\\u0065\\u0073c \\ud83d\\ude00 \\"\\\\\\/\\b\\f\\n\\r\\t \\u0000';
    const put = await callRaw(
      'PutItem',
      `{"TableName":"${kHash}","Item":{"pk":{"S":"wire escapes"},"v":{"S":"${name}"}}}`,
    );
    assert.equal(put.status, 200, put.body.toString());
    const got = await callRaw('GetItem', `{"TableName":"${kHash}","Key":{"pk":{"S":"wire escapes"}}}`);
    assert.equal(JSON.parse(got.body).Item.v.S, 'esc \u{1F600} "\\/\b\f\n\r\t \u0000');
  });
  test('an attribute value of no type, and of two', async () => {
    const none = await callRaw('GetItem', `{"TableName":"${kHash}","Key":{"pk":{}}}`);
    assert.equal(typeOf(none), 'ValidationException');
    assert.equal(
      messageOf(none),
      'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
    );
    const two = await callRaw('GetItem', `{"TableName":"${kHash}","Key":{"pk":{"S":"a","N":"1"}}}`);
    assert.equal(typeOf(two), 'ValidationException');
    assert.equal(
      messageOf(two),
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    );
  });
  test('a type it does not know is a value of no type', async () => {
    const reply = await callRaw('GetItem', `{"TableName":"${kHash}","Key":{"pk":{"X":"a"}}}`);
    assert.equal(
      messageOf(reply),
      'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
    );
  });
  test('application/json is answered in kind', async () => {
    const headers = { 'content-type': 'application/json', 'x-amz-target': target('ListTables') };
    const reply = await send({ headers: { ...signed({ headers, body: '{}' }), 'content-length': '2' }, body: '{}' });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['content-type'], 'application/json');
  });
});

describe('authentication', () => {
  const bare = { 'content-type': kJson, 'x-amz-target': target('ListTables'), 'content-length': '2' };
  test('none', async () => {
    const reply = await send({ headers: bare, body: '{}' });
    assert.equal(reply.status, 400);
    assert.deepEqual(JSON.parse(reply.body), {
      __type: 'com.amazon.coral.service#MissingAuthenticationTokenException',
      message: 'Request is missing Authentication Token',
    });
  });
  test('of another scheme', async () => {
    const reply = await send({ headers: { ...bare, authorization: 'Basic abc' }, body: '{}' });
    assert.equal(typeOf(reply), 'MissingAuthenticationTokenException');
  });
  test('without its parts', async () => {
    const reply = await send({ headers: { ...bare, authorization: 'AWS4-' }, body: '{}' });
    assert.equal(reply.status, 400);
    assert.deepEqual(JSON.parse(reply.body), {
      __type: 'com.amazon.coral.service#IncompleteSignatureException',
      message:
        "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-",
    });
  });
  test('twice', async () => {
    const headers = { 'content-type': kJson, 'x-amz-target': target('ListTables') };
    const reply = await send({
      path: '/?X-Amz-Algorithm=AWS4-HMAC-SHA256',
      headers: { ...signed({ headers, body: '{}' }), 'content-length': '2' },
      body: '{}',
    });
    assert.equal(typeOf(reply), 'InvalidSignatureException');
    assert.equal(
      messageOf(reply),
      "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    );
  });
  test('in the query string', async () => {
    const headers = { 'content-type': kJson, 'x-amz-target': target('ListTables') };
    const path = presigned({ headers, body: kBodyOfList });
    const reply = await send({
      path,
      headers: { ...headers, 'content-length': String(kBodyOfList.length) },
      body: kBodyOfList,
    });
    assert.equal(reply.status, 200, reply.body.toString());
  });
  test('in the query string, without its parts', async () => {
    const reply = await send({ path: '/?X-Amz-Algorithm=AWS4-HMAC-SHA256', headers: bare, body: '{}' });
    assert.equal(reply.status, 400);
    assert.equal(typeOf(reply), 'IncompleteSignatureException');
    assert.match(messageOf(reply), /^AWS query-string parameters must include 'X-Amz-Credential'\. /);
  });
  test('comes after the operation', async () => {
    const reply = await send({ headers: { ...bare, 'x-amz-target': target('Nonsense') }, body: '{}' });
    assert.equal(typeOf(reply), 'UnknownOperationException');
  });
});

describe('CORS', () => {
  const kExposed = 'x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date';
  test('a preflight is answered', async () => {
    const reply = await send({
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.org',
        'access-control-request-headers': 'a, b, c',
        'access-control-request-method': 'POST',
      },
    });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['access-control-allow-origin'], '*');
    assert.equal(reply.headers['access-control-allow-headers'], 'a, b, c');
    assert.equal(reply.headers['access-control-allow-methods'], 'POST');
    assert.equal(reply.headers['access-control-max-age'], '172800');
    assert.equal(reply.headers['access-control-expose-headers'], kExposed);
    assert.equal(reply.body.length, 0);
  });
  test('a call from a page may be read by it', async () => {
    const reply = await callRaw('ListTables', kBodyOfList, { origin: 'https://example.org' });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['access-control-allow-origin'], '*');
    assert.equal(reply.headers['access-control-expose-headers'], kExposed);
    assert.equal(reply.headers['access-control-max-age'], undefined);
  });
  test('a call from elsewhere says nothing of it', async () => {
    const reply = await callRaw('ListTables', kBodyOfList);
    for (const name of Object.keys(reply.headers)) assert.ok(!name.startsWith('access-control-'), name);
  });
});

describe('compression', () => {
  const big = JSON.stringify({ TableName: kHash, Item: { pk: { S: 'wire compressed' }, v: { S: 'x'.repeat(8000) } } });
  const get = JSON.stringify({ TableName: kHash, Key: { pk: { S: 'wire compressed' } } });
  const compressed = async (bytes, encoding) => {
    const headers = { 'content-type': kJson, 'x-amz-target': target('PutItem') };
    const all = {
      ...signed({ headers, body: bytes }),
      'content-encoding': encoding,
      'content-length': String(bytes.length),
    };
    return send({ headers: all, body: bytes });
  };
  test('a gzip request is read', async () => {
    const reply = await compressed(gzipSync(big), 'gzip');
    assert.equal(reply.status, 200, reply.body.toString());
    const got = await callRaw('GetItem', get);
    assert.equal(JSON.parse(got.body).Item.v.S.length, 8000);
  });
  test('a gzip request in two members is read', async () => {
    const reply = await compressed(Buffer.concat([gzipSync(big.slice(0, 10)), gzipSync(big.slice(10))]), 'gzip');
    assert.equal(reply.status, 200, reply.body.toString());
  });
  test('a deflate request is read', async () => {
    const reply = await compressed(deflateSync(big), 'deflate');
    assert.equal(reply.status, 200);
  });
  test('what is not deflate fails', async () => {
    assert.equal((await compressed(Buffer.from(big), 'deflate')).status, 500);
    assert.equal((await compressed(gzipSync(big), 'deflate')).status, 500);
  });
  test('nothing is not gzip', async () => {
    assert.equal((await compressed(Buffer.alloc(0), 'gzip')).status, 500);
  });
  test('what is not gzip fails', async () => {
    assert.equal((await compressed(Buffer.from(big), 'gzip')).status, 500);
  });
  test('an encoding it does not know fails', async () => {
    assert.equal((await compressed(deflateSync(big), 'garbage')).status, 500);
  });
  test('a large reply is compressed when asked', async () => {
    await callRaw('PutItem', big);
    const reply = await callRaw('GetItem', get, { 'accept-encoding': 'gzip' });
    assert.equal(reply.headers['content-encoding'], 'gzip');
    assert.ok(reply.body.length < 1000);
    assert.equal(JSON.parse(gunzipSync(reply.body)).Item.v.S.length, 8000);
    assert.equal(reply.headers['x-amz-crc32'], String(crc32(reply.body)));
  });
  test('a large reply is deflated when that is preferred', async () => {
    await callRaw('PutItem', big);
    const reply = await callRaw('GetItem', get, { 'accept-encoding': 'gzip;q=0.5, deflate' });
    assert.equal(reply.headers['content-encoding'], 'deflate');
    assert.equal(JSON.parse(inflateSync(reply.body)).Item.v.S.length, 8000);
  });
  test('a large reply is plain when not asked', async () => {
    await callRaw('PutItem', big);
    const reply = await callRaw('GetItem', get);
    assert.equal(reply.headers['content-encoding'], undefined);
    assert.equal(JSON.parse(reply.body).Item.v.S.length, 8000);
  });
  test('a small reply is plain even when asked', async () => {
    const reply = await callRaw('ListTables', kBodyOfList, { 'accept-encoding': 'gzip' });
    assert.equal(reply.headers['content-encoding'], undefined);
  });
});

describe('HTTP', () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  after(() => agent.destroy());
  test('a connection serves many requests', { skip: endpoint.startsWith('https') }, async () => {
    const ports = new Set();
    agent.on('free', (socket) => ports.add(socket.localPort));
    for (let at = 0; at < 10; at++) {
      const reply = await send({ headers: headersFor('ListTables', kBodyOfList), body: kBodyOfList, agent });
      assert.equal(reply.status, 200);
    }
    assert.equal(ports.size, 1);
  });
  test('a chunked body is read', async () => {
    const { 'content-length': ignored, ...headers } = headersFor('ListTables', kBodyOfList);
    assert.ok(ignored);
    const reply = await send({
      headers: { ...headers, 'transfer-encoding': 'chunked' },
      write: (request) => {
        for (const letter of kBodyOfList) request.write(letter);
        request.end();
      },
    });
    assert.equal(reply.status, 200, reply.body.toString());
  });
  test('100-continue is sent before the body', async () => {
    const reply = await send({
      headers: { ...headersFor('ListTables', kBodyOfList), expect: '100-continue' },
      write: (request) => {
        request.flushHeaders();
        request.on('continue', () => request.end(kBodyOfList));
      },
    });
    assert.equal(reply.status, 200);
    assert.ok(reply.continued);
  });
  test(
    'requests sent at once are answered in order',
    { skip: isRealService && 'a load balancer stands between' },
    async () => {
      const one = (body) => {
        const headers = headersFor('ListTables', body);
        return `POST / HTTP/1.1\r\n${Object.entries(headers)
          .map(([key, value]) => `${key}: ${value}\r\n`)
          .join('')}\r\n${body}`;
      };
      const [host, port] = hostAndPort.split(':');
      const text = await new Promise((resolve, reject) => {
        const socket = net.connect(Number(port), host, () =>
          socket.write(one('{"Limit":1}') + one('{"Limit":0}') + one('{"Limit":2}')),
        );
        let said = '';
        socket.setEncoding('utf8').on('data', (part) => {
          said += part;
          if ((said.match(/HTTP\/1\.1 /g) ?? []).length === 3 && said.endsWith('}')) {
            socket.destroy();
            resolve(said);
          }
        });
        socket.on('error', reject);
        socket.setTimeout(60_000, () => reject(new Error(`only this came:\n${said}`)));
      });
      assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 400', 'HTTP/1.1 200']);
    },
  );
  test(
    'bytes that are not HTTP are refused and the server lives',
    { skip: isRealService && 'a load balancer stands between' },
    async () => {
      const [host, port] = hostAndPort.split(':');
      await new Promise((resolve, reject) => {
        const socket = net.connect(Number(port), host, () => socket.write('\u0016\u0003\u0001 nonsense\r\n\r\n'));
        socket
          .on('data', () => {})
          .on('error', resolve)
          .on('close', resolve);
        socket.setTimeout(60_000, () => reject(new Error('the connection was left open')));
      });
      assert.equal((await callRaw('ListTables', kBodyOfList)).status, 200);
    },
  );
  test('a body far past 16 MB is refused', { skip: isRealService && 'slow' }, async () => {
    const body = `{"TableName":"${'a'.repeat(24 * 1024 * 1024)}"}`;
    let status;
    try {
      status = (await send({ headers: headersFor('ListTables', body), body })).status;
    } catch (error) {
      // The server may close the connection before it has read everything.
      assert.match(error.code, /^(ECONNRESET|EPIPE)$/);
      status = 413;
    }
    assert.equal(status, 413);
  });
});

describe('SearchVectors is read strictly', () => {
  const valid = { TableName: 'nosuchtable', IndexName: 'vix', SearchVector: [{ N: '1' }], TopK: 1 };
  const sent = (body) => callRaw('SearchVectors', JSON.stringify(body));
  for (const [member, expected] of [
    ['TableName', 'a string'],
    ['IndexName', 'a string'],
    ['SearchVector', 'a sequence'],
    ['TopK', 'i32'],
  ]) {
    test(`${member} is null`, async () => {
      const body = JSON.stringify({ ...valid, [member]: null });
      const reply = await callRaw('SearchVectors', body);
      assert.equal(reply.status, 400);
      assert.equal(typeOf(reply), 'SerializationException');
      const column = body.indexOf('null') + 4;
      assert.equal(messageOf(reply), `invalid type: null, expected ${expected} at line 1 column ${column}`);
    });
    test(`${member} is missing`, async () => {
      const { [member]: left, ...rest } = valid;
      assert.ok(left);
      const reply = await sent(rest);
      assert.equal(reply.status, 400);
      assert.equal(typeOf(reply), 'ValidationException');
      assert.equal(messageOf(reply), `missing field \`${member}\` at line 1 column ${JSON.stringify(rest).length}`);
    });
  }
  test('a missing field comes before a name that is too short', async () => {
    const reply = await sent({ IndexName: 'ab', SearchVector: [{ N: '1' }], TopK: 1 });
    assert.match(messageOf(reply), /^missing field `TableName` at line 1 column \d+$/);
  });
});
