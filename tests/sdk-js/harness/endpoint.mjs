// The server under test, and the credentials to call it. Set by run.mjs; read by everything else.
export const endpoint = process.env.TRESTLE_ENDPOINT;
if (!endpoint) throw new Error('TRESTLE_ENDPOINT is not set: start the tests with `npm test`');

export const region = process.env.AWS_REGION ?? 'us-east-1';
export const credentials = {
  accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  ...(process.env.AWS_SESSION_TOKEN ? { sessionToken: process.env.AWS_SESSION_TOKEN } : {}),
};
export const prefix = process.env.TRESTLE_TABLE_PREFIX ?? 'sdkjs';
// DynamoDB creates tables and indexes slowly and updates indexes with a delay; Trestle does neither.
export const isRealService = /amazonaws\.com/.test(endpoint);
