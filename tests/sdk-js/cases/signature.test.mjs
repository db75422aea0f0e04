// Signatures on a server that authenticates its callers. This is DynamoDB itself if it is tested; otherwise it is the
// second server that run.mjs starts, which has one access key. Other endpoints are not tested.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { credentials, endpoint, isRealService } from '../harness/endpoint.mjs';
import { kJson, target, wire } from '../harness/wire.mjs';

const guarded = isRealService ? endpoint : process.env.TRESTLE_GUARDED_ENDPOINT;
const keys = isRealService ? credentials : { accessKeyId: 'AKIDGUARDED', secretAccessKey: 'the/secret+key' };
const { presigned, send, signed } = wire(guarded);

const body = '{"Limit":1}';
const headers = { 'content-type': kJson, 'x-amz-target': target('ListTables') };
const call = (options = {}, change = {}) => {
  const all = { ...signed({ headers, body, keys, ...options }), 'content-length': String(body.length) };
  return send({ headers: { ...all, ...change.headers }, body: change.body ?? body });
};
const minutesFromNow = (minutes) => new Date(Date.now() + minutes * 60_000);
const parsed = (reply) => {
  const { __type, message, Message } = JSON.parse(reply.body);
  return { status: reply.status, type: __type.split('#').at(-1), message: message ?? Message };
};
const kMismatch =
  'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.';
const assertMismatch = (reply) => {
  const { status, type, message } = parsed(reply);
  assert.deepEqual({ status, type }, { status: 400, type: 'InvalidSignatureException' });
  assert.ok(message.startsWith(kMismatch), message);
};

if (guarded) {
  describe('a signature', () => {
    test('of a known caller is accepted', async () => {
      assert.equal((await call()).status, 200);
    });
    test('in the query string is accepted', async () => {
      const reply = await send({
        path: presigned({ headers, body, keys }),
        headers: { ...headers, 'content-length': String(body.length) },
        body,
      });
      assert.equal(reply.status, 200, reply.body.toString());
    });
    test('by an unknown caller is refused', async () => {
      assert.deepEqual(parsed(await call({ keys: { accessKeyId: 'AKIDNOBODY', secretAccessKey: 'x' } })), {
        status: 400,
        type: 'UnrecognizedClientException',
        message: 'The security token included in the request is invalid.',
      });
    });
    test('by the wrong secret is refused', async () => {
      assertMismatch(await call({ keys: { ...keys, secretAccessKey: 'wrong' } }));
    });
    test('of another body is refused', async () => {
      assertMismatch(await call({}, { body: '{"Limit":2}' }));
    });
    test('of another header is refused', async () => {
      assertMismatch(await call({}, { headers: { 'x-amz-target': target('DescribeLimits') } }));
    });
    test('in the query string, of another body, is refused', async () => {
      const reply = await send({
        path: presigned({ headers, body, keys }),
        headers: { ...headers, 'content-length': String(body.length) },
        body: '{"Limit":2}',
      });
      assertMismatch(reply);
    });
    test('from twenty minutes ago is refused', async () => {
      const { status, type, message } = parsed(await call({ date: minutesFromNow(-20) }));
      assert.deepEqual({ status, type }, { status: 400, type: 'InvalidSignatureException' });
      assert.match(
        message,
        /^Signature expired: \d{8}T\d{6}Z is now earlier than \d{8}T\d{6}Z \(\d{8}T\d{6}Z - 15 min\.\)$/,
      );
    });
    test('from twenty minutes ahead is refused', async () => {
      const { status, type, message } = parsed(await call({ date: minutesFromNow(20) }));
      assert.deepEqual({ status, type }, { status: 400, type: 'InvalidSignatureException' });
      assert.match(
        message,
        /^Signature not yet current: \d{8}T\d{6}Z is still later than \d{8}T\d{6}Z \(\d{8}T\d{6}Z \+ 15 min\.\)$/,
      );
    });
    test('from ten minutes ago is accepted', async () => {
      assert.equal((await call({ date: minutesFromNow(-10) })).status, 200);
    });
    test('is needed', async () => {
      const reply = await send({ headers: { ...headers, 'content-length': String(body.length) }, body });
      assert.equal(parsed(reply).type, 'MissingAuthenticationTokenException');
    });
  });
}
