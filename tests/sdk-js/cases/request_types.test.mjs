// Members with a JSON type that the operation does not accept, in requests about tables, tags and time to live: the
// SerializationException of each. Responses of DynamoDB, from dynalite's suite.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wire } from '../harness/wire.mjs';

const { callRaw } = wire();
const kMap = 'Start of structure or map found where not expected';
const notConvertible = (type, values) =>
  values.map(([value, kind]) => [value, `${kind} cannot be converted to ${type}`]);
const kBools = [
  [true, 'TRUE_VALUE'],
  [false, 'FALSE_VALUE'],
];
const kNumbers = [
  [23, 'NUMBER_VALUE'],
  [-2147483648, 'NUMBER_VALUE'],
  [2147483648, 'NUMBER_VALUE'],
  [34.56, 'DECIMAL_VALUE'],
];
const collection = (type) => [[[], `Unrecognized collection type class ${type}`]];
const others = (message) => ['23', true, 23, -2147483648, 2147483648, 34.56].map((value) => [value, message]);
const structure = (message) => (shape) => [
  ...others(message),
  ...collection(`com.amazonaws.dynamodb.v20120810.${shape}`),
];

// The messages of a member of each type for values that it cannot have.
const kString = [...notConvertible('String', [...kBools, ...kNumbers]), ...collection('java.lang.String'), [{}, kMap]];
const kLong = [
  ...notConvertible('Long', [['23', 'STRING_VALUE'], ...kBools]),
  ...collection('java.lang.Long'),
  [{}, kMap],
];
const kInteger = [
  ...notConvertible('Integer', [['23', 'STRING_VALUE'], ...kBools]),
  ...collection('java.lang.Integer'),
  [{}, kMap],
];
const kBoolean = [
  ['23', 'Unexpected token received from parser'],
  ...notConvertible('Boolean', kNumbers),
  ...collection('java.lang.Boolean'),
  [{}, kMap],
];
const kList = [...others('Unexpected field type'), [{}, kMap]];
const member = structure('Unexpected field type'); // a structure as a member
const entry = structure('Unexpected value type in payload'); // a structure as a list element

const units = (path) => ({
  [path]: member('ProvisionedThroughput'),
  [`${path}.WriteCapacityUnits`]: kLong,
  [`${path}.ReadCapacityUnits`]: kLong,
});
const kUpdate = 'GlobalSecondaryIndexUpdates.0.Update';
const kCreate = 'GlobalSecondaryIndexUpdates.0.Create';
const kDelete = 'GlobalSecondaryIndexUpdates.0.Delete';
const kOperations = {
  UpdateTable: {
    TableName: kString,
    ...units('ProvisionedThroughput'),
    GlobalSecondaryIndexUpdates: kList,
    'GlobalSecondaryIndexUpdates.0': entry('GlobalSecondaryIndexUpdate'),
    [kUpdate]: member('UpdateGlobalSecondaryIndexAction'),
    [`${kUpdate}.IndexName`]: kString,
    ...units(`${kUpdate}.ProvisionedThroughput`),
    [kCreate]: member('CreateGlobalSecondaryIndexAction'),
    [`${kCreate}.IndexName`]: kString,
    ...units(`${kCreate}.ProvisionedThroughput`),
    [`${kCreate}.KeySchema`]: kList,
    [`${kCreate}.KeySchema.0`]: entry('KeySchemaElement'),
    [`${kCreate}.KeySchema.0.AttributeName`]: kString,
    [`${kCreate}.KeySchema.0.KeyType`]: kString,
    [`${kCreate}.Projection`]: member('Projection'),
    [`${kCreate}.Projection.NonKeyAttributes`]: kList,
    [`${kCreate}.Projection.NonKeyAttributes.0`]: kString,
    [`${kCreate}.Projection.ProjectionType`]: kString,
    [kDelete]: member('DeleteGlobalSecondaryIndexAction'),
    [`${kDelete}.IndexName`]: kString,
  },
  DescribeTable: { TableName: kString },
  DeleteTable: { TableName: kString },
  ListTables: { ExclusiveStartTableName: kString, Limit: kInteger },
  DescribeTimeToLive: { TableName: kString },
  UpdateTimeToLive: {
    TableName: kString,
    TimeToLiveSpecification: member('TimeToLiveSpecification'),
    'TimeToLiveSpecification.AttributeName': kString,
    'TimeToLiveSpecification.Enabled': kBoolean,
  },
  TagResource: {
    ResourceArn: kString,
    Tags: kList,
    'Tags.0': entry('Tag'),
    'Tags.0.Key': kString,
    'Tags.0.Value': kString,
  },
  UntagResource: { ResourceArn: kString, TagKeys: kList, 'TagKeys.0': kString },
  ListTagsOfResource: { ResourceArn: kString },
};

// {a: [{b: value}]} for "a.0.b".
const nested = (path, value) =>
  path.split('.').reduceRight((inner, part) => (part === '0' ? [inner] : { [part]: inner }), value);

for (const [operation, members] of Object.entries(kOperations)) {
  describe(`${operation}, types`, { concurrency: 8 }, () => {
    for (const [path, values] of Object.entries(members)) {
      test(path, async () => {
        for (const [value, message] of values) {
          const reply = await callRaw(operation, JSON.stringify(nested(path, value)));
          assert.deepEqual(
            [reply.status, JSON.parse(reply.body)],
            [400, { __type: 'com.amazon.coral.service#SerializationException', Message: message }],
            `${path} = ${JSON.stringify(value)}`,
          );
        }
      });
    }
  });
}
